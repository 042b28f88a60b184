"""What links and ports have to carry for a pattern: all pairs at once, as array arithmetic.

Rules.

1. Links are those of :meth:`graycube.Machine.route`, one dimension or side after the other;
   links that nobody uses count as nothing.
2. A node with fewer ports than dimensions is busy, too: for what it sends, and for what it
   receives, over its number of ports. In a circuit these are the two ends, for as long as the
   slowest link takes; else every node on the way is an end of a hop.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Interconnect, Machine
from graycube.machine.sides import TorusSide
from graycube.mapping.digits import Digit, Nodes, count_of, digits_of

Seconds = NDArray[np.float64]


class Load(NamedTuple):
    """Seconds that the busiest link or port works, and all links together: less is better.

    >>> Load(2.0, 9.0) < Load(2.0, 10.0) < Load(3.0, 1.0)
    True
    """

    busiest: float
    total: float


class _Carried(NamedTuple):
    """Seconds of some links, and for each node those of hops that begin and end there."""

    links: Seconds
    begin: Seconds
    end: Seconds


def load_of(
    machine: Machine | Interconnect, source: Nodes, target: Nodes, nbytes: Seconds
) -> Load:
    """The load of pairs of nodes, as users number them.

    >>> ring = Machine.torus((8,), per_byte=1.0)
    >>> around = np.arange(8)
    >>> load_of(ring, around, (around + 2) % 8, np.ones(8))
    Load(busiest=2.0, total=16.0)
    >>> load_of(Machine(3, ports=1), around[1:], 0 * around[1:], np.ones(7))
    Load(busiest=7.0, total=12.0)
    """
    count = count_of(machine)
    begin, end = np.zeros((2, count))
    busiest = total = 0.0
    for carried in _loads(machine, source, target, nbytes):
        busiest = max(busiest, float(carried.links.max(initial=0.0)))
        total += float(carried.links.sum())
        begin, end = begin + carried.begin, end + carried.end
    if isinstance(machine, Machine) and (ports := limited(machine)) is not None:
        if machine.switching == "circuit":
            seconds = nbytes * slowest(machine, source, target)
            begin, end = (_by(node, seconds, count) for node in (source, target))
        busiest = max(busiest, float(begin.max()) / ports, float(end.max()) / ports)
    return Load(busiest, total)


def limited(machine: Machine) -> int | None:
    """The ports of a node if they are fewer than its links; ports of one kind are cards.

    In a tree the links that lead up from nodes are their ports.

    >>> limited(Machine(3, ports=1)), limited(Machine(3, ports="all"))
    (1, None)
    """
    ports = machine.ports
    if machine.nested or not isinstance(ports, int) or ports >= machine.dims:
        return None
    return ports


def slowest(machine: Machine, source: Nodes, target: Nodes) -> Seconds:
    """The seconds of a byte on the slowest link between nodes; none within a node.

    >>> machine = Machine(2, per_byte=(1.0, 4.0))
    >>> slowest(machine, np.array([0, 0, 0]), np.array([0, 1, 3])).tolist()
    [0.0, 1.0, 4.0]
    """
    found: Seconds = np.zeros(np.broadcast(source, target).shape)
    for dims, link in machine.levels:  # of a square, nodes that differ do so in its dimensions
        crossed = (source ^ target) >> dims.start & (1 << len(dims)) - 1
        found = np.maximum(found, np.where(crossed != 0, link.per_byte, 0.0))
    return found


def _loads(
    machine: Machine | Interconnect, source: Nodes, target: Nodes, nbytes: Seconds
) -> Iterator[_Carried]:
    """Seconds of links, some after others."""
    count, at = count_of(machine), source
    for digit in digits_of(machine):
        here, there = digit.of(source), digit.of(target)
        some = np.flatnonzero(here != there)  # the others pass no such link
        if digit.side is not None:
            crossed = at[some], here[some], there[some], nbytes[some]
            yield from _along(digit, digit.side, count, crossed)
        else:
            seconds = nbytes[some] * digit.rate
            if digit.share:
                begin, end = (_by(node[some], seconds, count) for node in (source, target))
                for ends in (begin, end):  # out of one card, into another
                    together = ends.reshape(-1, digit.share).sum(axis=1) / digit.ports
                    yield _Carried(together, begin, end)
                    begin = end = np.zeros(count)
            else:
                carried = _by(at[some], seconds, count)
                yield _Carried(carried, carried, carried[np.arange(count) ^ digit.stride])
        at = at + (there - here) * digit.stride


def _along(
    digit: Digit, side: TorusSide, count: int, pairs: tuple[Nodes, Nodes, Nodes, Seconds]
) -> Iterator[_Carried]:
    """The links of one side, upwards and downwards: sums of where messages begin and end."""
    at, here, there, nbytes = pairs
    line = at // (digit.stride * digit.length) * digit.stride + at % digit.stride
    up, down = side.loads(here, there, nbytes, line)
    mirrored = -np.arange(digit.length) % digit.length  # downwards they count backwards
    for carried, step in ((up, 1), (down[:, mirrored], -1)):
        seconds = np.zeros((count // digit.length, digit.length))
        seconds[: len(carried)] = carried * digit.rate
        begin, end = (
            ends.reshape(-1, digit.stride, digit.length).swapaxes(1, 2).ravel()
            for ends in (seconds, np.roll(seconds, step, axis=1))
        )
        yield _Carried(begin, begin, end)


def _by(nodes: Nodes, seconds: Seconds, count: int) -> Seconds:
    return np.bincount(nodes, seconds, count).astype(float, copy=False)
