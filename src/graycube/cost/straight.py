"""The traffic of ways without delays, exactly, at any size of the cube.

Rules.

1. All nodes with the same parities for the conditions of the steps have the same traffic, so
   classes of nodes are counted (:mod:`graycube.cost.classes`).
2. The traffic changes only where a step begins or ends. Between two such events all rounds of
   one length are alike, and are counted once: a pipeline has few events, however long it runs.

The verifier asks the same of a schedule, and shares no code with this on purpose.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
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

    From round to round only those dimensions are counted whose senders change.
    """
    uses = [*_uses(schedule)]
    changes = dict[int, dict[int, dict[Equations, int]]]()  # by round, dimension and senders
    for use in uses:
        for first, after, amount in _parts(schedule, use.start, min(use.stop, schedule.cycles)):
            for number, more in ((first, amount), (after, -amount)):
                some = changes.setdefault(number, {}).setdefault(use.dim, {})
                some[use.conditions] = some.get(use.conditions, 0) + more
    amounts, loads = dict[int, dict[Equations, int]](), dict[int, DimensionLoad]()
    for first, after in pairwise(marks(schedule, ((use.start, use.stop) for use in uses))):
        for dim, some in changes.get(first, {}).items():
            here = amounts.pop(dim, {})
            for conditions, more in some.items():
                here[conditions] = here.get(conditions, 0) + more
            group = tuple(sorted(Senders(*each) for each in here.items() if each[1]))
            loads.pop(dim, None)
            if group:
                amounts[dim], loads[dim] = dict(group), load(schedule.task.n, group)
        yield after - first, loads


def _parts(schedule: Schedule, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Rounds that a use of these cycles has the same share of: the first, the next, and it."""
    number, last = schedule.round_of(start), schedule.round_of(stop - 1)
    while number < last:
        end = bounds(schedule, number)[1]
        yield number, number + 1, end - start
        start, number = end, number + 1
        if isinstance(schedule.rounds, range) and number < last:
            every = schedule.rounds.step
            yield number, last, every
            start, number = every * last, last
    yield last, last + 1, stop - start


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
    holders, nodes = _bits(way.mask, way.value), 1 << schedule.task.n
    for step in way.steps:
        if step.exchange is None:
            continue
        tests, holders = _carried(holders, step.exchange)
        for crossing in step.crossings if way.size else ():
            conditions, amount = tests, 0 if (0, 1) in tests else way.size
            if way.per_slot or (tests and tests[-1][0] >= nodes):
                conditions, amount = _among_slots(schedule, way, step.exchange, tests)
            if amount:
                start = crossing.start
                yield _HopTime(start, start + amount, crossing.dim, conditions)
            if len(step.crossings) > 1:  # the next has this bit flipped
                tests = tuple((m, want ^ m >> crossing.dim & 1) for m, want in tests)


@lru_cache(maxsize=1 << 14)  # many ways are those of the same nodes
def _carried(holders: Equations, exchange: Exchange) -> tuple[Equations, Equations]:
    """What is asked of those who hold something and send it, and of all holders afterwards.

    The first in ascending order.
    """
    flip, when, turned = exchange.flip, exchange.when, 1 ^ exchange.want
    tests = (*holders, (when, exchange.want)) if when else holders
    after = tuple(
        (mask ^ when, want ^ turned) if (mask & flip).bit_count() & 1 else (mask, want)
        for mask, want in holders
    )
    return tuple(sorted({*tests} - {(0, 0)})), after


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
