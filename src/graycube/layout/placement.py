"""What arrays ask of a layout, whichever kind it is of.

There are two kinds. :class:`Layout` is an affine map over GF(2), with equal blocks on 2^n
nodes. :class:`Ownership` is any length on any number of nodes, axis by axis. Whatever works on
arrays of both kinds asks these questions and no others.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any, Self, overload

from numpy.typing import ArrayLike, NDArray

from graycube.gf2.arrays import IntArray
from graycube.layout.indexing import ravel
from graycube.layout.pieces import Piece
from graycube.show import Piece as SheetPiece


class Placement(ABC):
    """Where every element of an array is.

    ``nodes`` is one node, over MPI that of this rank, or all of them. What they hold is
    *blocks*: an array whose first two axes are ``held_shape(nodes)``.
    """

    axes: tuple[Any, ...]

    @property
    @abstractmethod
    def copy_count(self) -> int:
        """How many nodes have each element."""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """True lengths of the axes.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((1000, 96), nodes=(8, 4), ownership=False).shape
        (1000, 96)
        """
        return tuple(axis.length for axis in self.axes)

    @cached_property
    def size(self) -> int:
        """Number of elements.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((1000, 7), nodes=(8, 3)).size
        7000
        """
        return prod(self.shape)

    @abstractmethod
    def locate(self, *index: Any) -> tuple[Any, Any]:  # noqa: ANN401 - integers or arrays
        """The lowest node that has an element, and its slot there."""

    @abstractmethod
    def coordinates(self, node: Any, slot: Any) -> tuple[Any, ...]:  # noqa: ANN401
        """One coordinate per axis of the element in a slot of a node: integers, or arrays."""

    @overload
    def index(self, node: int, slot: int) -> int: ...
    @overload
    def index(self, node: IntArray, slot: int | IntArray) -> IntArray: ...
    def index(self, node: int | IntArray, slot: int | IntArray) -> int | IntArray:
        """The index, in C order, of the element in a slot of a node.

        >>> from graycube.layout import Layout
        >>> Layout.cyclic(5, 3, nodes="gray").index(2, 1)
        11
        >>> [Layout.mesh((9, 4), nodes=(2, 1)).index(node, 0) for node in (0, 1)]
        [0, 20]
        """
        flat: int | IntArray = ravel(self.shape, self.coordinates(node, slot))
        return flat

    @property
    @abstractmethod
    def node_count(self) -> int:
        """Number of nodes."""

    @abstractmethod
    def facts(self) -> tuple[SheetPiece, ...]:
        """What it says of its sizes, and of what is where."""

    @abstractmethod
    def held_shape(self, nodes: range) -> tuple[int, int]:
        """The first two axes of the blocks of some nodes."""

    @abstractmethod
    def digits_on(self, nodes: range) -> tuple[tuple[int, int], ...]:
        """The second axis of blocks in digits: the axis of each, and how many values it has."""

    @abstractmethod
    def boxes(self, nodes: range) -> tuple[int, ...]:
        """The first two axes of blocks, split: one for each axis of the layout come last."""

    @abstractmethod
    def indices_on(self, nodes: range) -> tuple[IntArray, ...]:
        """The index along each axis of every element of the blocks."""

    @abstractmethod
    def piece(self, nodes: range) -> Piece:
        """The piece that some nodes have: one, or all of them."""

    @abstractmethod
    def node_of(self, *coordinates: IntArray) -> IntArray:
        """The lowest node that has an element; arrays of coordinates broadcast."""

    @abstractmethod
    def nodes_like(self, node: int) -> list[int]:
        """The nodes that have the same elements as one, in ascending order."""

    @abstractmethod
    def scatter(self, x: ArrayLike, nodes: range | None = None) -> NDArray[Any]:
        """The blocks of an array, on all nodes or some."""

    @abstractmethod
    def gather(self, blocks: ArrayLike) -> NDArray[Any]:
        """The array whose blocks these are, those of all nodes in one process."""

    @abstractmethod
    def gathered(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The array of which each node sends its rows, one node after the other."""

    @abstractmethod
    def without_axes(self, axes: Sequence[int], *, keepdims: bool = False) -> Self:
        """What is left when the elements along some axes become one."""

    @abstractmethod
    def permuted(self, order: Sequence[int]) -> Self:
        """The layout with its axes in another order."""

    @abstractmethod
    def raised(self, count: int) -> Self:
        """The layout with so many axes of length 1 before its own."""
