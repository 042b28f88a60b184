"""A leg in layouts by ownership: from some slices of an array to others.

Rules.

1. What ranks share by memory is the whole array in C order. Each writes its slices of it, and
   when all have met it reads others. So every line has one stride, whatever the lengths are.
2. By messages a rank sends the boxes that others need, and puts together those that come.
3. Lines are cut where they are read; zeros that follow them are written before the transform.
4. A spectrum may be one of other ``waves`` than there are points: those that both have go to
   their places before an inverse transform, and are all that is kept after another one.
5. In one process the block is the whole array, and nothing crosses.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

from graycube.array.boxes import letters, traffic
from graycube.fourier.legs import AnyLeg, Blocks, Call, Handover, Todo, parted
from graycube.fourier.places import Waves, Way, as_slice, straight
from graycube.fourier.works import Lines, LineWork
from graycube.layout import Ownership
from graycube.run.post import Post
from graycube.run.stores import in_bulk


@dataclass(frozen=True, slots=True, eq=False)
class BoxLeg:
    """A transform along an axis in memory, and ``more`` complex ones along others, in place.

    It finds its lines where ``read`` says, and if it is not None they ``came`` there from
    another layout. The ``kind`` is that of the engine; without one, data only move.

    >>> from graycube.fourier.engine import ready
    >>> from graycube.layout.share import SharedAxis
    >>> layout = Ownership((SharedAxis(3),), 1)
    >>> one = np.dtype(complex)
    >>> leg = BoxLeg(None, layout, layout, range(1), one, one, "c2c", points=3, waves=3)
    >>> made = np.empty((1, 3), complex)
    >>> _ = [call() for call in ready(leg.todo(np.ones((1, 3)), made))]
    >>> made.real.tolist()
    [[3.0, 0.0, 0.0]]
    """

    came: Ownership | None
    read: Ownership
    layout: Ownership
    nodes: range
    given: np.dtype[Any]
    dtype: np.dtype[Any]
    kind: str | None = None
    axis: int = 0
    points: int = 0
    waves: int = 0
    inverse: bool = False
    scaling: int = 0
    more: tuple[int, ...] = ()

    @property
    def crosses(self) -> "BoxLeg | None":
        """Itself, if it reads what other nodes made."""
        return self if self.came is not None and len(self.nodes) == 1 else None

    @property
    def stays(self) -> bool:
        """Whether every line is read where it is written."""
        return self.came is None and self.kind in {None, "c2c"} and self.waves == self.points

    @property
    def _owns(self) -> bool:
        """Whether lines stay as long as they are, and no other node reads them."""
        stays = self.kind == "c2c" and self.waves == self.points and self.read == self.layout
        return stays and len(self.read.nodes_like(self.nodes.start)) == 1

    @property
    def by_post(self) -> bool:
        """Messages can bring it."""
        return True

    @property
    def rows(self) -> int:
        """How many elements the block has afterwards."""
        return self.layout.held_shape(self.nodes)[1]

    def room(self, ranks: int) -> int:
        """The bytes of the whole array, or of the larger block for messages."""
        if ranks > 1:
            return self.read.size * self.given.itemsize
        held = (layout.held_shape(self.nodes)[1] for layout in (self._before(), self.read))
        return max(held) * self.given.itemsize

    def todo(self, source: Blocks, target: Blocks) -> Iterator[Todo]:
        """The first transform; a target that is not in C order has the shape of the box."""
        if not target.size:
            return
        lines = source.reshape(*self.read.boxes(self.nodes)[2:], -1)
        made = target.reshape(*self.layout.boxes(self.nodes)[2:], -1)
        if self.kind is None:
            yield in_bulk(made, lines)
            return
        half, other = self.kind in {"r2c", "c2r"}, self.waves != self.points
        points = self.points // 2 + 1 if self.kind == "c2r" else self.points
        waved = other and self.inverse
        if not waved:
            lines = self._part(lines, slice(points))
        there = lines.shape[self.axis]
        if waved or there < points or lines.dtype != self.given:
            fits = self.kind == "c2c" and made.shape[self.axis] == points
            wide = made if fits else self._like(lines, points, self.given)
            kept = (
                Waves.of(self.waves, self.points, half=half).way if waved else straight(there)
            )
            yield from self._moved(lines, wide, kept)
            lines = wide
        if not other or self.inverse:
            yield self._work(lines, self.axis, made, self.kind)
            return
        values = points // 2 + 1 if half else points
        every = self._like(lines, values, self.dtype)
        yield self._work(lines, self.axis, every, self.kind)
        yield from self._moved(every, made, Waves.of(self.points, self.waves, half=half).way)

    def then(self, target: Blocks) -> Iterator[Todo]:
        """The transforms along other axes."""
        if target.size:
            made = target.reshape(*self.layout.boxes(self.nodes)[2:], -1)
            for axis in self.more:
                yield self._work(made, axis, made, "c2c")

    def _part(self, lines: Lines, along: slice) -> Lines:
        return lines[(slice(None),) * self.axis + (along,)]

    def _like(self, lines: Lines, values: int, dtype: np.dtype[Any]) -> Lines:
        """Room for so many values along the axis."""
        shape = lines.shape
        return np.empty((*shape[: self.axis], values, *shape[self.axis + 1 :]), dtype)

    def _moved(self, lines: Lines, made: Lines, way: Way) -> Iterator[Todo]:
        """What puts parts of lines in their places, in ascending order, and zeros between."""
        end, length = 0, made.shape[self.axis]
        for start, goal in (*way, (None, range(length, length))):
            if goal.start > end:
                yield partial(np.copyto, self._part(made, slice(end, goal.start)), 0)
            if start is not None:
                source = self._part(lines, as_slice(start))
                yield partial(np.copyto, self._part(made, as_slice(goal)), source)
            end = goal.stop

    def _work(self, lines: Lines, axis: int, out: Lines, kind: str) -> LineWork:
        return LineWork(lines, (axis,), out, kind, self.inverse, self.scaling)

    def written(self, _by: Sequence[AnyLeg], payload: int) -> Hashable:
        """What ranks write, if one alone has each part of it."""
        return self._parted(self._before(), payload)

    def _parted(self, layout: Ownership, payload: int) -> Hashable:
        nbytes = self.room(layout.node_count) * payload
        return None if layout.copy_count > 1 else parted(nbytes, layout, self.given)

    def among(
        self, buffer: Blocks, made: Blocks, _ranks: int, _by: Sequence[AnyLeg]
    ) -> Handover:
        """The slices that are written, unless another node writes them, and what is read."""
        before, node = self._before(), self.nodes.start
        shape = (*self.read.shape, *made.shape[2:])
        whole = buffer[: prod(shape) * made.itemsize].view(made.dtype).reshape(shape)
        own = whole[before.piece(self.nodes).slices]
        writes = before.nodes_like(node)[0] == node
        payload = prod(made.shape[2:])
        return Handover(
            own if writes else None,
            self,
            whole[self.read.piece(self.nodes).slices],
            written=self._parted(before, payload),
            read=self._parted(self.read, payload),
            owns=self._owns,
        )

    def posted(self, post: Post, made: Blocks) -> Handover:
        """The boxes that go to others, and those that come."""
        node, payload = self.nodes.start, made.shape[2:]
        before = self._before()
        there, here = (layout.boxes(self.nodes)[2:] for layout in (before, self.read))
        seen = post.opened[: prod(here) * prod(payload) * made.itemsize]
        box = seen.view(made.dtype).reshape(*here, *payload)
        found = traffic(before, self.read, node, (0,) * len(here))
        mail = letters(found, made.reshape(*there, *payload), box, post)

        def pack(block: Blocks) -> Call:
            return partial(mail.pack, block.reshape(*there, *payload), box)

        return Handover(None, self, box, pack, partial(mail.send, box), owns=self._owns)

    def _before(self) -> Ownership:
        if self.came is None:
            raise AssertionError(self)
        return self.came
