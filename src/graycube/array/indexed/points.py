"""Points that an index names: their coordinates as NumPy means them, and which are here."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.errors import InvalidTypeError, OutOfRangeError
from graycube.gf2.arrays import IntArray
from graycube.layout import Layout

_Rows = tuple[IntArray, IntArray]


def is_list(part: object) -> bool:
    """Whether a part of an index is a list or an array.

    >>> is_list([1, 3]), is_list(slice(3))
    (True, False)
    """
    return isinstance(part, list | np.ndarray)


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
    lines = [np.arange(n).reshape(-1, *(1,) * k) for k, n in enumerate(reversed(shape))]
    try:
        return [np.asarray(np.broadcast_to(line, shape)[key]) for line in reversed(lines)]
    except IndexError as error:
        raise OutOfRangeError(
            f"the index is {key!r:.80}",
            f"of an array of shape {(*shape,)} NumPy says: {error}",
            "indices that stand together broadcast, and each lies within its axis",
        ) from None


def told(key: Any) -> object:  # noqa: ANN401 - as NumPy's
    """An index as what ranks compare: arrays in full.

    >>> told((np.arange(2), slice(3)))
    ['[0, 1]', 'slice(None, 3, None)']
    """
    parts = key if isinstance(key, tuple) else (key,)
    return [str(p.tolist()) if isinstance(p, np.ndarray) else repr(p) for p in parts]


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
    if isinstance(layout, Layout):
        node, slot = layout.locate(*places)
        for flip in layout.nodes_like(0):
            own = (node ^ flip) - a.nodes.start
            here = (own >= 0) & (own < len(a.nodes))
            yield here, (own[here], slot[here])
        return
    here, slots = np.ones((), bool), np.zeros((), np.intp)
    for line, place in zip(layout.piece(a.nodes).coordinates, places, strict=True):
        at = np.searchsorted(line, place)
        found = np.append(line, -1)[at] == place
        here, slots = here & found, slots * len(line) + at
    yield here, (np.zeros(np.count_nonzero(here), np.intp), slots[here])
