"""The piece of an array that nodes have: some coordinates along each axis, ascending."""

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.layout.indices import evenly
from graycube.layout.product import product_of

if TYPE_CHECKING:
    from graycube.layout.affine import AffinePlacement

_KEPT = 16  # layouts


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

    def of(self, blocks: NDArray[Any]) -> NDArray[Any]:
        """The elements of the piece in its order, of the blocks that have them.

        >>> Piece((np.arange(2), np.arange(2)), np.array([0, 2, 1, 3])).of(np.arange(4)[None])
        array([[0, 2],
               [1, 3]])
        """
        payload, some = blocks.shape[2:], blocks
        if self.rows is not None:
            some = blocks.reshape(prod(blocks.shape[:2]), *payload)[self.rows]
        return some.reshape(*self.shape, *payload)

    def block(self, elements: NDArray[Any]) -> NDArray[Any]:
        """The rows of the block of one node, of the elements of its piece.

        >>> turned = Piece((np.arange(2), np.arange(2)), np.array([0, 2, 1, 3]))
        >>> turned.block(np.array([[0, 2], [1, 3]]))
        array([0, 1, 2, 3])
        """
        rows = elements.reshape(prod(self.shape), *elements.shape[len(self.coordinates) :])
        if self.rows is None:
            return rows
        made = np.empty_like(rows)
        made[self.rows] = rows
        return made

    @property
    def slices(self) -> tuple[slice, ...]:
        """The coordinates as slices of the whole axes."""
        return tuple(_slice(k, along) for k, along in enumerate(self.coordinates))


@lru_cache(maxsize=_KEPT)
def piece_of_cube(layout: "AffinePlacement", nodes: range) -> Piece:
    """The piece that some nodes have: one, or all of them.

    >>> from graycube.layout import Layout
    >>> layout = Layout.mesh((6, 4), nodes=(2, 2), allocation="cyclic", ownership=False)
    >>> piece = piece_of_cube(layout, range(3, 4))
    >>> piece.shape, piece.slices
    ((3, 2), (slice(1, 6, 2), slice(1, 4, 2)))
    """
    product = product_of(layout, nodes.start) if len(nodes) == 1 else None
    if product is not None:
        return Piece(product.coordinates, product.rows())
    along = [np.ravel(index) for index in layout.indices_on(nodes)]
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


def _slice(axis: int, along: IntArray) -> slice:
    found = evenly(along)
    if not isinstance(found, slice):
        raise InvalidValueError(
            f"the coordinates here along axis {axis} are {along.tolist()!s:.40}",
            "they are not evenly spaced, as those of a slice are",
            "use ix, or call relayout with a Layout.mesh first",
        )
    return found
