"""On the way to a coarse grid: who gets copies, and how what several nodes had comes together.

Rules.

1. A layout with a copy bit more has one of two pairs of nodes in each set of copies. Either the
   new copies had no elements: then half of the nodes send what they have. Or an index bit that
   told nodes apart is in memory afterwards: then all nodes exchange what they have.
2. Either way each node sends one message at most and receives one, and all of them go to the
   node whose number differs by the same *flip*.
3. Index bits come together lowest first, so that neighbours do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd

from graycube.gf2 import AffineMap, Matrix
from graycube.gf2.span import without
from graycube.layout.chosen import Chosen
from graycube.layout.grids import coarser, in_order, thinned
from graycube.layout.layout import Layout
from graycube.layout.ownership import Ownership
from graycube.layout.placement import Placement


@dataclass(frozen=True, slots=True)
class Copying:
    """What nodes have, and what they have afterwards.

    ``flip`` is the difference of the numbers of sender and receiver, or 0 if nothing is sent,
    and a message has ``size`` elements. They are None where blocks are shared out again.

    >>> for stage in stages(Layout.nodes(3, "gray"), [4], [2]):
    ...     print(stage.target, stage.flip, stage.size)
    (|| b1 g0 c0) 1 1
    (|| b0 c1 c0) 2 1
    (b0 || c2 c1 c0) 4 1
    """

    source: Placement | Chosen
    target: Placement
    flip: int | None = None
    size: int | None = None


def stages(layout: Placement, factors: Sequence[int], gather: Sequence[int]) -> list[Copying]:
    """From a grid to a coarser one, where each node has what so many had along each axis."""
    goal = coarser(layout, factors)
    if not (isinstance(layout, Layout) and isinstance(goal, Layout)):
        wide = gathered(goal, gather)
        first = Copying(thinned(layout, factors), goal)
        return [first] if wide == goal else [first, Copying(goal, wide)]
    found = list(_thinned(layout, factors, goal))
    for k, count in enumerate(gather):
        for _ in range(count.bit_length() - 1):
            wide = _gathered(goal, k)
            if wide != goal:
                found.append(Copying(goal, wide, new_copy(goal, wide), goal.block_size))
            goal = wide
    return found


def gathered(layout: Placement, gather: Sequence[int]) -> Placement:
    """The layout in which each node has what so many nodes had along each axis, or all of it.

    >>> print(gathered(Layout.mesh((16,), (8,), code="gray"), [4]))
    (b2 b1 b0 || b3 c1 c0)
    >>> print(gathered(Layout.mesh((9,), (6,)), [4]))
    (9 on 3 by 2) in 2 copies
    """
    if isinstance(layout, Layout):
        for k, count in enumerate(gather):
            for _ in range(count.bit_length() - 1):
                layout = _gathered(layout, k)
        return layout
    if not isinstance(layout, Ownership):
        raise TypeError(layout)
    common = [gcd(axis.parts, count) for axis, count in zip(layout.axes, gather, strict=True)]
    shares = [
        replace(axis, parts=axis.parts // count, stride=axis.stride * count)
        for axis, count in zip(layout.axes, common, strict=True)
    ]
    return replace(layout, axes=tuple(shares))


def new_copy(layout: Layout, target: Layout) -> int:
    """How the numbers of nodes differ that have copies of each other in the target only.

    >>> fine = Layout.nodes(3, "gray")
    >>> new_copy(fine, coarser(fine, [2]))
    1
    """
    old, new = (x.copy_flips[::-1] for x in (layout, target))
    return next((rest for node in new if (rest := without(old, node))), 0)


def _thinned(layout: Layout, factors: Sequence[int], goal: Layout) -> Iterator[Copying]:
    """At once where nothing is sent, else bit by bit."""
    if goal.copies == layout.copies:
        yield Copying(thinned(layout, factors), goal, 0, 0)
        return
    fine = layout
    for k, factor in enumerate(factors):
        halves = tuple(2 if j == k else 1 for j in range(len(factors)))
        for _ in range(factor.bit_length() - 1):
            half = coarser(fine, halves)
            if not isinstance(half, Layout):  # the goal is one, so none of these is not
                raise TypeError(half)
            flip = new_copy(fine, half)
            yield Copying(thinned(fine, halves), half, flip, half.block_size if flip else 0)
            fine = half


def _gathered(layout: Layout, axis: int) -> Layout:
    """The lowest index bit of an axis that tells nodes apart is in memory, on both of them."""
    mask = (1 << layout.n) - 1
    nodes = [column & mask for column in layout.map.matrix.columns]
    away = next((nodes[bit] for bit in layout.word_bits(axis) if nodes[bit]), 0)
    if not away:
        return layout
    more = (*nodes, away)
    address = in_order(Matrix(more, layout.n).rows, len(more))
    constant = layout.map.constant & mask
    return Layout(AffineMap(address, constant), layout.n, layout.axes, layout.copies + 1)
