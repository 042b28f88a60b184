"""A leg of complex lines, in layouts of bits.

Rules.

1. Its lines are axes of the block, or of the blocks of all nodes, if they have a stride there.
2. What ranks share by memory is the blocks, one after the other; or a large array in the order
   of its words, if those who write it can put their lines where they belong.
3. By messages a node sends letters of rows.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from graycube.fourier.along import PassStep
from graycube.fourier.legs import AnyLeg, Blocks, Handover, Todo, parted
from graycube.fourier.works import Copy, LineWork
from graycube.layout import Layout
from graycube.run.fetch import Excerpt, Fetch
from graycube.run.letters import letters
from graycube.run.post import Post

_GROUP = 2  # the axis of a group in the shape of its step
_LINE = 64  # bytes: shorter runs of several nodes would be in one line of the cache


@dataclass(frozen=True, eq=False)
class LineLeg:
    """A leg of complex lines: ``steps``, each with its lines as an axis of the block.

    ``fetched`` says where the rows are that it needs, if not in place, and ``scaling`` how each
    transform is scaled, as the engine counts it. Without steps data only move. Where
    the ``whole`` array can lie in order, these are the excerpts that the node writes and reads.

    >>> from graycube.fourier.engine import ready
    >>> leg = LineLeg(Layout.cyclic(3, 1), np.dtype(complex), ())
    >>> made = np.empty((1, 4), complex)
    >>> [call() for call in ready(leg.todo(np.ones((1, 4)), made))], made.real.tolist()
    ([None], [[1.0, 1.0, 1.0, 1.0]])
    """

    layout: Layout
    dtype: np.dtype[Any]
    steps: tuple[PassStep, ...]
    fetched: Fetch | None = None
    inverse: bool = False
    scaling: int = 0
    whole: tuple[Excerpt, ...] | None = None

    @property
    def crosses(self) -> "LineLeg | None":
        """Itself, if what it reads is in the blocks of others."""
        return self if self.fetched is not None and self.fetched.crosses else None

    @property
    def stays(self) -> bool:
        """Whether every line is read where it is written."""
        return self.fetched is None

    @property
    def by_post(self) -> bool:
        """Whether it is on a map of addresses."""
        return self._found().move is not None

    @property
    def rows(self) -> int:
        """How many rows a block has."""
        return self.layout.block_size

    def room(self, ranks: int) -> int:
        """The bytes of the blocks of so many ranks."""
        return ranks * self.rows * self.dtype.itemsize

    def written(self, by: Sequence[AnyLeg], payload: int) -> Hashable:
        """The parts of an array that lies in order, if it does."""
        if self.whole is None or self._cuts(by, payload) is None:
            return None
        return self._parted(self.whole[0], payload)

    def _parted(self, excerpt: Excerpt, payload: int) -> Hashable:
        nbytes = self.room(self.layout.node_count) * payload
        return parted(nbytes, excerpt.part, self._extents, self.dtype)

    @property
    def _extents(self) -> tuple[int, ...]:
        return tuple(axis.extent for axis in self.layout.axes)

    def _cuts(self, by: Sequence[AnyLeg], payload: int) -> list[int] | None:
        """Where the block is cut that is written in order; None if legs cannot write it so."""
        if self.whole is None or self._parted(self.whole[0], payload) is None:
            return None
        written, row = self.whole[0].rows, prod(self._extents) * payload * self.dtype.itemsize
        if written.together:
            return []
        groups = by[0].groups if len(by) == 1 and isinstance(by[0], LineLeg) else None
        if groups is None or written.axes()[-1][1] * row < _LINE:
            return None
        cuts = [bit for slot, size in groups for bit in (slot, slot + size.bit_length() - 1)]
        axes = [(bit, length) for bit, length, _ in written.axes(cuts)]
        return cuts if all(group in axes for group in groups) else None

    def among(self, buffer: Blocks, made: Blocks, ranks: int, by: Sequence[AnyLeg]) -> Handover:
        """The part of an array in order, or the block at its position, and all of it."""
        seen = buffer[: ranks * made.nbytes].view(made.dtype).reshape(ranks, *made.shape[1:])
        payload = made.shape[2:]
        cuts = self._cuts(by, prod(payload))
        if self.whole is None or cuts is None:
            return Handover(seen[self._found().position].reshape(made.shape), self, seen)
        rows = seen.reshape(-1, *self._extents, *payload)
        written, read = self.whole
        own = _lying(written.rows, rows, cuts, made)
        together = read.rows.together
        return Handover(
            own,
            replace(self, fetched=None if together else read.rows),
            _lying(read.rows, rows, (), made) if together else seen,
            written=self._parted(written, prod(payload)),
            read=self._parted(read, prod(payload)),
            owns=together,
        )

    def posted(self, post: Post, made: Blocks) -> Handover:
        """As letters, which are written where they leave from if they are in order."""
        move, comm = self._found().move, post.comm
        if move is None:
            raise AssertionError(self)
        mail = letters(move, comm.size.bit_length() - 1, comm.rank)
        sizes = made.nbytes // len(mail.takers), made.nbytes // len(mail.givers)
        going, coming = (
            tuple((node, size) for node in nodes)
            for nodes, size in zip((mail.takers, mail.givers), sizes, strict=True)
        )
        leaving = post.leaving[: made.nbytes].view(made.dtype).reshape(made.shape)
        return Handover(
            leaving if mail.as_they_are else None,
            replace(self, fetched=mail.fetch),
            post.arrived[: made.nbytes].view(made.dtype).reshape(made.shape),
            None if mail.as_they_are else partial(_fetching, mail.packing, leaving),
            post.mailing(going, coming).send,
        )

    def _found(self) -> Fetch:
        if self.fetched is None:
            raise AssertionError(self)
        return self.fetched

    def todo(self, source: Blocks, target: Blocks) -> Iterator[Todo]:
        """The first transform; the target is contiguous, and so are the blocks of all."""
        direct = None
        if self.steps and source.dtype == self.dtype:
            direct = self._first(source, target)
        if direct is not None:
            yield direct
        else:
            yield self._copy(source, target)
            yield from self._in_place(self.steps[:1], target)
        for step in self.steps[:1]:
            yield from self._turns(step, target)

    def then(self, target: Blocks) -> Iterator[Todo]:
        """The other transforms."""
        for step in self.steps[1:]:
            yield from self._in_place((step,), target)
            yield from self._turns(step, target)

    @property
    def groups(self) -> list[tuple[int, int]] | None:
        """Its axes in a target that is spread: slot bits and lengths; None if none may be."""
        plain = all(step.factors is None and step.axis == _GROUP for step in self.steps)
        if self.fetched is not None or not plain:
            return None
        return [(step.group.slot, step.shape[_GROUP]) for step in self.steps]

    def _in_place(self, steps: Sequence[PassStep], target: Blocks) -> Iterator[Todo]:
        for step in steps:
            lines, axis = self._cut(step, target)
            yield self._work(lines, axis, lines)

    def _cut(self, step: PassStep, target: Blocks) -> tuple[Blocks, int]:
        """A target with the lines of a step as an axis; one that is spread has been cut so."""
        if target.shape[:2] == (step.shape[0], self.rows):
            return target.reshape(*step.shape, *target.shape[2:]), step.axis
        lengths, (_, above, size, *_) = target.shape, step.shape
        places = (k for k in range(target.ndim) if prod(lengths[:k]) == above)
        return target, next(k for k in places if lengths[k] == size)

    def _work(self, lines: Blocks, axis: int, out: Blocks) -> LineWork:
        return LineWork(lines, (axis,), out, inverse=self.inverse, scaling=self.scaling)

    @staticmethod
    def _turns(step: PassStep, target: Blocks) -> Iterator[Todo]:
        if step.factors is not None:
            yield partial(step.turned, target.reshape(*step.shape, *target.shape[2:]))

    def _first(self, source: Blocks, target: Blocks) -> LineWork | None:
        """The first transform straight from where its lines are, if they have a stride."""
        step = self.steps[0]
        if self.fetched is None:
            lines, axis = self._cut(step, target)
            return self._work(source.reshape(lines.shape), axis, lines)
        group, extents = step.group, step.shape[4:]
        rows = source.reshape(-1, *extents, *target.shape[2:])
        cuts = (group.slot, group.slot + group.high - group.low)
        seen = self.fetched.view(rows, cuts)
        if seen is None:
            return None
        axes = self.fetched.axes(cuts)
        axis = len(axes) + group.axis
        if group.low < group.high:
            wanted = (group.slot, 1 << group.high - group.low)
            found = [k for k, (bit, size, _) in enumerate(axes) if (bit, size) == wanted]
            if not found:
                return None
            (axis,) = found
        return self._work(seen, axis, target.reshape(seen.shape))

    def _copy(self, source: Blocks, target: Blocks) -> Todo:
        if self.fetched is None:
            return Copy(source.reshape(target.shape), target)
        return _fetching(self.fetched, target, source)


def _lying(excerpt: Fetch, rows: Blocks, cuts: Sequence[int], like: Blocks) -> Blocks:
    """An excerpt as a block, or cut so, where its rows do not follow each other."""
    cut = None if excerpt.together else excerpt.view(rows, cuts)
    return rows[excerpt.start :][: excerpt.rows].reshape(like.shape) if cut is None else cut


def _fetching(fetched: Fetch, target: Blocks, source: Blocks) -> Todo:
    """What takes the rows of the target from where they are."""
    payload = prod(target.shape[2:])
    row = target.size // fetched.count // payload, payload
    rows, made = source.reshape(-1, *row), target.reshape(-1, *row)
    seen = fetched.view(rows)
    if seen is None:
        return partial(fetched.into, made, rows)
    return Copy(seen, made.reshape(seen.shape))
