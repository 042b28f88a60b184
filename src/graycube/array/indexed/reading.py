"""Elements and boxes read by their index in the whole array, as plain arrays on every rank."""

from dataclasses import dataclass
from math import prod
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.aligning import require_same_ranks
from graycube.array.held import Held
from graycube.array.indexed.indices import coordinates_of
from graycube.array.indexed.points import (
    box_here,
    is_list,
    points,
    points_here,
    spelled_out,
    told,
)
from graycube.array.ranks import facts_of, spread, together
from graycube.array.sharing import require_plain, rows_of_all
from graycube.errors import InvalidValueError
from graycube.layout.indices import Some, as_array
from graycube.run import mpi, no_way_back

_Array = NDArray[Any]
Part = int | slice | EllipsisType | None | list[int] | NDArray[Any] | Held


@dataclass(frozen=True, slots=True)
class Reader:
    """``u.read[...]``: a box of the whole array, or some elements, on every rank; collective.

    Lists of integers along several axes name points, as in NumPy. A mask over nodes chooses
    elements, which come in the order of their indices.

    >>> from graycube.layout import Layout
    >>> a = Held(np.arange(8).reshape(2, 4), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> Reader(a)[3, 0], Reader(a)[1:3].tolist()
    (np.int64(6), [[2, 3], [4, 5]])
    >>> Reader(a)[[3, 0], [0, 1]], Reader(a)[a.with_blocks(a.blocks % 3 == 0)]
    (array([6, 1]), array([0, 3, 6]))
    """

    of: Held

    def __getitem__(self, key: Part | tuple[Part, ...]) -> Any:  # noqa: ANN401 - as NumPy's
        a, parts = self.of, key if isinstance(key, tuple) else (key,)
        if isinstance(key, Held):
            return _where(a, key)
        if any(map(is_list, parts)):
            return _at_points(a, key)

        def prepare() -> "tuple[tuple[list[Some], tuple[Any, ...]], dict[str, object]]":
            require_plain(a.dtype)
            facts = {**facts_of("read", a.layout, a.blocks), "index": repr(key)}
            return _box(a, key), facts

        lengths, squeezed = together(a.comm, prepare)
        d = len(a.layout.axes)
        found = np.zeros((*map(len, lengths[:d]), *a.payload), a.dtype)
        if found.size:
            for here, array, at in box_here(a, lengths[:d]):
                found[here] = array[at]
            _joined(found, a)
        for axis, along in enumerate(lengths[d:], start=d):
            found = np.take(found, as_array(along), axis)
        return found[squeezed]


def _at_points(a: Held, key: Any) -> Any:  # noqa: ANN401 - as NumPy's
    """What an index with lists takes."""

    def prepare() -> tuple[list[_Array], dict[str, object]]:
        require_plain(a.dtype)
        facts = {**facts_of("read", a.layout, a.blocks), "index": told(key)}
        return points(key, a.shape), facts

    places = together(a.comm, prepare)
    along, d = [place.reshape(-1) for place in places], len(a.layout.shape)
    found = np.zeros(along[0].shape, a.dtype)
    if found.size:
        for here, rows in points_here(a, along[:d]):
            found[here] = a.blocks[(*rows, *(place[here] for place in along[d:]))]
        _joined(found, a)
    return found.reshape(places[0].shape)[()]


def _where(a: Held, mask: Held) -> _Array:
    """The elements where a mask is true: each rank sends its own to all."""

    def prepare() -> tuple[None, dict[str, object]]:
        require_plain(a.dtype)
        require_same_ranks(a, mask)
        fits = mask.layout == a.layout and mask.payload == a.payload[: len(mask.payload)]
        if mask.dtype != bool or not fits:
            raise InvalidValueError(
                f"the mask has shape {mask.shape}, dtype {mask.dtype} and layout {mask.layout}",
                f"the array has shape {a.shape} and layout {a.layout}",
                "make it of this array, as u > 0, or use mask.relayout(u.layout)",
            )
        facts = facts_of("read", a.layout, a.blocks)
        return None, {**facts, "payload of the mask": mask.payload}

    together(a.comm, prepare)
    over = spread(a.comm)
    if over is None:
        whole: _Array = a.layout.gather(a.blocks)[a.layout.gather(mask.blocks)]
        return whole
    first = a.layout.nodes_like(over.rank)[0] == over.rank
    slots, *inside = np.nonzero(mask.blocks[0] if first else mask.blocks[0, :0])
    keys = a.layout.index(np.full_like(slots, over.rank), slots)
    if inside:
        keys = keys * prod(mask.payload) + np.ravel_multi_index(inside, mask.payload)
    with no_way_back(lambda: "read"):
        counts = over.allgather(len(keys))
        found = rows_of_all(a.blocks[0][(slots, *inside)], counts, over)
        elements: _Array = found[np.argsort(rows_of_all(keys, counts, over))]
    return elements


def _joined(found: _Array, a: Held) -> None:
    """What all ranks found, each its own, and zeros elsewhere; collective."""
    if (over := spread(a.comm)) is not None:
        over.Allreduce(mpi().IN_PLACE, found.reshape(-1).view(np.uint8), mpi().BOR)


def _box(a: Held, key: Part | tuple[Part, ...]) -> "tuple[list[Some], tuple[Any, ...]]":
    """The coordinates along each axis, and the index that takes away axes of integers."""
    parts = spelled_out(key, a.shape)
    some = (part for part in parts if part is not None)
    axes = enumerate(zip(some, a.shape, strict=True))
    coordinates = [coordinates_of(k, part, length) for k, (part, length) in axes]
    kept = {slice: slice(None), type(None): None}  # new axes stay, and those of integers go
    return coordinates, tuple(kept.get(type(part), 0) for part in parts)
