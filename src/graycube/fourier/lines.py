"""Lines of an array: one axis with all of its points in memory, in natural order.

Rules.

1. Node bits that depend on the axis are exchanged for bits of other axes, the rest stay. A node
   then puts its memory in C order, which brings the axis together.
2. What becomes of the lines may have another length. The new axis is in memory, in the place
   of the old one, and the layout says so.
3. Where the other axes cannot take all nodes, a line stays over some of them. It can be padded
   or cut all the same: dealt out cyclically, its end is the end of every node's part of it. By
   ownership this is so for every length.
"""

from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.array.moving import moved
from graycube.errors import InvalidValueError
from graycube.fourier.along import KEPT
from graycube.fourier.passes import brought
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Axis, Layout, Ownership
from graycube.layout.layout import require_single

_Lines = NDArray[Any]


def lines_of(a: CubeArray, axis: int, dtype: "np.dtype[np.generic]") -> _Lines:
    """All elements that are here, with the points of the axis as axis 1.

    >>> a = CubeArray.from_numpy(np.arange(8.0).reshape(2, 4), Layout.mesh((2, 4), (1, 2)))
    >>> lines_of(a, 1, a.dtype)[1].ravel()  # that of node 1, where a has the columns 2 and 3
    array([4., 5., 6., 7.])
    """
    layout = _in_memory(a.layout, axis, a.layout.axes[axis])
    blocks = moved(a.blocks, layout, a.layout.map, layout.map, a.comm).astype(dtype, copy=False)
    above, _, _, below, before, _ = shape = _shape(layout, axis, len(a.nodes))
    digits = np.moveaxis(blocks.reshape(*shape, -1), 5, 2)  # between its high and low bits
    return digits.reshape(above, layout.shape[axis], below, before, -1)


def of_lines(lines: _Lines, a: CubeArray, axis: int) -> CubeArray:
    """The array with such lines, of any length, where ``a`` has its own.

    >>> a = CubeArray.from_numpy(np.arange(8.0).reshape(2, 4), Layout.mesh((2, 4), (2, 1)))
    >>> of_lines(lines_of(a, 1, a.dtype)[:, 1:], a, 1).to_numpy().tolist()
    [[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]]
    """
    layout = _in_memory(a.layout, axis, axis_of(lines.shape[1]))
    above, high, low, below, before, extent = _shape(layout, axis, len(a.nodes))
    digits = lines.reshape(above, high, extent, low, below, before, -1)
    shape = (len(a.nodes), layout.block_size, *a.blocks.shape[2:])
    return CubeArray(np.moveaxis(digits, 2, 5).reshape(shape), layout, a.comm)


def axis_of(length: int) -> Axis:
    """An axis of so many points in memory.

    >>> axis_of(12)
    Axis(bits=2, extent=3, low=0)
    """
    two = length & -length
    return Axis(two.bit_length() - 1, length // two)


def nodes_along(layout: Layout, axis: int) -> int:
    """Over how many nodes an axis is.

    >>> nodes_along(Layout.mesh((8, 8), nodes=(4, 2), code="gray"), 0)
    4
    """
    if isinstance(layout, Ownership):
        return layout.axes[axis].parts
    changes = tuple(layout.node_change(1 << bit) for bit in layout.word_bits(axis))
    return 1 << Matrix(changes, layout.n).rank()


def has_room(layout: Layout, axis: int) -> bool:
    """Whether an axis can be in memory, with the others over all nodes.

    >>> has_room(Layout.mesh((12, 8), nodes=(1, 4)), 1), has_room(Layout.cyclic(4, 1), 0)
    (True, False)
    """
    if isinstance(layout, Ownership):  # axes are traded there
        return True
    return nodes_along(layout, axis) == 1 or layout.axes[axis].bits <= layout.p - layout.n


def require_room(layout: Layout, axis: int, what: str, hint: str) -> None:
    """Refuse an axis that cannot be in memory as a whole.

    >>> require_room(Layout.cyclic(4, 1), 0, "a cosine transform", "take a second axis")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: axis 0 of an array of shape (16,) is over 2 nodes: a
    cosine transform needs whole lines on a node, and the other axes can take 1 of the 2 nodes;
    take a second axis
    """
    if isinstance(layout, Ownership):
        return
    nodes = nodes_along(layout, axis)
    if nodes > 1:
        require_single(layout, f"{what} along an axis over nodes")
    if not has_room(layout, axis):
        others = 1 << layout.p - layout.axes[axis].bits
        raise InvalidValueError(
            f"axis {axis} of an array of shape {layout.shape} is over {nodes} nodes",
            f"{what} needs whole lines on a node, and the other axes can take {others} of "
            f"the {1 << layout.n} nodes",
            hint,
        )


def resized(a: CubeArray, axis: int, length: int) -> CubeArray:
    """The array with zeros after the end of an axis, or with less of it.

    >>> a = CubeArray.from_numpy(np.arange(4.0), Layout.mesh((4,), nodes=(2,)))
    >>> resized(a, 0, 6).to_numpy().tolist(), resized(a, 0, 2).to_numpy().tolist()
    ([0.0, 1.0, 2.0, 3.0, 0.0, 0.0], [0.0, 1.0])
    """
    layout = resized_layout(a.layout, axis, length)
    if layout == a.layout:
        return a
    if isinstance(a.layout, Ownership):
        return _dealt_out(a, axis, length)
    if has_room(a.layout, axis):
        return of_lines(cut_or_filled(lines_of(a, axis, a.dtype), 1, length), a, axis)
    nodes = _dealt(a.layout, axis, length)
    mine = nodes[axis] if len(a.nodes) == 1 else 1
    dealt = a.relayout(Layout.mesh(a.layout.shape, nodes, allocation="cyclic"))
    return CubeArray.from_local(
        cut_or_filled(dealt.local, axis, length // mine), layout, a.comm
    )


def resized_layout(layout: Layout, axis: int, length: int) -> Layout:
    """The layout with another length of an axis, or the error that says why there is none.

    >>> print(resized_layout(Layout.mesh((4, 4), nodes=(2, 1)), 0, 6))
    (b0:0 b1:0 || b1:1) x 3 on axis 0
    >>> resized_layout(Layout.cyclic(4, 2), 0, 18)
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: axis 0 is to have 18 points instead of 16, in an array
    of shape (16,) on 4 nodes: its length must be a multiple of 4 there; take the next that is,
    or fewer nodes
    """
    if length == layout.shape[axis]:
        return layout
    if isinstance(layout, Ownership):
        return layout.with_axis(axis, replace(layout.axes[axis], length=length))
    if nodes_along(layout, axis) > 1:
        require_single(layout, "another length of an axis over nodes")
    if has_room(layout, axis):
        return _in_memory(layout, axis, axis_of(length))
    shape = (*layout.shape[:axis], length, *layout.shape[axis + 1 :])
    return Layout.mesh(shape, _dealt(layout, axis, length), allocation="cyclic")


def cut_or_filled(values: _Lines, axis: int, length: int) -> _Lines:
    """The values, up to a length along an axis, with zeros where there are less.

    >>> cut_or_filled(np.array([[1, 2]]), 1, 3), cut_or_filled(np.array([[1, 2]]), 1, 1)
    (array([[1, 2, 0]]), array([[1]]))
    """
    kept = min(length, values.shape[axis])
    found = values[(slice(None),) * axis + (slice(kept),)]
    if kept == length:
        return found
    made = np.zeros((*values.shape[:axis], length, *values.shape[axis + 1 :]), values.dtype)
    made[(slice(None),) * axis + (slice(kept),)] = found
    return made


def _dealt_out(a: CubeArray, axis: int, length: int) -> CubeArray:
    """The same by ownership."""
    layout: Any = a.layout
    share = replace(layout.axes[axis], cyclic=True)
    dealt = a.relayout(layout.with_axis(axis, share))
    target = layout.with_axis(axis, replace(share, length=length, cyclic=True))
    mine = target.boxes(a.nodes)[2 + axis]
    boxes = dealt.blocks.reshape(*dealt.layout.boxes(a.nodes)[2:], *a.payload)
    made = cut_or_filled(boxes, axis, mine)
    return a.with_blocks(made.reshape(*target.held_shape(a.nodes), *a.payload), target)


def _dealt(layout: Layout, axis: int, length: int) -> tuple[int, ...]:
    """Over how many nodes each axis can be when one has another length."""
    left, nodes = layout.n, [1] * len(layout.axes)
    for k, other in enumerate(layout.axes):
        if k != axis:
            bits = min(left, other.bits)
            nodes[k], left = 1 << bits, left - bits
    if length % (1 << left):
        raise InvalidValueError(
            f"axis {axis} is to have {length} points instead of {layout.shape[axis]}, in an "
            f"array of shape {layout.shape} on {1 << layout.n} nodes",
            f"its length must be a multiple of {1 << left} there",
            "take the next that is, or fewer nodes",
        )
    nodes[axis] = 1 << left
    return tuple(nodes)


@lru_cache(maxsize=4 * KEPT)
def _shape(layout: Layout, axis: int, nodes: int) -> tuple[int, int, int, int, int, int]:
    """What blocks of :func:`_in_memory` are, before the extents after the axis and payload.

    That is: rows above the axis, its high and its low bits, rows below it; the extents before
    its own, and its own.
    """
    along = layout.axes[axis]
    last = 1 << layout.word_bits(axis).start
    below = sum(row < last for row in layout.map.matrix.rows[layout.n :])
    before = prod(other.extent for other in layout.axes[:axis])
    above = layout.p - layout.n - along.bits - below
    high = along.bits - along.low
    return nodes << above, 1 << high, 1 << along.low, 1 << below, before, along.extent


@lru_cache(maxsize=4 * KEPT)
def _in_memory(layout: Layout, axis: int, new: Axis) -> Layout:
    """The layout with a new axis, in memory, in place of one; memory is in C order.

    Node bits that depend on the old axis are exchanged for others, the rest stay as they are.
    """
    group = layout.word_bits(axis)
    old, offset = len(group), group.start
    place, _ = brought(layout.map, layout.n, group, group)
    low = (1 << offset) - 1
    rows = [row >> offset + old << offset + new.bits | row & low for row in place.matrix.rows]
    # Memory now has single bits of the word, and nothing of the old axis is left in them.
    memory = [row for row in rows[layout.n :] if row]
    memory += [1 << offset + b for b in range(new.bits)]
    matrix = Matrix.from_rows([*rows[: layout.n], *sorted(memory)], layout.p - old + new.bits)
    axes = (*layout.axes[:axis], new, *layout.axes[axis + 1 :])
    return replace(layout, map=AffineMap(matrix, place.constant), axes=axes)
