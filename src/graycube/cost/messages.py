"""The traffic of messages that go straight to where they belong, exactly, at any number.

In a turn, either all senders cross a dimension, or half of them, or none: the sum that decides
depends on the sender, or is the same for all.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.cost.classes import coded, members
from graycube.cost.traffic import RoundTraffic
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Span
from graycube.machine import Machine
from graycube.schedule import Schedule, Step

MOST_DIMS = 62  # bits of a word


def message_rounds(schedule: Schedule) -> Iterator[RoundTraffic]:
    """The rounds in which something moves, those that are alike together.

    >>> from graycube.gf2 import Matrix
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Delivery, Task, delivered
    >>> task = Task(Layout.cyclic(40, 20), Layout.consecutive(40, 20), block=1 << 20)
    >>> units = [1 << d for d in range(20)]
    >>> swap = Delivery(task.move, Matrix.identity(20), units, dims=range(20))
    >>> direct = delivered(task, "all-to-all", [swap], circuits=True)
    >>> for traffic in message_rounds(direct):
    ...     print(traffic.times, traffic.longest, traffic.crossings * traffic.times == 10 << 40)
    1048575 1 True
    """
    rounds = (found for step in _steps(schedule) for found in _rounds(schedule, step))
    yield from (found for found in rounds if found.times and found.crossings)


def message_loads(schedule: Schedule, machine: Machine) -> Iterator[tuple[int, dict[int, int]]]:
    """How many turns are alike, and the slowest dimension in use there with its message."""
    for step in _steps(schedule):
        turns, _, _, size = _spans(schedule, step)
        seconds = [machine.message_time(size * schedule.task.itemsize, d)
                   for d in range(machine.dims)]  # fmt: skip
        for circuit in _circuits(step):
            tests: list[tuple[int, int]] = []
            left = 1 << len(turns)
            for dim, test in sorted(circuit, key=lambda use: seconds[use[0]], reverse=True):
                tests.append(test)
                idle = _idle_turns(tests, turns)  # of this dimension and all slower ones
                yield left - idle, {dim: size}
                left = idle


def turns_by_dimensions(schedule: Schedule) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """A message's elements, and for all turns that differ the dimensions that are crossed.

    There are so many turns like each of these. Where the sender decides whether a dimension is
    crossed, it counts as crossed. Messages of a node in one turn count as turns of their own.
    """
    if schedule.task.n > MOST_DIMS:
        raise InvalidValueError(
            f"the cube has {schedule.task.n} dimensions",
            f"turns are told apart by {MOST_DIMS} at most",
            "price it without links that are shared",
        )
    for step in _steps(schedule):
        turns, slots, _, size = _spans(schedule, step)
        for mask in (m for circuit in _circuits(step) for _, (m, _) in circuit):
            if slots.add(mask >> schedule.task.n):
                turns.add(mask)
        for circuit in _circuits(step):
            tests = [(d, *(test if test[0] in turns else (0, 0))) for d, test in circuit]
            rank, codes = coded([((mask, want),) if mask else () for _, mask, want in tests])
            crossed = np.zeros(1 << rank, dtype=np.int64)
            for (d, mask, want), crosses in zip(tests, members(rank, codes), strict=True):
                crossed |= np.where(crosses if mask or not want else False, 1 << d, 0)
            yield 1 << len(turns) - rank, size, crossed


def turns_by_nodes(schedule: Schedule) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Turns that are alike: how many, a message's elements, and what each node crosses.

    There is a row for each message that a node sends in a turn.
    """
    n = schedule.task.n
    addresses: NDArray[np.integer[Any]] = np.arange(1 << schedule.task.p)
    for way in schedule.ways:
        at = addresses
        for step in way.steps:
            ends, here = step(at), at
            size = _spans(schedule, step)[3] if step.crossings else 0
            for _, crossings in groupby(step.crossings, key=lambda crossing: crossing.start):
                circuit = [*crossings]
                flips = (at ^ ends) & sum(1 << crossing.dim for crossing in circuit)
                clock, sends = circuit[0].clock(at), flips != 0
                turns: dict[bytes, int] = {}
                for turn in np.unique(clock[sends]):
                    now = sends & (clock == turn)
                    across = _by_node(here[now] & (1 << n) - 1, flips[now], n)
                    turns[across.tobytes()] = turns.get(across.tobytes(), 0) + 1
                here = here ^ flips
                for across_bytes, times in turns.items():
                    yield times, size, np.frombuffer(across_bytes, np.int64).reshape(-1, 1 << n)
            at = ends


def _by_node(
    node: NDArray[np.integer[Any]], flips: NDArray[np.integer[Any]], n: int
) -> NDArray[np.int64]:
    """What each node crosses with its first message, its second one, and so on."""
    start, flip = np.divmod(np.unique(node << n | flips), 1 << n)  # by node
    which = np.arange(len(start)) - np.searchsorted(start, start)
    across = np.zeros((1 + int(which.max(initial=0)), 1 << n), np.int64)
    across[which, start] = flip
    return across


def by_turns(schedule: Schedule) -> bool:
    """Whether messages go straight to where they belong, in turns."""
    return any(
        len(step.crossings) > 1 or isinstance(step.move, AffineMap)
        for way in schedule.ways
        for step in way.steps
    )


def _rounds(schedule: Schedule, step: Step) -> Iterator[RoundTraffic]:
    turns, slots, messages, size = _spans(schedule, step)
    senders = messages << schedule.task.n - (len(turns) - len(slots))  # in each turn
    for circuit in _circuits(step):
        tests = [test for _, test in circuit]
        times = (1 << len(turns)) - _idle_turns(tests, turns)
        total = senders * sum((_share(test, turns) for test in tests), Fraction(0))
        mean = Fraction(total) / times if times else Fraction(0)
        yield RoundTraffic(size, mean * size, mean, times=times)


def _steps(schedule: Schedule) -> Iterator[Step]:
    if [(way.start, way.stop, way.mask) for way in schedule.ways] != [
        (0, schedule.task.block, 0)
    ]:
        raise _uncountable(f"{len(schedule.ways)} ways of messages in turns")
    return (step for way in schedule.ways for step in way.steps if step.crossings)


def _uncountable(what: str) -> InvalidValueError:
    return InvalidValueError(
        f"there are {what}",
        "only messages of one way are counted, each on links of its own",
        "count the moves: simulate(schedule, expand(schedule))",
    )


def _spans(schedule: Schedule, step: Step) -> tuple[Span, Span, int, int]:
    """What tells turns apart, and those of one node; its messages in a turn, and their size."""
    n = schedule.task.n
    masks = [late.mask for late in step.crossings[0].delays]
    turns, slots = Span(masks), Span(mask >> n for mask in masks)
    tests = [test for circuit in _circuits(step) for _, (test, _) in circuit]
    apart = len(Span(mask >> n for mask in (*masks, *tests)))
    both = (want == 0 if not mask else mask >> n in slots
            for circuit in _circuits(step) for _, (mask, want) in circuit)  # fmt: skip
    if apart - len(slots) > (0 if any(both) else 1):
        raise _uncountable("several messages of one node on one link at one time")
    return turns, slots, 1 << apart - len(slots), schedule.task.block >> apart


def _circuits(step: Step) -> Iterator[list[tuple[int, tuple[int, int]]]]:
    """The dimensions that are crossed at one time, each with who crosses it."""
    for _, circuit in groupby(step.crossings, key=lambda crossing: crossing.start):
        yield [(c.dim, step.move.changes(c.dim)) for c in circuit if step.move]


def _share(test: tuple[int, int], turns: Span) -> Fraction:
    """In how many turns all senders cross; where half of them do, that is half a turn."""
    mask, want = test
    if mask:
        return Fraction(1 << len(turns), 2)
    return Fraction(0 if want else 1 << len(turns))


def _idle_turns(tests: Sequence[tuple[int, int]], turns: Span) -> int:
    """Turns in which nobody crosses anything: linear equations, unless senders decide it."""
    if not all(mask in turns for mask, _ in tests):
        return 0
    masks = Span(mask for mask, _ in tests)
    equations = Span(mask << 1 | 1 - want for mask, want in tests)
    return 1 << len(turns) - len(masks) if len(equations) == len(masks) else 0
