"""Better orders: all of them for 8 nodes, and exchanges of two places for larger machines."""

from collections.abc import Callable
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from graycube.mapping.loads import Load, Seconds
from graycube.mapping.orders import Order
from graycube.mapping.pattern import Pattern
from graycube.mapping.routes import Routes

ALL = 8
"""Up to so many nodes every order is tried."""
EFFORT = 1 << 27
"""So many loads of links are looked at by exchanges, about a second's work;"""
CALL = 1 << 13
"""to call NumPy takes as long as so many."""
AT_ONCE = 1 << 18
"""So many of them at a time."""
SQUARED = 3
"""Sums of loads, squared so often, fall where one of several busiest links has less to do."""
CLOSE = 1e-9
"""Loads that differ by less, as a share, are equal but for rounding."""
_Goal = Callable[[Seconds], tuple[NDArray[np.float64], NDArray[np.float64]]]


def best_of_all(pattern: Pattern, routes: Routes) -> Order:
    """The order with the least load, of all there are; for up to 8 nodes.

    >>> from graycube.machine import Machine
    >>> ring = Pattern.mesh((4,), neighbours=1.0)
    >>> best_of_all(ring, Routes.of(Machine.torus((2, 2), per_byte=1.0))).tolist()
    [0, 1, 3, 2]
    """
    nodes = np.arange(len(routes.links))
    seconds = np.zeros((len(nodes), len(nodes), routes.size))
    for k in range(routes.links.shape[2]):
        seconds[nodes[:, None], nodes, routes.links[:, :, k]] += routes.seconds[:, :, k]
    every: Order = np.array([*permutations(nodes.tolist())])
    busiest, total = np.zeros(len(every)), np.zeros(len(every))
    for some in np.array_split(np.arange(len(every)), max(1, len(every) >> 11)):
        loads = np.zeros((len(some), routes.size))
        for i, j, nbytes in zip(pattern.source, pattern.target, pattern.nbytes, strict=True):
            loads += nbytes * seconds[every[some, i], every[some, j]]
        busiest[some] = loads.max(axis=1)
        total[some] = loads[:, : routes.wires].sum(axis=1)
    close = np.flatnonzero(busiest <= busiest.min() * (1 + CLOSE))
    close = close[total[close] <= total[close].min() * (1 + CLOSE)]
    least: Order = every[close[0]]
    return least


class Exchanges:
    """An order, what its links carry, and exchanges of two places that lessen that.

    >>> from graycube.machine import Machine
    >>> routes = Routes.of(Machine.torus((4,), per_byte=1.0))
    >>> made = Exchanges(Pattern.mesh((4,), neighbours=1.0), routes, np.array([0, 2, 1, 3]))
    >>> made.load
    Load(busiest=2.0, total=12.0)
    >>> made.descend(made.exactly)
    >>> made.load, made.order.tolist()
    (Load(busiest=1.0, total=8.0), [0, 1, 2, 3])
    """

    def __init__(self, pattern: Pattern, routes: Routes, order: Order) -> None:
        self.routes, self.order, self.left = routes, order.copy(), EFFORT
        self.source, self.target, self.nbytes = pattern.source, pattern.target, pattern.nbytes
        ends = np.concatenate([self.source, self.target])
        by_place = np.argsort(ends, kind="stable")
        self.pairs = by_place % len(self.source)
        self.first = np.searchsorted(ends[by_place], np.arange(len(order) + 1))
        self.chance = np.random.default_rng(0)
        self.loads = self._count()

    @property
    def load(self) -> Load:
        """Of the busiest link or port, and of all links."""
        return Load(float(self.loads.max()), float(self.loads[: self.routes.wires].sum()))

    def exactly(self, loads: Seconds) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What is to be little: the busiest link or port, then all links."""
        return loads.max(axis=-1), loads[..., : self.routes.wires].sum(axis=-1)

    def smoothly(self, loads: Seconds) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same, but also less where some links are as busy and others less so."""
        with np.errstate(over="ignore"):  # far too much is infinite, and never taken
            powers = loads / self.loads.max()
            for _ in range(SQUARED):
                powers *= powers
        return powers.sum(axis=-1), loads[..., : self.routes.wires].sum(axis=-1)

    def descend(self, goal: _Goal) -> None:
        """Exchange places as long as that helps and there is effort left."""
        places, at_once = len(self.order), max(8, AT_ONCE // self.routes.size)
        helped = True
        while helped and self.left > 0:
            helped = False
            for i in self.chance.permutation(places).tolist():
                if self.left <= 0:
                    break
                others = self.chance.permutation(places)[:at_once]
                tried = self.tried(i, others)
                firsts, seconds = goal(tried)
                first, second = goal(self.loads)
                good = firsts <= firsts.min() * (1 + CLOSE)
                k = int(np.argmin(np.where(good, seconds, np.inf)))
                less = firsts[k] < first * (1 - CLOSE)
                if less or (
                    firsts[k] <= first * (1 + CLOSE) and seconds[k] < second * (1 - CLOSE)
                ):
                    self.order[[i, others[k]]] = self.order[[others[k], i]]
                    self.loads, helped = self._count(), True

    def disturb(self) -> None:
        """Exchange some places by chance."""
        some = self.chance.permutation(len(self.order))[: max(3, len(self.order) >> 3)]
        self.order[some] = self.order[np.roll(some, 1)]
        self.loads = self._count()

    def _count(self) -> Seconds:
        nodes = self.order[self.source], self.order[self.target]
        weights = self.nbytes[:, None] * self.routes.seconds[nodes]
        return np.bincount(
            self.routes.links[nodes].ravel(), weights.ravel(), self.routes.size
        ).astype(float, copy=False)

    def tried(self, i: int, others: Order) -> Seconds:
        """What links carry after an exchange of a place with each of some others."""
        many = self.first[others + 1] - self.first[others]
        which = np.repeat(np.arange(len(others)), many)
        within = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many)
        theirs = self.pairs[self.first[others][which] + within]
        apart = (self.source[theirs] != i) & (self.target[theirs] != i)
        mine = self.pairs[self.first[i] : self.first[i + 1]]
        which = np.concatenate([which[apart], np.repeat(np.arange(len(others)), len(mine))])
        pairs = np.concatenate([theirs[apart], np.tile(mine, len(others))])
        before = self.order[self.source[pairs]], self.order[self.target[pairs]]
        a, b = self.order[i], self.order[others[which]]
        after = tuple(np.where(u == a, b, np.where(u == b, a, u)) for u in before)
        loads = np.tile(self.loads, len(others))
        row, sent = (which * self.routes.size)[:, None], self.nbytes[pairs][:, None]
        for nodes, sign in ((before, -1), (after, 1)):
            weights = sign * sent * self.routes.seconds[nodes]
            links = row + self.routes.links[nodes]
            loads += np.bincount(links.ravel(), weights.ravel(), len(loads))
        self.left -= CALL + 4 * sent.size * self.routes.links.shape[2] + len(loads)
        return np.maximum(loads, 0.0).reshape(len(others), -1)
