"""One field on all ports: every schedule by brute force, its cycles as TR-20-91 claims them."""

from itertools import pairwise, product

import numpy as np
import pytest
from all_port_cases import (
    ALL_PORT,
    DIRECTIONS,
    TABLE,
    assert_carried_out,
    ceil,
    crossings_of,
    destinations,
    distributed,
    emitted,
    machine_of,
    task_of,
)
from hypothesis import given, settings, strategies as st
from strategies import ones
from sweeping import examples, sweep

import graycube as gc
from graycube.cost import simulate
from graycube.gf2 import rotation
from graycube.schedule import actions, expand
from graycube.table.gray import any_order
from graycube.verify import check_algebra, check_elements

LONG = pytest.mark.sweep
SOME = (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 15, 18, 24, 33, 64)
INFEASIBLE = {(2, 3), (2, 4), (3, 4), (3, 5), (4, 6)}
"""Cubes and blocks (n, K) for which no schedule takes the n cycles of Theorem 8."""


def blocks_of(n, name, most):
    """All blocks on the smallest cubes, some on others, of up to so many elements."""
    if name == "tight":
        every = (2, 3, n, n + 1, n + 2, n + 3, 2 * n + 5, 33) if n < 7 else (n + 2,)
    elif n <= 3 and name != "few-ports":
        every = range(1, 65)
    else:
        every = {*SOME, n + 3, 2 * n + 2, 3 * n} if n < 8 else {1, 3, n - 1, n + 3, 3 * n, 64}
    return sorted(block for block in every if block <= most)


def long_routes(n, units):
    """TR-20-91 section 5.1: M' + max(M', n) cycles."""
    return units + max(units, n) if units else 0


def best_split(n, block, short):
    """The least of all splits of a block into short and long routes."""
    return min(
        max(short(block - units), long_routes(n, units)) for units in range(block + 1)
    )  # the slower kind ends last


CLAIMED = {
    "pipelined": lambda n, block: block + n - 2,
    "minimum-path": lambda n, block: max(n - 1, block),  # Theorem 6
    "nonminimum-path": lambda n, block: best_split(
        n, block, lambda units: units + n - 2 if units else 0
    ),
    "nonminimum-ring": lambda n, block: best_split(n, block, lambda units: max(units, n - 1)),
    "two-cube": lambda _, block: ceil(block, 2) + 1 if block > 1 else 1,  # Figure 4
    "tight": lambda n, block: n * ceil(block, 5 if n == 4 else n + 2),  # Theorem 8
}
"""Cycles in units of one element; nothing is claimed of few-ports."""


def claimed(name, n, block):
    return CLAIMED[name](n, block)


def theorem_8(n, block):
    return n if block <= n + 2 else ceil(2 * block - (n - 2), 3) + n - 2


def applies(name, n):
    return {"two-cube": n == 2, "tight": n >= 4}.get(name, True)


def directions_for(n, block):
    """Both for small blocks, in turn for others."""
    return DIRECTIONS if block <= n + 3 else DIRECTIONS[block // 2 % 2 :][:1]


CASES = [(name, n, 20) for n in range(2, 6) for name in ALL_PORT if applies(name, n)]
LARGE = [(name, n, 64) for n in range(2, 9) for name in ALL_PORT if applies(name, n)]


@pytest.mark.long
@pytest.mark.parametrize(("name", "n", "most"), [*CASES, *sweep(*LARGE)])
def test_every_element_arrives_in_the_cycles_claimed(name, n, most):
    machine = machine_of(n)
    for block in blocks_of(n, name, most):
        for direction in directions_for(n, block):
            schedule = emitted(name, task_of(n, block, direction), machine)
            assert_carried_out(schedule, machine, destinations(n, direction))
            cycles = simulate(schedule).cycles
            assert cycles == schedule.cycles
            if name != "few-ports":
                assert cycles == claimed(name, n, block) == TABLE[name].cycles((n,), block)


@pytest.mark.parametrize("n", range(4, 9))
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_tight_brings_a_single_element_as_fast_as_any_path(n, direction):
    schedule = emitted("tight", task_of(n, 1, direction), machine_of(n))
    assert_carried_out(schedule, machine_of(n), destinations(n, direction))
    assert simulate(schedule).cycles == n - 1


@pytest.mark.parametrize("n", range(4, 9))
def test_tight_leaves_no_round_idle_for_a_single_element(n):
    schedule = emitted("tight", task_of(n, 1), machine_of(n))
    assert simulate(schedule).cycles == schedule.cycles == TABLE["tight"].cycles((n,), 1)


@pytest.mark.parametrize("n", [7, *(pytest.param(n, marks=LONG) for n in (9, 10, 11, 12))])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_tight_has_one_table_for_all_wide_fields(n, direction):
    blocks = (1, n, n + 2, n + 3)
    for block in blocks if n > 7 else blocks[DIRECTIONS.index(direction) :: 2]:
        schedule = emitted("tight", task_of(n, block, direction), machine_of(n))
        assert_carried_out(schedule, machine_of(n), destinations(n, direction))
        claimed = n * ceil(block, n + 2) - (block == 1)
        assert simulate(schedule).cycles == claimed == TABLE["tight"].cycles((n,), block)


@pytest.mark.parametrize("n", [13, *(pytest.param(n, marks=LONG) for n in (16, 30, 60))])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_tight_is_proved_for_large_cubes(n, direction):
    blocks = (n + 1, n + 2)
    for block in blocks if n > 13 else blocks[DIRECTIONS.index(direction) :][:1]:
        schedule = emitted("tight", task_of(n, block, direction), machine_of(n))
        assert check_algebra(schedule, machine_of(n))
        assert simulate(schedule).cycles == n


@pytest.mark.parametrize("name", ALL_PORT)
def test_the_table_says_where_an_algorithm_applies(name):
    for n in range(2, 11):
        expected = n == 2 if name == "two-cube" else n >= 4 if name == "tight" else True
        assert (TABLE[name].applicable(task_of(n, 3), machine_of(n)) is None) == expected


@pytest.mark.parametrize("name", ALL_PORT)
def test_the_ports_that_an_algorithm_needs(name):
    """Pipelines of short routes need n - 1 ports and detours all of them."""
    for n in (2, 4, 6):
        needed = {"pipelined": n - 1, "minimum-path": n - 1, "few-ports": 1}.get(name, n)
        for ports in range(1, n + 1) if applies(name, n) else ():
            found = TABLE[name].applicable(task_of(n, 3), machine_of(n, ports))
            assert (found is None) == (ports >= needed)


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "most"), [(2, 12), (3, 12), (4, 12), *sweep(*((n, 64) for n in range(2, 9)))]
)
def test_the_planner_keeps_the_promise_of_theorem_8(n, most):
    """The formula as printed, except where it is infeasible: there a cycle more."""
    near = {1, n - 1, n, n + 1, n + 2, n + 3, n + 4, 2 * n, 2 * n + 1, 2 * n + 2, 3 * n, 64}
    for block in range(1, most + 1) if n < 4 else sorted(k for k in near if k <= most):
        for direction in DIRECTIONS[: 1 if block > n + 3 else 2]:
            codes = (gc.Layout.nodes(n, code) for code in direction)
            plan = gc.plan(*codes, block, machine=machine_of(n))
            late = (n, block) in INFEASIBLE
            assert plan.cycles - late <= theorem_8(n, block)
            assert not late or plan.cycles == theorem_8(n, block) + 1
            assert max(n - 1, ceil(block, 2)) <= plan.cycles


@pytest.mark.parametrize("n", [*range(2, 8), 12, pytest.param(40, marks=LONG)])
def test_long_rings_take_two_thirds_of_the_block(n):
    """From 3n elements on, for every residue: two thirds short routes and one third long."""
    machine = machine_of(n)
    for block in (3 * n, 3 * n + 1, 3 * n + 2, 1000, 2**20) if n < 13 else (3 * n, 2**20):
        for direction in DIRECTIONS:
            schedule = emitted("nonminimum-ring", task_of(n, block, direction), machine)
            assert check_algebra(schedule, machine)
            assert schedule.cycles == simulate(schedule).cycles == ceil(2 * block, 3)


@pytest.mark.parametrize("n", [2, 3, 9, 12])
def test_below_three_blocks_a_cube_dimension_the_ring_may_take_longer(n):
    cycles = {block: claimed("nonminimum-ring", n, block) for block in range(1, 3 * n)}
    ring = TABLE["nonminimum-ring"].cycles
    assert cycles == {block: ring((n,), block) for block in cycles}
    assert all(cycles[block] >= ceil(2 * block, 3) for block in cycles)
    late = [block for block in cycles if cycles[block] > ceil(2 * block, 3)]
    assert 3 * n - 3 >= late[-1] > 2 * n - 3


@pytest.mark.parametrize("n", range(2, 13))
def test_the_printed_formula_of_theorem_8_is_not_that_of_its_split(n):
    """From 2n elements on they agree; below, the long routes are late for some blocks."""
    paper = {}
    for block in range(n + 3, 100):
        short = ceil(2 * block - (n - 2), 3)
        paper[block] = max(short + n - 2, long_routes(n, block - short))
        assert claimed("nonminimum-path", n, block) <= paper[block]
    late = [block for block, cycles in paper.items() if cycles > theorem_8(n, block)]
    assert (min(late) >= n + 3 and max(late) == 2 * n - 1) if n > 3 else not late
    assert all(
        claimed("nonminimum-path", n, k) == theorem_8(n, k) for k in paper if k not in late
    )


# The paper's figures, row by row: the node, then what it holds.
FIGURE_2 = """
    00 0000  0 00  0 00  0 00
    01 0001  0 01  0 01  0 01
    02 0011  0 02  0 02  1 03
    03 0010  0 03  0 03  1 02
    04 0110  0 04  1 07  1 06
    05 0111  0 05  1 06  1 07
    06 0101  0 06  1 05  0 05
    07 0100  0 07  1 04  0 04
    08 1100  1 15  1 12  0 12
    09 1101  1 14  1 13  0 13
    10 1111  1 13  1 14  1 15
    11 1110  1 12  1 15  1 14
    12 1010  1 11  0 11  1 10
    13 1011  1 10  0 10  1 11
    14 1001  1 09  0 09  0 09
    15 1000  1 08  0 08  0 08
"""
FIGURE_3 = """
    00 0000  00 00 00  00 00 00  00 00 00
    01 0001  01 01 01  01 01 01  01 01 01
    02 0011  02 02 03  02 03 03  03 03 03
    03 0010  03 03 02  03 02 02  02 02 02
    04 0110  04 07 06  07 06 06  04 04 06
    05 0111  05 06 07  06 07 07  05 05 07
    06 0101  06 05 05  05 05 05  07 07 05
    07 0100  07 04 04  04 04 04  06 06 04
    08 1100  15 12 12  08 08 12  08 14 12
    09 1101  14 13 13  09 09 13  09 15 13
    10 1111  13 14 15  10 11 15  11 13 15
    11 1110  12 15 14  11 10 14  10 12 14
    12 1010  11 11 10  15 14 10  12 10 10
    13 1011  10 10 11  14 15 11  13 11 11
    14 1001  09 09 09  13 13 09  15 09 09
    15 1000  08 08 08  12 12 08  14 08 08
"""


def figure(text):
    """For every node its index at first, and the other columns of its row."""
    rows = [line.split() for line in text.split("\n") if line.strip()]
    return {int(node, 2): (int(data), [*map(int, rest)]) for data, node, *rest in rows}


def program(exchanges):
    """The layouts of a program, and whether the exchanges concern each node."""
    layouts = [gc.Layout.nodes(4, "gray")]
    for exchange in exchanges:
        layouts.append(exchange.affine(4) @ layouts[-1])
    held = [[layout.index(node, 0) for node in range(16)] for layout in layouts]
    moved = [[int(exchange(node) != node) for node in range(16)] for exchange in exchanges]
    return held, moved


def test_figure_2_entry_by_entry():
    for order in ("descending", rotation(4, 2)):
        exchanges = gc.gray_to_binary(4, order)
        assert [exchange.flip for exchange in exchanges] == [4, 2, 1]
        held, moved = program(exchanges)
        rows = figure(FIGURE_2)
        assert len(rows) == 16
        for node, (data, entries) in rows.items():
            assert held[0][node] == data
            assert [column[node] for column in moved] == entries[::2]
            assert [column[node] for column in held[1:]] == entries[1::2]


def test_figure_3_entry_by_entry():
    orders = {2: (2, 1, 0), 1: (1, 0, 2), 0: (0, 2, 1)}
    rows = figure(FIGURE_3)
    assert len(rows) == 16
    for column, (start, order) in enumerate(orders.items()):
        assert rotation(4, start) == order
        exchanges = gc.gray_to_binary(4, rotation(4, start))
        assert [exchange.flip for exchange in exchanges] == [1 << d for d in order]
        held, _ = program(exchanges)
        for node, (data, entries) in rows.items():
            assert held[0][node] == data
            assert [step[node] for step in held[1:]] == entries[3 * column :][:3]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", ["pipelined", "minimum-path"])
@pytest.mark.parametrize("n", range(2, 9))
def test_short_routes_are_shortest_paths(n, name, direction):
    ends = destinations(n, direction)
    distances = [ones(home ^ end) for home, end in enumerate(ends)]
    for block in (1, n - 1, n, 2 * n + 1):
        schedule = emitted(name, task_of(n, block, direction), machine_of(n))
        crossed = crossings_of(expand(schedule), 1 << n)
        assert crossed.tolist() == [[distance] * block for distance in distances]
        assert crossed.sum() == simulate(schedule).crossings == block * (n - 1) << (n - 1)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("n", range(2, 9))
def test_detours_cross_two_links_more_for_every_long_unit(n, direction):
    """Theorem 8: a long route takes the complementary exchanges and the top one twice."""
    for block in (1, n + 3, 3 * n, 3 * n + 1):
        for name, most in (
            ("nonminimum-path", ceil(block + n - 2, 3)),
            ("nonminimum-ring", ceil(block, 3)),
        ):
            schedule = emitted(name, task_of(n, block, direction), machine_of(n))
            moves = expand(schedule)
            over_top = np.count_nonzero(moves.dimension == n - 1)
            assert len(moves) - over_top == block * (n - 1) << (n - 1)
            assert over_top % (2 << n) == 0
            assert over_top >> (n + 1) <= most


def used_links(schedule):
    moves = expand(schedule)
    return set(zip(moves.node.tolist(), moves.dimension.tolist(), strict=True))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("n", range(2, 9))
def test_theorem_7_one_of_two_corresponding_edges_is_used(n, direction):
    """Ascending for Gray to binary, descending for binary to Gray, which runs backwards."""
    top, pairs = 1 << (n - 1), [(u, d) for u in range(1 << (n - 1)) for d in range(n - 1)]
    for schedule in (
        any_order.emit_order(task_of(n, 1, direction), "ascending"),
        emitted("pipelined", task_of(n, 1, direction), machine_of(n)),
    ):
        order = [hop.move.flip for hop in schedule.ways[0].steps]
        assert order == sorted(order, reverse=direction[0] == "binary")
        used = used_links(schedule)
        assert all(((u, d) in used) != ((u ^ top, d) in used) for u, d in pairs)
    other = used_links(any_order.emit_order(task_of(n, 1, direction), "descending"))
    same = [(u, d) for u, d in pairs if ((u, d) in other) == ((u ^ top, d) in other)]
    assert sorted({d for _, d in same}) == [*range(n - 2)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "startup"),
    [(3, 0.0), (3, 3.0), (4, 3.0), *sweep((4, 0.0), *product((5, 6, 7), (0.0, 3.0)))],
)
def test_more_ports_never_make_a_plan_dearer(n, startup):
    for block, direction in zip((1, n + 2, 16, 45), DIRECTIONS * 2, strict=True):
        layouts = [gc.Layout.nodes(n, code) for code in direction]
        costs = []
        for ports in (*range(1, n + 1), "all"):
            machine = machine_of(n, ports, startup=startup)
            plan = gc.plan(*layouts, block, machine=machine)
            costs.append(plan.cost)
            assert plan.lower_bound <= plan.cost * (1 + 1e-12)
            if n < 6:
                assert_carried_out(plan.schedule, machine, destinations(n, direction))
        assert all(before >= after for before, after in pairwise(costs))
        assert costs[-1] == costs[-2]


@pytest.mark.parametrize("n", [3, 4, 5, *sweep((6,), (7,))])
def test_few_ports_is_proved_for_any_number_of_ports(n):
    for ports in range(1, n + 1):
        machine = machine_of(n, ports)
        for block, direction in zip((2, 7, 20), (*DIRECTIONS, DIRECTIONS[0]), strict=True):
            schedule = emitted("few-ports", task_of(n, block, direction), machine)
            assert_carried_out(schedule, machine, destinations(n, direction))


@pytest.mark.parametrize("n", range(2, 8))
def test_few_ports_on_one_port_costs_what_gb3_costs(n):
    machine = machine_of(n, 1)
    for block in (*range(1, 25), 63, 64):
        task = task_of(n, block, DIRECTIONS[block // 2 % 2])
        cycles = simulate(emitted("few-ports", task, machine)).cycles
        assert (
            cycles
            == simulate(emitted("gb3", task, machine)).cycles
            == n * ceil(block, 2)
            - (
                block % 2  # the smaller half makes the detour
            )
        )


@pytest.mark.parametrize("n", range(2, 8))
def test_few_ports_takes_about_half_of_n_blocks_divided_by_its_ports(n):
    """n K / 2p, and 2K/3 at least, within a fifth and the n rounds that a pipeline fills."""
    for ports in range(1, n + 1):
        for block in (1, 2, 7, 24, 61, 100):
            schedule = emitted("few-ports", task_of(n, block), machine_of(n, ports))
            ideal = max(n * block / (2 * ports), 2 * block / 3)
            assert simulate(schedule).cycles <= 1.2 * ideal + n


def packets_of(n, packet, ports="all"):
    return machine_of(n, ports, startup=1.0, per_byte=1e-9, packet=packet)


def startups(name, n, block, packet):
    machine = packets_of(n, packet)
    return simulate(emitted(name, task_of(n, block), machine)).startups(machine)


@pytest.mark.parametrize("packet", [1, 3, 16, *sweep((2,), (100,))])
@pytest.mark.parametrize("n", [2, 3, 6, *sweep((8,), (12,))])
def test_start_ups_of_packets_are_at_most_the_papers(n, packet):
    """Section 6, for all blocks: no exception was found."""
    edges = {k * packet + e for k in (1, n - 1, n, 2 * n, 3 * n) for e in (-1, 0, 1)}
    for block in sorted({1, 2, 3, 5, 77, 1000, *edges} - {0}):
        shortest = ceil(block, (n - 1) * packet) * (n - 1)
        detours = max(ceil(2 * block, 3 * packet) + n - 2, 2 * ceil(block, 3 * packet) + n - 1)
        assert startups("minimum-path", n, block, packet) <= shortest
        assert startups("nonminimum-path", n, block, packet) <= detours
        assert startups("nonminimum-ring", n, block, packet) <= detours


@pytest.mark.long
@pytest.mark.parametrize("packet", [4, 50])
@pytest.mark.parametrize("n", [3, 4, *sweep((5,), (8,))])
def test_the_planner_weighs_packets_against_paths(n, packet):
    layouts = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    machine = packets_of(n, packet)
    for block in ((n - 2) * packet + 1, (n - 1) * packet):
        shortest = gc.plan(*layouts, block, machine=machine, algorithm="minimum-path")
        for plan in (gc.plan(*layouts, block, machine=machine), shortest):
            assert plan.traffic.startups(machine) == n - 1
        assert shortest.traffic.crossings == block * (n - 1) << (n - 1)
    for block in (3 * n * packet, 30 * n * packet + 1):
        plan = gc.plan(*layouts, block, machine=machine)
        assert plan.traffic.startups(machine) <= ceil(2 * block, 3 * packet)
        assert startups("minimum-path", n, block, packet) == ceil(block, packet)  # 1.5 times


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_nodes_of_a_two_cube_hold_at_most_two_guests(direction):
    """What the 2-cube's optimum costs in memory: some elements on nodes 0 and 1."""
    for block in range(1, 25):
        schedule = emitted("two-cube", task_of(2, block, direction), machine_of(2))
        _, peak = distributed(schedule)
        guests = peak - block
        assert guests == check_elements(expand(schedule), machine_of(2)).peak - block
        assert guests <= 2


@given(st.integers(4, 8), st.integers(1, 30), st.booleans(), st.data())
@settings(max_examples=examples(25))
def test_tight_actions_are_mirrored_by_the_neighbours(n, block, backwards, data):
    schedule = emitted("tight", task_of(n, block, DIRECTIONS[backwards]), machine_of(n))
    assert_mirrored(schedule, data.draw(st.integers(0, (1 << n) - 1)))


@given(st.integers(0, 2**40 - 1), st.sampled_from(DIRECTIONS))
@settings(max_examples=examples(3))
def test_actions_at_forty_dimensions_are_mirrored_by_the_neighbours(node, direction):
    schedule = emitted("nonminimum-ring", task_of(40, 2**20, direction), machine_of(40))
    assert_mirrored(schedule, node)
    found = actions(schedule, node)
    assert [a.cycle for a in found] == sorted(a.cycle for a in found)


def assert_mirrored(schedule, node):
    """What a node sends over a link is what its neighbour receives there."""
    mine = actions(schedule, node)
    for d in range(schedule.task.n):
        theirs = actions(schedule, node ^ 1 << d)
        for sender, receiver in ((mine, theirs), (theirs, mine)):
            sent = [(a.cycle, a.start, a.stop) for a in sender if a.dimension == d and a.sends]
            got = [
                (a.cycle, a.start, a.stop) for a in receiver if a.dimension == d and a.receives
            ]
            assert sorted(sent) == sorted(got)
