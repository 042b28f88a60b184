"""How long rounds take where the machine leads messages: who sends what in each of them.

Rules.

1. A round takes as long as its busiest link (:mod:`graycube.cost.links`).
2. Ways without delays are followed from every node, up to ``MOST`` steps; messages in turns are
   counted by the dimensions that they cross. Beyond that, in pipelines and networks that copy,
   every node is taken to send the longest message of a round, one for each dimension: at once
   on a ring or a path, one after the other where each hop is a message and on cards. That is
   rarely too little: where nodes also send what passes within a step, or decide for themselves
   which dimensions of a ring to cross.
3. A circuit goes as the machine leads it, and not as its schedule does: only its sender and its
   receiver count.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby, pairwise
from operator import xor
from typing import NamedTuple

import numpy as np

from graycube.cost.copies import copy_loads
from graycube.cost.links import Amounts, Messages, Nodes, all_wires, round_seconds
from graycube.cost.messages import by_turns, turns_by_dimensions, turns_by_nodes
from graycube.cost.pipelines import pipeline_loads
from graycube.cost.straight import bounds, marks, straight_loads
from graycube.cost.written_out import moves_messages
from graycube.gf2 import Exchange
from graycube.machine import Machine, Wiring
from graycube.schedule import Moves, Replication, Schedule, Way
from graycube.schedule.way import are_straight

MOST = 1 << 22
"""Up to so many nodes times messages in rounds that differ are followed one by one."""
_Waits = tuple[int, dict[int, float]]
"""So many rounds, and what each level, by its first dimension, takes in one of them."""


class _Sends(NamedTuple):
    """So many elements from each sender, over the dimensions in which the receiver differs."""

    senders: Nodes
    flips: Nodes | int
    elements: float


def shared_seconds(
    schedule: Schedule | Replication | Moves, machine: Machine
) -> Iterator[_Waits]:
    """Rounds that are alike: how many, and what each level of links takes in one of them."""
    if isinstance(schedule, Moves):
        for sent in moves_messages(schedule, circuits=machine.switching == "circuit"):
            flips = [reduce(xor, (1 << dim for dim in one.dims)) for one in sent]
            sends = [
                _Sends(one.senders, flip, one.elements)
                for one, flip in zip(sent, flips, strict=True)
            ]
            yield 1, _round(sends, schedule, machine)
    elif isinstance(schedule, Replication):
        yield from _all_send(copy_loads(schedule), schedule, machine)
    elif are_straight(schedule.ways):
        followed = _followed(schedule, machine)
        yield from followed or _all_send(straight_loads(schedule), schedule, machine)
    elif by_turns(schedule) and _few(schedule, machine):
        for times, size, crossed in turns_by_nodes(schedule):
            sends = [_Sends(np.arange(len(flips)), flips, size) for flips in crossed]
            yield times, _round(sends, schedule, machine)
    elif by_turns(schedule):
        for times, size, crossed in turns_by_dimensions(schedule):
            waits = _turns(crossed, size * schedule.task.itemsize, machine)
            yield from ((times * count, waiting) for count, waiting in waits)
    else:
        yield from _all_send(pipeline_loads(schedule), schedule, machine)


def _few(schedule: Schedule, machine: Machine) -> bool:
    """Whether all addresses can be tried in every turn."""
    steps = [step for way in schedule.ways for step in way.steps if step.crossings]
    turns = sum(1 << len(step.crossings[0].delays) for step in steps)
    return turns << schedule.task.p <= MOST // max(machine.sides, default=1)


@dataclass(frozen=True, slots=True, eq=False)
class _Sent:
    """An element in each cycle from each sender, over all that it crosses at once."""

    start: int
    stop: int
    senders: Nodes
    flips: Nodes


def _followed(schedule: Schedule, machine: Machine) -> list[_Waits] | None:
    """The rounds with the messages of all nodes, unless they are too many."""
    n, most = schedule.task.n, MOST // max(machine.sides, default=1)  # link by link
    if 1 + sum(len(way.steps) for way in schedule.ways) << n > most:
        return None
    sendings = sorted(_sendings(schedule), key=lambda sending: sending.start)
    rounds = [*_alike(schedule, sendings)]
    if sum(len(active) for _, active in rounds) << n > most:
        return None
    return [
        (times, _round([_Sends(s.senders, s.flips, m) for s, m in active], schedule, machine))
        for times, active in rounds
    ]


def _alike(
    schedule: Schedule, sendings: Sequence[_Sent]
) -> Iterator[tuple[int, list[tuple[_Sent, int]]]]:
    """How many rounds are alike, with what is sent in one of them, and for how long.

    The sendings are in the order in which they begin.
    """
    active: list[_Sent] = []
    coming = deque(sendings)
    for first, after in pairwise(marks(schedule, [(s.start, s.stop) for s in sendings])):
        start, stop = bounds(schedule, first)
        while coming and coming[0].start < stop:
            active.append(coming.popleft())
        active = [sent for sent in active if sent.stop > start]
        yield (
            after - first,
            [(sent, min(sent.stop, stop) - max(sent.start, start)) for sent in active],
        )


def _sendings(schedule: Schedule) -> Iterator[_Sent]:
    """What goes at once from each node; where the slot decides, half of the block does.

    Within a step of several cycles a node has what stays there and what passes.
    """
    n = schedule.task.n
    nodes, low = np.arange(1 << n), (1 << n) - 1
    for way in schedule.ways:
        at = nodes[nodes & way.mask == way.value & low] | way.value & ~low
        sends = np.zeros(len(at), bool)
        for start, circuit in groupby(_exchanges(way), key=lambda step: step[0]):
            before, halved = at, 0
            for _, dim, exchange, begins in circuit:
                if exchange.when & ~low & ~way.mask:
                    halved |= 1 << dim
                    continue
                if begins:
                    sends = np.bitwise_count(at & exchange.when) & 1 == exchange.want
                    at = np.where(sends, at ^ exchange.flip & ~low, at)
                at = np.where(sends, at ^ 1 << dim, at)
            amount = way.elements(n, schedule.task.p) >> (halved > 0)
            for more in {0, halved}:
                yield _Sent(start, start + amount, before & low, (before ^ at) & low | more)


def _exchanges(way: Way) -> Iterator[tuple[int, int, Exchange, bool]]:
    """The cycle in which a crossing begins, and what crosses; a circuit has one cycle.

    The first crossing of a step decides who does the others.
    """
    for step in way.steps:
        if (exchange := step.exchange) is not None:
            for k, crossing in enumerate(step.crossings):
                yield crossing.start, crossing.dim, exchange, k == 0


def _all_send(
    rounds: Iterable[tuple[int, Mapping[int, int]]],
    schedule: Schedule | Replication,
    machine: Machine,
) -> Iterator[_Waits]:
    """As if every node sent the longest message of each dimension."""
    for times, loads in rounds:
        sizes = {d: m * schedule.task.itemsize for d, m in loads.items() if m}
        found = dict[int, float]()
        for wires in all_wires(machine):
            here = [(d, sizes[d]) for d in wires.dims if d in sizes]
            if here:
                found[wires.dims.start] = _together(wires, here, machine)
        yield times, found


def _together(wires: Wiring, sizes: Sequence[tuple[int, int]], machine: Machine) -> float:
    """What messages of every node take, one over each of these dimensions."""
    if wires.side is None or wires.hops:
        return sum(_crowded(wires, 1 << d, nbytes, machine) for d, nbytes in sizes)
    starts = sum(machine.startups(nbytes) for _, nbytes in sizes) * wires.link.startup
    busy = sum(nbytes * wires.loads(wires.side, 1 << d) for d, nbytes in sizes)
    return starts + float(np.max(busy)) * wires.link.per_byte


def _round(
    sends: Sequence[_Sends], schedule: Schedule | Replication | Moves, machine: Machine
) -> dict[int, float]:
    """What each level takes in a round; its bytes may be beyond NumPy's integers."""
    if not sends:
        return {}
    each = [np.broadcast_arrays(nodes, flips, float(m)) for nodes, flips, m in sends]
    senders, flips, elements = map(np.concatenate, zip(*each, strict=True))
    return round_seconds(
        Messages(senders, flips, elements * float(schedule.task.itemsize)), machine
    )


def _turns(crossed: Nodes, nbytes: int, machine: Machine) -> Iterator[_Waits]:
    """Turns in which all nodes send as much, by the dimensions that are crossed in each."""
    tables = [*_tables(crossed, nbytes, machine)]
    known = sorted({(wait, first) for first, _, waits in tables for wait in waits.tolist()})
    number = {entry: k for k, entry in enumerate(known)}
    slowest = np.zeros(len(crossed), np.int64)
    for first, ways, waits in tables:
        ranks = np.array([number[wait, first] for wait in waits.tolist()])
        np.maximum(slowest, ranks[ways], out=slowest)
    for count, (wait, first) in zip(np.bincount(slowest).tolist(), known, strict=False):
        if count and wait:
            yield count, {first: wait}


def _tables(
    crossed: Nodes, nbytes: int, machine: Machine
) -> Iterator[tuple[int, Nodes, Amounts]]:
    """For each level, from its first dimension, a number for what is crossed, and its time."""
    for wires in all_wires(machine):
        first = wires.dims.start
        ways = crossed >> first & (1 << len(wires.dims)) - 1
        if wires.side is None:  # a card is taken once, whatever is crossed
            ways = np.minimum(ways, 1)
        flips = range(int(ways.max(initial=0)) + 1)
        waits = [_crowded(wires, flip << first, nbytes, machine) for flip in flips]
        yield first, ways, np.array(waits)


def _crowded(wires: Wiring, flip: int, nbytes: int, machine: Machine) -> float:
    """What a message of every node over some dimensions at once takes."""
    if not flip:
        return 0.0
    alone = machine.message_time(nbytes, wires.dims.start)
    starts = machine.startups(nbytes) * wires.link.startup
    return sum(
        max(alone, (starts + crowd * nbytes * wires.link.per_byte) / wires.ports)
        for crowd in wires.crowds(flip)
    )
