"""The links and ports between all pairs of nodes, as numbers in one table."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Interconnect, Machine
from graycube.machine.sides import TorusSide
from graycube.mapping.digits import Digit, Nodes, count_of, digits_of
from graycube.mapping.loads import Seconds, limited, slowest

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
    def of(cls, machine: Machine | Interconnect) -> "Routes":
        """Those of a machine."""
        nodes = np.arange(count_of(machine))
        source, target = np.meshgrid(nodes, nodes, indexing="ij")
        hops = [*_hops(digits_of(machine), source, target)]
        taken = [(link, hop.seconds / hop.at_once) for hop in hops for link in hop.links]
        wires = 1 + max(int(link.max()) for link, _ in taken)
        size = wires
        if isinstance(machine, Machine) and (ports := limited(machine)) is not None:
            if machine.switching == "circuit":
                hops = [_Hop([], 1, slowest(machine, source, target), source, target)]
            for hop in hops:
                taken += [(wires + hop.begin, hop.seconds / ports)]
                taken += [(wires + len(nodes) + hop.end, hop.seconds / ports)]
            size += 2 * len(nodes)
        links, each = (np.stack(made, axis=-1) for made in zip(*taken, strict=True))
        return cls(np.where(each > 0, links, 0).astype(np.int32), each, wires, size)


def _hops(digits: list[Digit], source: Nodes, target: Nodes) -> Iterator[_Hop]:
    """Links are numbered node by node; cards come after all links of single nodes."""
    own = sum(2 if digit.side else not digit.share for digit in digits)
    count, number, at = len(source), 0, source
    first = max(own, 1) * count
    for digit in digits:
        here, there = digit.of(source), digit.of(target)
        seconds = np.where(here != there, digit.rate, 0.0)
        if digit.side is not None:
            yield from _along(digit, digit.side, (at, here, there), (own, number))
            number += 2
        elif digit.share:
            out, into = (first + end // digit.share for end in (source, target))
            each = count // digit.share
            yield _Hop([out, into + each], digit.ports, seconds, source, target)
            first += 2 * each
        else:
            after = at + (there - here) * digit.stride
            yield _Hop([at * own + number], 1, seconds, at, after)
            number += 1
        at = at + (there - here) * digit.stride


def _along(
    digit: Digit, side: TorusSide, ends: tuple[Nodes, Nodes, Nodes], names: tuple[int, int]
) -> Iterator[_Hop]:
    (at, here, there), (kinds, number) = ends, names
    up, hops = side.ways(here, there)
    for k in range(int(hops.max())):
        begin, end = (
            at + ((here + np.where(up, j, -j)) % digit.length - here) * digit.stride
            for j in (k, k + 1)
        )
        seconds = np.where(k < hops, digit.rate, 0.0)
        yield _Hop([begin * kinds + number + np.where(up, 0, 1)], 1, seconds, begin, end)
