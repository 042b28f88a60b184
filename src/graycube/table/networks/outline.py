"""Pipelines whose steps are not written yet: what they take is known before.

Many are weighed, and one is taken. Of hundreds of crossings each has as many delays as the
address has bits, so writing the steps takes longer than all else.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from graycube.schedule import Schedule, Step, Way
from graycube.schedule.schedule import most_at_once


@dataclass(frozen=True)
class Outline:
    """A schedule of one way: the ``head`` has no ways, and ``write`` gives the steps.

    ``spans`` are the dimensions in use, each from a first to a last cycle.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task, hop
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> head = Schedule(task, "gb1", rounds=(0,), cycles=8, ways=())
    >>> outline = Outline(head, [(0, 0, 0)], lambda: iter([hop(0, Exchange(1, 2), n=2)]))
    >>> outline.dimensions_at_once, outline.schedule.ways[0].move(2) == task.move
    (1, True)
    """

    head: Schedule
    spans: Sequence[tuple[int, int, int]]
    write: Callable[[], Iterator[Step]]

    @property
    def dimensions_at_once(self) -> int:
        """How many dimensions may be in use at the same time."""
        return most_at_once(self.spans)

    @cached_property
    def schedule(self) -> Schedule:
        """With its steps, and where they lead."""
        task = self.head.task
        way = Way(0, task.block, tuple(self.write()))
        if task.free:
            task = replace(task, target=way.move(task.p) @ task.source)
        return replace(self.head, task=task, ways=(way,))
