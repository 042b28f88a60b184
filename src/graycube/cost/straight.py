"""The traffic of ways without delays, exactly, at any size of the cube.

Rules.

1. All nodes with the same parities for the conditions of the steps have the same traffic, so
   classes of nodes are counted (:mod:`graycube.cost.classes`).
2. The traffic changes only where a step begins or ends. Between two such events all rounds of
   one length are alike, and are counted once: a pipeline has few events, however long it runs.

The verifier asks the same of a schedule, and shares no code with this on purpose.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from graycube.cost.classes import DimensionLoad, Equations, Senders, load
from graycube.cost.traffic import RoundTraffic
from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange, bit_indices
from graycube.schedule import Schedule, Way


class _HopTime(NamedTuple):
    """A hop's use of its dimension in the cycles ``start`` to ``stop``: who sends on it."""

    start: int
    stop: int
    dim: int
    conditions: Equations


def straight_rounds(schedule: Schedule) -> Iterator[RoundTraffic]:
    """The rounds, with equal neighbours in pipelines as one."""
    for times, loads in _loads(schedule):
        most = crossings = links = 0
        for here in loads.values():
            most = max(most, here.longest)
            crossings += here.crossings
            links += here.links
        yield RoundTraffic(most, crossings, links, times)


def straight_loads(schedule: Schedule) -> Iterator[tuple[int, dict[int, int]]]:
    """The same rounds: how many are alike, and the longest message on each dimension."""
    for times, loads in _loads(schedule):
        yield times, {d: loads[d].longest for d in sorted(loads)}


def _loads(schedule: Schedule) -> Iterator[tuple[int, dict[int, DimensionLoad]]]:
    """How many rounds are alike, and what each dimension has to carry in one of them.

    From round to round only those dimensions are counted whose use begins or ends.
    """
    uses = sorted(_uses(schedule), key=attrgetter("start"))
    coming, ending = deque(uses), deque(sorted(uses, key=attrgetter("stop")))
    active, loads = dict[int, list[_HopTime]](), dict[int, DimensionLoad]()
    again, every = set[int](), 0
    for first, after in pairwise(marks(schedule, ((use.start, use.stop) for use in uses))):
        start, stop = bounds(schedule, first)
        changed, again = again, set()
        while coming and coming[0].start < stop:
            use = coming.popleft()
            active.setdefault(use.dim, []).append(use)
            changed.add(use.dim)
            if use.start > start:
                again.add(use.dim)
        while ending and ending[0].stop <= stop:
            use = ending.popleft()
            again.add(use.dim)
            if use.stop < stop:
                changed.add(use.dim)
        if stop - start != every:
            changed, every = {*active}, stop - start
        for dim in changed:
            here = [use for use in active.pop(dim, ()) if use.stop > start]
            loads.pop(dim, None)
            if here:
                active[dim] = here
                sent = [
                    Senders(use.conditions, min(use.stop, stop) - max(use.start, start))
                    for use in here
                ]
                loads[dim] = load(schedule.task.n, tuple(sorted(sent)))
        yield after - first, loads


def marks(schedule: Schedule, uses: Iterable[tuple[int, int]]) -> list[int]:
    """The numbers of the rounds that may differ from the one before, by cycles in use."""
    total = len(schedule.rounds)
    if not isinstance(schedule.rounds, range):
        return list(range(total + 1))
    changes = {0, total - 1, total} if total else {0}
    for start, stop in uses:
        first, last = schedule.round_of(start), schedule.round_of(stop - 1)
        changes.update((first, first + 1, last, last + 1))
    return sorted(r for r in changes if r <= total)


def bounds(schedule: Schedule, number: int) -> tuple[int, int]:
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


@lru_cache(maxsize=1 << 14)  # many ways are those of the same nodes
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
    """Which nodes send elements of the way that have ``flipped`` some bits, and how many."""
    tests = _tests(holders, exchange, flipped)
    if way.per_slot or (tests and tests[-1][0] >> schedule.task.n):
        return _among_slots(schedule, way, exchange, tests)
    return tests, 0 if (0, 1) in tests else way.size


@lru_cache(maxsize=1 << 14)
def _tests(holders: Equations, exchange: Exchange, flipped: int) -> Equations:
    """What is asked of those who hold something and send it, in ascending order."""
    tests = (*holders, (exchange.when, exchange.want)) if exchange.when else holders
    if flipped:
        tests = tuple((mask, want ^ (mask & flipped).bit_count() & 1) for mask, want in tests)
    return tuple(sorted({*tests} - {(0, 0)}))


def _among_slots(
    schedule: Schedule, way: Way, exchange: Exchange, tests: Equations
) -> tuple[Equations, int]:
    """The same where slots are told apart.

    Of independent parities of slots each is met by half of them. Where slots cancel in a sum of
    parities, it is a condition on nodes.
    """
    task, n = schedule.task, schedule.task.n
    if len(tests) == 1 and way.size == task.block and not way.per_slot:  # mostly
        return (), way.size >> 1
    known: list[tuple[int, int]] = []  # by their highest slot bits
    conditions = set[tuple[int, int]]()
    for mask, want in tests:
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
