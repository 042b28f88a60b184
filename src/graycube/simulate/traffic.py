"""The traffic of a symbolic schedule, exactly, at any size of the cube.

Rule: whether a link (u, d) is used by a hop depends on the parity of a mask of u. So all nodes
with the same parities for the masks of dimension d have the same traffic there: r independent
masks make 2^r classes of nodes, however many nodes there are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import Matrix
from graycube.machine import Machine
from graycube.schedule import Hop, Schedule, Strand

MAX_RANK = 20
"""Most independent masks that are told apart: 2^20 classes of nodes."""


@dataclass(frozen=True, slots=True)
class RoundTraffic:
    """The messages of one round, counted in elements.

    ``longest`` is the longest message on any link, ``crossings`` the sum over all links,
    ``links`` how many links are used, and ``busiest`` the most that one node sends on.

    >>> RoundTraffic(longest=4, crossings=16, links=4, busiest=1).longest
    4
    """

    longest: int
    crossings: int
    links: int
    busiest: int


@dataclass(frozen=True)
class Traffic:
    """The traffic of a schedule, round by round.

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
        counts = f"{len(self.rounds)} rounds, {self.cycles} cycles, {self.bytes} link bytes"
        return f"<Traffic of {self.schedule.algorithm}: {counts}>"

    @property
    def cycles(self) -> int:
        """Element transfers in sequence."""
        return sum(r.longest for r in self.rounds)

    @property
    def crossings(self) -> int:
        """Crossings of links by elements, over all nodes."""
        return sum(r.crossings for r in self.rounds)

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
        return sum(machine.startups(self._nbytes(r)) for r in self.rounds)

    def time(self, machine: Machine) -> float:
        """Seconds: the sum over the rounds of the time of the longest message."""
        return sum((machine.message_time(self._nbytes(r)) for r in self.rounds), 0.0)

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
    marks = (*schedule.rounds, schedule.cycles)
    return Traffic(
        schedule,
        tuple(
            _round_traffic(schedule, list(_hops_between(schedule, start, end)))
            for start, end in pairwise(marks)
        ),
    )


def _hops_between(schedule: Schedule, start: int, end: int) -> Iterator[tuple[Strand, Hop]]:
    nodes = (1 << schedule.task.n) - 1
    for strand in schedule.strands:
        for hop in strand.hops:
            if start <= hop.cycle < end and hop.exchange.flip & nodes:
                yield strand, hop


def _round_traffic(schedule: Schedule, hops: Sequence[tuple[Strand, Hop]]) -> RoundTraffic:
    nodes = (1 << schedule.task.n) - 1
    senders: dict[int, list[_Senders]] = {}
    for strand, hop in hops:
        senders.setdefault(hop.exchange.flip & nodes, []).append(
            _senders(schedule, strand, hop)
        )
    longest = crossings = links = 0
    for group in senders.values():
        loads, members = _loads(schedule.task.n, group)
        longest = max(longest, *loads)
        crossings += sum(loads) * members
        links += sum(map(bool, loads)) * members
    return RoundTraffic(
        longest, crossings, links, _busiest(schedule.task.n, list(senders.values()))
    )


@dataclass(frozen=True, slots=True)
class _Senders:
    """The nodes with parity(node & mask) == want, which all send ``amount`` elements."""

    mask: int
    want: int
    amount: int


def _senders(schedule: Schedule, strand: Strand, hop: Hop) -> _Senders:
    task = schedule.task
    if not hop.exchange.when >> task.n:
        return _Senders(hop.exchange.when, hop.exchange.want, strand.size)
    if strand.size != task.block:
        raise InvalidValueError(
            f"the hop '{hop}' of a strand of {strand.size} elements tests slots",
            f"its share of a slot is unknown unless it has all {task.block}",
            "give the strand whole blocks, or replay its moves",
        )
    return _Senders(0, 0, strand.size // 2)  # half of the slots, on every node


def _loads(n: int, group: Sequence[_Senders]) -> tuple[list[int], int]:
    """What each class of nodes sends on one dimension, and how many nodes a class has.

    The loads are Python integers, exact for blocks of any size.
    """
    rank, parities = _parities([s.mask for s in group])
    loads = np.zeros(1 << rank, dtype=object)
    for s, values in zip(group, parities, strict=True):
        loads[values == s.want] += s.amount
    return loads.tolist(), 1 << (n - rank)


def _busiest(n: int, groups: Sequence[Sequence[_Senders]]) -> int:
    """The most dimensions on which one node sends."""
    groups = [[s for s in group if s.amount] for group in groups]
    groups = [group for group in groups if group]
    ranks = [Matrix(tuple(s.mask for s in group), n).rank() for group in groups]
    masks = [s.mask for group in groups for s in group]
    if Matrix(tuple(masks), n).rank() == sum(ranks):
        return len(
            groups
        )  # the dimensions are independent: some node meets a condition of each
    rank, parities = _parities(masks)
    sends = np.zeros((len(groups), 1 << rank), dtype=bool)
    rows = iter(parities)
    for k, group in enumerate(groups):
        for s in group:
            sends[k] |= next(rows) == s.want
    return int(sends.sum(axis=0).max())


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
