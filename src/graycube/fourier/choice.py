"""Which legs do a transform, in bits or in boxes.

Rule: they follow from what is asked for, and are remembered for it. So all ranks have the same
legs, whatever each of them remembers.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from graycube.fourier.along import KEPT
from graycube.fourier.arguments import Wanted
from graycube.fourier.carried import complex_legs, relaid_legs
from graycube.fourier.halves import halves
from graycube.fourier.legs import AnyLeg
from graycube.fourier.lines import axis_of, has_room, in_memory
from graycube.fourier.passes import LONGEST
from graycube.fourier.renumbered import renumbered
from graycube.fourier.trading import box_legs
from graycube.gf2 import is_power_of_two
from graycube.layout import Layout, Ownership
from graycube.layout.in_bits import in_boxes, in_order
from graycube.layout.placement import Placement


def begun_in(layout: Placement, asked: Wanted) -> Placement:
    """The layout in boxes, if an array in bits gets lengths that are no powers of two.

    Half a spectrum has such a length, so its axis cannot be over nodes in bits. Where the other
    axes would have to be exchanged more often for that, boxes are begun in, too.

    >>> begun_in(Layout.mesh((8, 8), (2, 1)), Wanted((1,), (12,)))
    <Ownership (8, 8) on 2 nodes: (8 on 2, 8)>
    >>> begun_in(Layout.mesh((8, 8), (2, 1)), Wanted((0, 1), (8, 8), real=True))
    <Ownership (8, 8) on 2 nodes: (8 on 2, 8)>
    """
    if not isinstance(layout, Layout):
        return layout
    if asked.waves or not asked.takes_all(layout):
        better = not all(map(is_power_of_two, asked.points))
    else:
        better = asked.real and not asked.back and _crosses_less(layout, asked)
    boxes = in_boxes(layout) if better else None
    return layout if boxes is None else boxes


@lru_cache(maxsize=4 * KEPT)
def _crosses_less(layout: Layout, asked: Wanted) -> bool:
    """Whether there are fewer exchanges in boxes, which have the same blocks."""
    boxes, same = in_boxes(layout), replace(asked, longest=LONGEST)
    if boxes is None or not in_order(layout):
        return False
    counts = []
    for begin in (boxes, layout):
        legs = _legs_of(begin, np.dtype(complex), range(1), same)
        if legs is None:
            return False
        counts.append(sum(leg.crosses is not None for leg in legs))
    return counts[0] < counts[1]


@lru_cache(maxsize=4 * KEPT)
def legs_of(
    layout: Placement,
    dtype: "np.dtype[Any]",
    nodes: range,
    asked: Wanted,
    end: Placement | None = None,
) -> tuple[AnyLeg, ...] | None:
    """The legs of a transform of such an array, if there are some; the last one says where.

    The dtype is that of the spectrum. All nodes that are here have one block together: that of
    one of them, or of them all in a layout by ownership. They lead to a wanted ``end`` if only
    nodes have other numbers there.

    >>> layout, dtype = Layout.mesh((4, 6), (2, 1)), np.dtype(complex)
    >>> legs = legs_of(layout, dtype, range(1), Wanted((0, 1), (4, 6), real=True))
    >>> [leg.layout.shape for leg in legs]
    [(4, 4), (4, 4)]
    """
    legs = _legs_of(layout, dtype, nodes, asked)
    if legs is not None and end is not None:
        end = as_in(legs[-1].layout, end, nodes)
    if legs is None or end is None or end == legs[-1].layout:
        return legs

    def of_node(node: int) -> tuple[AnyLeg, ...] | None:
        return _legs_of(layout, dtype, range(node, node + 1), asked)

    return renumbered(legs, end, nodes.start, of_node) or legs


def as_in(layout: Placement, end: Placement, nodes: range) -> Placement:
    """An end in bits as boxes, where legs end in boxes, if a node's block is the same in both.

    >>> layout, end = Layout.mesh((12, 8), (2, 1)), Layout.mesh((8, 8), (2, 1))
    >>> as_in(layout, end, range(1))
    <Ownership (8, 8) on 2 nodes: (8 on 2, 8)>
    >>> as_in(layout, end, range(2)) is end  # the one block of boxes is the whole array
    True
    """
    boxes = isinstance(layout, Ownership) and len(nodes) == 1
    if boxes and isinstance(end, Layout) and in_order(end):
        return in_boxes(end) or end
    return end


def _legs_of(
    layout: Placement, dtype: "np.dtype[Any]", nodes: range, asked: Wanted
) -> tuple[AnyLeg, ...] | None:
    """The same wherever it ends."""
    axes, inverse, scaling = asked.axes, asked.inverse, asked.scaling
    if isinstance(layout, Ownership):
        return box_legs(layout, dtype, nodes, asked)
    if not isinstance(layout, Layout) or asked.waves or not asked.takes_all(layout):
        return None
    real = axes[-1] if asked.real else None
    legs, now = list[AnyLeg](), layout
    if real is not None and not inverse:
        half = _halved(layout, real, asked, dtype, nodes, first=True)
        if half is None:
            return None
        legs, now = [*half], half[-1].layout
    home = now
    others = axes if real is None else axes[:-1]
    if others or real is None:
        more = complex_legs(
            now,
            others,
            dtype.name,
            nodes,
            inverse=inverse,
            scaling=scaling,
            longest=asked.longest,
        )
        if more is None:
            return None
        copies = bool(legs) and not more[0].steps and more[0].fetched is None
        legs, now = [*legs, *more[copies:]], more[-1].layout
    if asked.back and now != home:
        legs += relaid_legs(now, home, dtype, nodes, first=not legs) or ()
        now = home
    if real is not None and inverse:
        whole = _halved(now, real, asked, dtype, nodes, first=not legs)
        if whole is None:
            return None
        legs += whole
    return tuple(legs)


def _halved(  # noqa: PLR0913
    layout: Layout,
    axis: int,
    asked: Wanted,
    dtype: "np.dtype[Any]",
    nodes: range,
    *,
    first: bool,
) -> list[AnyLeg] | None:
    """The legs of the transform between real lines and half of their spectra."""
    if not has_room(layout, axis):
        return None
    inverse, scaling = asked.inverse, asked.scaling
    *_, length = asked.points if inverse else asked.values
    after = in_memory(layout, axis, axis_of(length))
    for here in (layout, in_memory(layout, axis, layout.axes[axis])):
        leg = halves(here, after, axis, dtype, inverse=inverse, scaling=scaling)
        if leg is not None:
            move = here != layout and relaid_legs(layout, here, leg.given, nodes, first=first)
            return [*(move or ()), leg]
    return None
