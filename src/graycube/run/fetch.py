"""Where the elements are that a node needs, when it sees the blocks of all nodes.

Rules.

1. The blocks lie in a buffer one after the other. Where a block lies is up to us: linear in the
   number of its node, so that what a node needs is found at regular distances. For data in
   Gray code that is the order of the mesh coordinate.
2. If every slot bit of a result changes a single bit of the place in the buffer, it has a
   stride of its own, and the result is a strided view of the buffer. Bits whose strides fit
   are an axis together.
3. Else, and where that would be many short axes, each row has its place in a list.
4. Or all rows lie in the order of their words, if each node has strides there, and the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import AffineMap, Matrix, Span
from graycube.gf2.strides import MOST_AXES, axes_of, strided
from graycube.layout import Layout
from graycube.run.by_index import taken_from

_Rows = NDArray[np.generic]
KEPT = 64
"""So many are remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class Fetch:
    """What a node does: it puts its block at a position, and gets each row from its place.

    The place of row 0 is ``start``, and slot bit b is at ``strides[b]`` rows, or all are
    in ``places``. A block has ``rows`` rows. If nothing ``crosses`` links, the buffer is the
    block of the node alone.
    """

    position: int
    rows: int
    start: int = 0
    strides: tuple[int, ...] | None = None
    places: NDArray[np.intp] | None = None
    crosses: bool = True
    move: AffineMap | None = None

    @property
    def count(self) -> int:
        """How many rows the result has; those of places may be of several slots.

        >>> fetch(AffineMap.identity(3), 1, 0).count
        4
        """
        return self.rows if self.places is None else len(self.places)

    def axes(self, cuts: Sequence[int] = ()) -> list[tuple[int, int, int]]:
        """The lowest slot bit, the length and the stride of each axis; see :func:`axes_of`.

        >>> turned = fetch(AffineMap(Matrix.permutation([2, 3, 4, 0, 1])), 1, 0)
        >>> turned.axes(), turned.axes(cuts=[1])
        ([(2, 4, 1), (0, 4, 8)], [(2, 4, 1), (1, 2, 16), (0, 2, 8)])
        """
        return axes_of(self.strides or (), cuts)

    @property
    def together(self) -> bool:
        """Whether the rows follow each other in the buffer.

        >>> fetch(AffineMap.identity(3), 1, 0).together
        True
        """
        return [(bit, step) for bit, _, step in self.axes()] == [(0, 1)]

    def view(self, buffer: _Rows, cuts: Sequence[int] = ()) -> _Rows | None:
        """The rows of the result where they are in the buffer, if they have strides.

        >>> turned = fetch(AffineMap(Matrix.permutation([1, 2, 0])), 1, 0)
        >>> turned.view(np.arange(8)).tolist()
        [[0, 4], [1, 5]]
        """
        return None if self.strides is None else strided(buffer, self.start, self.strides, cuts)

    def into(self, result: _Rows, buffer: _Rows) -> None:
        """Get all rows of the result.

        >>> turned = fetch(AffineMap(Matrix.permutation([1, 2, 0])), 1, 1)
        >>> made = np.empty(4, int)
        >>> turned.into(made, np.arange(8))
        >>> made.tolist()
        [2, 6, 3, 7]
        """
        seen = self.view(buffer)
        if seen is not None:
            np.copyto(result.reshape(seen.shape), seen)
        elif self.places is not None:
            every = buffer.reshape(-1, result.size // len(self.places))
            wide = result.reshape(len(self.places), -1)  # a copy, if components lie apart
            # "clip" spares a copy; the places are in range
            np.take(every, self.places, axis=0, out=wide, mode="clip")
            if not np.may_share_memory(wide, result):
                result[...] = wide.reshape(result.shape)


@lru_cache(maxsize=KEPT)
def fetch(move: AffineMap, n: int, node: int) -> Fetch:
    """Where a node finds what a map of addresses moves to it.

    >>> fetch(AffineMap(Matrix.permutation([1, 0])), 1, 1).strides
    (2,)
    """
    back, low = move.inverse(), (1 << n) - 1
    slots, columns = back.width - n, back.matrix.columns[n:]
    stays = back.matrix.rows[:n] == tuple(1 << d for d in range(n))
    if stays and not back.constant & low:
        order, position = Matrix((0,) * n, 0), 0
    else:
        order = positions([column & low for column in columns], n)
        position = order(node)

    def place(address: int) -> int:
        return order(address & low) << slots | address >> n

    changes = Matrix(tuple(place(column) for column in columns), slots + order.height)
    places = AffineMap(changes, place(back(node)))
    return at_places(places, position, crosses=order.height > 0, move=move)


class Excerpt(NamedTuple):
    """The rows of a node where all lie in order; ``part`` says which words each node has."""

    part: AffineMap
    rows: Fetch


def in_order(places: Sequence[AffineMap], n: int, node: int) -> tuple[Excerpt, ...] | None:
    """The excerpts of a node if all rows lie in the order of words, for several placements.

    These say at which address a word is. None where the rows of a node have no strides, or not
    those of other nodes, or where no two follow each other.

    >>> rows, columns = (AffineMap(Matrix(order, 2)) for order in ((1, 2), (2, 1)))
    >>> in_order([rows], 1, 0) is None
    True
    >>> in_order([columns], 1, 1)[0].rows.strides
    (1,)
    """
    found = list[Excerpt]()
    for place in places:
        part = place.inverse()
        columns, inside = part.matrix.columns, 0
        for column in columns[n:]:
            inside |= column
        if any(column & inside for column in (*columns[:n], part.constant)):
            return None
        mine = AffineMap(Matrix(columns[n:], part.width), part(node))
        found.append(Excerpt(part, at_places(mine, node, crosses=True)))
        strides = found[-1].rows.strides
        if strides is None or 1 not in strides:
            return None
    return tuple(found)


def at_places(
    places: AffineMap, position: int, *, crosses: bool, move: AffineMap | None = None
) -> Fetch:
    """What finds every row at the place that a map says.

    >>> at_places(AffineMap(Matrix((2, 1), 2), 1), 0, crosses=False).strides
    (2, -1)
    """
    rows, start = 1 << places.width, places.constant
    changes = places.matrix.columns
    if all(change.bit_count() == 1 for change in changes):
        strides = tuple(-change if change & start else change for change in changes)
        found = Fetch(position, rows, start, strides, crosses=crosses, move=move)
        if len(found.axes()) <= MOST_AXES:
            return found
    together = _untouched(places)
    words = np.arange(rows >> together) << together
    listed = np.full(len(words), start, np.intp)
    for bit, change in enumerate(changes):
        listed ^= np.where(words >> bit & 1, change, 0)
    return Fetch(position, rows, places=listed >> together, crosses=crosses, move=move)


def _untouched(places: AffineMap) -> int:
    """How many low bits of a row are those of its place, and nothing else is."""
    for bit, column in enumerate(places.matrix.columns):
        if not places.matrix.rows[bit] == column == 1 << bit or places.constant >> bit & 1:
            return bit
    return places.width


def positions(changes: Sequence[int], n: int) -> Matrix:
    """Positions of nodes: those that slot bits need, in their order, differ in single bits.

    >>> [positions([3], 2)(node) for node in (0, 3)]
    [0, 1]
    """
    span = Span()
    found = tuple(c for c in [*changes, *(1 << d for d in range(n))] if span.add(c))
    return Matrix(found, n).inverse()


@lru_cache(maxsize=KEPT)
def fetch_by_index(
    source: Layout, target: Layout, node: int, shift: tuple[int, ...] = ()
) -> Fetch:
    """The same for layouts that no map of addresses takes to each other; see ``by_index``.

    >>> cyclic = Layout.mesh((6,), nodes=(2,), allocation="cyclic", ownership=False)
    >>> fetch_by_index(cyclic, Layout.mesh((6,), nodes=(2,), ownership=False), 0).places
    array([0, 3, 1])
    """
    giver, slot = taken_from(source, target, node, shift)
    places = (giver * source.block_size + slot).astype(np.intp)
    return Fetch(node, source.block_size, places=places)
