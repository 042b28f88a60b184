"""The links and ports between all pairs of nodes, as numbers in one table."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Machine
from graycube.machine.sides import TorusSide
from graycube.mapping.loads import Nodes, Seconds, limited, slowest

Numbers = NDArray[np.int32]


class _Hop(NamedTuple):
    """A hop of each pair: over links that carry so many at once, between two nodes."""

    links: list[Nodes]
    at_once: int
    seconds: Seconds
    begin: Nodes
    end: Nodes


class Routes(NamedTuple):
    """From each node to each: links, then ports, and the seconds of a byte on each of them.

    Pairs that take fewer than others take no time on the rest. Links are numbered before ports.

    >>> made = Routes.of(Machine.torus((4,), per_byte=2.0))
    >>> made.links[0, 2].tolist(), made.seconds[0].tolist()  # 0 and 2: up from nodes 0 and 1
    ([0, 2], [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [2.0, 0.0]])
    >>> made.size, made.wires
    (8, 8)
    """

    links: Numbers
    seconds: NDArray[np.float64]
    wires: int
    size: int

    @property
    def far(self) -> Seconds:
        """The seconds of a byte on all links and ports between two nodes, there and back.

        >>> Routes.of(Machine.torus((4,), per_byte=2.0)).far[0].tolist()
        [0.0, 4.0, 8.0, 4.0]
        """
        there: Seconds = self.seconds.sum(axis=-1)
        return there + there.T

    @classmethod
    def of(cls, machine: Machine) -> "Routes":
        """Those of a machine."""
        nodes = np.arange(1 << machine.dims)
        source, target = np.meshgrid(nodes, nodes, indexing="ij")
        hops = [*(_along_sides if machine.sides else _across)(machine, source, target)]
        taken = [(link, hop.seconds / hop.at_once) for hop in hops for link in hop.links]
        wires = 1 + max(int(link.max()) for link, _ in taken)
        size, ports = wires, limited(machine)
        if ports is not None:
            if machine.switching == "circuit":
                hops = [_Hop([], 1, slowest(machine, source, target), source, target)]
            for hop in hops:
                taken += [(wires + hop.begin, hop.seconds / ports)]
                taken += [(wires + len(nodes) + hop.end, hop.seconds / ports)]
            size += 2 * len(nodes)
        links, each = (np.stack(made, axis=-1) for made in zip(*taken, strict=True))
        return cls(np.where(each > 0, links, 0).astype(np.int32), each, wires, size)


def _across(machine: Machine, source: Nodes, target: Nodes) -> Iterator[_Hop]:
    cards = {wires.dims.start: wires for wires in machine.wires}
    first = max(machine.dims, 1) << machine.dims  # cards come after all links of single nodes
    at = source
    for dims, link in machine.levels:
        card = cards.get(dims.start)
        over = dims if card is None else card.dims
        crossed = (source ^ target) & (1 << over.stop) - (1 << over.start)
        if card is not None:
            seconds = np.where(crossed != 0, link.per_byte, 0.0)
            out, into = (first + (end >> len(card.nodes)) for end in (source, target))
            each = 1 << machine.dims - len(card.nodes)
            yield _Hop([out, into + each], card.ports, seconds, source, target)
            at, first = at ^ crossed, first + 2 * each
        for d in dims if card is None else ():
            after = at ^ crossed & 1 << d
            seconds = np.where(after != at, link.per_byte, 0.0)
            yield _Hop([at * machine.dims + d], 1, seconds, at, after)
            at = after


def _along_sides(machine: Machine, source: Nodes, target: Nodes) -> Iterator[_Hop]:
    first, kinds, at = 0, 2 * len(machine.sides), source
    pairs = [*zip(machine.sides, machine.joined, strict=True)]
    for number, (length, joined) in enumerate(pairs[::-1]):
        side, mask = TorusSide(length, joined), length - 1
        here, there = at >> first & mask, target >> first & mask
        up, hops = side.ways(here, there)
        for k in range(int(hops.max())):
            begin, end = (
                at & ~(mask << first) | (here + np.where(up, j, -j) & mask) << first
                for j in (k, k + 1)
            )
            seconds = np.where(k < hops, machine.links[first].per_byte, 0.0)
            link = begin * kinds + 2 * number + np.where(up, 0, 1)
            yield _Hop([link], 1, seconds, begin, end)
        at, first = at & ~(mask << first) | there << first, first + side.bits
