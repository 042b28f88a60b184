"""Where elements are in the whole array: their indices, frequencies, and boxes by index."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.indexed.points import is_list, points, points_here, told
from graycube.array.ranks import facts_of, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.layout import Layout
from graycube.layout.chosen import within
from graycube.run import mpi

_Array = NDArray[Any]
Part = int | slice | EllipsisType | list[int] | NDArray[Any]


def along_axes(a: Held, *, sparse: bool) -> list[tuple[_Array, Layout]]:
    """The index along each axis of what is here, and its layout; sparse, of length 1 elsewhere.

    >>> a = Held(np.zeros((2, 2)), Layout.mesh((2, 2), nodes=(2, 1)))
    >>> [(index.tolist(), layout.shape) for index, layout in along_axes(a, sparse=True)]
    [([[0], [1]], (2, 1)), ([[0, 1], [0, 1]], (1, 2))]
    """
    every = range(len(a.layout.axes))
    if not sparse:
        return [(index, a.layout) for index in a.layout.indices_on(a.nodes)]
    thin = [a.layout.without_axes([k for k in every if k != j], keepdims=True) for j in every]
    return [(layout.indices_on(a.nodes)[k], layout) for k, layout in enumerate(thin)]


def frequency(index: _Array, values: int, points: int, spacing: float) -> _Array:
    """The frequencies at indices of a spectrum, all or half of it, of so many points.

    >>> frequency(np.arange(4), 4, 4, 0.5).tolist(), frequency(np.arange(3), 3, 4, 0.5).tolist()
    ([0.0, 0.5, -1.0, -0.5], [0.0, 0.5, 1.0])
    """
    signed = index if values != points else index - points * (2 * index >= points)
    found: _Array = signed / (points * spacing)
    return found


def spectrum_of(
    a: Held, spacing: float | Sequence[float], s: Sequence[int] | None
) -> list[tuple[int, float]]:
    """The number of points and the spacing along each axis of what has such a spectrum.

    As many values are all of one spectrum, and half of others: only ``s`` says which.

    >>> half = Held(np.zeros((1, 6)), Layout.mesh((2, 3), nodes=(2, 1)))
    >>> spectrum_of(half, 0.5, (2, 4))
    [(2, 0.5), (4, 0.5)]
    """
    shape, d = a.layout.shape, len(a.layout.axes)
    if s is None:
        values = max(shape)
        half = 2 * (values - 1)
        raise InvalidValueError(
            f"the spectrum has {values} values along axis {shape.index(values)}",
            f"that is all of {values} points, or half of {half} or {half + 1}",
            "pass s=u.shape, the shape of what was transformed",
        )
    steps = np.ravel(spacing if np.ndim(spacing) else [spacing] * d)
    points = list(s[:d])
    halves = zip(points, shape, strict=False)
    fits = all(values in {n, n // 2 + 1} for n, values in halves)
    apart = steps.dtype.kind in "biuf" and len(steps) == d and np.all(steps)
    if len(points) != d or not (apart and fits):
        raise InvalidValueError(
            f"s is {tuple(points)} and spacing is {spacing!r} for a spectrum of shape {shape}",
            "s is the shape of what was transformed, and each axis has a spacing but 0",
            "pass s=u.shape, and one spacing or one for each axis",
        )
    return list(zip(points, steps.astype(float).tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Reader:
    """``u.read[...]``: a box of the whole array, or some points, on every rank; collective.

    Lists of integers along several axes name points, as in NumPy.

    >>> a = Held(np.arange(8).reshape(2, 4), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> Reader(a)[3, 0], Reader(a)[1:3].tolist()
    (np.int64(6), [[2, 3], [4, 5]])
    >>> Reader(a)[[3, 0], [0, 1]]
    array([6, 1])
    """

    of: Held

    def __getitem__(self, key: Part | tuple[Part, ...]) -> Any:  # noqa: ANN401 - as NumPy's
        a, parts = self.of, key if isinstance(key, tuple) else (key,)
        if any(map(is_list, parts)):
            return _at_points(a, key)

        def prepare() -> (
            "tuple[tuple[list[_Array], tuple[int | slice, ...]], dict[str, object]]"
        ):
            require_plain(a.dtype)
            facts = {**facts_of("read", a.layout, a.blocks), "index": repr(key)}
            return _box(a, key), facts

        lengths, squeezed = together(a.comm, prepare)
        d = len(a.layout.axes)
        found = np.zeros((*map(len, lengths[:d]), *a.payload), a.dtype)
        if found.size:
            _put_own(found, a, lengths[:d])
            _joined(found, a)
        for axis, along in enumerate(lengths[d:], start=d):
            found = np.take(found, along, axis)
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


def _joined(found: _Array, a: Held) -> None:
    """What all ranks found, each its own, and zeros elsewhere; collective."""
    if (over := spread(a.comm)) is not None:
        over.Allreduce(mpi().IN_PLACE, found.reshape(-1).view(np.uint8), mpi().BOR)


def _put_own(found: _Array, a: Held, wanted: Sequence[_Array]) -> None:
    """Write what is here of the elements with these coordinates."""
    if isinstance(a.layout, Layout):
        node, slot = a.layout.locate(*np.ix_(*wanted))
        here = (node >= a.nodes.start) & (node < a.nodes.stop)
        found[here] = a.blocks[node[here] - a.nodes.start, slot[here]]
        return
    own = a.layout.piece(a.nodes).coordinates
    pairs = [within(some, mine) for some, mine in zip(wanted, own, strict=True)]
    goal, source = (np.ix_(*(pair[k] for pair in pairs)) for k in (0, 1))
    found[goal] = a.blocks.reshape(*map(len, own), *a.payload)[source]


def _box(
    a: Held, key: Part | tuple[Part, ...]
) -> "tuple[list[_Array], tuple[int | slice, ...]]":
    """The coordinates along each axis, and the index that takes away axes of integers."""
    parts = list(key) if isinstance(key, tuple) else [key]
    dots = [k for k, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1 or len(parts) - len(dots) > a.ndim:
        raise OutOfRangeError(
            f"the index is {key!r:.80}", f"the array has {a.ndim} axes", "leave some out"
        )
    at = dots[0] if dots else len(parts)
    fill = [slice(None)] * (a.ndim - len(parts) + len(dots))
    parts[at : at + 1] = fill
    axes = enumerate(zip(parts, a.shape, strict=True))
    coordinates = [coordinates_of(k, part, length) for k, (part, length) in axes]
    return coordinates, tuple(slice(None) if isinstance(k, slice) else 0 for k in parts)


def coordinates_of(axis: int, part: object, length: int) -> _Array:
    """What a slice or an integer takes along an axis.

    >>> coordinates_of(0, slice(None, None, -2), 5), coordinates_of(0, -1, 5)
    (array([4, 2, 0]), array([4]))
    """
    if isinstance(part, slice):
        return np.arange(length)[part]
    if isinstance(part, bool) or not isinstance(part, int | np.integer):
        raise InvalidTypeError(
            f"the index along axis {axis} is {part!r:.60}",
            "an index is an integer, a slice or a list of integers",
            "use np.where for masks over nodes, or to_numpy()",
        )
    k = int(part)
    if not -length <= k < length:
        raise OutOfRangeError(
            f"the index along axis {axis} is {k}",
            f"it must lie in {-length}..{length - 1}",
            "count from 0, or from the end with negative numbers",
        )
    return np.array([k % length])
