"""Strands of some nodes: checked, counted, written and carried out as a plain walk says."""

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations, cycle as endlessly

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from schedule_cases import (
    conversion,
    every_machine,
    exchanges,
    hop_of,
    random_schedules,
    rows_of,
    subcube_schedules,
)
from sweeping import examples
from way_mutants import follow

import graycube as gc
from graycube.cost import simulate
from graycube.cost.replay import replay
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Matrix
from graycube.run import apply
from graycube.schedule import Way, actions, dump, expand, hop, load
from graycube.verify import check_algebra, check_elements

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
THOROUGH = settings(max_examples=examples(150), suppress_health_check=SLOW)
USUAL = settings(max_examples=examples(80), suppress_health_check=SLOW)


def walked(schedule):
    """Every crossing in plain integers, and the addresses where all elements end, by way."""
    done = [follow(schedule.task, way) for way in schedule.ways]
    ends = [(element, *place) for _, at, _ in done for element, place in at.items()]
    return [row for rows, _, _ in done for row in rows], ends


def sequential(strand, start, unit, n):
    """The strand with its hops one unit after another."""
    hops = (hop(start + unit * k, step.move, n) for k, step in enumerate(strand.steps))
    return replace(strand, steps=tuple(hops))


@pytest.mark.long
@given(subcube_schedules(slots=0))
@THOROUGH
def test_one_hop_after_another_is_accepted_on_every_machine(schedule):
    """Whatever the strands are: with all links to itself, a hop breaks no rule."""
    block, made, start = schedule.task.block, [], 0
    for strand in schedule.ways:
        made.append(sequential(strand, start, block, schedule.task.n))
        start += block * len(strand.steps)
    alone = replace(schedule, ways=tuple(made), rounds=range(0, start, block), cycles=start)
    moves = expand(alone)
    for machine in every_machine(schedule.task.n):
        by_algebra = {rule for rule, _ in check_algebra(alone, machine).counts}
        by_elements = {rule for rule, _ in check_elements(moves, machine).counts}
        assert by_algebra <= {"share", "end"}
        if "share" not in by_algebra:
            assert by_elements <= by_algebra


@given(subcube_schedules())
@USUAL
def test_the_moves_are_those_of_a_plain_walk(schedule):
    rows, ends = walked(schedule)
    assert sorted(rows_of(expand(schedule))) == sorted(rows)
    paths, listed = defaultdict(list), defaultdict(list)
    for found, given_rows in ((paths, rows), (listed, rows_of(expand(schedule)))):
        for cycle, node, dimension, element in given_rows:
            found[element, cycle].append((node, dimension))
    once = Counter(element for element, _, _ in ends)
    for (element, cycle), path in paths.items():
        if once[element] == 1:
            assert listed[element, cycle] == path


def covered(schedule):
    """How many strands have each position of each node."""
    task = schedule.task
    count = np.zeros((1 << task.n, task.block), dtype=int)
    for strand in schedule.ways:
        for node in range(1 << task.n):
            if strand.starts_at(node):
                count[node, strand.start : strand.stop] += 1
    return count


@given(subcube_schedules())
@THOROUGH
def test_a_position_in_two_strands_or_none_is_found(schedule):
    machine = gc.Machine(schedule.task.n, "all")
    shares = dict(check_algebra(schedule, machine).counts).get("share", 0)
    assert (shares > 0) == bool((covered(schedule) != 1).any())


SUBCUBES = [(mask, value) for mask in range(8) for value in range(8) if not value & ~mask]


THIRDS = [(0, 2, 1, 0), (0, 1, 0, 0), (1, 2, 5, 4), (1, 2, 7, 7)]


def test_any_two_subcubes_share_nodes_or_not():
    """All pairs of strands that share out two positions, beside one more in turn."""
    task = gc.Task(gc.Layout.nodes(3), gc.Layout.nodes(3), 2)
    thirds = endlessly(Way(start, stop, (), *nodes) for start, stop, *nodes in THIRDS)
    for one, two in combinations(SUBCUBES, 2):
        strands = (Way(0, 2, (), *one), Way(0, 2, (), *two))
        for made in (strands, strands[::-1], (*strands, next(thirds))):
            schedule = gc.Schedule(task, "shares", (), 0, made)
            accepted = bool(check_algebra(schedule, gc.Machine(3)))
            assert accepted == bool((covered(schedule) == 1).all())


def round_number(schedule, cycle):
    return sum(start <= cycle for start in schedule.rounds) - 1


@pytest.mark.long
@given(st.one_of(subcube_schedules(), random_schedules()))
@THOROUGH
def test_the_traffic_is_what_the_moves_show(schedule):
    """Cycles beyond the end belong to no round; the algebra refuses them."""
    moves = expand(schedule)
    assume(len(moves) == 0 or moves.cycle.max() < schedule.cycles)
    try:
        traffic = simulate(schedule)
    except gc.GraycubeError as error:
        assert "tests slots" in str(error)  # noqa: PT017
        return
    loads = [Counter() for _ in schedule.rounds]
    of_links = Counter()
    for cycle, node, dimension, _ in walked(schedule)[0]:
        loads[round_number(schedule, cycle)][node, dimension] += 1
        of_links[node, dimension] += 1
    expected = []
    for load_of in loads:
        longest = max(load_of.values(), default=0)
        expected.append((longest, load_of.total(), len(load_of)))
    found = [(r.longest, r.crossings, r.links) for r in traffic.rounds for _ in range(r.times)]
    assert found == expected
    assert traffic.cycles == sum(longest for longest, *_ in expected)
    assert traffic.crossings == len(moves)
    if schedule.cycles:
        seen = replay(moves)
        assert {k: c for k, c in np.ndenumerate(seen.link_loads) if c} == dict(of_links)
        assert traffic.crossings == seen.active.sum()


@given(subcube_schedules())
@USUAL
def test_a_schedule_of_subcubes_is_read_back(schedule):
    text = dump(schedule)
    again = load(text)
    assert again == schedule
    assert dump(again) == text
    assert again.rounds == schedule.rounds
    assert isinstance(again.rounds, range) == isinstance(schedule.rounds, range)


@pytest.mark.long
@given(subcube_schedules())
@THOROUGH
def test_the_data_goes_where_a_plain_walk_ends(schedule):
    """Where several elements end, one of them is found; where none does, what was there."""
    task = schedule.task
    blocks = np.arange(task.block << task.n).reshape(1 << task.n, task.block)
    names = range(1 << task.n)
    if schedule.relabel is not None:
        names = [schedule.relabel(u) & (len(names) - 1) for u in names]
    try:
        after = apply(schedule, blocks)
    except gc.GraycubeError as error:
        assert "changes slots" in str(error)  # noqa: PT017
        return
    arrived = defaultdict(set)
    for element, a, behind in walked(schedule)[1]:
        end = names[a & (len(names) - 1)]
        arrived[end, (a >> task.n) * task.payload + behind].add(element)
    for u, k in np.ndindex(*blocks.shape):
        allowed = arrived[names[u], k] or {int(blocks[u, k])}
        assert after[names[u], k] in allowed
    assert np.array_equal(apply(schedule, blocks, out=blocks), after)


@pytest.mark.long
@given(subcube_schedules(slots=0))
@THOROUGH
def test_the_actions_of_all_nodes_add_up_to_the_moves(schedule):
    sent, received = Counter(), Counter()
    for node in range(1 << schedule.task.n):
        told = actions(schedule, node)
        assert [a.cycle for a in told] == sorted(a.cycle for a in told)
        for action in told:
            assert action.sends or action.receives
            for turn in range(action.stop - action.start):
                where = action.cycle + turn, node, action.dimension, action.start + turn
                sent[where] += action.sends
                cycle, _, dimension, position = where
                received[cycle, node ^ 1 << dimension, dimension, position] += action.receives
    block = schedule.task.block
    moved = Counter((c, u, d, e % block) for c, u, d, e in walked(schedule)[0])
    assert +sent == moved
    assert +received == moved


# Checks of what is at the border of a subcube.

LINK = Exchange(1, 0, 0)
OTHER = Exchange(2, 0, 0)


def turned_over(n, strands, rounds, cycles, block=1):
    """A schedule that has to complement all bits of the node number."""
    source = gc.Layout.nodes(n)
    move = AffineMap(Matrix.identity(n), (1 << n) - 1)
    task = gc.Task(source, move @ source, block)
    return gc.Schedule(task, "by hand", rounds, cycles, strands)


@pytest.mark.parametrize("switching", ["store-and-forward", "circuit"])
@pytest.mark.parametrize(
    ("first", "second", "rounds"), [((0, 1), (0, 2), (0, 1, 2)), ((0, 2), (1, 3), (0, 2, 3))]
)
def test_a_node_that_two_others_send_to_needs_two_ports(first, second, rounds, switching):
    """Nodes 0 and 2 send to 1 and 3, and so do 3 and 1: one send for each node.

    They do so in cycle 0, or one after the other within the first round.
    """
    strands = (
        Way(0, 1, (hop_of(first[0], LINK), hop_of(first[1], OTHER)), mask=1, value=0),
        Way(0, 1, (hop_of(second[0], OTHER), hop_of(second[1], LINK)), mask=1, value=1),
    )
    schedule = turned_over(2, strands, rounds, rounds[-1] + 1)
    for ports, fits in ((1, False), (2, True)):
        machine = gc.Machine(2, ports, switching)
        assert bool(check_elements(expand(schedule), machine)) is fits
        assert bool(check_algebra(schedule, machine)) is fits


def there_and_back(start, rounds):
    """Three elements go over dimension 0 and back, three others over dimension 1."""
    layout = gc.Layout.nodes(2)
    ways = ((0, LINK), (20, LINK)), ((start, OTHER), (30, OTHER))
    strands = tuple(
        Way(3 * s, 3 * s + 3, tuple(hop_of(*step) for step in way))
        for s, way in enumerate(ways)
    )
    return gc.Schedule(gc.Task(layout, layout, 6), "back", rounds, 33, strands)


@pytest.mark.parametrize(
    ("start", "rounds", "rules"),
    [
        (0, range(0, 33, 3), {"ports", "round"}),
        (2, (0, 2, 5, 20, 30), {"ports", "round"}),
        (3, (0, 2, 6, 20, 30), {"round"}),
        (3, range(0, 33, 2), {"round"}),
        (3, range(0, 33, 3), set()),
        (3, (0, 3, 6, 20, 23, 30), set()),
        (4, range(0, 33, 2), set()),
    ],
)
def test_what_started_earlier_still_needs_its_port(start, rounds, rules):
    """Messages that overlap in time, and messages that only share a round."""
    schedule = there_and_back(start, rounds)
    moves = expand(schedule)
    for switching in ("store-and-forward", "circuit"):
        one, two = (gc.Machine(2, ports, switching) for ports in (1, 2))
        assert {rule for rule, _ in check_elements(moves, one).counts} == rules
        assert {rule for rule, _ in check_algebra(schedule, one).counts} == rules
        assert check_elements(moves, two)
        assert check_algebra(schedule, two)


def test_shares_that_change_slots_at_different_times_fill_a_node():
    """Each half of a block is one slot; a node sends both or receives both."""
    source = gc.Layout.consecutive(2, 1)
    way = (Exchange(2, 1, 1), Exchange(1, 2, 0))
    strands = tuple(
        Way(2 * s, 2 * s + 2, tuple(hop(4 * s, e, 1) for e in way)) for s in range(2)
    )
    task = gc.Task(source, strands[0].move(2) @ source, 4)
    schedule = gc.Schedule(task, "by hand", (0, 4), 8, strands)
    machine = gc.Machine(1)
    found = check_elements(expand(schedule), machine)
    assert found
    assert found.peak == 6
    assert check_algebra(schedule, machine).peak in (-1, 6)


def test_a_hop_that_no_node_of_the_strand_does_keeps_no_node_busy():
    layout = gc.Layout.nodes(2)
    idle = Way(0, 1, (hop_of(0, Exchange(1, 2, 0)),), mask=2, value=2)
    strands = (idle, Way(0, 1, (), mask=2, value=0))
    schedule = gc.Schedule(gc.Task(layout, layout, 1), "idle", (0,), 1, strands)
    assert len(expand(schedule)) == 0
    (only,) = simulate(schedule).rounds
    assert (only.longest, only.crossings, only.links) == (0, 0, 0)


def test_an_empty_strand_moves_nothing():
    task = gc.Task(gc.Layout.cyclic(2, 1), gc.Layout.cyclic(2, 1), 2)
    hops = (hop(0, Exchange(2, 0, 0), 1),)
    strands = (Way(0, 2, ()), Way(0, 0, hops))
    schedule = gc.Schedule(task, "by hand", (0,), 1, strands)
    assert len(expand(schedule)) == 0
    blocks = np.arange(4).reshape(2, 2)
    assert apply(schedule, blocks).tolist() == blocks.tolist()


@pytest.mark.parametrize(
    ("mask", "value"),
    [(-1, 0), (0, 1), (1, 2), (3, -1), (0, -1), (2, 3), (-2, -2), (1, 1 << 20000)],
    ids=lambda bits: f"{bits:#x}"[:9],
)
def test_a_value_outside_its_mask_is_refused(mask, value):
    with pytest.raises(InvalidValueError, match="mask"):
        Way(0, 1, (), mask, value)


@pytest.mark.parametrize("wrong", [0.0, "1", None, True, [1]])
@pytest.mark.parametrize("name", ["start", "stop", "mask", "value"])
def test_a_strand_is_made_of_integers(name, wrong):
    with pytest.raises(InvalidTypeError):
        Way(**{"start": 0, "stop": 1, "steps": (), name: wrong})


@pytest.mark.parametrize("mask", [4, 7, 1 << 64, 1 << 5000], ids=lambda bits: f"{bits:#x}"[:9])
def test_a_mask_beyond_the_address_is_refused(mask):
    task = conversion(2, 4)
    with pytest.raises(InvalidValueError, match="addresses have 2 bits") as caught:
        gc.Schedule(task, "wide", (), 0, (Way(0, 4, (), mask),))
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest_cubes_have_subcubes(n):
    layout = gc.Layout.nodes(n)
    task = gc.Task(layout, layout, 2)
    parts = [Way(0, 2, (), (1 << n) - 1, u) for u in range(1 << n)]
    for strands in (parts, [Way(0, 2, ())]):
        schedule = gc.Schedule(task, "rest", (), 0, tuple(strands))
        for machine in (gc.Machine(n), gc.Machine(n, "all", "circuit")):
            assert check_algebra(schedule, machine)
            assert check_elements(expand(schedule), machine)
        assert load(dump(schedule)) == schedule
        assert simulate(schedule).rounds == ()
        assert actions(schedule, 0) == ()
    missing = gc.Schedule(task, "gap", (), 0, tuple(parts[1:]))
    assert not check_algebra(missing, gc.Machine(n))


def test_subcubes_of_a_huge_cube_are_a_few_equations():
    """Nodes of the upper half complement dimension 0, the lower half dimension 0 as well."""
    n = 200
    source = gc.Layout.nodes(n)
    move = AffineMap(Matrix.identity(n), 1)
    task = gc.Task(source, move @ source, 10**9)
    top = 1 << (n - 1)
    there = (hop_of(0, LINK),)
    half = 5 * 10**8
    around = (hop_of(0, OTHER), hop_of(1, LINK), hop_of(half, OTHER))
    strands = (
        Way(0, half, there, top, top),
        Way(half, 2 * half, around, top, top),
        Way(0, 2 * half, there, top, 0),
    )
    schedule = gc.Schedule(task, "halves", range(2 * half), 2 * half, strands)
    machine = gc.Machine(n, 3)
    report = check_algebra(schedule, machine)
    assert dict(report.counts) == {
        "link": 1
    }  # the short ones and the way round, on dimension 0
    late = replace(strands[0], steps=(hop_of(half + 1, LINK),))
    patient = replace(
        schedule, ways=(late, *strands[1:]), rounds=range(2 * half + 2), cycles=2 * half + 2
    )
    assert check_algebra(patient, machine)
    traffic = simulate(patient)
    assert traffic.crossings == (2 * half << (n - 1)) + (half << (n - 1)) * 4
    assert load(dump(patient)) == patient


@given(st.data(), st.integers(1, 4))
@USUAL
def test_actions_of_conversions_send_what_neighbours_receive(data, n):
    """Hops of random exchanges on a random subcube, seen from both ends of every link."""
    way = data.draw(st.lists(exchanges(n, n), max_size=5))
    mask = data.draw(st.integers(0, (1 << n) - 1))
    value = mask & data.draw(st.integers(0, (1 << n) - 1))
    hops = tuple(hop_of(3 * k, exchange) for k, exchange in enumerate(way))
    strand = Way(0, 3, hops, mask, value)
    layout = gc.Layout.nodes(n)
    schedule = gc.Schedule(gc.Task(layout, layout, 3), "any", range(0, 15, 3), 15, (strand,))
    ends = {u: {(a.cycle, a.dimension): a for a in actions(schedule, u)} for u in range(1 << n)}
    for u, told in ends.items():
        for (cycle, d), action in told.items():
            other = ends[u ^ 1 << d][cycle, d]
            assert (action.sends, action.receives) == (other.receives, other.sends)
    everyone = replace(schedule, ways=(replace(strand, mask=0, value=0),))
    for u in ends:
        assert all(a.sends and a.receives for a in actions(everyone, u))
