"""The rows of an axis as runs, one on each node, and values of runs that go to other runs."""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.halo.window import window
from graycube.array.held import Held
from graycube.array.local import blocks_of_local, local
from graycube.array.moving import as_product, straight
from graycube.array.ranks import spread
from graycube.array.reducing.reductions import reduced
from graycube.layout import Ownership
from graycube.layout.lines import in_runs, runs
from graycube.layout.share import SharedAxis

_Array = NDArray[Any]


class AxisRuns:
    """Where the equations are: the runs of rows here, and who has those before and behind.

    Arrays are (other axes, runs, ...). In one process that has all nodes, all runs are here;
    by ownership this is one.

    >>> from graycube.layout import Layout
    >>> a = Held(np.arange(8).reshape(4, 2), Layout.mesh((8,), nodes=(4,)))
    >>> lines = AxisRuns(a, axis=0)
    >>> lines.of(a.blocks[..., None])[0, ..., 0].tolist()
    [[0, 1], [2, 3], [4, 5], [6, 7]]
    >>> lines.beside(np.array([[1, 2, 3, 4]]), step=-1, stride=2)
    array([[0, 0, 1, 2]])
    """

    def __init__(self, like: Held, axis: int) -> None:
        self.like, self.axis = like, axis
        self.layout = in_runs(as_product(like.layout), axis)
        self.count, self.ends = runs(self.layout, axis)
        if isinstance(self.layout, Ownership) and spread(like.comm) is None:
            self.count, self.ends = 1, self.layout.with_axis(axis, SharedAxis(1))
        own = self.layout.piece(like.nodes).coordinates[axis]
        last = self.layout.shape[axis] - 1
        self.has_first, self.has_last = bool((own == 0).any()), bool((own == last).any())
        self.here = len(self.ends.piece(like.nodes).coordinates[axis])

    def of(self, blocks: _Array) -> _Array:
        """The rows of blocks in the layout of the right sides: (others, runs, rows, ...)."""
        like = self.like
        moved = straight(blocks, like.layout, self.layout, like.comm)
        piece = np.moveaxis(local(like.with_blocks(moved, self.layout)), self.axis, -2)
        rows = piece.shape[-2] // self.here if self.here else 1
        others = prod(piece.shape[:-2])
        return piece.reshape(others, self.here, rows, piece.shape[-1])

    def blocks(self, found: _Array) -> _Array:
        """The blocks of the right sides with what was found for each of them."""
        like, nodes = self.like, self.like.nodes
        shape = [*self.layout.piece(nodes).shape]
        rows = shape.pop(self.axis)
        piece = np.moveaxis(found, 2, 3).reshape(*shape, rows, prod(like.payload))
        made = blocks_of_local(self.layout, nodes, np.moveaxis(piece, -2, self.axis))
        made = straight(made, self.layout, like.layout, like.comm)
        return made.reshape(*like.blocks.shape[:2], *like.payload)

    def _held(self, values: _Array) -> Held:
        """Values of runs, (others, runs, ...), as an array of one element for each."""
        shape = [*self.ends.piece(self.like.nodes).shape]
        shape.pop(self.axis)
        piece = values.reshape(*shape, self.here, *values.shape[2:])
        piece = np.moveaxis(piece, len(shape), self.axis)
        blocks = blocks_of_local(self.ends, self.like.nodes, piece)
        return Held(blocks, self.ends, self.like.comm)  # type: ignore[arg-type]

    def _values(self, a: Held) -> _Array:
        """The values of such an array."""
        d = len(a.layout.shape)
        piece = np.moveaxis(local(a), self.axis, d - 1)
        return piece.reshape(prod(piece.shape[: d - 1]), *piece.shape[d - 1 :])

    def beside(self, values: _Array, step: int, stride: int) -> _Array:
        """The values of the runs so many strides on, and 0 where there are none; collective."""
        d, k = len(self.layout.shape), self.axis
        reach = [(0, 0)] * d
        reach[k] = (1, 0) if step < 0 else (0, 1)
        apart = [stride if j == k else 1 for j in range(d)]
        a = self._held(values)
        seen = window(a, reach, periodic=False, corners=False, fill=0, stride=apart)
        return self._values(seen[[step if j == k else 0 for j in range(d)]])

    def corners(self, first: _Array, last: _Array) -> tuple[_Array, _Array]:
        """What the first and the last row have, (others, 1, ...), for all; collective."""
        both = np.stack([np.zeros_like(first), np.zeros_like(last)], axis=2)
        if self.has_first:
            both[:, 0, 0] = first[:, 0]
        if self.has_last:
            both[:, -1, 1] = last[:, -1]
        everywhere = reduced(self._held(both), np.add, self.axis, keepdims=True)
        found = self._values(everywhere)
        return found[:, :, 0], found[:, :, 1]
