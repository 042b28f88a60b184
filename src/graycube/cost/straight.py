"""The traffic of ways without delays, exactly, at any size of the cube.

Rules.

1. All nodes with the same parities for the conditions of the steps have the same traffic, so
   classes of nodes are counted (:mod:`graycube.cost.classes`).
2. The traffic changes only where a step begins or ends. Between two such events all rounds of
   one length are alike, and are counted once: a pipeline has few events, however long it runs.

The verifier asks the same of a schedule, and shares no code with this on purpose.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from graycube.cost.classes import Equations, Senders, count, longest
from graycube.cost.traffic import RoundTraffic
from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange, bit_indices
from graycube.schedule import Schedule, Way


@dataclass(frozen=True, slots=True)
class Busy:
    """What is in use in the cycles ``start`` to ``stop``.

    >>> Busy(4, 6).stop
    6
    """

    start: int
    stop: int


_Busy = TypeVar("_Busy", bound=Busy)


@dataclass(frozen=True, slots=True)
class _HopTime(Busy):
    """A step's use of its dimension."""

    dim: int
    conditions: tuple[tuple[int, int], ...]


def straight_rounds(schedule: Schedule) -> Iterator[RoundTraffic]:
    """The rounds, with equal neighbours in pipelines as one."""
    for times, groups in straight_groups(schedule):
        yield RoundTraffic(*count(schedule.task.n, tuple(groups.values())), times=times)


def straight_loads(schedule: Schedule) -> Iterator[tuple[int, dict[int, int]]]:
    """The same rounds: how many are alike, and the longest message on each dimension."""
    for times, groups in straight_groups(schedule):
        yield times, {d: longest(schedule.task.n, group) for d, group in groups.items()}


def straight_groups(schedule: Schedule) -> Iterator[tuple[int, dict[int, tuple[Senders, ...]]]]:
    """How many rounds are alike, and who sends on each dimension, in one order."""
    uses = sorted(_uses(schedule), key=lambda use: use.start)
    for times, active in alike(schedule, uses):
        groups: dict[int, list[Senders]] = {}
        for use, amount in active:
            groups.setdefault(use.dim, []).append(Senders(use.conditions, amount))
        yield times, {d: tuple(sorted(group)) for d, group in sorted(groups.items())}


def alike(
    schedule: Schedule, uses: Sequence[_Busy]
) -> Iterator[tuple[int, list[tuple[_Busy, int]]]]:
    """How many rounds are alike, with what is in use in one of them, and for how long.

    The uses are in the order in which they begin.
    """
    marks = _marks(schedule, uses)
    active: list[_Busy] = []
    waiting = iter([*uses, None])
    coming = next(waiting)
    for first, after in pairwise(marks):
        start, stop = _bounds(schedule, first)
        while coming is not None and coming.start < stop:
            active.append(coming)
            coming = next(waiting)
        active = [use for use in active if use.stop > start]
        yield (
            after - first,
            [(use, min(use.stop, stop) - max(use.start, start)) for use in active],
        )


def _marks(schedule: Schedule, uses: Sequence[_Busy]) -> list[int]:
    """The numbers of the rounds that may differ from the one before."""
    total = len(schedule.rounds)
    if not isinstance(schedule.rounds, range):
        return list(range(total + 1))
    changes = {0, total - 1, total} if total else {0}
    for use in uses:
        first, last = schedule.round_of(use.start), schedule.round_of(use.stop - 1)
        changes.update((first, first + 1, last, last + 1))
    return sorted(r for r in changes if r <= total)


def _bounds(schedule: Schedule, number: int) -> tuple[int, int]:
    """First cycle of a round, and of the next."""
    rounds = schedule.rounds
    later = number + 1 < len(rounds)
    return rounds[number], rounds[number + 1] if later else schedule.cycles


def _uses(schedule: Schedule) -> Iterator[_HopTime]:
    for way in schedule.ways:
        exchanges = (step.exchange for step in way.steps)
        tested = any(exchange.when for exchange in exchanges if exchange is not None)
        yield from _some_cross(schedule, way) if tested else _all_cross(schedule, way)


def _all_cross(schedule: Schedule, way: Way) -> Iterator[_HopTime]:
    """Where steps test nothing, all that is on some nodes goes on, to some others."""
    task = schedule.task
    amount, mask, value = way.elements(task.n, task.p), way.mask & (1 << task.n) - 1, way.value
    for crossing in (crossing for step in way.steps for crossing in step.crossings):
        if amount:
            conditions = _bits(mask, value & mask)
            yield _HopTime(crossing.start, crossing.start + amount, crossing.dim, conditions)
        value ^= 1 << crossing.dim


@lru_cache(maxsize=1 << 12)
def _bits(mask: int, value: int) -> Equations:
    """What each bit of a mask has to be."""
    return tuple((1 << j, value >> j & 1) for j in bit_indices(mask))


def _some_cross(schedule: Schedule, way: Way) -> Iterator[_HopTime]:
    holders = _bits(way.mask, way.value)
    for step in way.steps:
        exchange = step.exchange
        if exchange is None:
            continue
        flipped = 0
        for crossing in step.crossings if way.size else ():
            conditions, amount = _senders(schedule, way, exchange, holders, flipped)
            start = crossing.start
            if amount:
                yield _HopTime(start, start + amount, crossing.dim, conditions)
            flipped |= 1 << crossing.dim
        holders = _carried(holders, exchange)


def _carried(holders: Equations, exchange: Exchange) -> Equations:
    """What parities of the address say about it after the exchange."""
    flip, when, turned = exchange.flip, exchange.when, 1 ^ exchange.want
    return tuple(
        (mask ^ when, want ^ turned) if (mask & flip).bit_count() & 1 else (mask, want)
        for mask, want in holders
    )


def _senders(
    schedule: Schedule, way: Way, exchange: Exchange, holders: Equations, flipped: int
) -> tuple[Equations, int]:
    """Which nodes send elements of the way that have ``flipped`` some bits, and how many.

    Of independent parities of slots each is met by half of them. Where slots cancel in a sum of
    parities, it is a condition on nodes.
    """
    task, n, when = schedule.task, schedule.task.n, exchange.when
    if not (holders or way.per_slot):  # most
        if not when >> n:
            want = exchange.want ^ (when & flipped).bit_count() & 1
            return ((when, want),) if when else (), way.size
        if way.size == task.block:
            return (), way.size >> 1
    known: list[tuple[int, int]] = []  # by their highest slot bits
    conditions = set[tuple[int, int]]()
    test = ((when, exchange.want),) if when else ()
    for mask, want in (*holders, *test):
        want ^= (mask & flipped).bit_count() & 1  # noqa: PLW2901 - thousands are asked
        for other, its in known:
            if (mask ^ other) >> n < mask >> n:
                mask, want = mask ^ other, want ^ its  # noqa: PLW2901
        if mask >> n:
            known = sorted([*known, (mask, want)], reverse=True)
        elif mask or want:
            conditions.add((mask, want))
    if known and way.size != task.block and not way.per_slot:
        raise InvalidValueError(
            f"'{exchange}' for {way.size} elements of a block tests slots",
            f"their share of a slot is unknown unless they are all {task.block}",
            "give the way whole blocks, or positions of each slot",
        )
    size = way.size << task.p - n if way.per_slot else way.size
    return tuple(sorted(conditions)), 0 if (0, 1) in conditions else size >> len(known)
