"""Schedules that repeat themselves: a flow of whole units, round after round.

Rules.

1. A group of units leaves every node in each period. An integer program finds ways for them
   that load no link, and no port, with more units than a period has rounds.
2. Each crossing has its own round of the period, such that no link, and no port, is used twice:
   a colouring of the edges of a bipartite graph, which has one with so few colours (Koenig).
3. A unit waits for its round. So it may be a period or two under way, and all groups together
   take that much longer than their periods.
"""

from collections import defaultdict
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.search.demand import Demand
from graycube.search.flow import solve
from graycube.search.limits import left, part_of
from graycube.search.rounds import rounds_of
from graycube.search.ways import Share, lanes

_TRIES = 40  # orders in which ways take their rounds

Timed = tuple[tuple[int, int], ...]
"""The rounds since a group left, and the dimensions, of the hops of a unit."""


class Period(NamedTuple):
    """The ways of a group of ``units`` units; groups leave ``rounds`` rounds apart.

    It ``ended`` if no more time would have changed it.
    """

    units: int
    rounds: int
    ways: tuple[tuple[int, Timed], ...]
    ended: bool = True

    def shares(self, groups: int) -> list[Share]:
        """The ways of so many groups, one after the other."""
        return [
            Share(home, 1, tuple((group * self.rounds + at, d) for at, d in hops))
            for group in range(groups)
            for home, hops in self.ways
        ]

    def total(self, groups: int) -> int:
        """The rounds until so many groups have arrived."""
        last = max(hops[-1][0] for _, hops in self.ways)
        return (groups - 1) * self.rounds + last + 1


def period(demand: Demand, ports: int, units: int, *, deadline: float = inf) -> Period:
    """Ways for so many units of each block, with the fewest rounds between groups.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> demand = Demand.of(Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1))
    >>> found = period(demand, ports=1, units=3)
    >>> found.rounds, found.total(groups=100) <= 4 * 100 + 8
    (4, True)
    """
    solved = solve(demand, ports, part_of(deadline, 0.5), units)
    targets = demand.amounts.argmax(axis=1).tolist()
    flows = zip(demand.homes.tolist(), targets, solved.crossings, strict=True)
    ways = [(flow[0], way) for flow in flows for way in _paths(*flow, units)]
    load = np.zeros((len(demand.members), demand.n))
    for home, way in ways:
        for node, d in lanes(home, way):
            load[demand.classes[node], d] += 1
    slots = _slots(demand, load, ports, deadline)
    rng = np.random.default_rng(0)
    tried: list[Period] = []
    for _ in range(_TRIES):
        if tried and left(deadline) <= 0:
            break
        first = rng.permutation(len(ways)).tolist()
        in_turn = sorted((ways[k] for k in first), key=lambda entry: -len(entry[1]))
        order = [slots[k] for k in rng.permutation(len(slots)).tolist()]
        tried.append(Period(units, len(slots), _timed(demand, in_turn, order)))
    best = min(tried, key=lambda found: found.total(1))
    return best._replace(ended=solved.ended and len(tried) == _TRIES)


def _paths(home: int, target: int, amounts: NDArray[np.float64], units: int) -> list[list[int]]:
    """The dimensions that each unit crosses, of the flow from a home."""
    rest, ways = amounts.tolist(), []
    for _ in range(units):
        way: list[int] = []
        nodes = [home]
        while nodes[-1] != target:
            node = nodes[-1]
            d = next(d for d, amount in enumerate(rest[node]) if amount > 0)
            rest[node][d] -= 1
            nodes.append(node ^ 1 << d)
            way.append(d)
            first = nodes.index(nodes[-1])  # what comes back went in a circle
            del nodes[first + 1 :], way[first:]
        ways.append(way)
    return ways


def _slots(
    demand: Demand, load: NDArray[np.float64], ports: int, deadline: float
) -> list[NDArray[np.bool_]]:
    """The links in use in each round of a period."""
    if ports >= demand.n:
        return [np.ones((1 << demand.n, demand.n), dtype=bool)] * int(load.max())
    return [
        links
        for links, length in rounds_of(demand, load, ports, deadline=deadline)
        for _ in range(round(length))
    ]


def _timed(
    demand: Demand, ways: list[tuple[int, list[int]]], slots: list[NDArray[np.bool_]]
) -> tuple[tuple[int, Timed], ...]:
    """Every hop in the first round of its link that nobody has and that is late enough."""
    free: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for slot, links in enumerate(slots):
        for kind, d in np.argwhere(links[demand.members]).tolist():
            free[kind, d].append(slot)
    made = []
    for home, way in ways:
        at, hops = 0, []
        for node, d in lanes(home, way):
            among = free[int(demand.classes[node]), d]
            slot = min(among, key=lambda slot: (slot - at) % len(slots))
            among.remove(slot)
            at += (slot - at) % len(slots)
            hops.append((at, d))
            at += 1
        made.append((home, tuple(hops)))
    return tuple(made)
