"""Scripts of whole parcels: sorted within the nodes, carried, and sorted again at the end.

The script of a schedule that tells slots apart names all rows of a parcel, and they may be
scattered: then its lists are as long as a block. Here a map within nodes brings the slots of a
parcel together, so that a parcel is one row, a *chunk*, and lists depend on the schedule alone.
That is for devices, whose programs should have no tables of the size of their data.

Rule. The chunk c of node u ends on node v, where it is chunk a: v is given, and a is made of
as many bits of c as possible, and else of u, so that no two end in one place.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix, Span
from graycube.gf2.arrays import IntArray
from graycube.run.itinerary import itineraries
from graycube.run.parcels import Parcels
from graycube.run.script import Script
from graycube.run.scripts import script_of, scripts
from graycube.run.whole import moves_whole
from graycube.schedule import Replication, Schedule
from graycube.schedule.replication import of_ways


@dataclass(frozen=True, eq=False)
class Chunked:
    """A map within nodes, the scripts of all nodes in whole chunks, and a map within nodes.

    >>> import graycube as gc
    >>> layouts = gc.Layout.cyclic(9, 2), gc.Layout.consecutive(9, 2)
    >>> machine = gc.Machine(2, switching="circuit")
    >>> made = chunked(gc.plan(*layouts, 128, machine=machine).schedule)
    >>> made.scripts[1].rows, [r.sends[0].parts[0].rows for r in made.scripts[1].rounds]
    (4, [slice(3, 4, None), slice(0, 1, None), slice(2, 3, None)])
    """

    before: AffineMap
    scripts: tuple[Script, ...]
    after: AffineMap


def chunked(schedule: Schedule | Replication) -> Chunked:
    """A schedule as maps within nodes and scripts that move whole chunks in between.

    >>> import graycube as gc
    >>> gray, binary = gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2)
    >>> made = chunked(gc.plan(gray, binary, 8, machine=gc.Machine(2)).schedule)
    >>> made.before == made.after == AffineMap.identity(2), made.scripts[0].rows
    (True, 8)
    """
    schedule = of_ways(schedule)
    task = schedule.task
    if schedule.relabel not in {None, AffineMap.identity(task.p)}:
        raise InvalidValueError(
            f"{schedule.algorithm!r} renumbers the nodes",
            "the devices of a mesh keep their numbers",
            'plan with algorithm="auto", or make a mesh of the devices in another order',
        )
    nodes = range(1 << task.n)
    made = [] if moves_whole(schedule) else itineraries(schedule)
    if len(made) != 1:  # or positions of slots, which lie scattered
        still = AffineMap.identity(task.p)
        return Chunked(still, tuple(scripts(schedule, nodes)), still)
    chunks = _Chunks(made[0][1], task.move)
    each = tuple(script_of(chunks, node, node, task.payload) for node in nodes)
    return Chunked(chunks.before, each, chunks.after)


@dataclass(frozen=True, eq=False)
class _Chunks(Parcels):
    """Parcels that are sorted: each is one row. All of them end where the ``move`` says."""

    move: AffineMap

    @cached_property
    def _sums(self) -> list[int]:
        """Independent sums of slot bits, which together are the number of a chunk."""
        span, n = Span(), self.itinerary.n
        slots = (mask >> n << n for mask in self.itinerary.sums())
        return [mask for mask in slots if span.add(mask)]

    @cached_property
    def low(self) -> int:
        """The slot bits within a chunk."""
        return self.itinerary.p - self.itinerary.n - len(self._sums)

    @cached_property
    def slots(self) -> NDArray[np.intp]:
        """The row of each chunk."""
        return np.arange(1 << len(self._sums))[:, None]

    @cached_property
    def before(self) -> AffineMap:
        """The map within nodes after which the highest slot bits number the chunks."""
        p, n = self.itinerary.p, self.itinerary.n
        span = Span(self._sums)
        rest = [1 << j for j in range(n, p) if span.add(1 << j)]
        return AffineMap(Matrix.from_rows([*(1 << j for j in range(n)), *rest, *self._sums], p))

    @cached_property
    def start(self) -> IntArray:
        """The address of the first slot of every chunk, node by node."""
        n = self.itinerary.n
        sorted_ = np.arange(1 << n)[:, None] | np.arange(len(self.slots)) << n + self.low
        return self.before.inverse()(sorted_.ravel())

    @cached_property
    def _carried(self) -> AffineMap:
        """From the sorted addresses to those where chunks arrive: see the rule."""
        p, n = self.itinerary.p, self.itinerary.n
        sorted_ = self._final @ self.before.inverse()
        ends = sorted_.matrix.rows[:n]
        span, top = Span(ends), range(n + self.low, p)
        kept = [j for j in top if span.add(1 << j)]
        others = iter([j for j in range(n) if span.add(1 << j)])
        numbers = [1 << (j if j in kept else next(others)) for j in top]
        inside = (1 << j for j in range(n, n + self.low))
        matrix = Matrix.from_rows([*ends, *inside, *numbers], p)
        return AffineMap(matrix, sorted_.constant & (1 << n) - 1)

    @cached_property
    def _final(self) -> AffineMap:
        """From the first address to the last, whatever the way."""
        for way, final in self.itinerary.finals:
            free = [bit for bit in range(self.itinerary.p) if not way.mask >> bit & 1]
            ends = [each.matrix.columns[bit] for bit in free for each in (final, self.move)]
            if final(way.value) != self.move(way.value) or ends[::2] != ends[1::2]:
                raise InvalidValueError(
                    "parts of the block end in different layouts",
                    "all must end where the task says",
                    "see what verify() says",
                )
        return self.move

    @cached_property
    def after(self) -> AffineMap:
        """The map within nodes from where chunks arrive to where their slots belong."""
        return self._final @ self.before.inverse() @ self._carried.inverse()

    def rows_at_end(self, parcels: IntArray) -> NDArray[np.intp]:
        """The rows that some chunks have on the nodes where they end."""
        n, count = self.itinerary.n, len(self.slots)
        sorted_ = parcels // count | parcels % count << n + self.low
        rows: NDArray[np.intp] = (self._carried(sorted_) >> n + self.low).astype(np.intp)
        return rows
