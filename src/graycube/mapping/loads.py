"""What links have to carry for a pattern: all pairs at once, as array arithmetic.

It is what :meth:`graycube.Machine.route` says of each pair, one dimension or side after the
other; links that nobody uses count as nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Machine
from graycube.machine.sides import TorusSide

Nodes = NDArray[np.int64]
Seconds = NDArray[np.floating]


class Load(NamedTuple):
    """Seconds that the busiest link works, and all links together: less is better.

    >>> Load(2.0, 9.0) < Load(2.0, 10.0) < Load(3.0, 1.0)
    True
    """

    busiest: float
    total: float


def load_of(machine: Machine, source: Nodes, target: Nodes, nbytes: Seconds) -> Load:
    """The load of pairs of nodes, as users number them.

    >>> ring = Machine.torus((8,), per_byte=1.0)
    >>> around = np.arange(8)
    >>> load_of(ring, around, (around + 2) % 8, np.ones(8))
    Load(busiest=2.0, total=16.0)
    """
    busiest = total = 0.0
    for seconds in _loads(machine, source, target, nbytes):
        busiest = max(busiest, float(seconds.max(initial=0.0)))
        total += float(seconds.sum())
    return Load(busiest, total)


def _loads(
    machine: Machine, source: Nodes, target: Nodes, nbytes: Seconds
) -> Iterator[Seconds]:
    """Seconds of links, some after others."""
    if machine.sides:
        first, at = 0, source
        pairs = zip(machine.sides, machine.joined, strict=True)
        for side in [TorusSide(length, joined) for length, joined in pairs][::-1]:
            mask = side.length - 1 << first
            yield from _along(machine, side, first, (at, target, nbytes))
            at, first = at & ~mask | target & mask, first + side.bits
        return
    cards = {wires.dims: wires for wires in machine.wires}
    at = source
    for dims, link in machine.levels:
        mask = (1 << dims.stop) - (1 << dims.start)
        crossed, card = (at ^ target) & mask, cards.get(dims)
        if card is not None:
            weights = np.where(crossed != 0, nbytes, 0.0)
            for end in (source, target):  # out of one card, into another
                yield np.bincount(end >> len(card.nodes), weights) * link.per_byte / card.ports
            at = at ^ crossed
        for d in dims if card is None else ():
            across = crossed & 1 << d
            yield np.bincount(at, np.where(across != 0, nbytes, 0.0)) * link.per_byte
            at = at ^ across


def _along(
    machine: Machine, side: TorusSide, first: int, pairs: tuple[Nodes, Nodes, Seconds]
) -> Iterator[Seconds]:
    """The links of one side, upwards and downwards: sums of where messages begin and end."""
    at, target, nbytes = pairs
    length, rate = side.length, machine.links[first].per_byte if side.bits else 0.0
    here, there = at >> first & length - 1, target >> first & length - 1
    line = (at >> first + side.bits << first) | at & (1 << first) - 1
    yield from (carried.ravel() * rate for carried in side.loads(here, there, nbytes, line))
