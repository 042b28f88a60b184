"""Follow every element of every way, node and slot, where there are not too many.

The steps say where an element ends, and the layouts where it belongs. What happens on the way
there, on links and ports, is for :mod:`graycube.verify.elements` to judge.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Machine
from graycube.schedule import Schedule, Step, Task, Way, expand
from graycube.verify.elements import check_elements
from graycube.verify.report import Report, Violation, require_same_cube, tally

MAX_FOLLOWED = 1 << 18
"""Up to so many elements and cycles, and 64 times as many steps of them, are followed."""

_Column = NDArray[np.int64]


def can_follow(schedule: Schedule) -> bool:
    """Whether all elements of a schedule are few enough to be followed.

    >>> from graycube.layout import Layout
    >>> for n in (4, 40):
    ...     task = Task(Layout.nodes(n), Layout.nodes(n), block=64)
    ...     print(can_follow(Schedule(task, "nothing", (), 0, (Way(0, 64, ()),))))
    True
    False
    """
    task = schedule.task
    if max(task.block << task.n, schedule.cycles) > MAX_FOLLOWED:
        return False
    each = (1 << task.n) + task.block  # what is looked at to find the elements of a way
    steps = (each + way.everywhere(task.n, task.p) * (1 + len(way.steps))
             for way in schedule.ways)  # fmt: skip
    return sum(steps) <= MAX_FOLLOWED << 6


def check_ways(schedule: Schedule, machine: Machine) -> Report:
    """Check all rules on every element of a schedule without butterflies.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import hop
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> there = hop(0, Exchange(flip=1, when=2), n=2)
    >>> good, bad = ((Way(0, stop, (there,)),) for stop in (2, 1))
    >>> print(check_ways(Schedule(task, "mine", (0,), 2, good), Machine(dims=2)))
    element by element: nothing is wrong (share, end, range, start, presence, time, link, ports,
    round); a node holds at most 2 elements
    >>> check_ways(Schedule(task, "mine", (0,), 2, bad), Machine(dims=2))
    <Report element by element: 4 x share, 2 x end; a node holds at most 2 elements>
    """
    require_same_cube(schedule.task, machine)
    task = schedule.task
    ways = np.zeros(task.block << task.n, np.int64)
    found = list[Violation]()
    for s, way in enumerate(schedule.ways):
        element = _members(task, way)
        ways[element] += 1
        found += _check_end(schedule, s, element)
    element = np.flatnonzero(ways != 1)
    found += (
        Violation("share", node=e // task.block, element=e, detail=f"it is in {ways[e]} ways")
        for e in element.tolist()
    )
    found.sort(key=lambda violation: violation.rule != "share")
    told = tally("element by element", ("share", "end"), found)
    followed = check_elements(expand(schedule), machine)
    return replace(told.joined(followed), method=told.method)


def _members(task: Task, way: Way) -> _Column:
    """The elements of a way."""
    node, slot = np.arange(1 << task.n), np.arange(1 << task.p - task.n)
    node = node[(node ^ way.value) & way.mask & (1 << task.n) - 1 == 0]
    position = np.arange(way.start, way.stop)
    if way.per_slot:
        position = (slot[:, None] * task.payload + position).ravel()
    chosen = (position // task.payload ^ way.value >> task.n) & way.mask >> task.n == 0
    return np.asarray((node[:, None] * task.block + position[chosen]).ravel(), np.int64)


def _check_end(schedule: Schedule, s: int, element: _Column) -> list[Violation]:
    """Each element of a way is taken to its place, over no dimension that is not crossed."""
    task, low = schedule.task, (1 << schedule.task.n) - 1
    home, position = np.divmod(element, task.block)
    slot, offset = np.divmod(position, task.payload)
    address = np.asarray(slot << task.n | home, np.int64)
    leapt = np.zeros(len(element), bool)
    for step in schedule.ways[s].steps:
        after = _after(step, address, task)
        crossed = sum(1 << crossing.dim for crossing in step.crossings)
        leapt |= (address ^ after) & low & ~crossed != 0
        address = after
    if schedule.relabel is not None:
        address = np.asarray(schedule.relabel(address), np.int64)
    behind = task.block // task.source.block_size
    node, slot = task.target.locate(task.source.index(home, position // behind))
    lost = (address & low != node) | leapt
    lost |= (address >> task.n) * task.payload + offset != slot * behind + position % behind
    return [
        Violation("end", node=int(home[k]), element=int(element[k]),
                  detail=f"way {s} takes it elsewhere, or over a link that it does not cross")
        for k in np.flatnonzero(lost).tolist()
    ]  # fmt: skip


def _after(step: Step, address: _Column, task: Task) -> _Column:
    exchange = step.exchange
    if exchange is not None:
        goes = np.bitwise_count(address & exchange.when) & 1 == exchange.want
        return np.where(goes, address ^ exchange.flip, address)
    return np.asarray(step.affine(task.p)(address), np.int64)
