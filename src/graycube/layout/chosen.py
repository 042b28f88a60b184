"""Some elements of a layout, by their indices along each axis, on the nodes that have them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.arrays import IntArray
from graycube.layout.indices import Some, as_array
from graycube.layout.pieces import Piece
from graycube.layout.placement import Placement


@dataclass(frozen=True)
class Chosen:
    """What is at some indices along each axis, in this order, on the nodes that have it.

    A node has its elements in C order. Indices may come again.

    >>> from graycube.layout import Layout
    >>> some = Chosen(Layout.mesh((8,), nodes=(2,)), (range(0, 8, 2),))
    >>> some.shape, some.piece(range(1, 2)).coordinates, some.node_of(np.arange(4))
    ((4,), (array([2, 3]),), array([0, 0, 1, 1]))
    """

    layout: Placement
    along: tuple[Some, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return tuple(map(len, self.along))

    def places(self, nodes: range) -> tuple[IntArray, ...]:
        """Where these elements are in the piece that nodes have of the layout."""
        return tuple(within for _, within in self._pairs(nodes))

    def piece(self, nodes: range) -> Piece:
        """The piece of some nodes, whose blocks have its order."""
        return Piece(tuple(which for which, _ in self._pairs(nodes)), None)

    def node_of(self, *coordinates: IntArray) -> IntArray:
        """The lowest node that has an element."""
        pairs = zip(self.along, coordinates, strict=True)
        return self.layout.node_of(*(as_array(some)[c] for some, c in pairs))

    def nodes_like(self, node: int) -> list[int]:
        """The nodes that have the same elements as one."""
        return self.layout.nodes_like(node)

    def _pairs(self, nodes: range) -> list[tuple[IntArray, IntArray]]:
        own = self.layout.piece(nodes).coordinates
        return [
            within(as_array(some), mine) for some, mine in zip(self.along, own, strict=True)
        ]


def within(wanted: IntArray, own: IntArray) -> tuple[IntArray, IntArray]:
    """Which of the coordinates wanted are among the own ones, and where they are among these.

    >>> within(np.array([5, 3, 1]), np.array([0, 1, 2, 3]))
    (array([1, 2]), array([3, 1]))
    """
    at, here = places_among(own, wanted)
    which = np.flatnonzero(here)
    return which, at[which]


def places_among(own: IntArray, wanted: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Where coordinates are among the own ones, which ascend, and which of them are there.

    >>> places_among(np.array([0, 2, 4]), np.array([4, 3]))
    (array([2, 2]), array([ True, False]))
    """
    if len(own) and own[-1] - own[0] == len(own) - 1:  # one after another: no search
        at = wanted - own[0]
        return at, (at >= 0) & (at < len(own))
    at = np.searchsorted(own, wanted)
    return at, np.append(own, -1)[at] == wanted
