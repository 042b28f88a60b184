"""Paths: the true optimum for a pair of nodes, and the theorems that are formulas."""

from fractions import Fraction
from functools import cache
from itertools import count, product

import pytest
from hypothesis import given
from schedule_cases import (
    conversion,
    recoded,
    recodings,
)

import graycube as gc
from graycube.cost import lower_bounds, minimum_path_bound
from graycube.cost.paths import disjoint_paths, shortest_paths

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
