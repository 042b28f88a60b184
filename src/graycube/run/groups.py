"""The steps of a network in groups: what a node does at a time.

Rule. Groups are in the order in which they are listed. But a phase may be listed behind others
that begin no earlier. Then a delay tells who does it before all other phases, and who does it
in its place.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import AffineMap, parity
from graycube.gf2.arrays import IntArray
from graycube.schedule import Delay, Replication, Schedule, Step


@dataclass(frozen=True, slots=True)
class Group:
    """Bits that are staged together, where they are then; or crossings of one phase.

    ``before`` and ``after`` it are the addresses of words, as the steps are listed. ``late``
    says who does it: those without this delay, ``first``, or those with it.
    """

    steps: tuple[Step, ...]
    before: AffineMap
    after: AffineMap
    bits: tuple[int, ...] = ()
    late: Delay | None = None
    first: bool = True

    @property
    def start(self) -> int:
        """The cycle in which a phase begins; -1 of others."""
        crossings = self.steps[0].crossings
        return crossings[0].start if crossings else -1

    def has(self, word: IntArray) -> NDArray[np.bool_]:
        """Which of these elements do it."""
        if self.late is None:
            return np.ones(len(word), dtype=bool)
        odd = np.bitwise_count(self.before(word) & self.late.mask) & 1
        met: NDArray[np.bool_] = (odd == self.late.want) != self.first
        return met


def groups(schedule: Schedule) -> list[Group]:
    """The steps of a network: runs of stages, of crossings, and of moves within memory."""
    listed, start = list(_listed(schedule)), -1
    for k, group in enumerate(listed):
        if group.start >= 0 and group.start <= start and (late := _longest_of_all(group)):
            before, after = (replace(group, late=late, first=first) for first in (True, False))
            rest = listed[k + 1 :]
            where = next(j for j, one in enumerate(listed) if one.start >= 0)
            return [*listed[:where], before, *listed[where:k], after, *rest]
        start = max(start, group.start)
    return listed


def _longest_of_all(group: Group) -> Delay | None:
    """The longest delay that all crossings of a phase have, if none of them changes it."""
    delays = [set(crossing.delays) for step in group.steps for crossing in step.crossings]
    late = max(set.intersection(*delays), key=lambda late: late.cycles, default=None)
    flips = (step.exchange.flip for step in group.steps if step.exchange is not None)
    return None if late is None or any(parity(late.mask & flip) for flip in flips) else late


def _listed(schedule: Schedule) -> Iterator[Group]:

    def kind(step: Step) -> tuple[str, int]:
        if step.stage is not None:
            return "stages", 0
        return ("phase", step.crossings[0].start) if step.crossings else ("moves", 0)

    place = schedule.task.source.map
    for _, run in groupby(schedule.ways[0].steps, kind):
        steps, before = tuple(run), place
        bits = (step.stage for step in steps if step.stage is not None)
        for step in steps:
            if step.move is not None:
                place = step.affine(place.width) @ place
        yield Group(steps, before, place, tuple(sorted(bits)))


def runs_of(schedule: Schedule | Replication) -> Iterator[tuple[int, ...]]:
    """The bits of each run of stages; copies come between any two.

    >>> from graycube.layout import Layout
    >>> from graycube.table.networks import emulation, one_point
    >>> [*runs_of(emulation(Layout.cyclic(3, 2)))], [*runs_of(one_point(Layout.nodes(2)))]
    ([(2,), (1,), (0,)], [(1,), (0,)])
    """
    if isinstance(schedule, Replication):
        return zip(schedule.stages)
    return (group.bits for group in groups(schedule) if group.bits)
