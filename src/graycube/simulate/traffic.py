"""The traffic of a symbolic schedule, exactly, at any size of the cube.

Rule: whether a link (u, d) is used by a hop depends on the parity of a mask of u. So all nodes
with the same parities for the masks of a round have the same traffic: a round with r
independent masks has 2^r classes of nodes, however many nodes there are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.machine import Machine
from graycube.schedule import Hop, Schedule, Strand

MAX_RANK = 20
"""Most independent masks of a round: 2^20 classes of nodes."""


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

    @cached_property
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
    task = schedule.task
    nodes = (1 << task.n) - 1
    masks = [hop.exchange.when & nodes for _, hop in hops]
    basis, signs = _parities(masks)
    loads: dict[int, NDArray[np.int64]] = {}
    for (strand, hop), mask_parity in zip(hops, signs, strict=True):
        used = mask_parity == hop.exchange.want
        amount = strand.size
        if hop.exchange.when >> task.n:  # half of the slots, on every node
            if strand.size != task.block:
                raise InvalidValueError(
                    f"the hop '{hop}' of a strand of {strand.size} elements tests slots",
                    f"its share of a slot is unknown unless it has all {task.block}",
                    "give the strand whole blocks, or count its moves element by element",
                )
            used, amount = np.ones_like(used), amount // 2
        dimension = hop.exchange.flip & nodes
        load = loads.setdefault(dimension, np.zeros(len(used), dtype=np.int64))
        load += used * amount
    table = np.array(list(loads.values())).reshape(len(loads), -1)
    members = 1 << (task.n - basis)  # nodes of each class
    return RoundTraffic(
        longest=int(table.max(initial=0)),
        crossings=int(table.sum()) * members,
        links=int(np.count_nonzero(table)) * members,
        busiest=int(np.count_nonzero(table, axis=0).max(initial=0)),
    )


def _parities(masks: Sequence[int]) -> tuple[int, list[NDArray[np.int64]]]:
    """The rank of the masks, and the parity of each in all classes of nodes."""
    reduced: list[tuple[int, int]] = []  # basis vector, and which masks of the basis it sums
    combinations = []
    for mask in masks:
        vector, combination = mask, 0
        for lead, how in reduced:
            if vector ^ lead < vector:
                vector, combination = vector ^ lead, combination ^ how
        if vector:
            index = 1 << len(reduced)
            reduced.append((vector, combination ^ index))
            reduced.sort(reverse=True)
            combination = index
        combinations.append(combination)
    if len(reduced) > MAX_RANK:
        raise InvalidValueError(
            f"a round has {len(reduced)} independent conditions",
            f"at most {MAX_RANK} can be told apart",
            "split the round, or count its moves element by element",
        )
    classes = np.arange(1 << len(reduced))
    signs = [np.bitwise_count(classes & c).astype(np.int64) & 1 for c in combinations]
    return len(reduced), signs
