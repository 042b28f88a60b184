"""Where every element is in memory, at any time of a schedule.

Rules.

1. A schedule written out (:class:`~graycube.schedule.Moves`) says which node an element is on,
   and not in which position. The position follows from the exchanges: each adds the same slot
   bits to the addresses that meet its condition.
2. What crosses a link is in its new position when it arrives. What an exchange moves within
   memory is there as soon as the element is through with the exchanges before it. Between the
   hops of one message it keeps its old position.
3. Two elements can be in one position for a while: one of them is in a buffer.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graycube.gf2.arrays import IntArray
from graycube.schedule import AnySchedule, Crossing, Direct, Emulation, Moves, Schedule, Stage


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
    """What exchanges do to elements: columns with a row for each element that one changes.

    ``flips`` are the slot bits that change. ``time`` is when, or -1 where the element crosses a
    link at a time that only the moves know.
    """

    element: IntArray
    flips: IntArray
    crosses: IntArray
    time: IntArray


_Columns = tuple[IntArray, IntArray, IntArray, IntArray]


def follow(schedule: AnySchedule, moves: Moves) -> Followed:
    """Follow every element of a schedule through links and memories.

    >>> import graycube as gc
    >>> plan = gc.plan(gc.Layout.cyclic(2, 1), gc.Layout.consecutive(2, 1), 2, machine="ideal")
    >>> seen = follow(plan.schedule, plan.moves())
    >>> seen.element.tolist(), seen.position.tolist()  # both take the other one's place
    ([1, 2], [0, 1])
    """
    task = schedule.task
    steps = _timed(_steps(schedule), moves)
    home: IntArray = np.arange(task.block << task.n)
    slots = _slots_so_far(steps, home % task.block // task.payload)
    position = slots * task.payload + steps.element % task.payload
    arrives = np.empty(len(moves), dtype=np.int64)
    arrives[np.argsort(moves.element, kind="stable")] = position[steps.crosses > 0]
    in_time = np.argsort(moves.cycle, kind="stable")
    columns = (moves.cycle, moves.node, moves.dimension, moves.element, arrives)
    crossings = [column[in_time].astype(np.int64) for column in columns]
    stays = np.flatnonzero((steps.crosses == 0) & (steps.flips != 0))
    stays = stays[np.argsort(steps.time[stays], kind="stable")]
    inside = (steps.time[stays], steps.element[stays], position[stays])
    homes = _homes(schedule, home)
    cycle, node, dimension, element, place = crossings
    return Followed(cycle, node, dimension, element, place, inside, *homes)


def _addresses(schedule: AnySchedule, element: IntArray) -> IntArray:
    task = schedule.task
    address: IntArray = element % task.block // task.payload << task.n | element // task.block
    return address


def _homes(schedule: AnySchedule, element: IntArray) -> tuple[IntArray, IntArray]:
    """Where the elements belong, on nodes by their old numbers."""
    task = schedule.task
    target = task.move(_addresses(schedule, element))
    if schedule.relabel is not None:
        target = schedule.relabel.inverse()(target)
    position = (target >> task.n) * task.payload + element % task.payload
    return target & ((1 << task.n) - 1), position


def _slots_so_far(steps: _Changes, first: IntArray) -> IntArray:
    """The slot of the element of each row, after all its rows so far."""
    total: IntArray = np.bitwise_xor.accumulate(steps.flips)
    starts = np.flatnonzero(np.diff(steps.element, prepend=-1))
    repeats = np.diff(np.append(starts, len(steps.element)))
    before = np.repeat((total ^ steps.flips)[starts], repeats)
    slots: IntArray = total ^ before ^ first[steps.element]
    return slots


def _timed(steps: _Changes, moves: Moves) -> _Changes:
    """The steps with the times of the crossings, sorted by element and time.

    Where steps leave their times to the moves, the k-th crossing of an element is its k-th row.
    No step is before the one that it follows.
    """
    order = np.argsort(steps.element, kind="stable")
    element, flips, crosses, time = (
        column[order] for column in (steps.element, steps.flips, steps.crosses, steps.time)
    )
    open_ = np.flatnonzero(time < 0)
    if len(open_):
        time[open_] = moves.cycle[np.argsort(moves.element, kind="stable")] + 1
        span = moves.cycles + 1
        time = np.maximum.accumulate(element * span + time) % span
    order = np.lexsort((time, element))
    return _Changes(element[order], flips[order], crosses[order], time[order])


def _steps(schedule: AnySchedule) -> _Changes:
    nothing = (np.empty(0, np.int64),) * 4
    if isinstance(schedule, Schedule):
        parts = _of_strands(schedule)
    elif isinstance(schedule, Direct):
        parts = _of_deliveries(schedule)
    else:
        parts = _of_turns(schedule)
    return _Changes(*(np.concatenate(column) for column in zip(nothing, *parts, strict=True)))


def _of_strands(schedule: Schedule) -> Iterator[_Columns]:
    task = schedule.task
    every: IntArray = np.arange(task.block << task.n)
    for strand in schedule.strands:
        node, position = every // task.block, every % task.block
        own = (position >= strand.start) & (position < strand.stop)
        element = every[own & (node & strand.mask == strand.value)]
        address = _addresses(schedule, element)
        for hop in strand.hops:
            after: IntArray = hop.exchange.affine(task.p)(address)
            moved = np.flatnonzero(after != address)
            crosses = int(bool(hop.exchange.flip & ((1 << task.n) - 1)))
            flips = np.full(len(moved), hop.exchange.flip >> task.n)
            time = np.full(len(moved), -1 if crosses else hop.cycle)
            yield element[moved], flips, np.full(len(moved), crosses), time
            address = after


def _of_deliveries(direct: Direct) -> Iterator[_Columns]:
    """Slots change on arrival, or at the end of a delivery for what stays on its node."""
    task, end = direct.task, 0
    element: IntArray = np.arange(task.block << task.n)
    address = _addresses(direct, element)
    for delivery, size in zip(direct.deliveries, direct.message_sizes, strict=True):
        end += delivery.turns * size * (1 if direct.circuits else len(delivery.dims))
        after: IntArray = delivery.move(address)
        change = address ^ after
        last = np.full(len(element), -1)
        for d in delivery.dims:
            last = np.where(change >> d & 1, d, last)
        for d in delivery.dims:
            moved = np.flatnonzero(change >> d & 1)
            flips = np.where(last[moved] == d, change[moved] >> task.n, 0)
            ones = np.ones(len(moved), dtype=np.int64)
            yield element[moved], flips, ones, -ones
        rest = np.flatnonzero((last < 0) & (change != 0))
        zeros = np.zeros(len(rest), dtype=np.int64)
        yield element[rest], change[rest] >> task.n, zeros, zeros + end
        address = after


def _of_turns(emulation: Emulation) -> Iterator[_Columns]:
    """Crossings at their own times; what stays in memory moves when the last one is over."""
    task = emulation.task
    element: IntArray = np.arange(task.block << task.n)
    address = _addresses(emulation, element)
    clock = np.zeros(len(element), dtype=np.int64)
    for step in emulation.steps:
        if isinstance(step, Stage):
            continue
        exchange = step.exchange if isinstance(step, Crossing) else step
        after: IntArray = exchange.affine(task.p)(address)
        moved = np.flatnonzero(after != address)
        if isinstance(step, Crossing):
            cycle = {a: step.cycle(a) for a in map(int, np.unique(address[moved]))}
            turn = np.array([cycle[int(a)] for a in address[moved]], dtype=np.int64)
            clock[moved] = turn * task.payload + element[moved] % task.payload + 1
        flips = np.full(len(moved), exchange.flip >> task.n)
        crosses = np.full(len(moved), int(isinstance(step, Crossing)))
        yield element[moved], flips, crosses, clock[moved]
        address = after
