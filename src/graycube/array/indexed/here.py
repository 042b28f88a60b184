"""Boxes that are here, and what is done with them along axes that every node has whole.

Rule: where all that a node needs is in its own box, NumPy does it there, in the order of the
index, and nothing is sent. In one process the box is the whole array, so it is always so.
"""

from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.local import laid_out
from graycube.array.ordering.blocks import is_whole
from graycube.layout import Layout, Ownership
from graycube.layout.chosen import within
from graycube.layout.in_bits import in_boxes
from graycube.layout.indices import Some, as_array
from graycube.layout.placement import Placement
from graycube.layout.share import SharedAxis

_H = TypeVar("_H", bound=Held)
_Box = NDArray[Any]
_KEPT = 64  # layouts, targets and axes


@lru_cache(maxsize=_KEPT)
def stays(layout: Placement, target: Placement, axes: tuple[int, ...]) -> bool:
    """Whether every node has all along axes, and the same along the others, in both layouts.

    >>> some, less = (Layout.mesh((8, n), nodes=(4, 1)) for n in (8, 5))
    >>> stays(some, less, (1,)), stays(some, some, (0, 1))
    (True, False)
    """
    if layout == target:
        return bool(axes) and all(is_whole(layout, k) for k in axes)
    one, other = _shared(layout), _shared(target)
    return bool(one and other) and all(
        x.parts == y.parts == 1 if k in axes else x == y
        for k, (x, y) in enumerate(zip(one, other, strict=True))
    )


@lru_cache(maxsize=_KEPT)
def remains(layout: Placement, target: Placement, some: tuple[Some, ...]) -> bool:
    """Whether what is at some indices along each axis is already where the target has it.

    >>> eight, seven = (Layout.mesh((n,), nodes=(4,)) for n in (8, 7))
    >>> remains(eight, seven, (range(7),)), remains(eight, seven, (range(1, 8),))
    (True, False)
    """
    changed = tuple(k for k, along in enumerate(some) if along != range(layout.shape[k]))
    if stays(layout, target, changed):
        return True
    one, other = _shared(layout), _shared(target)
    return bool(one and other) and all(
        x == y if along == range(x.length) else _in_place(x, y, along)
        for x, y, along in zip(one, other, some, strict=True)
    )


def _shared(layout: Placement) -> tuple[SharedAxis, ...]:
    """How the axes are shared out, if nodes have boxes."""
    found = in_boxes(layout) if isinstance(layout, Layout) else layout
    return found.axes if isinstance(found, Ownership) else ()


def _in_place(axis: SharedAxis, target: SharedAxis, some: Some) -> bool:
    """The same along one axis, of which some indices become the target."""
    nodes = range(0, axis.parts * axis.stride, axis.stride)
    return (axis.parts, axis.stride) == (target.parts, target.stride) and all(
        np.array_equal(
            within(as_array(some), as_array(axis.own(q)))[0], as_array(target.own(q))
        )
        for q in nodes
    )


def of_box(a: _H, box: _Box, layout: Placement) -> _H:
    """The array like another one whose box this is.

    >>> from graycube.array.local import local
    >>> a = Held(np.arange(8).reshape(2, 4), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> of_box(a, local(a)[::-1], a.layout).blocks.tolist()
    [[6, 7, 4, 5], [2, 3, 0, 1]]
    """
    blocks = laid_out(layout, a.nodes, box)
    own = blocks.copy() if np.may_share_memory(blocks, a.blocks) else blocks
    return a.with_blocks(own, layout)
