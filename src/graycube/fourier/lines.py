"""Lines of an array: one axis with all of its points in memory, in natural order.

Rules.

1. Node bits that depend on the axis are exchanged for bits of other axes, the rest stay. A node
   then puts its memory in C order, which brings the axis together.
2. What becomes of the lines may have another length. The new axis is in memory, in the place
   of the old one, and the layout says so.
3. Where the other axes cannot take all nodes, a line stays over some of them, in blocks by
   ownership. It can be padded or cut all the same: dealt out cyclically, its end is the end of
   every node's part of it.
"""

from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.array.moving import moved
from graycube.butterflies.groups import brought
from graycube.fourier.along import KEPT
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Axis, Layout, Ownership
from graycube.layout.in_bits import bits_of
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.share import SharedAxis

_Lines = NDArray[Any]


def lines_of(a: CubeArray, axis: int, dtype: "np.dtype[np.generic]") -> _Lines:
    """All elements that are here, with the points of the axis as axis 1.

    >>> a = CubeArray.from_numpy(np.arange(8.0).reshape(2, 4), Layout.mesh((2, 4), (1, 2)))
    >>> lines_of(a, 1, a.dtype)[1].ravel()  # that of node 1, where a has the columns 2 and 3
    array([4., 5., 6., 7.])
    """
    layout = in_memory(a.layout, axis, a.layout.axes[axis])
    blocks = moved(a.blocks, layout, a.layout.map, layout.map, a.comm).astype(dtype, copy=False)
    above, _, _, below, before, _ = shape = lines_shape(layout, axis, len(a.nodes))
    digits = np.moveaxis(blocks.reshape(*shape, -1), 5, 2)  # between its high and low bits
    return digits.reshape(above, layout.shape[axis], below, before, -1)


def of_lines(lines: _Lines, a: CubeArray, axis: int) -> CubeArray:
    """The array with such lines, of any length, where ``a`` has its own.

    >>> a = CubeArray.from_numpy(np.arange(8.0).reshape(2, 4), Layout.mesh((2, 4), (2, 1)))
    >>> of_lines(lines_of(a, 1, a.dtype)[:, 1:], a, 1).to_numpy().tolist()
    [[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]]
    """
    layout = in_memory(a.layout, axis, axis_of(lines.shape[1]))
    above, high, low, below, before, extent = lines_shape(layout, axis, len(a.nodes))
    digits = lines.reshape(above, high, extent, low, below, before, -1)
    shape = (len(a.nodes), layout.block_size, *a.blocks.shape[2:])
    return CubeArray(np.moveaxis(digits, 2, 5).reshape(shape), layout, a.comm)


@lru_cache(maxsize=4 * KEPT)
def lines_shape(layout: Layout, axis: int, nodes: int) -> tuple[int, int, int, int, int, int]:
    """What blocks of :func:`in_memory` are, before the extents after the axis and payload.

    That is: rows above the axis, its high and its low bits, rows below it; the extents before
    its own, and its own.

    >>> lines_shape(in_memory(Layout.mesh((4, 8), nodes=(2, 1)), 0, axis_of(12)), 0, nodes=2)
    (2, 4, 1, 4, 1, 3)
    """
    along = layout.axes[axis]
    last = 1 << layout.word_bits(axis).start
    below = sum(row < last for row in layout.map.matrix.rows[layout.n :])
    before = prod(other.extent for other in layout.axes[:axis])
    above = layout.p - layout.n - along.bits - below
    high = along.bits - along.low
    return nodes << above, 1 << high, 1 << along.low, 1 << below, before, along.extent


@lru_cache(maxsize=4 * KEPT)
def in_memory(layout: Layout, axis: int, new: Axis) -> Layout:
    """The layout with a new axis, in memory, in place of one; memory is in C order.

    Node bits that depend on the old axis are exchanged for others, the rest stay as they are.

    >>> print(in_memory(Layout.mesh((4, 8), nodes=(2, 1)), 0, axis_of(3)))
    (b1:1 b1:0 || b1:2) x 3 on axis 0
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


def with_room(a: CubeArray, axis: int) -> CubeArray:
    """The array, in blocks by ownership if the axis cannot be in memory.

    >>> a = CubeArray.from_numpy(np.arange(4.0), Layout.mesh((4,), nodes=(2,), code="gray"))
    >>> with_room(a, 0)
    <CubeArray (4,) float64 on 2 nodes: (4 on 2)>
    """
    if has_room(a.layout, axis):
        return a
    blocks: Any = _blocks(a.layout, axis)
    return a.relayout(blocks)


def evened(a: CubeArray, given: CubeArray | None = None) -> CubeArray:
    """The array in a layout of equal blocks, if it is in one by ownership that has them.

    It stays where it is if what was ``given`` is by ownership too.

    >>> a = CubeArray.from_numpy(np.arange(4.0), Layout.mesh((4,), nodes=(2,)))
    >>> evened(with_room(a, 0)).layout == a.layout
    True
    """
    own: Any = a.layout
    kind: Any = None if given is None else given.layout
    layout = bits_of(own) if isinstance(own, Ownership) else None
    if layout is None or isinstance(kind, Ownership):
        return a
    owners = [axis for axis, _ in layout.digits]
    if len(a.nodes) == 1 and owners == sorted(owners):  # a block of it is in C order too
        return a.with_blocks(a.blocks, layout)
    return a.relayout(layout)


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
    return evened(_dealt_out(with_room(a, axis), axis, length))


def resized_layout(layout: Layout, axis: int, length: int) -> Layout:
    """The layout with another length of an axis.

    >>> print(resized_layout(Layout.mesh((4, 4), nodes=(2, 1)), 0, 6))
    (b0:0 b1:0 || b1:1) x 3 on axis 0
    >>> print(resized_layout(Layout.cyclic(4, 2), 0, 18))
    (18 on 4 cyclic)
    """
    if length == layout.shape[axis]:
        return layout
    if isinstance(layout, Ownership):
        return layout.with_axis(axis, replace(layout.axes[axis], length=length))
    if has_room(layout, axis):
        return in_memory(layout, axis, axis_of(length))
    blocks = _blocks(layout, axis)
    dealt: Any = blocks.with_axis(axis, _cyclic(blocks.axes[axis], length))
    return bits_of(dealt) or dealt


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
    share = layout.axes[axis]
    dealt = a.relayout(layout.with_axis(axis, _cyclic(share, share.length)))
    target = layout.with_axis(axis, _cyclic(share, length))
    mine = target.boxes(a.nodes)[2 + axis]
    boxes = dealt.blocks.reshape(*dealt.layout.boxes(a.nodes)[2:], *a.payload)
    made = cut_or_filled(boxes, axis, mine)
    return a.with_blocks(made.reshape(*target.held_shape(a.nodes), *a.payload), target)


def _cyclic(share: SharedAxis, length: int) -> SharedAxis:
    return replace(share, length=length, cyclic=True)


@lru_cache(maxsize=4 * KEPT)
def _blocks(layout: Layout, axis: int) -> Ownership:
    """The blocks by ownership in which an axis is over as few nodes as the others leave."""
    left, nodes = layout.n - layout.copies, [1] * len(layout.axes)
    for k, other in enumerate(layout.axes):
        if k != axis:
            bits = min(left, other.bits)
            nodes[k], left = 1 << bits, left - bits
    nodes[axis] = 1 << left
    return in_blocks(layout.shape, nodes, layout.copy_count)
