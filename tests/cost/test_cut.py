"""Cuts: the best of all sets of nodes, and three fifths of a block on every cube."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, strategies as st
from schedule_cases import (
    conversion,
    recoded,
    recodings,
)
from strategies import affine_map, affine_parts
from sweeping import law

import graycube as gc
from graycube.cost import best_cut, lower_bounds


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


@pytest.mark.long
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


@pytest.mark.long
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
