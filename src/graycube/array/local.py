"""The piece of an array that is in this process, in the order of its index.

Rules.

1. A piece is a product: some coordinates along each axis, ascending. In one process that has
   all nodes it is the whole array.
2. Where a block has its elements in the same order, the piece is a view of it. Elsewhere it is
   a copy that cannot be written, so that no write is lost.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array.held import Held
from graycube.array.ranks import held
from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.host import host_array
from graycube.layout import Layout

_KEPT = 16  # layouts
_Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """The coordinates along each axis, and the row of the blocks of each element of the piece.

    ``rows`` is None where the rows are in the order of the piece.
    """

    coordinates: tuple[IntArray, ...]
    rows: NDArray[np.intp] | None

    @property
    def shape(self) -> tuple[int, ...]:
        """How many coordinates there are along each axis."""
        return tuple(map(len, self.coordinates))

    @property
    def slices(self) -> tuple[slice, ...]:
        """The coordinates as slices of the whole axes."""
        return tuple(_slice(k, along) for k, along in enumerate(self.coordinates))


@lru_cache(maxsize=_KEPT)
def piece_of(layout: Layout, nodes: range) -> Piece:
    """The piece that some nodes have: one, or all of them.

    >>> piece = piece_of(Layout.mesh((6, 4), nodes=(2, 2), allocation="cyclic"), range(3, 4))
    >>> piece.shape, piece.slices
    ((3, 2), (slice(1, 6, 2), slice(1, 4, 2)))
    """
    along = [np.ravel(index) for index in held(layout, nodes)]
    found = [np.unique(index, return_inverse=True) for index in along]
    shape = tuple(len(own) for own, _ in found)
    place = np.ravel_multi_index([which for _, which in found], shape)
    if len(nodes) == 1 and prod(shape) != layout.block_size:
        raise InvalidValueError(
            f"what node {nodes.start} has of an array of shape {layout.shape} is no product",
            "a piece has the same elements along an axis wherever it is on the others",
            "call relayout with a Layout.mesh first",
        )
    rows = np.empty(prod(shape), np.intp)
    rows[place] = np.arange(len(place))
    in_order = len(nodes) == 1 and np.array_equal(rows, np.arange(len(rows)))
    return Piece(tuple(own for own, _ in found), None if in_order else rows)


def local(a: Held) -> _Array:
    """The piece that is here: a view where it can be one, else a copy that cannot be written.

    >>> a = Held(np.arange(8).reshape(2, 4), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> local(a).tolist()
    [[0, 1], [2, 3], [4, 5], [6, 7]]
    """
    piece = piece_of(a.layout, a.nodes)
    flat = a.blocks.reshape(-1, *a.payload)
    found = flat if piece.rows is None else flat[piece.rows]
    found = found.reshape(*piece.shape, *a.payload)
    if not np.may_share_memory(found, a.blocks):
        found.setflags(write=False)
    return found


def put_local(blocks: _Array, layout: Layout, nodes: range, given: ArrayLike) -> None:
    """Write a piece into the blocks that are here.

    >>> blocks = np.zeros((2, 2))
    >>> put_local(blocks, Layout.mesh((4,), nodes=(2,), code="gray"), range(2), [1, 2, 3, 4])
    >>> blocks.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    piece = piece_of(layout, nodes)
    wanted = (*piece.shape, *blocks.shape[2:])
    array = host_array(given)
    if array.shape not in {wanted, ()}:
        raise _other_shape(array.shape, wanted)
    places = zip(piece.coordinates, held(layout, nodes), strict=True)
    which = tuple(np.searchsorted(own, index) for own, index in places)
    blocks[...] = np.broadcast_to(array, wanted)[which]


def blocks_of_local(layout: Layout, nodes: range, given: ArrayLike) -> _Array:
    """The blocks of a piece; what follows the axes of the layout is payload.

    >>> blocks_of_local(Layout.mesh((4,), nodes=(2,)), range(2), [1, 2, 3, 4]).tolist()
    [[1, 2], [3, 4]]
    """
    array, piece = host_array(given), piece_of(layout, nodes)
    payload = array.shape[len(piece.shape) :]
    if array.shape != (*piece.shape, *payload):
        raise _other_shape(array.shape, piece.shape)
    blocks = np.empty((len(nodes), layout.block_size, *payload), array.dtype)
    put_local(blocks, layout, nodes, array)
    return blocks


def _other_shape(found: tuple[int, ...], wanted: tuple[int, ...]) -> InvalidValueError:
    return InvalidValueError(
        f"the piece has shape {found}",
        f"what is here of the array has shape {wanted}",
        "look at slices, which say where it is in the whole array",
    )


def _slice(axis: int, along: IntArray) -> slice:
    first, last = int(along[0]), int(along[-1])
    step = int(along[1]) - first if len(along) > 1 else 1
    if not np.array_equal(along, np.arange(first, last + 1, step)):
        raise InvalidValueError(
            f"the coordinates here along axis {axis} are {along.tolist()!s:.40}",
            "they are not evenly spaced, as those of a slice are",
            "use ix, or call relayout with a Layout.mesh first",
        )
    return slice(first, last + 1) if step == 1 else slice(first, last + 1, step)
