"""The traffic of a symbolic schedule, exactly, at any size of the cube.

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
from graycube.machine import Machine
from graycube.schedule import Hop, Schedule, Strand
from graycube.simulate.classes import Senders, count


@dataclass(frozen=True, slots=True)
class RoundTraffic:
    """The messages of one round, counted in elements, and of ``times - 1`` more like it.

    ``longest`` is the longest message on any link, ``crossings`` the sum over all links,
    ``links`` how many links are used, and ``busiest`` the most that one node sends on.

    >>> RoundTraffic(longest=4, crossings=16, links=4, busiest=1).longest
    4
    """

    longest: int
    crossings: int
    links: int
    busiest: int
    times: int = 1


@dataclass(frozen=True)
class Traffic:
    """The traffic of a schedule, round by round; rounds that are alike stand together.

    >>> import graycube as gc
    >>> machine = gc.Machine(dims=3, startup=10.0, per_byte=1.0)
    >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    >>> traffic = gc.plan(gray, binary, block=8, itemsize=4, machine=machine).traffic
    >>> traffic.cycles, traffic.crossings, traffic.bytes
    (12, 96, 384)
    >>> traffic.startups(machine), traffic.time(machine), round(traffic.utilisation, 3)
    (3, 78.0, 0.333)
    """

    schedule: Schedule
    rounds: tuple[RoundTraffic, ...]

    def __repr__(self) -> str:
        counts = (
            f"{len(self.schedule.rounds)} rounds, {self.cycles} cycles, {self.bytes} link bytes"
        )
        return f"<Traffic of {self.schedule.algorithm}: {counts}>"

    @property
    def cycles(self) -> int:
        """Element transfers in sequence."""
        return sum(r.longest * r.times for r in self.rounds)

    @property
    def crossings(self) -> int:
        """Crossings of links by elements, over all nodes."""
        return sum(r.crossings * r.times for r in self.rounds)

    @property
    def bytes(self) -> int:
        """Bytes that cross links, over all nodes."""
        return self.crossings * self.schedule.task.itemsize

    @property
    def utilisation(self) -> float:
        """Part of all link cycles that is used."""
        n = self.schedule.task.n
        available = self.cycles * n << n
        return self.crossings / available if available else 0.0

    def startups(self, machine: Machine) -> int:
        """Start-ups in sequence: one per round, or per packet of the longest message."""
        return sum(machine.startups(self._nbytes(r)) * r.times for r in self.rounds)

    def time(self, machine: Machine) -> float:
        """Seconds: the sum over the rounds of the time of the longest message."""
        times = (machine.message_time(self._nbytes(r)) * r.times for r in self.rounds)
        return sum(times, 0.0)

    def _nbytes(self, traffic: RoundTraffic) -> int:
        return traffic.longest * self.schedule.task.itemsize


def simulate(schedule: Schedule) -> Traffic:
    """Count the messages of every round.

    >>> from graycube.algorithms import gb3
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> machine = Machine(dims=40)
    >>> task = Task(Layout.nodes(40, "gray"), Layout.nodes(40), block=64)
    >>> traffic = simulate(gb3.emit(task, machine))
    >>> traffic.cycles, len(traffic.rounds), traffic.rounds[1].links == 2**40
    (1280, 40, True)
    """
    return Traffic(schedule, tuple(_runs(schedule)))


@dataclass(frozen=True, slots=True)
class _Use:
    """A hop's use of its dimension in the cycles ``start`` to ``stop``."""

    link: int
    conditions: tuple[tuple[int, int], ...]
    start: int
    stop: int


def _runs(schedule: Schedule) -> Iterator[RoundTraffic]:
    """The rounds, with equal neighbours in pipelines as one."""
    uses = sorted(_uses(schedule), key=lambda use: use.start)
    marks = _marks(schedule, uses)
    active: list[_Use] = []
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


def _marks(schedule: Schedule, uses: Sequence[_Use]) -> list[int]:
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


def _uses(schedule: Schedule) -> Iterator[_Use]:
    nodes = (1 << schedule.task.n) - 1
    for strand in schedule.strands:
        holders = [(1 << j, strand.value >> j & 1) for j in bit_indices(strand.mask)]
        for hop in strand.hops:
            link = hop.exchange.flip & nodes
            if link and strand.size:
                conditions, amount = _senders(schedule, strand, hop)
                both = tuple(sorted({*holders, *conditions}))
                yield _Use(link, both, hop.cycle, hop.cycle + amount)
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
