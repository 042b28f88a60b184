"""Where everything is in a layout that is an affine map: equal blocks on 2^n nodes.

Rule. A word is the address bits of all axes; its address is that of the map, node below and
slot above. A slot counts the elements of a block with the address bits first, extents last.
"""

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.gf2.arrays import IntArray
from graycube.gf2.permuting import permuted
from graycube.host import host_array
from graycube.layout import copied, indexing
from graycube.layout.axis import Axis
from graycube.layout.pieces import Piece, piece_of_cube
from graycube.layout.placement import Placement
from graycube.layout.product import ByAxis, product_of
from graycube.layout.required import require_payload

_LARGE = 1 << 11
"""Blocks of so many elements are cut out one by one, smaller ones all at once."""


class AffinePlacement(Placement):
    """The questions that arrays ask, and more, answered by the map.

    >>> from graycube.layout import Layout
    >>> isinstance(Layout.nodes(3), AffinePlacement)
    True
    """

    map: AffineMap
    n: int
    axes: tuple[Axis, ...]
    copies: int

    @property
    def p(self) -> int:
        """Number of address bits.

        >>> from graycube.layout import Layout
        >>> Layout.cyclic(10, 4).p
        10
        """
        return self.map.width

    @cached_property
    def block_size(self) -> int:
        """Number of elements that a node holds.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((1000, 96), nodes=(8, 4), ownership=False).block_size
        3000
        """
        return self.size << self.copies >> self.n

    @cached_property
    def digits(self) -> tuple[copied.Digit, ...]:
        """The digits of a slot, the highest first: each one's axis, and how many values it has.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((8, 6), nodes=(4, 2), ownership=False).digits
        ((0, 2), (1, 3))
        """
        return copied.digits(self.map, self.n, self.axes)

    def word_bits(self, axis: int) -> range:
        """The bits of the logical word that belong to an axis, the lowest first.

        >>> from graycube.layout import Layout
        >>> layout = Layout.mesh((64, 32), nodes=(8, 4))
        >>> layout.word_bits(0), layout.word_bits(1)
        (range(5, 11), range(0, 5))
        """
        low = sum(other.bits for other in self.axes[axis + 1 :])
        return range(low, low + self.axes[axis].bits)

    @cached_property
    def inverse_map(self) -> AffineMap:
        """The map from machine address to logical word.

        >>> from graycube.layout import Layout
        >>> layout = Layout.nodes(3, "gray")
        >>> layout.inverse_map(7)
        5
        """
        return self.map.inverse()

    @overload
    def locate(self, *index: int) -> tuple[int, int]: ...
    @overload
    def locate(self, *index: IntArray) -> tuple[IntArray, IntArray]: ...
    def locate(self, *index: int | IntArray) -> tuple[int, int] | tuple[IntArray, IntArray]:
        """``(node, slot)`` of an index in C order, or of one coordinate per axis.

        Integers of any size, or integer arrays, which broadcast.

        >>> from graycube.layout import Layout
        >>> layout = Layout.mesh((8, 4), nodes=(4, 2), code="gray")
        >>> layout.locate(31), layout.locate(7, 3)
        ((5, 3), (5, 3))
        >>> layout.locate(np.arange(3))
        (array([0, 0, 1]), array([0, 1, 0]))
        """
        return indexing.locate(self.map, self.n, self.axes, index)

    def coordinates(self, node: int | IntArray, slot: int | IntArray) -> tuple[Any, ...]:
        """One coordinate per axis of the element in a slot of a node.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((8, 4), nodes=(4, 2), code="gray").coordinates(5, 3)
        (7, 3)
        """
        return indexing.coordinates(self.inverse_map, self.n, self.axes, node, slot)

    def node_change(self, flips: int) -> int:
        """The cube dimensions that separate two elements whose words differ by ``flips``.

        It is the same for every pair, because the map is affine: ``0`` means same node.

        >>> from graycube.layout import Layout
        >>> bin(Layout.nodes(4, "gray").node_change(0b100))  # TR-764 Lemma 1
        '0b110'
        """
        return self.map.matrix(flips) & ((1 << self.n) - 1)

    @property
    def node_count(self) -> int:
        """Number of nodes.

        >>> from graycube.layout import Layout
        >>> Layout.nodes(3).node_count
        8
        """
        return 1 << self.n

    @property
    def copy_count(self) -> int:
        """How many nodes have each element.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((8, 6), nodes=(4, 2), ownership=False).without_axes([0]).copy_count
        4
        """
        return 1 << self.copies

    @property
    def copy_flips(self) -> tuple[int, ...]:
        """What numbers of nodes with the same elements differ by: a basis, the lowest first.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((2, 4), nodes=(2, 4)).without_axes([1]).copy_flips
        (1, 2)
        """
        return self.map.matrix.columns[self.p - self.copies :]

    def held_shape(self, nodes: range) -> tuple[int, int]:
        """The first two axes of blocks: nodes and slots.

        >>> from graycube.layout import Layout
        >>> Layout.cyclic(5, 3).held_shape(range(8))
        (8, 4)
        """
        return len(nodes), self.block_size

    def digits_on(self, nodes: range) -> tuple[copied.Digit, ...]:  # noqa: ARG002 - all alike
        """The digits of a slot.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((8, 6), nodes=(4, 2), ownership=False).digits_on(range(1))
        ((0, 2), (1, 3))
        """
        return self.digits

    def boxes(self, nodes: range) -> tuple[int, ...]:
        """Nodes and slots without extents, and the extents.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((8, 6), nodes=(4, 2), ownership=False).boxes(range(8))
        (8, 2, 1, 3)
        """
        extents = [axis.extent for axis in self.axes]
        return (len(nodes), self.block_size // prod(extents), *extents)

    def indices_on(self, nodes: range) -> tuple[IntArray, ...]:
        """The index along each axis of every element of blocks.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((2, 4), nodes=(1, 4)).indices_on(range(3, 4))
        (array([[0, 1]]), array([[3, 3]]))
        """
        products = self._products(nodes)
        if products is None:
            slots = np.arange(self.block_size)[None, :]
            return self.coordinates(np.array(nodes)[:, None], slots)
        every = zip(*(product.indices() for product in products), strict=True)
        return tuple(map(_stacked, every))

    @cached_property
    def is_product(self) -> bool:
        """Whether a node has the same elements along an axis wherever it is on the others.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((4, 4), nodes=(2, 2), code="gray").is_product
        True
        """
        own = Matrix.from_rows(self.map.matrix.rows[: self.n], self.p).kernel()
        words = [sum(1 << bit for bit in self.word_bits(k)) for k in range(len(self.axes))]
        along = [Matrix(tuple(word & mask for word in own), self.p).rank() for mask in words]
        return sum(along) == len(own)

    def piece(self, nodes: range) -> Piece:
        """The piece of one node, or of all of them.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((6, 4), nodes=(2, 2), ownership=False).piece(range(1)).slices
        (slice(0, 3, None), slice(0, 2, None))
        """
        return piece_of_cube(self, nodes)

    def node_of(self, *coordinates: IntArray) -> IntArray:
        """The lowest node that has an element.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((2, 4), nodes=(1, 4)).node_of(np.array([0]), np.array([3]))
        array([3])
        """
        return self.locate(*coordinates)[0]

    def nodes_like(self, node: int) -> list[int]:
        """The nodes that have the same elements as one.

        >>> from graycube.layout import Layout
        >>> Layout.mesh((2, 4), nodes=(2, 2)).without_axes([1]).nodes_like(2)
        [2, 3]
        """
        found = [node]
        for step in self.copy_flips:
            found += [other ^ step for other in found]
        return sorted(found)

    def scatter(self, x: ArrayLike, nodes: range | None = None) -> NDArray[Any]:
        """The blocks of all nodes: shape ``(2**n, block_size, ...)``, any dtype.

        The first axes of x are the layout's; what follows is payload and stays together. With
        ``nodes``, the blocks of those only.

        >>> from graycube.layout import Layout
        >>> Layout.nodes(2, "gray").scatter([0, 1, 2, 3]).tolist()
        [[0], [1], [3], [2]]
        """
        array = host_array(x)
        payload = require_payload(array.shape, self)
        rows = array.reshape(self.size, *payload)
        those = range(1 << self.n) if nodes is None else nodes
        products = self._products(those)
        if products is not None:
            whole = array.reshape(*self.shape, *payload)
            return _stacked([product.cut(whole) for product in products])
        if len(those) == 1 << self.n and self._rows is not None:
            blocks = permuted(rows, self._rows)
            return blocks.reshape(1 << self.n, self.block_size, *payload)
        return rows[self._indices(those)]

    def gather(self, blocks: ArrayLike) -> NDArray[Any]:
        """The array whose blocks these are: the inverse of :meth:`scatter`.

        >>> from graycube.layout import Layout
        >>> Layout.nodes(2, "gray").gather([[0], [1], [3], [2]]).tolist()
        [0, 1, 2, 3]
        """
        array = host_array(blocks)
        expected = (1 << self.n, self.block_size)
        if array.shape[:2] != expected:
            raise InvalidValueError(
                f"the blocks have shape {array.shape}",
                f"their first axes must be {expected}",
                "put the node first and the slot second",
            )
        nodes, payload = range(1 << self.n), array.shape[2:]
        products = self._products(nodes)
        if products is not None:
            whole = np.empty((*self.shape, *payload), dtype=array.dtype)
            for product, block in zip(products, array, strict=True):
                product.put(whole, block)
            return whole
        if self._rows is not None:
            out = permuted(array.reshape(self.size, *payload), self._rows.inverse())
        else:
            out = np.empty((self.size, *payload), dtype=array.dtype)
            out[self._indices(nodes)] = array
        return out.reshape(*self.shape, *payload)

    def gathered(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The array of which each node sends its block, one node after the other.

        >>> from graycube.layout import Layout
        >>> Layout.nodes(2, "gray").gathered(np.array([0, 1, 3, 2]))
        array([0, 1, 2, 3])
        """
        return self.gather(rows.reshape(1 << self.n, self.block_size, *rows.shape[1:]))

    @cached_property
    def _rows(self) -> AffineMap | None:
        """The map from an index to its row in the blocks of all nodes, where it is affine."""
        if self.copies or any(axis.extent > 1 for axis in self.axes):
            return None
        return indexing.row_of(self.p, self.n) @ self.map

    def _indices(self, nodes: range) -> IntArray:
        return self.index(np.array(nodes)[:, None], np.arange(self.block_size)[None, :])

    def _products(self, nodes: range) -> list[ByAxis] | None:
        """What each of the nodes has, unless blocks are so small that this takes longer."""
        if self.block_size < _LARGE and len(nodes) > 1:
            return None
        found = [product_of(self, node) for node in nodes]
        return [one for one in found if one is not None] if None not in found else None


def _stacked(blocks: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Blocks side by side; one alone is not copied."""
    return blocks[0][None] if len(blocks) == 1 else np.stack(blocks)
