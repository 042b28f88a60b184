"""How long a round takes where the machine leads messages: as long as the busiest link.

Rules.

1. Messages go from sender to receiver along :meth:`graycube.Machine.route`: along the side of
   the lowest dimensions first. Dimensions whose links are not shared are sides of two nodes.
2. A link is busy for the start-ups of the node that pays most there, one after the other, and
   for all bytes that pass it, divided by its ports; and never for less than its longest message
   takes alone. What a node sends to a receiver in a round is one message.
3. A card is two such links: out of the nodes that share it, and into them. There, what a node
   sends over the same dimensions is one message, and so is what it sends to one card.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Machine, Wiring
from graycube.machine.sides import TorusSide

Nodes = NDArray[np.int64]
Amounts = NDArray[np.float64]
_PAIR = TorusSide(2, joined=False)


class Messages(NamedTuple):
    """Who sends, which way, and how many bytes.

    A way is the bits in which the number of the receiver differs, or a link.

    >>> sent = Messages(np.array([0, 1, 0]), np.array([1, 1, 1]), np.array([8.0, 8.0, 4.0]))
    >>> sent.by(sent.ways).nbytes.tolist()
    [12.0, 8.0]
    """

    senders: Nodes
    ways: Nodes
    nbytes: Amounts

    def over(self, dims: range) -> "Messages":
        """Those that cross some of the dimensions."""
        here = np.flatnonzero(self.ways & _mask(dims))
        return Messages(self.senders[here], self.ways[here], self.nbytes[here])

    def by(self, ways: Nodes) -> "Messages":
        """What a node sends one way as one message."""
        order = np.lexsort((ways, self.senders))
        pairs = np.stack([self.senders[order], ways[order]])
        first = np.flatnonzero(np.any(np.diff(pairs, prepend=-1), axis=0))
        senders, ways = pairs[:, first]
        return Messages(senders, ways, np.add.reduceat(self.nbytes[order], first))


@lru_cache(maxsize=1 << 8)
def all_wires(machine: Machine) -> tuple[Wiring, ...]:
    """What is shared, and the links of each other dimension, as those of sides of two nodes.

    >>> [wires.shared for wires in all_wires(Machine.torus((2, 8)))]
    ['a ring of 8', 'a path of 2']
    """
    shared = {d for wires in machine.wires for d in wires.dims}
    alone = [range(d, d + 1) for d in range(machine.dims) if d not in shared]
    sides = (Wiring(dims, machine.links[dims.start], dims, _PAIR) for dims in alone)
    return tuple(sorted((*machine.wires, *sides), key=lambda wires: wires.dims.start))


def round_seconds(sent: Messages, machine: Machine) -> dict[int, float]:
    """What the messages of a round take on each level of links, by its first dimension.

    >>> ring = Machine.torus((2, 8), startup=1.0, per_byte=1.0)
    >>> around = np.arange(16)
    >>> round_seconds(Messages(around, around * 0 + 0b1100, np.full(16, 4.0)), ring)
    {0: 9.0, 3: 5.0}
    """
    found = dict[int, float]()
    if len(sent.senders):
        sent = sent.by(sent.ways)
    for wires in all_wires(machine):
        here = sent.over(wires.dims)
        if len(here.senders):
            steps = (_cards if wires.side is None else _steps)(wires, here, machine)
            found[wires.dims.start] = sum(steps)
    return found


def _steps(wires: Wiring, sent: Messages, machine: Machine) -> Iterator[float]:
    """What each step along a side takes; circuits have one. They come by lower dimensions."""
    side, first, mask = wires.side or _PAIR, wires.dims.start, _mask(wires.dims)
    come = sent.senders ^ sent.ways & (1 << first) - 1
    here, there = ((node & mask) >> first for node in (come, come ^ sent.ways))
    up, hops = side.ways(here, there)
    which = np.repeat(np.arange(len(hops)), hops)
    hop = np.arange(len(which)) - np.repeat(np.cumsum(hops) - hops, hops)
    place = (here[which] + np.where(up[which], hop, -hop)) % side.length
    links = 2 * (come[which] & ~mask | place << first) + up[which]
    step, alone = hop * wires.hops, _alone(wires, sent, machine)
    for k in range(int(step.max()) + 1):
        on = np.flatnonzero(step == k)
        taking = Messages(sent.senders[which[on]], links[on], sent.nbytes[which[on]])
        yield max(alone, _busiest(wires, taking, machine))


def _cards(wires: Wiring, sent: Messages, machine: Machine) -> Iterator[float]:
    """What messages take out of the busiest card, or into it."""
    out = sent.by(sent.ways & _mask(wires.dims))
    into = sent.by((sent.senders ^ sent.ways) >> len(wires.nodes))
    leaving = out._replace(ways=out.senders >> len(wires.nodes))
    busiest = (_busiest(wires, one, machine) for one in (leaving, into))
    yield max(_alone(wires, out, machine), *busiest)


def _busiest(wires: Wiring, sent: Messages, machine: Machine) -> float:
    """How long the busiest of the links is, which are the ways here."""
    nbytes, packet = sent.nbytes, machine.packet
    starts = np.sign(nbytes) if packet is None else np.ceil(nbytes / packet)
    paid = sent._replace(nbytes=starts).by(sent.ways)
    links, link = np.unique(sent.ways, return_inverse=True)
    most = np.zeros(len(links))
    np.maximum.at(most, np.searchsorted(links, paid.ways), paid.nbytes)
    seconds = most * wires.link.startup + np.bincount(link, nbytes) * wires.link.per_byte
    return float(seconds.max()) / wires.ports


def _alone(wires: Wiring, sent: Messages, machine: Machine) -> float:
    return machine.message_time(int(sent.nbytes.max()), wires.dims.start)


def _mask(dims: range) -> int:
    return (1 << dims.stop) - (1 << dims.start)
