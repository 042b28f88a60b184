"""Sorted arrays, and the order that sorts them.

Rules.

1. An axis whose lines other axes can take over all nodes is brought to memory, sorted there by
   NumPy, and brought back.
2. Else every rank sorts its part of each line, and :mod:`graycube.array.merging` cuts all parts
   at the ends of blocks: each element crosses once, and blocks are what they were before.
3. What is equal stays in the order of its indices, as in NumPy's stable sorts. NaN comes last.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held, require_array
from graycube.array.in_order import merged, stable_order
from graycube.array.local import blocks_of_local, local
from graycube.array.merging import InARow, SortedParts
from graycube.array.moving import straight
from graycube.array.ranks import facts_of, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.in_bits import in_boxes, in_order as slots_in_order
from graycube.layout.layout import require_cube
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.ownership import Ownership
from graycube.layout.placement import Placement
from graycube.layout.required import require_axis
from graycube.run import no_way_back
from graycube.run.mpi import Comm
from graycube.run.windows import windows

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]
_KINDS = {None, "quicksort", "heapsort", "mergesort", "stable"}
_KEPT = 128  # layouts and axes
_ORDERED = "biufcSUmM"  # numbers, texts and times


def sort(a: _H, axis: int = -1, kind: str | None = None) -> _H:
    """The array with the lines of an axis sorted, in the same layout; collective.

    Any ``kind`` of NumPy's is taken, and all give the same.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[3, 1], [2, 0]]), Layout.cyclic(2, 1))
    >>> sort(a).blocks.tolist()  # 0 and 2 are on node 0
    [[0, 2], [1, 3]]
    """
    return _along(a, "sort", axis, kind, _sorted, np.sort)


def argsort(a: _H, axis: int = -1, kind: str | None = None) -> _H:
    """The indices that sort the lines of an axis, equal ones in their order; collective.

    >>> from graycube.layout import Layout
    >>> argsort(Held(np.array([[7, 5], [7, 5]]), Layout.consecutive(2, 1))).blocks.tolist()
    [[1, 3], [0, 2]]
    """
    return _along(a, "argsort", axis, kind, _order, _stable)


# Along an axis


def _along(  # noqa: PLR0913, PLR0917 - which lines, and two ways to sort them
    a: _H,
    name: str,
    axis: int,
    kind: str | None,
    over_ranks: Callable[[_Array, InARow, Comm], _Array],
    in_memory: Callable[..., _Array],
) -> _H:

    def wanted() -> dict[str, Any]:
        if axis is None:
            raise InvalidTypeError("axis is None", "lines of one axis are sorted", "name it")
        if kind not in _KINDS:
            raise InvalidValueError(
                f"kind is {kind!r:.30}", "NumPy has no such", "leave it out"
            )
        return {"axis": require_axis(axis, a.ndim)}

    place = agreed_on(a, name, wanted)["axis"]
    d = len(a.layout.shape)
    if place >= d:
        return a.with_blocks(in_memory(a.blocks, place - d + 2))
    over = spread(a.comm)
    if over is None:
        whole = a.layout.gather(a.blocks)
        return a.with_blocks(a.layout.scatter(in_memory(whole, place)))
    if _whole(a.layout, place):
        return a.with_blocks(blocks_of_local(a.layout, a.nodes, in_memory(local(a), place)))
    layout, row = _work(a.layout, place, any_order=windows(over) is not None)
    here = layout == _blocks(a.layout)
    own = a.blocks if here else straight(a.blocks, a.layout, layout, over)
    boxes = own.reshape(*layout.boxes(a.nodes)[2:], *a.payload)
    with no_way_back(lambda: name):
        if row is None:
            made = in_memory(boxes, place)
        else:
            lines = np.moveaxis(boxes, place, -1)
            flat = lines.reshape(prod(lines.shape[:-1]), lines.shape[-1])
            done = over_ranks(flat, row, over)
            made = np.moveaxis(done.reshape(lines.shape), -1, place)
    blocks = np.ascontiguousarray(made).reshape(*own.shape)
    return a.with_blocks(blocks if here else straight(blocks, layout, a.layout, over))


@lru_cache(maxsize=_KEPT)
def _whole(layout: Placement, axis: int) -> bool:
    """Whether every node has whole lines of an axis."""
    if isinstance(layout, Ownership):
        return layout.axes[axis].parts == 1
    cube = require_cube(layout, "a sort")
    mask = sum(1 << bit for bit in cube.word_bits(axis))
    return not any(row & mask for row in cube.map.matrix.rows[: cube.n]) and cube.is_product


@lru_cache(maxsize=_KEPT)
def _work(layout: Placement, axis: int, *, any_order: bool) -> tuple[Ownership, InARow | None]:
    """Blocks with the axis in memory, or over all nodes, which are then in a row.

    It is in memory if another axis is long enough for all nodes. It may be the layout itself,
    with the nodes in order or in any order.
    """
    count, found = layout.node_count, _blocks(layout)
    along = None if found is None else found.axes[axis]
    here = along is not None and along.parts == count and not along.cyclic
    if found is None or along is None or not here or (along.gray and not any_order):
        found = in_blocks(layout.shape, work_nodes(layout.shape, count, axis))
    share = found.axes[axis]
    if share.parts == 1:
        return found, None
    ranks = sorted(range(count), key=lambda node: (share.own(node).start, node))
    return found, InARow(tuple(ranks), (0, *(share.own(node).stop for node in ranks)))


def work_nodes(shape: Sequence[int], count: int, axis: int) -> list[int]:
    """Over how many nodes each axis is where lines are sorted: one axis has all of them.

    >>> work_nodes((4, 100), 8, axis=0), work_nodes((4, 100), 8, axis=1)
    ([1, 8], [1, 8])
    """
    others = [k for k in range(len(shape)) if k != axis]
    longest = max(others, key=shape.__getitem__, default=axis)
    over = longest if shape[longest] >= count else axis
    return [count if k == over else 1 for k in range(len(shape))]


@lru_cache(maxsize=_KEPT)
def _blocks(layout: Placement) -> Ownership | None:
    """The layout by ownership that has the same blocks, if there is one."""
    if isinstance(layout, Ownership):
        return layout
    cube = require_cube(layout, "a sort")
    return in_boxes(cube) if slots_in_order(cube) else None


def _stable(x: _Array, axis: int) -> _Array:
    return np.argsort(x, axis, kind="stable")


def _sorted(lines: _Array, row: InARow, comm: Comm) -> _Array:
    """Lines sorted over all ranks, where each keeps as many of their elements as it has."""
    parts = SortedParts(row, len(lines), [lines.dtype], comm)
    (own,) = parts.own
    own[...] = lines
    own.sort(axis=1)
    found = np.empty_like(own)
    for k, (keys,) in enumerate(parts.pieces()):
        merged(keys, found[k])
    return found


def _order(lines: _Array, row: InARow, comm: Comm) -> _Array:
    """The indices that sort lines over all ranks; equal elements keep their order."""
    parts = SortedParts(row, len(lines), [lines.dtype, np.intp], comm)
    keys, index = parts.own
    for line, key, order in zip(lines, keys, index, strict=True):
        order[...] = stable_order(line)
        np.take(line, order, out=key)
    index += row.ends[row.ranks.index(comm.rank)]
    found = np.empty(index.shape, index.dtype)
    for k, (of_line, along) in enumerate(parts.pieces()):
        merged(of_line, found[k], along)
    return found


def agreed_on(a: Held, what: str, wanted: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What is wanted of an array in order, if all ranks want the same, and it can be had.

    >>> from graycube.layout import Layout
    >>> agreed_on(Held(np.zeros((2, 1)), Layout.nodes(1)), "an example", lambda: {"axis": 0})
    {'axis': 0}
    """
    require_array(a, what)

    def prepare() -> tuple[dict[str, Any], dict[str, object]]:
        require_plain(a.dtype)
        if a.dtype.kind not in _ORDERED:
            raise InvalidTypeError(
                f"the array has dtype {a.dtype}",
                "it has no order",
                "sort by a field, or by .view",
            )
        found = wanted()
        return found, {**facts_of(what, a.layout, a.blocks), **found}

    return together(a.comm, prepare)
