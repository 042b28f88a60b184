"""How long rounds take where messages share links: cards, rings and paths.

Rules.

1. A shared link is busy for the start-ups of the node that pays most of them there, one after
   the other, and for all bytes that pass it, divided by its ports; and never for less than its
   longest message takes alone. A card is two such links: out of the nodes where messages
   begin, and into those where they end.
2. Ways without delays are followed from every node, up to ``MOST`` steps; messages in turns are
   counted by the dimensions that they cross. Beyond that, in pipelines and networks that copy,
   every node is taken to send the longest message of a round, one for each dimension: at once
   on a ring or a path, one after the other where each hop is a message and on cards. That is
   an upper bound.
3. A circuit that crosses dimensions of shared links there and back goes no such way there: its
   message takes what leads from its sender to its receiver.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import groupby
from operator import xor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.cost.copies import copy_loads
from graycube.cost.messages import by_turns, turns_by_dimensions, turns_by_nodes
from graycube.cost.pipelines import pipeline_loads
from graycube.cost.straight import Busy, alike, straight_loads
from graycube.cost.written_out import SentOver, moves_messages
from graycube.gf2 import Exchange
from graycube.machine import Machine, Wiring
from graycube.schedule import Moves, Replication, Schedule, Way
from graycube.schedule.way import are_straight

MOST = 1 << 22
"""Up to so many nodes times messages in rounds that differ are followed one by one."""
_Waits = tuple[int, dict[int, float]]
"""So many rounds, and what each level, by its first dimension, takes in one of them."""
_Nodes = NDArray[np.int64]
_Amounts = NDArray[np.float64]


def shared_seconds(
    schedule: Schedule | Replication | Moves, machine: Machine
) -> Iterator[_Waits]:
    """Rounds that are alike: how many, and what each level of links takes in one of them."""
    if isinstance(schedule, Moves):
        for sent in moves_messages(schedule, circuits=machine.switching == "circuit"):
            yield 1, _round([_as_sends(one, machine) for one in sent], schedule, machine)
    elif isinstance(schedule, Replication):
        yield from _all_send(copy_loads(schedule), schedule, machine)
    elif are_straight(schedule.ways):
        followed = _followed(schedule, machine)
        yield from followed or _all_send(straight_loads(schedule), schedule, machine)
    elif by_turns(schedule) and _few(schedule, machine):
        for times, size, crossed in turns_by_nodes(schedule):
            sends = [_Sends(one, size) for one in crossed]
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
class _Sent(Busy):
    """An element in each cycle from nodes, over the dimensions that each crosses at once.

    ``links`` tells for each of them at which nodes it is crossed.
    """

    flips: _Nodes
    links: Mapping[int, _Nodes]


class _Sends(NamedTuple):
    """So many elements from each node that crosses anything."""

    flips: _Nodes
    elements: int
    links: Mapping[int, _Nodes] = {}

    def over(self, dim: int) -> _Nodes:
        """Which nodes send over a dimension."""
        return self.links.get(dim, self.flips >> dim & 1)


def _as_sends(sent: SentOver, machine: Machine) -> _Sends:
    """Messages on one path, by their senders, and by the nodes at which they cross links."""
    flips, at = np.zeros(1 << machine.dims, np.int64), sent.senders
    links: dict[int, _Nodes] = defaultdict(partial(np.zeros_like, flips))
    flip, shared = reduce(xor, (1 << dim for dim in sent.dims)), sum(map(_mask, machine.wires))
    for dim in sent.dims:
        np.add.at(links[dim], _direct(at, sent.senders, flip, shared), 1)
        at = at ^ 1 << dim
    flips[sent.senders] = flip
    return _Sends(flips, sent.elements, links)


def _followed(schedule: Schedule, machine: Machine) -> list[_Waits] | None:
    """The rounds with the messages of all nodes, unless they are too many."""
    n, most = schedule.task.n, MOST // max(machine.sides, default=1)  # link by link
    if 1 + sum(len(way.steps) for way in schedule.ways) << n > most:
        return None
    sendings = sorted(_sendings(schedule, machine), key=lambda sending: sending.start)
    rounds = [*alike(schedule, sendings)]
    if sum(len(active) for _, active in rounds) << n > most:
        return None
    return [
        (times, _round([_Sends(s.flips, m, s.links) for s, m in active], schedule, machine))
        for times, active in rounds
    ]


def _sendings(schedule: Schedule, machine: Machine) -> Iterator[_Sent]:
    """What goes at once from each node; where the slot decides, half of the block does."""
    n, shared = schedule.task.n, sum(map(_mask, machine.wires))
    nodes = np.arange(1 << n)
    for way in schedule.ways:
        at = nodes[nodes & way.mask == way.value & (1 << n) - 1]
        sends = np.zeros(len(at), bool)
        for start, circuit in groupby(_exchanges(way), key=lambda step: step[0]):
            before, halved, crossed = at, 0, list[tuple[int, _Nodes]]()
            for _, dim, exchange, begins in circuit:
                if exchange.when >> n:
                    halved |= 1 << dim
                    crossed.append((dim, at))
                else:
                    if begins:
                        sends = np.bitwise_count(at & exchange.when) & 1 == exchange.want
                    crossed.append((dim, np.where(sends, at, -1)))
                    at = np.where(sends, at ^ 1 << dim, at)
            amount = way.elements(n, schedule.task.p) >> (halved > 0)
            for more in {0, halved}:
                flips = before ^ at | more
                over = [(d, _direct(here, before, flips, shared)) for d, here in crossed
                        if not halved >> d & 1 or more]  # fmt: skip
                for some in _one_each(before, flips):
                    sent, links = np.zeros_like(nodes), dict[int, _Nodes]()
                    sent[before[some]] = flips[some]
                    for dim, here in over:
                        counts = links.setdefault(dim, np.zeros_like(nodes))
                        np.add.at(counts, here[some][here[some] >= 0], 1)
                    yield _Sent(start, start + amount, sent, links)


def _direct(at: _Nodes, before: _Nodes, flips: _Nodes | int, shared: int) -> _Nodes:
    """Where messages cross a link that is not shared, if they go there the direct way.

    They go over shared links as the machine leads them: none crosses these there and back.
    """
    return np.where(at < 0, at, at ^ (at ^ before) & shared & ~flips)


def _one_each(nodes: _Nodes, flips: _Nodes) -> Iterator[_Nodes]:
    """Those that cross anything, parted so that each node is named once.

    Within a step of several cycles a node has what stays there and what passes.
    """
    left = np.flatnonzero(flips)
    while len(left):
        first = np.unique(nodes[left], return_index=True)[1]
        yield left[first]
        left = np.delete(left, first)


def _exchanges(way: Way) -> Iterator[tuple[int, int, Exchange, bool]]:
    """The cycle in which a crossing begins, and what crosses; a circuit has one cycle.

    The first crossing of a step decides who does the others.
    """
    for step in way.steps:
        if isinstance(step.move, Exchange):
            for k, crossing in enumerate(step.crossings):
                yield crossing.start, crossing.dim, step.move, k == 0


def _all_send(
    rounds: Iterable[tuple[int, Mapping[int, int]]],
    schedule: Schedule | Replication,
    machine: Machine,
) -> Iterator[_Waits]:
    """As if every node sent the longest message of each dimension."""
    itemsize = schedule.task.itemsize
    for times, loads in rounds:
        sizes, found = {d: m * itemsize for d, m in loads.items() if m}, dict[int, float]()
        for wires in machine.wires:
            here = [(d, sizes[d]) for d in wires.dims if d in sizes]
            if here:
                found[wires.dims.start] = _together(wires, here, machine)
        shared = {d for wires in machine.wires for d in wires.dims}
        alone = ((d, nbytes) for d, nbytes in sizes.items() if d not in shared)
        found.update({d: machine.message_time(nbytes, d) for d, nbytes in alone})
        yield times, found


def _together(wires: Wiring, sizes: Sequence[tuple[int, int]], machine: Machine) -> float:
    """What messages of every node take, one over each of these dimensions."""
    if wires.side is None or wires.hops:
        return sum(_crowded(wires, 1 << d, nbytes, machine) for d, nbytes in sizes)
    starts = sum(machine.startups(nbytes) for _, nbytes in sizes) * wires.link.startup
    busy = sum(nbytes * wires.loads(wires.side, 1 << d) for d, nbytes in sizes)
    return starts + float(np.max(busy)) * wires.link.per_byte


def _round(
    messages: Sequence[_Sends],
    schedule: Schedule | Replication | Moves,
    machine: Machine,
) -> dict[int, float]:
    """What each level takes for messages of so many elements, by what all nodes cross."""
    itemsize, found, alone = schedule.task.itemsize, dict[int, float](), [*range(machine.dims)]
    for wires in machine.wires:
        here = [
            (np.where(flips & _mask(wires), flips, 0), float(elements * itemsize))
            for flips, elements, _ in messages
        ]
        alone = [d for d in alone if d not in wires.dims]
        if any(np.any(flips) for flips, _ in here):
            found[wires.dims.start] = _time(wires, here, machine)
    for d in alone:
        loads = sum(message.over(d) * float(message.elements) for message in messages)
        if longest := int(np.max(loads)):
            found[d] = machine.message_time(longest * itemsize, d)
    return found


def _time(wires: Wiring, messages: Sequence[tuple[_Nodes, float]], machine: Machine) -> float:
    """What the messages of a round take here; their bytes may be beyond NumPy's integers."""
    nodes, level = np.arange(1 << machine.dims), _mask(wires)
    # Along a side a message begins where it came to along the sides of lower dimensions.
    below = (1 << wires.dims.start) - 1 if wires.side else 0
    joint: dict[int, _Amounts] = defaultdict(lambda: np.zeros(len(nodes)))
    for flips, amount in messages:
        flip = np.where(flips & level, flips & (level | below), 0)
        for way in np.unique(flip[flip != 0]).tolist():  # what goes one way is one message
            joint[way] += np.where(flip == way, amount, 0)
    passing: dict[tuple[int, int], _Amounts] = defaultdict(lambda: np.zeros(len(nodes)))
    starting: dict[tuple[tuple[int, int], int], _Amounts] = defaultdict(
        lambda: np.zeros(len(nodes))
    )
    for way, amounts in joint.items():
        owner, place = _lines(wires, nodes ^ way & below)
        for k in np.unique(place[amounts > 0]).tolist() if wires.side else [0]:
            these = np.flatnonzero((amounts > 0) & ((place == k) | (wires.side is None)))
            for link in _links(wires, way & level, k):
                np.add.at(passing[link], owner[these], amounts[these])
                starting[link, way & below][these] += _startups(amounts[these], machine)
    alone = machine.message_time(int(max(a.max() for a in joint.values())), wires.dims.start)
    busy: dict[int, float] = defaultdict(lambda: alone)
    most: dict[tuple[int, int], _Amounts] = defaultdict(lambda: np.zeros(len(nodes)))
    for (link, come), starts in starting.items():
        np.maximum.at(most[link], _lines(wires, nodes ^ come)[0], starts)
    for link, amounts in passing.items():
        seconds = most[link] * wires.link.startup + amounts * wires.link.per_byte
        busy[link[0]] = max(busy[link[0]], float(np.max(seconds)) / wires.ports)
    if wires.side is None:
        busy[0] = max(busy[0], _entering(wires, messages, _lines(wires, nodes)[0], machine))
    return sum(busy.values())


def _lines(wires: Wiring, nodes: _Nodes) -> tuple[_Nodes, _Nodes]:
    """The lowest of the nodes that share links with each, and the place of each among them."""
    place = nodes >> wires.nodes.start & (1 << len(wires.nodes)) - 1
    return nodes - (place << wires.nodes.start), place


def _entering(
    wires: Wiring, messages: Sequence[tuple[_Nodes, float]], owner: _Nodes, machine: Machine
) -> float:
    """What comes in at the busiest card; a node's messages to one card are one message."""
    senders = [np.flatnonzero(flips) for flips, _ in messages]
    cards = [owner[u ^ flips[u]] for u, (flips, _) in zip(senders, messages, strict=True)]
    sizes = np.repeat([float(nbytes) for _, nbytes in messages], [len(u) for u in senders])
    pairs = np.concatenate(cards) * len(owner) + np.concatenate(senders)
    both, which = np.unique(pairs, return_inverse=True)
    amounts, card = np.zeros(len(both)), both // len(owner)
    np.add.at(amounts, which, sizes)
    starts, passing = np.zeros((2, len(owner)))
    np.maximum.at(starts, card, _startups(amounts, machine))
    np.add.at(passing, card, amounts)
    seconds = starts * wires.link.startup + passing * wires.link.per_byte
    return float(np.max(seconds)) / wires.ports


def _mask(wires: Wiring) -> int:
    return sum(1 << d for d in wires.dims)


def _links(wires: Wiring, flip: int, place: int) -> Iterator[tuple[int, int]]:
    for step, links in enumerate(wires.steps(flip, place)):
        yield from ((step, link) for link in links)


def _startups(nbytes: _Amounts, machine: Machine) -> _Amounts:
    return np.sign(nbytes) if machine.packet is None else np.ceil(nbytes / machine.packet)


def _turns(crossed: NDArray[np.int64], nbytes: int, machine: Machine) -> Iterator[_Waits]:
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
    crossed: NDArray[np.int64], nbytes: int, machine: Machine
) -> Iterator[tuple[int, NDArray[np.int64], _Amounts]]:
    """For each level, from its first dimension, a number for what is crossed, and its time."""
    shared = {wires.dims.start: wires for wires in machine.wires}
    within = {d for wires in machine.wires for d in wires.dims}
    for first in sorted({*range(machine.dims)} - within | {*shared}):
        wires = shared.get(first)
        ways, waits = crossed >> first & 1, np.array([0.0, machine.message_time(nbytes, first)])
        if wires is not None:
            ways = crossed >> first & (1 << len(wires.dims)) - 1
            if wires.side is None:  # a card is taken once, whatever is crossed
                ways = np.minimum(ways, 1)
            flips = np.arange(int(ways.max(initial=0)) + 1).tolist()
            waits = np.array([_crowded(wires, f << first, nbytes, machine) for f in flips])
        yield first, ways, waits


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
