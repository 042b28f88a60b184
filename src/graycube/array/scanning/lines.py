"""The rows of an axis as runs, one on each node, and values of runs that go to other runs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.halo.window import window
from graycube.array.held import Held
from graycube.array.local import blocks_of_local, laid_out, local
from graycube.array.moving import as_product, straight
from graycube.array.ranks import spread
from graycube.array.reducing.reductions import reduced
from graycube.layout import Ownership
from graycube.layout.lines import in_runs, runs
from graycube.layout.share import SharedAxis

_Array = NDArray[Any]


class AxisRuns:
    """Where the equations are: the runs of rows here, and who has those before and behind.

    Arrays are (..., other axes, runs), and those of rows (..., other axes, runs, rows); values
    of runs may be of length 1 along other axes. In one process that has all nodes, all runs are
    here; by ownership this is one.

    >>> from graycube.layout import Layout
    >>> a = Held(np.arange(8).reshape(4, 2), Layout.mesh((8,), nodes=(4,)))
    >>> lines = AxisRuns(a, axis=0)
    >>> lines.of(a.blocks[..., None])[0].tolist()
    [[[0, 1], [2, 3], [4, 5], [6, 7]]]
    >>> lines.beside(np.array([[[1, 3, 5, 7]], [[2, 4, 6, 8]]]), stride=2)
    (array([[0, 0, 2, 4]]), array([[5, 7, 0, 0]]))
    """

    def __init__(self, like: Held, axis: int) -> None:
        self.like, self.axis = like, axis
        self.layout = in_runs(as_product(like.layout), axis)
        self.count, self.ends = runs(self.layout, axis)
        if isinstance(self.layout, Ownership) and spread(like.comm) is None:
            self.count, self.ends = 1, self.layout.with_axis(axis, SharedAxis(1))
        piece = self.layout.piece(like.nodes)
        own, last = piece.coordinates[axis], self.layout.shape[axis] - 1
        self.has_first, self.has_last = bool((own == 0).any()), bool((own == last).any())
        self.others = (*piece.shape[:axis], *piece.shape[axis + 1 :])
        self.here = len(self.ends.piece(like.nodes).coordinates[axis])

    def of(self, *parts: _Array) -> list[_Array]:
        """The rows of blocks, (payload, other axes, runs, rows); they are sent together."""
        like, moved = self.like, [*parts]
        if self.layout != like.layout:
            whole = straight(np.concatenate(parts, -1), like.layout, self.layout, like.comm)
            moved = np.split(whole, np.cumsum([x.shape[-1] for x in parts[:-1]]), axis=-1)
        return [self._rows(x) for x in moved]

    def _rows(self, blocks: _Array) -> _Array:
        """What is here, perhaps a view."""
        piece = local(self.like.with_blocks(blocks, self.layout))
        piece = np.moveaxis(piece, (-1, self.axis), (0, -1))
        rows = piece.shape[-1] // self.here if self.here else 1
        return piece.reshape(*piece.shape[:-1], self.here, rows)

    def blocks(self, found: _Array) -> _Array:
        """The blocks of the right sides with what was found for each; perhaps a view."""
        like = self.like
        piece = found.reshape(*found.shape[:-2], found.shape[-2] * found.shape[-1])
        piece = np.moveaxis(piece, (0, -1), (-1, self.axis))
        made = laid_out(self.layout, like.nodes, piece)
        made = straight(made, self.layout, like.layout, like.comm)
        return made.reshape(*like.blocks.shape[:2], *like.payload)

    def _held(self, values: _Array) -> Held:
        """Values of runs as an array of one element for each."""
        d = len(self.layout.shape)
        payload = values.shape[: values.ndim - d]
        whole = np.broadcast_to(values, (*payload, *self.others, self.here))
        piece = np.moveaxis(whole, range(-d, 0), range(d))
        blocks = blocks_of_local(
            self.ends, self.like.nodes, np.moveaxis(piece, d - 1, self.axis)
        )
        return Held(blocks, self.ends, self.like.comm)  # type: ignore[arg-type]

    def _values(self, a: Held) -> _Array:
        """The values of such an array."""
        d = len(a.layout.shape)
        return np.moveaxis(np.moveaxis(local(a), self.axis, d - 1), range(d), range(-d, 0))

    def beside(self, ends: _Array, stride: int) -> tuple[_Array, _Array]:
        """The last row of the run a stride before, and the first row of the one behind.

        Zeros stand for those that are not there. ``ends`` has the first and the last row of
        each; both go both ways, for one exchange costs more than its bytes. Collective.
        """
        along = np.arange(len(self.layout.shape)) == self.axis
        reach, apart = along.astype(int).tolist(), np.where(along, stride, 1).tolist()
        a = self._held(ends)
        seen = window(a, reach, periodic=False, corners=False, fill=0, stride=apart)
        before, behind = (self._values(seen[(step * along).tolist()]) for step in (-1, 1))
        return before[1], behind[0]

    def told(self, *flags: bool | np.bool_) -> int:
        """Which flags are true on any rank, the first one the lowest bit; collective.

        >>> from graycube.layout import Layout
        >>> AxisRuns(Held(np.zeros((2, 2)), Layout.mesh((4,), (2,))), 0).told(False, True)
        2
        """
        blocks = np.full(
            len(self.like.blocks), sum(int(one) << k for k, one in enumerate(flags))
        )
        return int(reduced(self.like, np.bitwise_or, of=lambda: blocks))

    def corners(self, first: _Array, last: _Array) -> tuple[_Array, _Array]:
        """What the first and the last run have, (..., other axes, 1), for all; collective."""
        both = np.stack([np.zeros_like(first), np.zeros_like(last)])
        if self.has_first:
            both[0, ..., 0] = first[..., 0]
        if self.has_last:
            both[1, ..., -1] = last[..., -1]
        first, last = self.summed(both)
        return first, last

    def summed(self, values: _Array) -> _Array:
        """The sum over all runs, (..., other axes, 1), for all; collective."""
        return self._values(reduced(self._held(values), np.add, self.axis, keepdims=True))
