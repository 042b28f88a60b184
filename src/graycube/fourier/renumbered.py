"""Legs that lead to a layout in which nodes have other numbers, with no exchange for that.

What comes back from other nodes can as well come to where it is wanted: in Gray code, say. From
the last exchange on, a node does what the one does that would have its number else.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from graycube.fourier.legs import AnyLeg
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Layout, Ownership
from graycube.layout.placement import Placement
from graycube.run.fetch import fetch, in_order

_Legs = tuple[AnyLeg, ...]


def renumbered(
    legs: _Legs, end: Placement, node: int, of_node: Callable[[int], _Legs | None]
) -> _Legs | None:
    """The legs of a node to another end; None if more is to be done than giving numbers.

    ``of_node`` gives the legs of other nodes to the end that these have.

    >>> import numpy as np
    >>> from graycube.fourier.carried import relaid_legs
    >>> layout, target = Layout.cyclic(4, 2), Layout.consecutive(4, 2)
    >>> def of_node(node):
    ...     nodes = range(node, node + 1)
    ...     return relaid_legs(layout, target, np.dtype(complex), nodes, first=True)
    >>> coded = Layout.consecutive(4, 2, nodes="gray")
    >>> legs = renumbered(of_node(2), coded, 2, of_node)
    >>> [leg.crosses is leg for leg in legs], legs[-1].layout == coded
    ([False, True], True)
    """
    last = max((k for k, leg in enumerate(legs) if leg.crosses is not None), default=None)
    if last is None:
        return None
    there = legs[-1].layout
    if isinstance(end, Ownership) and isinstance(there, Ownership):
        after = _in_boxes(legs[last:], end)
    elif isinstance(end, Layout) and isinstance(there, Layout):
        after = _in_bits(last, _numbers(there, end), node, of_node)
    else:
        return None
    return None if after is None else (*legs[:last], *after)


def _in_boxes(legs: _Legs, end: Ownership) -> _Legs | None:
    """The same from the last exchange on, in layouts by ownership."""
    boxes: Any = legs
    parts = [[axis.parts for axis in each.axes] for each in (boxes[-1].layout, end)]
    if parts[0] != parts[1] or _numbered(boxes[-1].layout, end) != end:
        return None
    return tuple(
        replace(leg, read=_numbered(leg.read, end), layout=_numbered(leg.layout, end))
        for leg in boxes
    )


def _numbered(layout: Ownership, end: Ownership) -> Ownership:
    """The layout with the numbers that nodes have at the end."""
    axes = (
        axis if axis.parts == 1 else replace(axis, gray=last.gray, stride=last.stride)
        for axis, last in zip(layout.axes, end.axes, strict=True)
    )
    return replace(layout, axes=tuple(axes))


def _in_bits(
    last: int,
    numbers: AffineMap | None,
    node: int,
    of_node: Callable[[int], _Legs | None],
) -> _Legs | None:
    """The same in layouts of bits: what the twin of the node does, but for what it fetches."""
    twin: Any = None if numbers is None else of_node(numbers.inverse()(node))
    if numbers is None or twin is None or twin[last].fetched.move is None:
        return None
    made = [replace(leg, layout=_moved(leg.layout, numbers)) for leg in twin[last:]]
    move, n, whole = twin[last].fetched.move, made[0].layout.n, twin[last].whole
    anew = numbers.widened(move.width)
    if whole is not None:
        before, after = (excerpt.part.inverse() for excerpt in whole)
        whole = in_order((before, anew @ after), n, node)
    return (replace(made[0], fetched=fetch(anew @ move, n, node), whole=whole), *made[1:])


def _moved(layout: Layout, numbers: AffineMap) -> Layout:
    return replace(layout, map=numbers.widened(layout.p) @ layout.map)


def _numbers(layout: Layout, end: Layout) -> AffineMap | None:
    """The new number of each node, if that is all that is new."""
    if (layout.axes, layout.copies) != (end.axes, end.copies):
        return None
    move, low = end.map @ layout.map.inverse(), (1 << layout.n) - 1
    columns = (column & low for column in move.matrix.columns[: layout.n])
    numbers = AffineMap(Matrix(tuple(columns), layout.n), move.constant & low)
    return numbers if move == numbers.widened(layout.p) else None
