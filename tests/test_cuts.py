"""Cuts and paths: the best of all sets of nodes, true flows, and no schedule below a bound."""

from fractions import Fraction
from functools import cache
from itertools import count, permutations, product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from schedule_cases import (
    conversion,
    every_machine,
    random_schedules,
    subcube_schedules,
)
from strategies import affine_map, affine_parts

import graycube as gc
from graycube.bounds import best_cut, lower_bounds, minimum_path_bound
from graycube.bounds.paths import disjoint_paths, shortest_paths
from graycube.gf2 import AffineMap, Matrix
from graycube.schedule import expand
from graycube.simulate import simulate
from graycube.verify import check_algebra

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]


def law(few, many, *strategies):
    """A law to try on a few cases, and on many in ``make sweep``."""

    def tried(test):
        def run(cases):
            often = settings(max_examples=cases, suppress_health_check=SLOW)
            often(given(*strategies)(test))()

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        counts = [few, pytest.param(many, marks=pytest.mark.sweep)]
        return pytest.mark.parametrize("cases", counts)(run)

    return tried


def gray_matrix(width):
    """From an index to its Gray code: bit j is the sum of bits j and j + 1."""
    return Matrix(tuple(1 << j | (1 << j >> 1) for j in range(width)), width)


def recoded(fields, places, block, *, itemsize=1, constant=0):
    """Fields (width, to binary), from Gray code to binary or back, their bits at any places."""
    n = sum(width for width, _ in fields)
    place = AffineMap(Matrix.permutation(places), constant)
    codes = {True: gray_matrix, False: Matrix.identity}
    ends = []
    for is_gray in (True, False):
        matrix = Matrix.block_diagonal(codes[d is is_gray](width) for width, d in fields)
        ends.append(gc.Layout(place @ AffineMap(matrix, 0), n))
    return gc.Task(*ends, block, itemsize)


@st.composite
def recodings(draw, most=6, largest=40):
    """Tasks that convert several fields, each in its own direction."""
    widths = [draw(st.integers(1, min(most, 4)))]
    widths += draw(st.lists(st.integers(1, 4), max_size=2))
    while sum(widths) > most:
        widths.pop()
    directions = [draw(st.booleans()) for _ in widths]
    if draw(st.booleans()):
        directions = [directions[0]] * len(widths)
    places = draw(st.permutations(range(sum(widths))))
    block = draw(st.integers(1, largest))
    fields = list(zip(widths, directions, strict=True))
    return recoded(fields, places, block, itemsize=draw(st.sampled_from((1, 4))))


def share_of(task, subset, ports):
    """What a set of nodes sends out, in blocks, over how many links at once."""
    leaving = sum(task.move(u) & ((1 << task.n) - 1) not in subset for u in subset)
    links = 0
    for u in subset:
        links += min(ports, sum(u ^ 1 << d not in subset for d in range(task.n)))
    return Fraction(leaving, links) if links else Fraction(0)


def best_of_all(task, ports):
    """The best ratio among all sets of nodes, counted at once in arrays of sets."""
    n, nodes = task.n, 1 << task.n
    sets = np.arange(1, (1 << nodes) - 1, dtype=np.int64)
    leaving, links = np.zeros((2, len(sets)), dtype=np.int64)
    for u in range(nodes):
        among = sets >> u & 1
        target = task.move(u) & (nodes - 1)
        leaving += among & ~(sets >> target) & 1
        ways = sum((~(sets >> (u ^ 1 << d)) & 1 for d in range(n)), np.zeros_like(sets))
        links += among * np.minimum(ports, ways)
    pairs = {(int(a), int(b)) for a, b in np.unique(np.stack([leaving, links]), axis=1).T}
    return max(Fraction(a, b) for a, b in pairs if b)


def best_share(task, ports):
    cut = best_cut(task, ports)
    return cut.share if cut is not None else Fraction(0)


# Cuts.


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_no_set_of_nodes_bounds_a_conversion_better(n, backwards):
    """All sets of up to 16 nodes: three dimensions are enough where links do not decide."""
    task = conversion(n, 1, backwards=backwards)
    for ports in range(1, n + 1):
        best, links = best_of_all(task, ports), Fraction(n - 1, 2 * ports)
        assert best_share(task, ports) <= best
        assert best <= max(best_share(task, ports), links)
    assert best_share(task, n) == best_of_all(task, n)


@law(15, 100, recodings(most=4))
def test_no_set_of_few_nodes_bounds_several_fields_better(task):
    assert best_share(task, task.n) == best_of_all(task, task.n)


@st.composite
def affine_tasks(draw, most=4):
    """Any two placements, with and without slots."""
    p = draw(st.integers(1, most))
    n = draw(st.integers(1, p))
    source, target = (gc.Layout(affine_map(*draw(affine_parts(p))), n) for _ in range(2))
    return gc.Task(source, target, draw(st.integers(1, 3)) << (p - n))


def leaves(task, subset):
    """Blocks that leave a set of nodes, slots and all, found by the layouts."""
    away = 0
    for node, slot in product(subset, range(1 << (task.p - task.n))):
        away += task.target.locate(task.source.index(node, slot))[0] not in subset
    return Fraction(away, 1 << (task.p - task.n))


@law(40, 400, affine_tasks(), st.integers(1, 4))
def test_a_cut_is_what_it_says(task, ports):
    """So many whole blocks leave those nodes, and no more links at once lead out."""
    cut = best_cut(task, min(ports, task.n))
    assume(cut is not None)
    of = [sum((u >> d & 1) << i for i, d in enumerate(cut.dims)) for u in range(1 << task.n)]
    subset = {u for u, c in enumerate(of) if c in cut.classes}
    copies = 1 << (task.n - len(cut.dims))
    assert leaves(task, subset) == cut.leaving * copies
    ways = [sum(u ^ 1 << d not in subset for d in range(task.n)) for u in subset]
    assert sum(min(ports, task.n, w) for w in ways) == cut.links * copies
    assert cut.share == Fraction(cut.leaving, cut.links)
    if task.p == task.n:
        assert cut.share <= best_of_all(task, min(ports, task.n))
        assert cut.share == share_of(task, subset, min(ports, task.n))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("n", range(2, 13))
def test_three_fifths_of_a_block_cross_some_link_on_every_cube(n, backwards):
    task = conversion(n, 5, backwards=backwards)
    assert best_share(task, n) == (Fraction(3, 5) if n > 2 else Fraction(1, 2))
    found = {b.name: b for b in lower_bounds(task, gc.Machine(n, "all", startup=1.0))}
    assert found["cut"].seconds == pytest.approx(1 + 5 * (0.6 if n > 2 else 0.5), rel=1e-12)
    circuits = {b.name: b for b in lower_bounds(task, gc.Machine(n, 1, "circuit"))}
    assert circuits["cut"].seconds == pytest.approx(5 * (0.6 if n > 2 else 0.5), rel=1e-12)


@st.composite
def placings(draw):
    """A field whose bits have changed places."""
    n, to_binary = draw(st.integers(2, 12)), draw(st.booleans())
    places, constant = draw(st.permutations(range(n))), draw(st.integers(0, (1 << n) - 1))
    return conversion(n, 1, backwards=not to_binary), recoded(
        [(n, to_binary)], places, 1, constant=constant
    )


@law(15, 200, placings())
def test_it_does_not_matter_where_the_bits_stand(tasks):
    plain, placed = tasks
    n = plain.n
    for ports in range(1, n + 1):
        assert best_share(placed, ports) == best_share(plain, ports)
    assert best_share(placed, n) == (Fraction(3, 5) if n > 2 else Fraction(1, 2))


def test_every_position_on_four_bits():
    for places, to_binary in product(permutations(range(4)), (False, True)):
        assert best_share(recoded([(4, to_binary)], places, 1), 4) == Fraction(3, 5)


def test_what_stays_has_no_cut():
    for n in range(4):
        layout = gc.Layout.nodes(n)
        assert best_cut(gc.Task(layout, layout, 1), max(n, 1)) is None
    assert best_cut(conversion(1, 1), 1) is None


# Paths: the true optimum for one pair of nodes, as a flow through time.


def augmented(residual, source, sink):
    """Push one unit along a path of the residual network, if there is one."""
    came, queue = {source: source}, [source]
    for at in queue:
        if at == sink:
            break
        for to, capacity in residual.get(at, {}).items():
            if capacity and to not in came:
                came[to] = at
                queue.append(to)
    if sink not in came:
        return False
    while sink != source:
        before = came[sink]
        residual[before][sink] -= 1
        back = residual.setdefault(sink, {})
        back[before] = back.get(before, 0) + 1
        sink = before
    return True


def timed_network(n, distance, cycles, ports, *, shortest):
    """Nodes in each cycle, their ports on both sides, and links of one element per cycle."""
    many, target = 1 << 20, (1 << distance) - 1
    residual = {}

    def arc(one, other, capacity):
        residual.setdefault(one, {})[other] = capacity

    for t, u in product(range(cycles), range(1 << n)):
        arc((u, t), (u, t + 1), many)
        arc((u, t), ("out", u, t), ports)
        arc(("in", u, t), (u, t + 1), ports)
        for d in range(n):
            closer = (u ^ target) >> d & 1
            if closer or not shortest:
                arc(("out", u, t), ("in", u ^ 1 << d, t), 1)
    return residual, (0, 0), (target, cycles)


@cache
def most_elements(n, distance, cycles, ports, shortest):
    """How many elements can get from a node to another in so many cycles."""
    residual, source, sink = timed_network(n, distance, cycles, ports, shortest=shortest)
    return next(k for k in count() if not augmented(residual, source, sink))


def optimum(n, distance, block, ports, *, shortest=False):
    return next(t for t in count() if most_elements(n, distance, t, ports, shortest) >= block)


PAIRS = [(n, d, p) for n in (1, 2, 3) for d in range(1, n + 1) for p in range(1, n + 1)]


@pytest.mark.parametrize(("n", "distance", "ports"), PAIRS)
def test_bounds_by_paths_are_the_flow_through_time(n, distance, ports):
    for block in range(1, 13):
        free = disjoint_paths(n, distance, block, ports)
        short = shortest_paths(distance, block, ports)
        best = optimum(n, distance, block, ports)
        best_short = optimum(n, distance, block, ports, shortest=True)
        assert (free, short) == (best, best_short)
        assert free <= short


@pytest.mark.parametrize("distance", range(1, 5))
def test_bounds_by_paths_on_four_dimensions(distance):
    for block in (1, 4, 5, 9, 16):
        assert disjoint_paths(4, distance, block, 4) == optimum(4, distance, block, 4)
        free = optimum(4, distance, block, 4, shortest=True)
        assert shortest_paths(distance, block, 4) == free


# The paper's theorems and small optima.


def seconds(task, name, machine):
    return next((b.seconds for b in lower_bounds(task, machine) if b.name == name), 0.0)


@given(recodings(most=9, largest=100))
def test_theorems_2_to_5_are_formulas(task):
    """K elements, n dimensions of which d are the top ones of fields (TR-20-91)."""
    n, size = task.n, task.itemsize
    displaced = {task.move(u) ^ u for u in range(1 << n)}
    low = max(u.bit_count() for u in displaced)  # n - d
    machine = gc.Machine(n, "all")
    shortest = minimum_path_bound(task, machine).seconds
    assert shortest == (max(task.block, low) * size if low else 0)
    links, hops = (seconds(task, name, machine) for name in ("links", "start-ups"))
    assert hops == low * size
    expected = max(Fraction(low, n) * task.block / 2, low) * size
    assert max(links, hops) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("widths", [(2,), (5,), (2, 2), (3, 4), (2, 3, 4), (1, 5), (1, 1, 3)])
def test_the_fields_count_themselves(widths):
    n, d = sum(widths), len(widths)
    for block in (1, 2, n, 3 * n, 1000):
        task = recoded([(width, True) for width in widths], range(n), block)
        machine = gc.Machine(n, "all")
        assert minimum_path_bound(task, machine).seconds == max(block, n - d)
        bounds = (seconds(task, name, machine) for name in ("links", "start-ups"))
        expected = max((1 - d / n) * block / 2, n - d)
        assert max(bounds) == pytest.approx(expected, rel=1e-12)


OPTIMA = {
    3: {1: 2, 2: 2, 3: 3, 4: 4, 5: 4, 6: 5, 7: 5, 8: 6, 15: 10},
    2: {1: 1, **{k: -(-k // 2) + 1 for k in range(2, 40)}},
}
"""Fewest cycles of Gray to binary with all ports, found by integer programs."""


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("n", [2, 3])
def test_small_optima_are_at_or_above_every_bound(n, backwards):
    for block, cycles in OPTIMA[n].items():
        task = conversion(n, block, backwards=backwards)
        for bound in lower_bounds(task, gc.Machine(n, "all")):
            assert bound.seconds <= cycles * (1 + 1e-12), bound
        for bound in lower_bounds(task, gc.Machine(n, "all", startup=7.0)):
            assert bound.seconds <= cycles * 8 * (1 + 1e-12), bound


def test_on_two_dimensions_the_paths_are_the_optimum():
    for block, cycles in OPTIMA[2].items():
        assert seconds(conversion(2, block), "paths", gc.Machine(2, "all")) == cycles


# No schedule is below a bound.

COSTS = st.sampled_from([0.0, 1.0, 1e-3, 7.0, 1e4])


@st.composite
def priced(draw, n):
    """Machines of all kinds, with costs; not everything is free."""
    return gc.Machine(
        n,
        draw(st.integers(1, n) | st.just("all")),
        draw(st.sampled_from(("store-and-forward", "circuit"))),
        startup=draw(COSTS),
        per_byte=draw(COSTS),
        packet=draw(st.none() | st.integers(1, 60)),
    )


@law(30, 300, recodings(), st.data())
def test_no_algorithm_is_below_a_bound(task, data):
    machine = data.draw(priced(task.n))
    bounds = lower_bounds(task, machine)
    for algorithm in gc.algorithms():
        if algorithm.name == "relabel" or algorithm.applicable(task, machine) is not None:
            continue
        schedule = algorithm.emit(task, machine)
        assert check_algebra(schedule, machine)
        time = simulate(schedule).time(machine)
        for bound in bounds:
            assert bound.seconds <= time * (1 + 1e-9), (algorithm.name, bound)


@law(30, 300, recodings(), st.data())
def test_no_algorithm_over_shortest_paths_is_below_their_bound(task, data):
    machine = data.draw(priced(task.n))
    assume(machine.switching == "store-and-forward")
    bound = minimum_path_bound(task, machine).seconds
    for algorithm in gc.algorithms():
        if algorithm.name not in ("gb1", "any-order", "pipelined", "minimum-path"):
            continue
        if algorithm.applicable(task, machine) is None:
            time = simulate(algorithm.emit(task, machine)).time(machine)
            assert bound <= time * (1 + 1e-9), algorithm.name


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize("ports", [1, "all"])
def test_a_task_with_nothing_to_convert_is_planned_on_every_machine(n, ports):
    layout, code = gc.Layout.nodes(n), "gray" if n == 1 else "binary"
    costs = product((0.0, 1.0), (0.0, 1e-3, 1.0), (None, 1, 4), (1, 2, 3, 7, 10))
    for startup, per_byte, packet, block in costs:
        machine = gc.Machine(n, ports, startup=startup, per_byte=per_byte, packet=packet)
        plan = gc.plan(gc.Layout.nodes(n, code), layout, block, machine=machine)
        assert plan.cost == plan.lower_bound == 0.0


def time_of_moves(schedule, machine):
    """The price of a schedule by its moves: the longest message of every round, added up."""
    moves, loads = expand(schedule), {}
    for cycle, node, d in zip(
        moves.cycle.tolist(), moves.node.tolist(), moves.dimension.tolist(), strict=True
    ):
        link = schedule.round_of(cycle), node, d
        loads[link] = loads.get(link, 0) + 1
    longest = {}
    for (number, _, _), elements in loads.items():
        longest[number] = max(longest.get(number, 0), elements)
    size = schedule.task.itemsize
    return sum(machine.message_time(elements * size) for elements in longest.values())


@law(60, 600, st.one_of(subcube_schedules(), random_schedules()), COSTS, COSTS)
def test_no_random_schedule_is_below_a_bound(schedule, startup, per_byte):
    """Any affine task that a schedule is proved to do, slots and all."""
    assume(schedule.relabel is None)
    for kind in every_machine(schedule.task.n):
        if check_algebra(schedule, kind):
            machine = gc.Machine(kind.dims, kind.ports, kind.switching, startup, per_byte)
            time = time_of_moves(schedule, machine)
            for bound in lower_bounds(schedule.task, machine):
                assert bound.seconds <= time * (1 + 1e-9), bound
