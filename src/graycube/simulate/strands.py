"""The traffic of strands, exactly, at any size of the cube.

Rules.

1. All nodes with the same parities for the conditions of the hops have the same traffic, so
   classes of nodes are counted (:mod:`graycube.simulate.classes`).
2. The traffic changes only where a hop begins or ends. Between two such events all rounds of
   one length are alike, and are counted once: a pipeline has few events, however long it runs.

The verifier asks the same of a schedule, and shares no code with this on purpose.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graycube.errors import InvalidValueError
from graycube.gf2 import bit_indices, parity
from graycube.schedule import Hop, Schedule, Strand
from graycube.simulate.classes import Senders, count
from graycube.simulate.traffic import RoundTraffic


@dataclass(frozen=True, slots=True)
class _HopTime:
    """A hop's use of its dimension in the cycles ``start`` to ``stop``."""

    link: int
    conditions: tuple[tuple[int, int], ...]
    start: int
    stop: int


def strand_rounds(schedule: Schedule) -> Iterator[RoundTraffic]:
    """The rounds, with equal neighbours in pipelines as one."""
    uses = sorted(_uses(schedule), key=lambda use: use.start)
    marks = _marks(schedule, uses)
    active: list[_HopTime] = []
    waiting = iter([*uses, None])
    coming = next(waiting)
    for first, after in pairwise(marks):
        start, stop = _bounds(schedule, first)
        while coming is not None and coming.start < stop:
            active.append(coming)
            coming = next(waiting)
        active = [use for use in active if use.stop > start]
        groups: dict[int, list[Senders]] = {}
        for use in active:
            amount = min(use.stop, stop) - max(use.start, start)
            groups.setdefault(use.link, []).append(Senders(use.conditions, amount))
        canonical = tuple(
            tuple(sorted(group, key=lambda s: (s.conditions, s.amount)))
            for _, group in sorted(groups.items())
        )
        yield RoundTraffic(*count(schedule.task.n, canonical), times=after - first)


def _marks(schedule: Schedule, uses: Sequence[_HopTime]) -> list[int]:
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
    nodes = (1 << schedule.task.n) - 1
    for strand in schedule.strands:
        holders = [(1 << j, strand.value >> j & 1) for j in bit_indices(strand.mask)]
        for hop in strand.hops:
            link = hop.exchange.flip & nodes
            if link and strand.size:
                conditions, amount = _senders(schedule, strand, hop)
                both = tuple(sorted({*holders, *conditions}))
                yield _HopTime(link, both, hop.cycle, hop.cycle + amount)
            holders = [_carried(mask, want, hop) for mask, want in holders]


def _carried(mask: int, want: int, hop: Hop) -> tuple[int, int]:
    """What a parity of the address says about it after the exchange."""
    exchange = hop.exchange
    if not parity(mask & exchange.flip):
        return mask, want
    return mask ^ exchange.when, want ^ 1 ^ exchange.want


def _senders(
    schedule: Schedule, strand: Strand, hop: Hop
) -> tuple[tuple[tuple[int, int], ...], int]:
    """Which nodes send elements of the strand, among those that have some, and how many."""
    task, exchange = schedule.task, hop.exchange
    if not exchange.when >> task.n:
        return (((exchange.when, exchange.want),) if exchange.when else ()), strand.size
    if strand.size != task.block or strand.mask:
        raise InvalidValueError(
            f"the hop '{hop}' of a strand of {strand.size} elements tests slots",
            f"its share of a slot is unknown unless it has all {task.block}",
            "give the strand whole blocks of all nodes, or replay its moves",
        )
    return (), strand.size // 2  # half of the slots, on every node
