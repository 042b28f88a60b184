"""Every algorithm does its task, by brute force, in the paper's rounds (TR-20-92)."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import gray_word

import graycube as gc
from graycube.cost import simulate
from graycube.errors import InvalidValueError
from graycube.run import apply
from graycube.schedule import expand
from graycube.table.gray import any_order
from graycube.verify import check_algebra

SIZES = [*range(2, 7), *(pytest.param(n, marks=pytest.mark.sweep) for n in range(7, 11))]
BLOCKS = (1, 2, 3, 7, 64)
DIRECTIONS = (("gray", "binary"), ("binary", "gray"))
NAMES = ("relabel", "direct", "gb1", "gb2", "gb3", "any-order", "circuit-split")
FOLLOWED = 1 << 12
"""Up to so many elements, every one is followed; above, the proof is by algebra."""


def machine_for(name, n):
    """The smallest machine that the paper has the algorithm run on."""
    circuits = name in ("direct", "circuit-split")
    return gc.Machine(
        dims=n,
        ports=2 if name == "circuit-split" else 1,
        switching="circuit" if circuits else "store-and-forward",
        startup=5.0,
        per_byte=2.0,
    )


def planned(name, n, block, direction=("gray", "binary")):
    """The plan of one algorithm, without its rivals and bounds."""
    layouts = (gc.Layout.nodes(n, code) for code in direction)
    task, machine = gc.Task(*layouts, block), machine_for(name, n)
    algorithm = next(a for a in gc.algorithms() if a.name == name)
    assert algorithm.applicable(task, machine) is None
    schedule = algorithm.emit(task, machine)
    return gc.Plan(task, machine, schedule, simulate(schedule), bounds=())


def converted(blocks, direction):
    """Block i moves from the node of its first code to the node of its second."""
    n = len(blocks).bit_length() - 1
    node = {"gray": [gray_word(i, n) for i in range(1 << n)], "binary": list(range(1 << n))}
    after = [None] * len(blocks)
    for here, there in zip(*(node[code] for code in direction), strict=True):
        after[there] = blocks[here]
    return after


def lengths(name, n, block):
    """The longest message of every round, by the paper's descriptions."""
    small, large = block // 2, block - block // 2
    third, two_thirds = -(-block // 3), -(-2 * block // 3)
    rounds = {
        "relabel": [],
        "direct": [block],
        "gb1": [block] * (n - 1),
        "gb2": [small] + [large] * (n - 1) + [small],
        "gb3": [small] + [large] * (n - 1),
        "any-order": [block] * (n - 1),
        "circuit-split": [third, two_thirds - third] if n > 2 else [large],
    }
    return [length for length in rounds[name] if length]


def crossings(name, n, block):
    """The proof of Lemma 3, and what the detours add to it."""
    nodes, shortest = 1 << n, (n - 1) * block << (n - 1)
    middle = -(-2 * block // 3) - -(-block // 3) if n > 2 else block // 2  # for half the nodes
    detours = {
        "relabel": -shortest,
        "gb2": 2 * nodes * (block // 2),
        "gb3": nodes * (block // 2),
        "circuit-split": (2 if n > 2 else 1) * nodes * middle,
    }
    return shortest + detours.get(name, 0)


@pytest.mark.long
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_permutes_like_the_recursive_code_in_the_papers_rounds(name, n):
    algorithm = next(a for a in gc.algorithms() if a.name == name)
    for block, direction in product(BLOCKS, DIRECTIONS):
        plan = planned(name, n, block, direction)
        blocks = np.arange(block << n, dtype=np.int32).reshape(1 << n, block)
        assert np.array_equal(plan.apply(blocks), converted(list(blocks), direction))
        followed = block << n <= FOLLOWED
        report = plan.verify() if followed else check_algebra(plan.schedule, plan.machine)
        assert report, str(report)
        assert ("presence" in report.rules) == followed
        backwards = direction[0] == "binary" and n > 2  # for n = 2 it is the same task
        backwards &= name != "circuit-split"
        expected = lengths(name, n, block)[:: -1 if backwards else 1]
        assert [r.longest for r in plan.traffic.rounds] == expected
        assert list(plan.schedule.round_lengths) == expected
        assert plan.cycles == algorithm.cycles((n,), block) == sum(expected)
        assert plan.traffic.crossings == crossings(name, n, block)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    ("name", "rounds", "volume"),
    [
        ("gb1", lambda n: n - 1, lambda n, k: (n - 1) * k),
        ("gb2", lambda n: n + 1, lambda n, k: (n + 1) * k // 2),
        ("gb3", lambda n: n, lambda n, k: n * k // 2),
        ("direct", lambda n: n // n, lambda n, k: n * k // n),
        (
            "circuit-split",
            lambda n: min(n - 1, 2),
            lambda n, k: 2 * k // 3 if n > 2 else k // 2,
        ),
    ],
)
def test_the_closed_forms_are_exact_where_the_block_divides(name, rounds, volume, n):
    for block in (6, 12, 600):
        plan = planned(name, n, block)
        assert plan.rounds == rounds(n)
        assert plan.cost == rounds(n) * 5.0 + volume(n, block) * 2.0


@pytest.mark.parametrize("name", NAMES)
def test_the_planner_takes_the_algorithm_of_that_name(name):
    layouts, machine = (gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4)), machine_for(name, 4)
    chosen = gc.plan(*layouts, 7, machine=machine, algorithm=name)
    assert chosen.schedule == planned(name, 4, 7).schedule


def test_no_split_into_three_is_shorter_than_the_ceiling():
    for block in range(1, 40):
        splits = ((a, b, block - a - b) for a in range(block + 1) for b in range(block + 1 - a))
        least = min(max(a, b) + max(b, c) for a, b, c in splits)
        assert planned("circuit-split", 3, block).cycles == least == -(-2 * block // 3)


def order_task(n, direction):
    return gc.Task(*(gc.Layout.nodes(n, code) for code in direction), block=3)


def assert_order_converts(n, order, direction):
    """TR-20-91 Theorem 1, carried out, proved, and priced like GB1."""
    schedule = any_order.emit_order(order_task(n, direction), order)
    dimensions = [hop.move.flip.bit_length() - 1 for hop in schedule.ways[0].steps]
    assert dimensions == list(order)[:: 1 if direction[0] == "gray" else -1]
    blocks = np.arange(3 << n).reshape(1 << n, 3)
    assert np.array_equal(apply(schedule, blocks), converted(list(blocks), direction))
    assert check_algebra(schedule, gc.Machine(dims=n))
    traffic = simulate(schedule)
    assert (traffic.cycles, traffic.crossings) == ((n - 1) * 3, (n - 1) * 3 << (n - 1))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("n", range(1, 6))
def test_exchanges_in_every_order_convert(n, direction):
    for order in permutations(range(n - 1)):
        assert_order_converts(n, order, direction)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("n", range(2, 9))
def test_exchanges_from_every_starting_dimension_convert(n, direction):
    for start in range(n - 1):
        assert_order_converts(n, [(start - k) % (n - 1) for k in range(n - 1)], direction)


@given(st.integers(6, 9).flatmap(lambda n: st.permutations(range(n - 1))), st.booleans())
def test_exchanges_in_random_orders_convert(order, backwards):
    assert_order_converts(len(order) + 1, order, DIRECTIONS[backwards])


@pytest.mark.parametrize(
    "order", [[0, 1], [0, 1, 1], [0, 1, 3], [0, 1, 2, 2], [], "", "rising", [2, 1, -1]], ids=str
)
def test_what_is_no_order_of_the_dimensions_is_refused(order):
    with pytest.raises(InvalidValueError, match=r"each of the dimensions \[0, 1, 2\] must"):
        any_order.emit_order(order_task(4, DIRECTIONS[0]), order)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_orders_with_a_name_are_those(direction):
    task = order_task(4, direction)
    for name, order in {"ascending": [0, 1, 2], "descending": [2, 1, 0]}.items():
        assert any_order.emit_order(task, name) == any_order.emit_order(task, order)


def path(here, there, order):
    """The directed links from one node to another, in a fixed order of dimensions."""
    for d in order:
        if (here ^ there) >> d & 1:
            yield here, d
            here ^= 1 << d


def direct_links(n, direction, order):
    words = [gray_word(i, n) for i in range(1 << n)]
    ends = zip(words, range(1 << n), strict=True)
    if direction[0] == "binary":
        ends = ((b, a) for a, b in ends)
    return [link for here, there in ends for link in path(here, there, order)]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("n", range(2, 9))
def test_direct_paths_are_edge_disjoint(n, direction):
    """Section 3.5, for the paths by brute force and for those of the schedule."""
    ways = {order: direct_links(n, direction, order) for order in (range(n), range(n)[::-1])}
    for links in ways.values():
        assert len(set(links)) == len(links) == (n - 1) << (n - 1)
    moves = expand(planned("direct", n, 1, direction).schedule)
    taken = sorted(zip(moves.node.tolist(), moves.dimension.tolist(), strict=True))
    order = range(n) if direction[0] == "gray" else range(n)[::-1]
    assert taken == sorted(ways[order])


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("n", range(2, 6))
def test_direct_paths_are_edge_disjoint_in_every_fixed_order(n, direction):
    for order in permutations(range(n)):
        links = direct_links(n, direction, order)
        assert len(set(links)) == len(links)


@pytest.mark.parametrize("n", range(2, 9))
def test_lemma_4_one_of_two_opposite_links_is_used(n):
    moves = expand(planned("gb1", n, 1).schedule)
    used = set(zip(moves.node.tolist(), moves.dimension.tolist(), strict=True))
    for node in range(1 << n):
        for d in range(n - 1):
            assert ((node, d) in used) != ((node ^ 1 << (n - 1), d) in used)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_forty_dimensions_are_planned_proved_and_priced_exactly(name, direction):
    n, block = 40, 2**20
    plan = planned(name, n, block, direction)
    assert check_algebra(plan.schedule, plan.machine)
    assert plan.cycles == sum(lengths(name, n, block))
    assert plan.traffic.crossings == crossings(name, n, block)
    assert plan.cost == plan.rounds * 5.0 + plan.cycles * 2.0


@pytest.mark.parametrize("target", ["gray", "binary"])
def test_of_several_fields_those_with_two_bits_take_one_round(target):
    """Three rounds of halves for the field with three bits, and one of whole blocks."""
    codes = ["binary", "gray"] if target == "gray" else ["gray", "binary"]
    pair = [gc.Layout.mesh((8, 4, 4), nodes=(8, 4, 4), code=code) for code in codes]
    machine = gc.Machine(7, startup=3.0, per_byte=1.0)
    plan = gc.plan(*pair, 10, machine=machine, algorithm="gb3")
    assert (plan.rounds, plan.cycles) == (5, 35)
    assert plan.verify()
    assert plan.cost == gc.plan(*pair, 10, machine=machine).cost


def test_gb3_is_followed_element_by_element_on_a_large_cube():
    plan = planned("gb3", 12, 4)
    report = plan.verify()
    assert report
    assert report.peak == 4
    assert len(plan.moves()) == crossings("gb3", 12, 4)


@pytest.mark.sweep
@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 12, 20])
def test_no_plan_of_the_table_is_more_than_a_proof_may_compare(n):
    """Limits are for files of anybody: what is made here is proved at any size."""
    task = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), 10**6
    kinds = product((1, 2, "all"), ("store-and-forward", "circuit"))
    for (ports, switching), startup in product(kinds, (0.0, 100.0)):
        machine = gc.Machine(n, ports, switching, startup=startup, per_byte=1.0)
        for candidate in gc.plan(*task, machine=machine).candidates:
            if candidate.traffic is not None:
                name = candidate.algorithm.name
                assert gc.plan(*task, machine=machine, algorithm=name).verify(), name
