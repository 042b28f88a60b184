"""The traffic of a symbolic schedule, exactly, at any size of the cube.

Rules.

1. Whether a link (u, d) is used by a hop depends on parities of u. So all nodes with the same
   parities have the same traffic on dimension d: r independent masks make 2^r classes of
   nodes, however many nodes there are.
2. The traffic changes only where a hop begins or ends. Between two such events all rounds of
   one length are alike, and are counted once: a pipeline has few events, however long it runs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import Matrix, bit_indices, parity
from graycube.machine import Machine
from graycube.schedule import Hop, Schedule, Strand

MAX_RANK = 20
"""Most independent masks that are told apart: 2^20 classes of nodes."""
MAX_CLASSES = 1 << 26
"""Most hops times classes of nodes in one round."""


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
class _Senders:
    """The nodes with all these parities (mask, want), which each send ``amount`` elements."""

    conditions: tuple[tuple[int, int], ...]
    amount: int


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
        groups: dict[int, list[_Senders]] = {}
        for use in active:
            amount = min(use.stop, stop) - max(use.start, start)
            groups.setdefault(use.link, []).append(_Senders(use.conditions, amount))
        canonical = tuple(
            tuple(sorted(group, key=lambda s: (s.conditions, s.amount)))
            for _, group in sorted(groups.items())
        )
        yield RoundTraffic(*_count(schedule.task.n, canonical), times=after - first)


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


@lru_cache(maxsize=1 << 12)
def _count(n: int, groups: tuple[tuple[_Senders, ...], ...]) -> tuple[int, int, int, int]:
    """Longest message, crossings, links and busiest node; a group sends on one dimension."""
    longest = crossings = links = 0
    used = []
    for group in groups:
        loads, members = _loads(n, group)
        if any(loads):
            used.append(group)
        longest = max(longest, *loads)
        crossings += sum(loads) * members
        links += sum(map(bool, loads)) * members
    return longest, crossings, links, _busiest(n, used)


def _loads(n: int, group: Sequence[_Senders]) -> tuple[list[int], int]:
    """What each class of nodes sends on one dimension, and how many nodes a class has.

    The loads are Python integers, exact for blocks of any size.
    """
    rank, members = _members(group)
    loads = np.zeros(1 << rank, dtype=object)
    for sender, sends in zip(group, members, strict=True):
        loads[sends] += sender.amount
    return loads.tolist(), 1 << (n - rank)


def _busiest(n: int, groups: Sequence[Sequence[_Senders]]) -> int:
    """The most dimensions on which one node sends."""
    masks = [[mask for s in group for mask, _ in s.conditions] for group in groups]
    ranks = [Matrix(tuple(some), n).rank() for some in masks]
    if Matrix(tuple(mask for some in masks for mask in some), n).rank() == sum(ranks):
        return len(groups)  # independent dimensions: some node meets a condition of each
    rank, members = _members([s for group in groups for s in group])
    sends = np.zeros((len(groups), 1 << rank), dtype=bool)
    rows = iter(members)
    for k, group in enumerate(groups):
        for _ in group:
            sends[k] |= next(rows)
    return int(sends.sum(axis=0).max())


def _members(senders: Sequence[_Senders]) -> tuple[int, list[NDArray[np.bool_]]]:
    """The rank of all masks, and which of the 2^rank classes of nodes each sender has."""
    masks = sorted({mask for s in senders for mask, _ in s.conditions})
    rank, parities = _parities(masks)
    if len(senders) << rank > MAX_CLASSES:
        raise InvalidValueError(
            f"{len(senders)} hops meet on one link, under {rank} independent conditions",
            f"at most {MAX_CLASSES} hops times classes of nodes are told apart",
            "split the round, or replay its moves",
        )
    value = dict(zip(masks, parities, strict=True))
    members = []
    for sender in senders:
        among = np.ones(1 << rank, dtype=bool)
        for mask, want in sender.conditions:
            among &= value[mask] == want
        members.append(among)
    return rank, members


def _parities(masks: Sequence[int]) -> tuple[int, list[NDArray[np.uint8]]]:
    """The rank of the masks, and the parity of each in all classes of nodes."""
    reduced: list[tuple[int, int]] = []  # a vector, and which masks of the basis it sums
    combinations = []
    rank = 0
    for mask in masks:
        vector, combination = mask, 0
        for lead, how in reduced:
            if vector ^ lead < vector:
                vector, combination = vector ^ lead, combination ^ how
        if vector:
            new, rank = 1 << rank, rank + 1
            reduced.append((vector, combination ^ new))
            reduced.sort(reverse=True)
            combination = new
        combinations.append(combination)
    if rank > MAX_RANK:
        raise InvalidValueError(
            f"a round has {rank} independent conditions",
            f"at most {MAX_RANK} can be told apart",
            "split the round, or replay its moves",
        )
    classes = np.arange(1 << rank)
    return rank, [np.bitwise_count(classes & c) & 1 for c in combinations]
