"""Data taken from place to place, whether the nodes are here or on other ranks."""

from collections.abc import Sequence
from functools import lru_cache, partial
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.boxes import carried
from graycube.array.held import Held
from graycube.array.local import laid_out
from graycube.array.ranks import nodes_here, spread
from graycube.gf2 import AffineMap
from graycube.gf2.permuting import carry
from graycube.layout import Layout, Ownership
from graycube.layout.in_bits import in_boxes
from graycube.layout.indexing import row_of
from graycube.layout.layout import require_cube
from graycube.layout.placement import Placement
from graycube.run import redistribution, require_comm, script_by_index, scripts_at_once
from graycube.run.fetch import fetch, fetch_by_index
from graycube.run.mpi import Comm
from graycube.run.reused import apart, components_first
from graycube.run.script import Script

_Blocks = NDArray[Any]
_H = TypeVar("_H", bound=Held)
SCRIPTS = 32
"""So many ways of a node are remembered."""


def moved(
    blocks: _Blocks,
    layout: Layout,
    before: AffineMap,
    after: AffineMap,
    comm: Comm | None,
) -> _Blocks:
    """The blocks after what was at ``before(word)`` has gone to ``after(word)``, for all words.

    The layout says how many nodes there are, and what stands behind each slot.

    >>> layout = Layout.nodes(1)
    >>> moved(np.array([[5], [6]]), layout, layout.map, AffineMap(layout.map.matrix, 1), None)
    array([[6],
           [5]])
    """
    if before == after:
        return blocks
    over = spread(comm)
    if over is None:
        return taken(blocks, layout, before, after)
    (node,) = nodes_here(layout, over)
    payload, move = prod(axis.extent for axis in layout.axes), after @ before.inverse()
    return redistribution(
        partial(fetch, move, layout.n, node),
        partial(_script, move, layout.n, node, payload),
        over,
        blocks,
        np.empty_like(blocks, order="C"),
    )


def straight(
    blocks: _Blocks, layout: Placement, target: Placement, comm: Comm | None
) -> _Blocks:
    """The blocks in another layout of the same shape, everything straight to where it belongs.

    >>> straight(np.array([[5], [6]]), Layout.nodes(1), Layout.nodes(1), None).tolist()
    [[5], [6]]
    """
    over = spread(comm)
    if layout == target:
        return blocks
    if _in_both_kinds(layout, target):
        return reordered(blocks, layout, target, nodes_here(layout, comm))
    if isinstance(layout, Layout) and isinstance(target, Layout):
        if alike(layout, target):
            return moved(blocks, layout, layout.map, target.map, comm)
        if over is not None:
            return _by_index(blocks, layout, target, comm, ())
    if over is None:
        return target.scatter(layout.gather(blocks))
    first, last = as_product(layout), as_product(target)
    blocks = carried(straight(blocks, layout, first, comm), first, last, over)
    return straight(blocks, last, target, comm)


def brought(a: _H, layout: Placement) -> _H:
    """The array in another layout of the same shape, by :func:`straight`; collective.

    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.cyclic(2, 1))
    >>> brought(a, Layout.consecutive(2, 1)).blocks.tolist()
    [[5, 7], [6, 8]]
    """
    return a.with_blocks(straight(a.blocks, a.layout, layout, a.comm), layout)


def _in_both_kinds(layout: Placement, target: Placement) -> bool:
    """Whether layouts of both kinds have every element on the same nodes."""
    if isinstance(layout, Layout):
        return isinstance(target, Ownership) and in_boxes(layout) == target
    return isinstance(target, Layout) and in_boxes(target) == layout


def reordered(blocks: _Blocks, layout: Placement, target: Placement, nodes: range) -> _Blocks:
    """The blocks in a layout of the other kind with the same places; perhaps a view of them.

    >>> box, bits = (Layout.mesh((6, 4), (1, 1), ownership=kind) for kind in (True, False))
    >>> reordered(np.arange(24).reshape(1, 24), box, bits, range(1))[0, :6].tolist()
    [0, 4, 8, 1, 5, 9]
    """
    payload = blocks.shape[2:]
    if isinstance(target, Layout):
        return laid_out(target, nodes, blocks.reshape(*layout.boxes(nodes)[2:], *payload))
    made = layout.gather(blocks) if len(nodes) > 1 else layout.piece(nodes).of(blocks)
    return made.reshape(*target.held_shape(nodes), *payload)


def of_kind(a: _H, layout: Placement) -> _H:
    """The array in a layout of the other kind with the same places, perhaps a view of it.

    >>> box, bits = (Layout.mesh((2, 3), (1, 1), ownership=kind) for kind in (True, False))
    >>> a = Held(np.arange(6).reshape(1, 6), box)
    >>> of_kind(of_kind(a, bits), box).blocks.tolist()
    [[0, 1, 2, 3, 4, 5]]
    """
    if layout == a.layout:
        return a
    return a.with_blocks(reordered(a.blocks, a.layout, layout, a.nodes), layout)


def as_product(layout: Placement) -> Placement:
    """The layout, or one with the same axes in which a node has a product of coordinates.

    >>> print(as_product(Layout.parse("(b0:0 || b0:0^b1:0)")))
    (b0:0 || b1:0)
    """
    if not isinstance(layout, Layout) or layout.copies or layout.is_product:
        return layout
    return Layout(AffineMap.identity(layout.p), layout.n, layout.axes)


def alike(layout: Placement, target: Placement) -> bool:
    """Whether one affine map takes a layout to another.

    >>> alike(Layout.nodes(3), Layout.nodes(3, "gray"))
    True
    """
    if not (isinstance(layout, Layout) and isinstance(target, Layout)):
        return False
    return (layout.axes, layout.copies) == (target.axes, target.copies)


def rolled(
    blocks: _Blocks, layout: Placement, shift: Sequence[int], comm: Comm | None
) -> _Blocks:
    """The blocks with every element so much farther along each axis, around the end of it.

    >>> rolled(np.array([[5], [6]]), Layout.nodes(1), [1], None).tolist()
    [[6], [5]]
    """
    steps = tuple(
        step % length if length else 0 for step, length in zip(shift, layout.shape, strict=True)
    )
    if not any(steps):
        return blocks.copy("K")
    over = spread(comm)
    if isinstance(layout, Ownership):
        if over is not None:
            return carried(blocks, layout, layout, over, steps)
        whole = np.roll(layout.gather(blocks), steps, tuple(range(len(steps))))
        return whole.reshape(blocks.shape)
    layout = require_cube(layout, "a roll")
    if over is None:
        rows = _row_after_roll(layout, steps)
        return np.take(blocks.reshape(-1, *blocks.shape[2:]), rows, axis=0)
    return _by_index(blocks, layout, layout, comm, steps)


@lru_cache(maxsize=SCRIPTS)
def _row_after_roll(layout: Layout, steps: tuple[int, ...]) -> NDArray[np.intp]:
    """For every node and slot, the row where its element was; all nodes are here."""
    node, slot = np.arange(1 << layout.n)[:, None], np.arange(layout.block_size)[None, :]
    index = zip(layout.coordinates(node, slot), steps, layout.shape, strict=True)
    where, row = layout.locate(*((i - step) % length for i, step, length in index))
    rows: NDArray[np.intp] = (where * layout.block_size + row).astype(np.intp)
    return rows


def _by_index(
    blocks: _Blocks,
    layout: Layout,
    target: Layout,
    comm: Comm | None,
    shift: tuple[int, ...],
) -> _Blocks:
    """What a script by index does, on several ranks."""
    (node,) = nodes_here(layout, comm)
    return redistribution(
        partial(fetch_by_index, layout, target, node, shift),
        partial(script_by_index, layout, target, node, shift),
        require_comm(comm),
        blocks,
        np.empty((1, target.block_size, *blocks.shape[2:]), blocks.dtype),
    )


@lru_cache(maxsize=SCRIPTS)
def _script(move: AffineMap, n: int, node: int, payload: int) -> Script:
    (script,) = scripts_at_once(move, n, range(node, node + 1), payload)
    return script


def taken(blocks: _Blocks, layout: Layout, before: AffineMap, after: AffineMap) -> _Blocks:
    """What :func:`moved` gives, of the blocks of all nodes: a new array, if anything moves.

    >>> layout = Layout.cyclic(3, 1)
    >>> flipped = AffineMap(layout.map.matrix, 1)
    >>> taken(np.arange(8).reshape(2, 4), layout, layout.map, flipped).tolist()
    [[4, 5, 6, 7], [0, 1, 2, 3]]
    """
    if before == after:
        return blocks
    move, rows = _between_rows(before, after, layout.n), 1 << layout.p
    if apart(blocks):
        made = np.empty_like(blocks)
        shape = -1, rows, prod(blocks.shape[:2]) // rows
        both = (components_first(x).reshape(shape) for x in (blocks, made))
        for source, target in zip(*both, strict=True):
            carry(source, target, move)
        return made
    made = np.empty(blocks.shape, blocks.dtype)
    carry(np.ascontiguousarray(blocks).reshape(rows, -1), made.reshape(rows, -1), move)
    return made


@lru_cache(maxsize=SCRIPTS)
def _between_rows(before: AffineMap, after: AffineMap, n: int) -> AffineMap:
    """Which row of the blocks of all nodes comes from which."""
    row = row_of(before.height, n)
    return row @ after @ before.inverse() @ row.inverse()


def addresses(layout: Layout, nodes: range) -> NDArray[np.int64]:
    """The addresses of the rows of some nodes: node by node, slot by slot.

    >>> addresses(Layout.cyclic(3, 2), range(1, 3)).tolist()
    [1, 5, 2, 6]
    """
    node = np.arange(nodes.start, nodes.stop)[:, None]
    return (np.arange(1 << (layout.p - layout.n)) << layout.n | node).ravel()
