"""Sorted arrays, and the order that sorts them.

Rules.

1. An axis whose lines other axes can take over all nodes is brought to memory, sorted there by
   NumPy, and brought back.
2. Else every rank sorts its part of each line, and ``merging`` cuts all parts
   at the ends of blocks: each element crosses once, and blocks are what they were before. Or
   pairs of ranks trade what they have (``splits``), where ``ways`` finds that quicker.
3. What is equal stays in the order of its indices, as in NumPy's stable sorts. NaN comes last.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held, require_array
from graycube.array.local import blocks_of_local, local
from graycube.array.moving import straight
from graycube.array.ordering.blocks import (
    blocks_along,
    is_whole,
    own_blocks,
    row_along,
    where_and_how,
)
from graycube.array.ordering.in_order import merged, stable_order, stable_orders
from graycube.array.ordering.merging import InARow, SortedParts
from graycube.array.ordering.splits import merge_split
from graycube.array.ranks import facts_of, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.required import require_axis
from graycube.run import no_way_back
from graycube.run.mpi import Comm
from graycube.run.windows import windows

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]
_KINDS = {None, "quicksort", "heapsort", "mergesort", "stable"}
_ORDERED = "biufcSUmM"  # numbers, texts and times


@overload
def sort(a: _H, axis: int = -1, kind: str | None = None) -> _H: ...
@overload
def sort(
    a: _H, axis: int = -1, kind: str | None = None, *, payload: _H | Sequence[_H]
) -> tuple[_H, ...]: ...
def sort(a: Any, axis: int = -1, kind: str | None = None, *, payload: Any = None) -> Any:
    """The array with the lines of an axis sorted, in the same layout; collective.

    Any ``kind`` of NumPy's is taken, and all give the same. A ``payload`` is an array with the
    layout of the keys, or several, which may have components: its elements go where their keys
    go, those of equal keys in the order of their indices. Then the result is the keys and each
    payload.

    >>> import graycube as gc
    >>> a = gc.CubeArray.from_numpy(np.array([3, 2, 1, 0]), gc.Layout.cyclic(2, 1))
    >>> gc.sort(a).to_numpy().tolist()
    [0, 1, 2, 3]
    >>> keys, squares = gc.sort(a, payload=a**2)
    >>> squares.to_numpy().tolist()
    [0, 1, 4, 9]
    """
    if payload is None:
        return _along([a], "sort", axis, kind, _sorted, _sorted_here)[0]
    given = payload if isinstance(payload, list | tuple) else [payload]
    return (*_along([a, *given], "sort", axis, kind, _ordered, _ordered_here),)


def argsort(a: _H, axis: int = -1, kind: str | None = None) -> _H:
    """The indices that sort the lines of an axis, equal ones in their order; collective.

    >>> import graycube as gc
    >>> a = gc.CubeArray.from_numpy(np.array([7, 5, 7, 5]), gc.Layout.consecutive(2, 1))
    >>> gc.argsort(a).to_numpy().tolist()
    [1, 3, 0, 2]
    """
    return _along([a], "argsort", axis, kind, _order, _order_here)[0]


# Along an axis


def _along(  # noqa: PLR0913, PLR0917 - which lines, and two ways to sort them
    arrays: Sequence[_H],
    name: str,
    axis: int,
    kind: str | None,
    over_ranks: Callable[[Sequence[_Array], InARow, Comm], list[_Array]],
    in_memory: Callable[[Sequence[_Array], int], list[_Array]],
) -> list[_H]:
    a = arrays[0]

    def wanted() -> dict[str, Any]:
        if axis is None:
            raise InvalidTypeError("axis is None", "lines of one axis are sorted", "name it")
        if kind not in _KINDS:
            raise InvalidValueError(
                f"kind is {kind!r:.30}",
                "NumPy has 'quicksort', 'mergesort', 'heapsort' and 'stable'",
                "pass one of these, or leave it out",
            )
        told = [(v.payload, v.dtype) for v in map(partial(_require_payload, a), arrays[1:])]
        return {"axis": require_axis(axis, a.ndim), "payload": told}

    place = agreed_on(a, name, wanted)["axis"]
    d = len(a.layout.shape)
    if place >= d:
        return [a.with_blocks(in_memory([a.blocks], place - d + 2)[0])]
    given = [a.blocks, *(_as_records(v.blocks) for v in arrays[1:])]
    made = _along_layout(a, given, place, over_ranks, in_memory, name)
    if len(arrays) > 1:
        made[1:] = [
            each.view(v.dtype).reshape(v.blocks.shape)
            for each, v in zip(made[1:], arrays[1:], strict=True)
        ]
    return [v.with_blocks(each) for v, each in zip(arrays, made, strict=True)]


def _along_layout(  # noqa: PLR0913, PLR0917
    a: Held,
    given: Sequence[_Array],
    place: int,
    over_ranks: Callable[[Sequence[_Array], InARow, Comm], list[_Array]],
    in_memory: Callable[[Sequence[_Array], int], list[_Array]],
    name: str,
) -> list[_Array]:
    """The blocks of the keys and of what goes with them, along an axis of the layout."""
    over = spread(a.comm)
    if over is None:
        made = in_memory([a.layout.gather(x) for x in given], place)
        return [a.layout.scatter(x) for x in made]
    if is_whole(a.layout, place):
        pieces = in_memory([local(a.with_blocks(x)) for x in given], place)
        return [blocks_of_local(a.layout, a.nodes, x) for x in pieces]
    layout, split = blocks_along(a.layout, place, any_order=windows(over) is not None), False
    if windows(over) is None and over_ranks is _sorted:
        keys = prod(given[0].shape[2:])
        layout, way = where_and_how(a.layout, place, given[0].itemsize, keys)
        split = way is not None and way.in_place
    row = row_along(layout, place)
    here = layout == own_blocks(a.layout)
    own = given if here else [straight(x, a.layout, layout, over) for x in given]
    box = layout.boxes(a.nodes)[2:]
    boxes = [x.reshape(*box, *x.shape[2:]) for x in own]
    with no_way_back(lambda: name):
        if row is None:
            made = in_memory(boxes, place)
        else:
            lines = [np.moveaxis(x, place, -1) for x in boxes]
            flat = [x.reshape(prod(x.shape[:-1]), x.shape[-1]) for x in lines]
            done = _split(flat, row, over) if split else over_ranks(flat, row, over)
            made = [np.moveaxis(x.reshape(lines[0].shape), -1, place) for x in done]
    blocks = [np.ascontiguousarray(x).reshape(own[0].shape) for x in made]
    return blocks if here else [straight(x, layout, a.layout, over) for x in blocks]


def _require_payload(a: Held, payload: Held) -> Held:
    """What goes with keys, if it can."""
    if not isinstance(payload, Held):
        raise InvalidTypeError(
            f"a payload is a {type(payload).__name__}",
            "it is an array, laid out like the keys",
            "pass CubeArray.from_numpy(x, keys.layout)",
        )
    fits = payload.layout == a.layout and payload.comm == a.comm
    if not fits or a.payload or not prod(payload.payload):
        raise InvalidValueError(
            f"a payload has shape {payload.shape} and the layout {payload.layout}",
            f"the keys have shape {a.shape} and the layout {a.layout}",
            "pass keys without components, and a payload in their layout",
        )
    require_plain(payload.dtype)
    return payload


def _as_records(blocks: _Array) -> _Array:
    """Blocks whose elements have their components in one item."""
    whole = np.ascontiguousarray(blocks)
    size = whole.itemsize * prod(whole.shape[2:])
    flat = whole.reshape(*whole.shape[:2], prod(whole.shape[2:]))
    return flat.view(np.dtype((np.void, size)))[..., 0]


def _sorted_here(arrays: Sequence[_Array], axis: int) -> list[_Array]:
    return [np.sort(arrays[0], axis)]


def _order_here(arrays: Sequence[_Array], axis: int) -> list[_Array]:
    return [stable_orders(arrays[0], axis)]


def _ordered_here(arrays: Sequence[_Array], axis: int) -> list[_Array]:
    (order,) = _order_here(arrays, axis)
    return [np.take_along_axis(x, order, axis) for x in arrays]


def _split(arrays: Sequence[_Array], row: InARow, comm: Comm) -> list[_Array]:
    """Lines sorted over all ranks by merge-splits."""
    return [merge_split(np.sort(arrays[0], axis=1), row, comm)]


def _sorted(arrays: Sequence[_Array], row: InARow, comm: Comm) -> list[_Array]:
    """Lines sorted over all ranks, where each keeps as many of their elements as it has."""
    (lines,) = arrays
    parts = SortedParts(row, len(lines), [lines.dtype], comm)
    (own,) = parts.own
    own[...] = lines
    own.sort(axis=1)
    found = np.empty_like(own)
    for k, (keys,) in enumerate(parts.pieces()):
        merged(keys, found[k])
    return [found]


def _order(arrays: Sequence[_Array], row: InARow, comm: Comm) -> list[_Array]:
    """The indices that sort lines over all ranks; equal elements keep their order."""
    (lines,) = arrays
    start = row.ends[row.ranks.index(comm.rank)]
    index = np.broadcast_to(np.arange(start, start + lines.shape[1]), lines.shape)
    return _ordered([lines, index], row, comm, keys=False)[1:]


def _ordered(
    arrays: Sequence[_Array], row: InARow, comm: Comm, *, keys: bool = True
) -> list[_Array]:
    """Lines of keys sorted over all ranks, if wanted, and all others in the order of these."""
    parts = SortedParts(row, len(arrays[0]), [x.dtype for x in arrays], comm)
    for k, line in enumerate(arrays[0]):
        order = stable_order(line)
        for x, own in zip(arrays, parts.own, strict=True):
            np.take(x[k], order, out=own[k])
    found = [np.empty(own.shape, own.dtype) for own in parts.own]
    for k, (of_line, *others) in enumerate(parts.pieces()):
        if keys:
            merged(of_line, found[0][k])
        for along, out in zip(others, found[1:], strict=True):
            merged(of_line, out[k], along)
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
                "sort by a field of records, as gc.sort(u['k'], payload=u)",
            )
        found = wanted()
        return found, {**facts_of(what, a.layout, a.blocks), **found}

    return together(a.comm, prepare)
