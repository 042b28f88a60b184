"""Orders of small machines: all of them for 8 nodes, exchanges of two places for 64."""

from itertools import permutations

import numpy as np

from graycube.machine import Machine
from graycube.mapping.loads import Load, Seconds
from graycube.mapping.orders import Order
from graycube.mapping.pattern import Pattern

ALL = 8
"""Up to so many nodes every order is tried."""
SOME = 64
"""Up to so many nodes places are exchanged as long as that helps."""
EFFORT = 1 << 26
"""Seconds of links that are added up at most, about a second's work."""


def routes(machine: Machine) -> Seconds:
    """The seconds that a byte from node to node takes of each link.

    >>> routes(Machine.torus((4,), per_byte=1.0)).shape
    (4, 4, 8)
    """
    nodes = 1 << machine.dims
    names: dict[tuple[int | str, ...], int] = {}
    found = [
        (u, v, names.setdefault(hop.name, len(names)), hop.link.per_byte)
        for u in range(nodes)
        for v in range(nodes)
        for hop in machine.route(u, v)
    ]
    seconds = np.zeros((nodes, nodes, max(len(names), 1)))
    for u, v, link, rate in found:
        seconds[u, v, link] += rate
    return seconds


def best_of_all(pattern: Pattern, machine: Machine) -> Order:
    """The order with the least load, of all there are; for up to 8 nodes.

    >>> ring = Pattern.mesh((4,), neighbours=1.0)
    >>> best_of_all(ring, Machine.torus((2, 2), per_byte=1.0)).tolist()
    [0, 1, 3, 2]
    """
    seconds = routes(machine)
    every: Order = np.array([*permutations(range(len(seconds)))])
    busiest, total = np.zeros(len(every)), np.zeros(len(every))
    for some in np.array_split(np.arange(len(every)), max(1, len(every) >> 11)):
        loads = np.zeros((len(some), seconds.shape[2]))
        for i, j, nbytes in zip(pattern.source, pattern.target, pattern.nbytes, strict=True):
            loads += nbytes * seconds[every[some, i], every[some, j]]
        busiest[some], total[some] = loads.max(axis=1), loads.sum(axis=1)
    # sums of the same numbers in another order differ by rounding
    close = np.flatnonzero(busiest <= busiest.min() * (1 + 1e-12))
    least: Order = every[close[np.argmin(np.round(total[close], 12))]]
    return least


def exchanged(pattern: Pattern, machine: Machine, order: Order) -> Order:
    """The order after exchanges of two places, as long as one lessens the load."""
    seconds, best = routes(machine), order.copy()
    ends = pattern.source, pattern.target
    of_place = [np.flatnonzero((ends[0] == k) | (ends[1] == k)) for k in range(len(order))]

    def links(pairs: Order) -> Seconds:
        return pattern.nbytes[pairs] @ seconds[best[ends[0][pairs]], best[ends[1][pairs]]]

    loads = links(np.arange(len(pattern.nbytes)))
    least = Load(loads.max(initial=0.0), loads.sum())
    couples = np.array(np.triu_indices(len(order), 1)).T
    left = EFFORT // max(1, 4 * len(pattern.nbytes) * seconds.shape[2] // len(order))
    chance, helped = np.random.default_rng(0), True
    while helped and left > 0:
        helped = False
        for i, j in chance.permutation(couples)[:left]:
            left -= 1
            touched = np.union1d(of_place[i], of_place[j])
            others = loads - links(touched)
            best[[i, j]] = best[[j, i]]
            tried = others + links(touched)
            load = Load(tried.max(), tried.sum())
            if _less(load, least):
                least, loads, helped = load, tried, True
            else:
                best[[i, j]] = best[[j, i]]
    return best


def _less(load: Load, other: Load) -> bool:
    """Whether it is less by more than rounding."""
    nearly = 1 - 1e-9
    if load.busiest < other.busiest * nearly:
        return True
    return load.busiest <= other.busiest and load.total < other.total * nearly
