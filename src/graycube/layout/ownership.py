"""Layouts by ownership: any length on any number of nodes.

Rules.

1. Nodes are a mesh, and each axis is shared out along one axis of it (:class:`SharedAxis`). So
   a node has a box of the array, with steps where an axis is cyclic, perhaps an empty one.
2. Its block is this box in C order, in its true size: nothing is padded. Where all nodes are
   in one process, their one block is the whole array in C order.
3. Nodes that differ along axes of the mesh that no axis of the array is on, have copies.

Nothing here takes more than the sum of the lengths, however large the array is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import require_int
from graycube.gf2.arrays import IntArray
from graycube.host import host_array
from graycube.layout import owned_indexing, owned_text
from graycube.layout.indices import as_array, evenly
from graycube.layout.pieces import Piece
from graycube.layout.placement import Placement
from graycube.layout.required import left_axes, require_order, require_payload
from graycube.layout.share import SharedAxis
from graycube.show import Sheet, Shown
from graycube.texts import counted


@dataclass(frozen=True)
class Ownership(Placement, Shown):
    """Which node has which box of an array; ``Layout.mesh`` makes one where it has to.

    >>> from graycube.layout import Layout
    >>> layout = Layout.mesh((9, 10), nodes=(2, 3), allocation=("consecutive", "cyclic"))
    >>> layout
    <Ownership (9, 10) on 6 nodes: (9 on 2, 10 on 3 cyclic)>
    >>> layout.piece(range(5, 6)).slices
    (slice(5, 9, None), slice(2, 9, 3))
    """

    axes: tuple[SharedAxis, ...]
    nodes: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", tuple(self.axes))
        object.__setattr__(self, "nodes", require_int(self.nodes, "nodes"))
        if not self.axes or self.nodes < 1 or not are_apart(self.axes, self.nodes):
            raise self._mixed()

    @cached_property
    def _hash(self) -> int:
        return hash((self.axes, self.nodes))

    def __hash__(self) -> int:  # the same each time, for a layout is a key again and again
        return self._hash

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return self.nodes

    @property
    def copy_count(self) -> int:
        """How many nodes have each element."""
        return self.nodes // prod(axis.parts for axis in self.axes)

    @property
    def block_size(self) -> int:
        """Most elements of a node.

        >>> Ownership((SharedAxis(9, 2), SharedAxis(5)), 2).block_size
        25
        """
        return prod(axis.block for axis in self.axes)

    def locate(self, *index: Any) -> tuple[Any, Any]:  # noqa: ANN401 - integers or arrays
        """The lowest node that has an element, and its place in the block there.

        Of an index in C order, or of one coordinate per axis.

        >>> Ownership((SharedAxis(9, 2), SharedAxis(4)), 2).locate(8, 3)
        (1, 15)
        """
        return owned_indexing.locate(self.axes, index)

    def coordinates(self, node: Any, slot: Any) -> tuple[Any, ...]:  # noqa: ANN401
        """One coordinate per axis of an element of the block of a node.

        >>> Ownership((SharedAxis(9, 2), SharedAxis(4)), 2).coordinates(1, 15)
        (8, 3)
        """
        return owned_indexing.coordinates(self.axes, self.node_count, node, slot)

    def held_shape(self, nodes: range) -> tuple[int, int]:
        """The first two axes of blocks: one block, and its elements.

        >>> Ownership((SharedAxis(9, 2),), 2).held_shape(range(1, 2))
        (1, 4)
        """
        return 1, prod(map(len, self._own(nodes)))

    def digits_on(self, nodes: range) -> tuple[tuple[int, int], ...]:
        """The axes, and how many elements a block has along each.

        >>> Ownership((SharedAxis(9, 2), SharedAxis(5)), 2).digits_on(range(1, 2))
        ((0, 4), (1, 5))
        """
        return tuple((k, len(own)) for k, own in enumerate(self._own(nodes)))

    def boxes(self, nodes: range) -> tuple[int, ...]:
        """The box that a block is, after two axes of length 1.

        >>> Ownership((SharedAxis(9, 2), SharedAxis(5)), 2).boxes(range(1, 2))
        (1, 1, 4, 5)
        """
        return (1, 1, *map(len, self._own(nodes)))

    def indices_on(self, nodes: range) -> tuple[IntArray, ...]:
        """The index along each axis of every element of a block.

        >>> Ownership((SharedAxis(2), SharedAxis(3, 2)), 2).indices_on(range(1))
        (array([[0, 0, 1, 1]]), array([[0, 1, 0, 1]]))
        """
        along = np.meshgrid(*self.piece(nodes).coordinates, indexing="ij")
        return tuple(index.reshape(1, -1) for index in along)

    def piece(self, nodes: range) -> Piece:
        """The piece of one node, or of all of them.

        >>> Ownership((SharedAxis(9, 8),), 8).piece(range(7, 8)).shape
        (0,)
        """
        return Piece(tuple(map(as_array, self._own(nodes))), None)

    def node_of(self, *coordinates: IntArray) -> IntArray:
        """The lowest node that has an element.

        >>> Ownership((SharedAxis(9, 2),), 2).node_of(np.array([4, 5]))
        array([0, 1])
        """
        pairs = zip(self.axes, coordinates, strict=True)
        return sum((axis.place(c) for axis, c in pairs), np.zeros((), np.int64))

    def nodes_like(self, node: int) -> list[int]:
        """The nodes that have the same elements as one.

        >>> Ownership((SharedAxis(9, 2),), 4).nodes_like(3)
        [1, 3]
        """
        return self.group(node, self._free)

    def sharing(self, axes: Sequence[int], node: int) -> tuple[list[int], int]:
        """The nodes that share what is left of some axes; so many first ones have elements.

        >>> Ownership((SharedAxis(3, 4), SharedAxis(5, 2, stride=4)), 8).sharing([0], node=6)
        ([4, 5, 6, 7], 3)
        """
        digits = [(self.axes[k].stride, self.axes[k].parts) for k in axes]
        nodes = self.group(node, digits)
        bare = {q for q in nodes if not all(len(self.axes[k].own(q)) for k in axes)}
        return sorted(nodes, key=bare.__contains__), len(nodes) - len(bare)

    @staticmethod
    def group(node: int, digits: Sequence[tuple[int, int]]) -> list[int]:
        """The nodes that differ from one in some digits, given by their strides and sizes.

        >>> Ownership.group(3, [(2, 2)])
        [1, 3]
        """
        lowest = node - sum(node // step % count * step for step, count in digits)
        steps = product(*(range(0, step * count, step) for step, count in digits))
        return sorted(lowest + sum(step) for step in steps)

    def scatter(self, x: ArrayLike, nodes: range | None = None) -> NDArray[Any]:
        """The block of a node, or of all of them.

        >>> Ownership((SharedAxis(5, 2),), 2).scatter([0, 1, 2, 3, 4], range(1, 2)).tolist()
        [[3, 4]]
        """
        array = host_array(x)
        payload = require_payload(array.shape, self)
        own = self._own(range(self.node_count) if nodes is None else nodes)
        part = array[tuple(map(evenly, own))]
        return np.array(part, order="C").reshape(1, prod(map(len, own)), *payload)

    def gather(self, blocks: ArrayLike) -> NDArray[Any]:
        """The array whose one block this is, where all nodes are in one process.

        >>> Ownership((SharedAxis(5, 2),), 2).gather([[0, 1, 2, 3, 4]]).tolist()
        [0, 1, 2, 3, 4]
        """
        array = host_array(blocks)
        if array.shape[:2] != (1, self.size):
            raise InvalidValueError(
                f"the blocks have shape {array.shape}",
                f"their first axes must be {(1, self.size)}",
                "put all elements, in C order, in one block",
            )
        return array.reshape(*self.shape, *array.shape[2:])

    def gathered(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The array of which each node sends its block, one node after the other.

        >>> Ownership((SharedAxis(3, 2, cyclic=True),), 2).gathered(np.array([0, 2, 1]))
        array([0, 1, 2])
        """
        out = np.empty((*self.shape, *rows.shape[1:]), rows.dtype)
        start = 0
        for node in range(self.node_count):
            own = self._own(range(node, node + 1))
            box = tuple(map(len, own))
            part = rows[start : start + prod(box)]
            out[tuple(map(evenly, own))] = part.reshape(*box, *rows.shape[1:])
            start += len(part)
        return out

    def without_axes(self, axes: Sequence[int], *, keepdims: bool = False) -> "Ownership":
        """What is left when the elements along some axes become one: nodes have copies of it.

        >>> Ownership((SharedAxis(9, 2, stride=3), SharedAxis(10, 3)), 6).without_axes([0])
        <Ownership (10,) on 6 nodes: (10 on 3) in 2 copies>
        """
        _, kept = left_axes(self.axes, axes, SharedAxis(1), keepdims=keepdims)
        return replace(self, axes=kept)

    def with_axis(self, k: int, axis: SharedAxis) -> "Ownership":
        """The layout with another axis in the place of one.

        >>> print(Ownership((SharedAxis(9, 2), SharedAxis(5)), 2).with_axis(1, SharedAxis(4)))
        (9 on 2, 4)
        """
        return replace(self, axes=(*self.axes[:k], axis, *self.axes[k + 1 :]))

    def permuted(self, order: Sequence[int]) -> "Ownership":
        """The layout with its axes in another order; every element stays where it is.

        >>> print(Ownership((SharedAxis(9, 2), SharedAxis(10)), 2).permuted([1, 0]))
        (10, 9 on 2)
        """
        axes = tuple(self.axes[k] for k in require_order(order, len(self.axes)))
        return replace(self, axes=axes)

    def raised(self, count: int) -> "Ownership":
        """The layout with so many axes of length 1 before its own.

        >>> print(Ownership((SharedAxis(9, 2),), 2).raised(1))
        (1, 9 on 2)
        """
        return replace(self, axes=(SharedAxis(1),) * count + self.axes)

    def alone(self) -> "Ownership":
        """The layout of the same array on one node.

        >>> print(Ownership((SharedAxis(9, 8),), 8).alone())
        (9)
        """
        return Ownership(tuple(SharedAxis(axis.length) for axis in self.axes), 1)

    def why_not_even(self) -> tuple[str, str] | None:
        """What keeps this from being equal blocks on 2^n nodes, and the nearest that would be.

        >>> Ownership((SharedAxis(9, 8),), 8).why_not_even()
        ('axis 0 has 9 elements on 8 nodes', 'the nearest lengths are 8 and 16')
        """
        return owned_text.uneven(self.axes)

    def _own(self, nodes: range) -> tuple[range, ...]:
        if len(nodes) == self.node_count:
            return tuple(range(axis.length) for axis in self.axes)
        return tuple(axis.own(nodes.start) for axis in self.axes)

    @cached_property
    def _free(self) -> list[tuple[int, int]]:
        """The digits of the node number that tell copies apart: their strides and sizes."""
        found, used = [], 1
        ends = [(axis.stride, axis.parts) for axis in self.axes if axis.parts > 1]
        for stride, parts in [*sorted(ends), (self.node_count, 1)]:
            if stride > used:
                found.append((used, stride // used))
            used = stride * parts
        return found

    def _mixed(self) -> InvalidValueError:
        shares = ", ".join(
            f"{axis.parts} nodes with stride {axis.stride}" for axis in self.axes
        )
        return InvalidValueError(
            f"the axes are on {shares}, of {self.node_count} nodes",
            "each axis needs an axis of one mesh of nodes",
            "use Layout.mesh, which makes such layouts",
        )

    @cached_property
    def _text(self) -> str:
        return owned_text.text(self.axes, self.copy_count)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        nodes = counted(self.node_count, "node")
        return f"<Ownership {self.shape} on {nodes}: {self}>"

    def facts(self) -> tuple[str, ...]:
        """Its sizes, as an array says them too.

        >>> Ownership((SharedAxis(9, 8),), 8).facts()
        ('9 elements on 8 nodes, at most 2 on each, none on 3 of them',)
        """
        return (owned_text.sizes(self.axes, self.node_count),)

    def _sheet(self) -> Sheet:
        return Sheet(f"Layout by ownership\n{self}", *self.facts())


def are_apart(axes: Sequence[SharedAxis], nodes: int) -> bool:
    """Whether each axis has a digit of its own of the number of a node.

    >>> are_apart([SharedAxis(9, 2), SharedAxis(9, 3, stride=2)], 6)
    True
    >>> are_apart([SharedAxis(9, 2), SharedAxis(9, 3)], 6)
    False
    """
    used = 1
    for axis in sorted((axis for axis in axes if axis.parts > 1), key=lambda axis: axis.stride):
        if axis.stride % used:
            return False
        used = axis.stride * axis.parts
    return nodes % used == 0
