"""The kinds of schedules that a task can have, and how any of them is written out."""

import numpy as np

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.schedule.direct import Direct
from graycube.schedule.emulation import Emulation
from graycube.schedule.moves import MAX_CROSSINGS, Moves
from graycube.schedule.schedule import Schedule
from graycube.schedule.task import Task
from graycube.schedule.way import Way, walk

AnySchedule = Schedule | Direct | Emulation
"""Strands that follow exchanges, messages that go straight, or elements that take turns."""


def expand(schedule: AnySchedule) -> Moves:
    """Write a symbolic schedule out, element by element.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Hop, Strand, Task
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> strand = Strand(0, 2, (Hop(0, Exchange(flip=1, when=2)),))
    >>> moves = expand(Schedule(task, "gb1", (0,), 2, (strand,)))
    >>> moves.cycle.tolist(), moves.node.tolist(), moves.element.tolist()
    ([0, 1, 0, 1], [2, 2, 3, 3], [4, 5, 6, 7])
    """
    task = schedule.task
    passages = (
        (way.size, sum(len(step.passages) for step in way.steps)) for way in schedule.ways
    )
    crossings = sum(size * max(1, count) for size, count in passages) << task.n
    if max(crossings, schedule.cycles) > MAX_CROSSINGS:
        raise InvalidValueError(
            f"the schedule has up to {crossings} crossings in {schedule.cycles} cycles",
            f"at most {MAX_CROSSINGS} can be written out",
            "verify by algebra, or take a smaller cube or block",
        )
    nothing = (np.empty(0, np.int64),) * 4
    parts = (_crossings(task, way) for way in schedule.ways)
    columns = (np.concatenate(column) for column in zip(nothing, *parts, strict=True))
    head = (task, schedule.algorithm, schedule.rounds, schedule.cycles)
    return Moves(*head, *columns, relabel=schedule.relabel)


def _crossings(task: Task, way: Way) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Cycle, node, dimension and element of every crossing, element by element."""
    nothing = (np.empty(0, np.int64),) * 4
    parts = (
        (clock, cycle, np.full(len(moving), dim), done.element[moving])
        for done in walk(task, way)
        for dim, moving, clock, cycle in done.crossings
    )
    columns = (np.concatenate(column) for column in zip(nothing, *parts, strict=True))
    clock, cycle, dimension, element = columns
    order = np.lexsort((clock, element))
    cycle, dimension, element = cycle[order], dimension[order], element[order]
    return cycle, element // task.block ^ _flips_before(element, dimension), dimension, element


def _flips_before(element: IntArray, dimension: IntArray) -> IntArray:
    """The node bits that an element has flipped before each of its crossings."""
    flips: IntArray = np.bitwise_xor.accumulate(1 << dimension) ^ 1 << dimension
    first = np.ones(len(element), dtype=bool)
    first[1:] = element[1:] != element[:-1]
    at_home: IntArray = flips[first][np.cumsum(first) - 1]
    return flips ^ at_home
