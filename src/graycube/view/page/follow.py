"""Where every element is in memory, at any time of a schedule.

Rules.

1. What crosses links is in its new position when it has done all crossings of a step. Before,
   it keeps its old position.
2. What a step moves within memory is there as soon as the element is through with the steps
   before it.
3. Two elements can be in one position for a while: one of them is in a buffer.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graycube.gf2.arrays import IntArray
from graycube.schedule import Replication, Schedule
from graycube.schedule.replication import of_ways
from graycube.schedule.walk import Walked, walk
from graycube.schedule.way import Way


@dataclass(frozen=True, slots=True)
class Followed:
    """The crossings in the order of time, and what happens within memory.

    ``position[r]`` is where the element of row r is once it has arrived. In row r of
    ``inside``, at a time an element takes a position of its node: cycle t begins at time t.
    ``home_node`` and ``home_position`` are where each element belongs, by old node numbers.
    """

    cycle: IntArray
    node: IntArray
    dimension: IntArray
    element: IntArray
    position: IntArray
    inside: tuple[IntArray, IntArray, IntArray]
    home_node: IntArray
    home_position: IntArray


@dataclass(frozen=True, slots=True)
class _Changes:
    """What steps do to elements: columns with a row for each element that one changes.

    ``dimension`` is -1 where an element stays on its node; ``flips`` are the slot bits that
    change; an element is there at ``time``.
    """

    element: IntArray
    time: IntArray
    dimension: IntArray
    flips: IntArray


def follow(schedule: Schedule | Replication) -> Followed:
    """Follow every element of a schedule through links and memories.

    >>> import graycube as gc
    >>> plan = gc.plan(gc.Layout.cyclic(2, 1), gc.Layout.consecutive(2, 1), 2, machine="ideal")
    >>> seen = follow(plan.schedule)
    >>> seen.element.tolist(), seen.position.tolist()  # both take the other one's place
    ([1, 2], [0, 1])
    """
    schedule, task = of_ways(schedule), schedule.task
    home: IntArray = np.arange(task.block << task.n)
    done = _in_time(schedule)
    slot = _so_far(done, done.flips) ^ home[done.element] % task.block // task.payload
    position = slot * task.payload + done.element % task.payload
    crosses = done.dimension >= 0
    link = np.where(crosses, 1 << done.dimension * crosses, 0)
    node = _so_far(done, link) ^ link ^ done.element // task.block
    rows, stays = (np.flatnonzero(which) for which in (crosses, ~crosses))
    rows, stays = (r[np.argsort(done.time[r], kind="stable")] for r in (rows, stays))
    crossings = (done.time[rows] - 1, node[rows], done.dimension[rows], done.element[rows])
    inside = (done.time[stays], done.element[stays], position[stays])
    return Followed(*crossings, position[rows], inside, *_homes(schedule, home))


def _homes(schedule: Schedule, element: IntArray) -> tuple[IntArray, IntArray]:
    """Where the elements belong, on nodes by their old numbers."""
    task = schedule.task
    address = element % task.block // task.payload << task.n | element // task.block
    target = task.move(address)
    if schedule.relabel is not None:
        target = schedule.relabel.inverse()(target)
    position = (target >> task.n) * task.payload + element % task.payload
    return target & ((1 << task.n) - 1), position


def _so_far(done: _Changes, flips: IntArray) -> IntArray:
    """The sum of what has changed of an element, after each of its rows."""
    total: IntArray = np.bitwise_xor.accumulate(flips)
    starts = np.flatnonzero(np.diff(done.element, prepend=-1))
    repeats = np.diff(np.append(starts, len(flips)))
    before: IntArray = np.repeat((total ^ flips)[starts], repeats)
    return total ^ before


def _in_time(schedule: Schedule) -> _Changes:
    """All changes, by element and in the order of time."""
    nothing = (np.empty(0, np.int64),) * 4
    parts = (part for way in schedule.ways for part in _of_way(schedule, way))
    columns = (np.concatenate(column) for column in zip(nothing, *parts, strict=True))
    element, time, dimension, flips = columns
    order = np.lexsort((time, element))
    return _Changes(element[order], time[order], dimension[order], flips[order])


def _of_way(
    schedule: Schedule, way: Way
) -> Iterator[tuple[IntArray, IntArray, IntArray, IntArray]]:
    clock: IntArray | None = None
    for done in walk(schedule.task, way):
        arrived = np.zeros(len(done.element), dtype=np.int64) if clock is None else clock
        clock = arrived.copy()
        flips = (done.before ^ done.after) >> schedule.task.n
        last = _last_crossing(done)
        for number, (dim, moving, _, _, cycle) in enumerate(done.crossings):
            there = np.where(last[moving] == number, flips[moving], 0)
            yield done.element[moving], cycle + 1, np.full(len(moving), dim), there
            clock[moving] = np.maximum(clock[moving], cycle + 1)
        stays = np.flatnonzero((last < 0) & (flips != 0))
        yield done.element[stays], arrived[stays], np.full(len(stays), -1), flips[stays]


def _last_crossing(done: Walked) -> IntArray:
    """The number of the last crossing of each element, or -1."""
    last = np.full(len(done.element), -1)
    for number, (_, moving, *_) in enumerate(done.crossings):
        last[moving] = number
    return last
