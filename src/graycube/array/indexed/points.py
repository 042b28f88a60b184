"""Points that an index names: their coordinates as NumPy means them, and which are here."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.boxes import places_here, places_read
from graycube.array.held import Held
from graycube.errors import InvalidTypeError, OutOfRangeError
from graycube.gf2.arrays import IntArray
from graycube.layout import Layout
from graycube.layout.chosen import Chosen, places_among
from graycube.layout.indices import Some, as_array
from graycube.run.agreement import of_array

_Rows = tuple[IntArray, IntArray]


def is_list(part: object) -> bool:
    """Whether a part of an index is a list or an array.

    >>> is_list([1, 3]), is_list(slice(3))
    (True, False)
    """
    return isinstance(part, list | np.ndarray)


def in_brackets(key: object) -> str:
    """An index as it is written.

    >>> in_brackets((..., slice(3, None), slice(None, None, 2), None, 5))
    '..., 3:, ::2, None, 5'
    """
    parts = key if isinstance(key, tuple) else (key,)
    return ", ".join(map(_written, parts))[:80]


def _written(part: object) -> str:
    if isinstance(part, slice):
        ends = ["" if end is None else str(end) for end in (part.start, part.stop)]
        return ":".join(ends if part.step is None else [*ends, str(part.step)])
    if isinstance(part, Held):
        return "mask"
    return "..." if part is Ellipsis else repr(part)


def spelled_out(key: Any, shape: Sequence[int]) -> tuple[Any, ...]:  # noqa: ANN401
    """An index with a part for each axis, and with its new axes.

    >>> spelled_out((..., None, 2), (4, 5))
    (slice(None, None, None), None, 2)
    """
    parts = key if isinstance(key, tuple) else (key,)
    dots = [k for k, part in enumerate(parts) if part is Ellipsis]
    used = sum(part is not None for part in parts) - len(dots)
    if len(dots) > 1 or used > len(shape):
        raise OutOfRangeError(
            f"u[{in_brackets(key)}] has {used} entries",
            f"the array has {len(shape)} axes, and the shape {(*shape,)}",
            "write ... once" if len(dots) > 1 else "leave some out",
        )
    at = dots[0] if dots else len(parts)
    return (*parts[:at], *[slice(None)] * (len(shape) - used), *parts[at + len(dots) :])


def points(key: Any, shape: Sequence[int]) -> list[IntArray]:  # noqa: ANN401 - as NumPy's
    """The coordinate along each axis of all elements that an index takes.

    NumPy finds them: what it takes of each coordinate.

    >>> [along.tolist() for along in points(([1, 3], [2, -1]), (4, 5))]
    [[1, 3], [2, 4]]
    """
    parts = key if isinstance(key, tuple) else (key,)
    if any(isinstance(part, Held) for part in parts):
        raise InvalidTypeError(
            "a CubeArray is given as an index",
            "an index is plain, and alike on all ranks",
            "a mask stands alone, as in u.read[u > 0]; for indices use np.take_along_axis",
        )
    try:
        np.broadcast_to(np.int8(0), shape)[key]
    except IndexError as error:
        raise OutOfRangeError(
            f"the index is {key!r:.80}",
            f"of an array of shape {(*shape,)} NumPy says: {error}",
            "indices that stand together broadcast, and each lies within its axis",
        ) from None
    lines, parts = _named(parts, shape)
    every = [line.reshape(-1, *(1,) * k) for k, line in enumerate(reversed(lines))]
    lengths = [*map(len, lines)]
    return [np.asarray(np.broadcast_to(line, lengths)[parts]) for line in reversed(every)]


def _named(parts: tuple[Any, ...], shape: Sequence[int]) -> tuple[list[IntArray], Any]:
    """The coordinates along each axis that an index names, and what takes the same of these.

    Nothing here is as long as an axis, unless the index has masks or new axes.
    """
    others = [part for part in parts if part is not Ellipsis and not isinstance(part, slice)]
    if any(np.asarray(part).dtype.kind not in "iu" for part in others):
        return [np.arange(n) for n in shape], parts
    lines, takes = list[IntArray](), list[Any]()
    for part, n in zip(spelled_out(parts, shape), shape, strict=True):
        if isinstance(part, slice):
            lines.append(np.arange(*part.indices(n)))
            takes.append(slice(None))
        else:
            some = np.asarray(part, np.intp)
            lines.append(some.ravel() % n)
            takes.append(np.arange(some.size).reshape(some.shape))
    return lines, (*takes,)


def told(key: Any) -> object:  # noqa: ANN401 - as NumPy's
    """An index as what ranks compare.

    >>> told((np.arange(2), slice(3)))
    ['[0, 1]', 'slice(None, 3, None)']
    """
    parts = key if isinstance(key, tuple) else (key,)
    return [str(of_array(p)) if isinstance(p, np.ndarray) else repr(p) for p in parts]


def points_here(
    a: Held, places: Sequence[IntArray]
) -> Iterator[tuple[NDArray[np.bool_], _Rows]]:
    """Which points are here, by their coordinates in the layout, and their nodes and slots.

    Where several nodes here have copies, once for each of them.

    >>> a = Held(np.zeros((2, 2)), Layout.mesh((4,), nodes=(2,)))
    >>> [(here.tolist(), *rows) for here, rows in points_here(a, [np.array([3, 0])])]
    [([True, True], array([1, 0]), array([1, 0]))]
    """
    layout: Any = a.layout  # of either kind
    if not by_axes(a):
        node, slot = layout.locate(*places)
        for flip in layout.nodes_like(0):
            own = (node ^ flip) - a.nodes.start
            here = (own >= 0) & (own < len(a.nodes))
            yield here, (own[here], slot[here])
        return
    piece = layout.piece(a.nodes)
    here, at = np.ones((), bool), np.zeros((), np.intp)
    for line, place in zip(piece.coordinates, places, strict=True):
        along, found = places_among(line, place)
        here, at = here & found, at * len(line) + along
    rows = at[here] if piece.rows is None else piece.rows[at[here]]
    yield here, (np.zeros(np.count_nonzero(here), np.intp), rows)


def box_here(a: Held, wanted: Sequence[Some]) -> Iterator[tuple[Any, NDArray[Any], Any]]:
    """Which part of a box of some coordinates is here, and in which array, and where there.

    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> [array[at].tolist() for here, array, at in box_here(a, [range(3, -1, -3)])]
    [[8, 5]]
    """
    if not by_axes(a):
        for here, rows in points_here(a, np.ix_(*map(as_array, wanted))):
            yield here, a.blocks, rows
        return
    some, piece = Chosen(a.layout, (*wanted,)), a.layout.piece(a.nodes)
    part, at = places_read(some, a.nodes)[1], places_here(some, a.nodes)
    if piece.rows is None:
        yield part, a.blocks.reshape(*piece.shape, *a.payload), at
    else:
        yield part, a.blocks[0], piece.rows.reshape(piece.shape)[at]


def by_axes(a: Held) -> bool:
    """Whether what is here is some of each axis.

    >>> by_axes(Held(np.zeros((2, 2)), Layout.mesh((4,), nodes=(2,), ownership=False)))
    False
    """
    layout: Any = a.layout  # of either kind
    return not isinstance(layout, Layout) or (len(a.nodes) == 1 and layout.is_product)
