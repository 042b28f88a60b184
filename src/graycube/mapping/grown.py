"""An order grown from one place: what sends most to those that are placed comes next."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.mapping.orders import Order
from graycube.mapping.pattern import Pattern


class Ties(NamedTuple):
    """Which places each place sends to or hears from, and how many bytes both ways.

    >>> ties = Ties.of(Pattern.matrix([[0, 5, 0], [7, 0, 1], [0, 0, 0]]))
    >>> [array.tolist() for array in ties.near(1)]
    [[0, 2], [12.0, 1.0]]
    """

    first: NDArray[np.int64]
    other: NDArray[np.int64]
    nbytes: NDArray[np.float64]

    @classmethod
    def of(cls, pattern: Pattern) -> "Ties":
        """Those of a pattern."""
        places = pattern.places
        ends = np.concatenate([pattern.source, pattern.target])
        others = np.concatenate([pattern.target, pattern.source])
        both, which = np.unique(ends * places + others, return_inverse=True)
        nbytes = np.zeros(len(both))
        np.add.at(nbytes, which, np.tile(pattern.nbytes, 2))
        first = np.searchsorted(both // places, np.arange(places + 1))
        return cls(first, both % places, nbytes)

    @property
    def sums(self) -> NDArray[np.float64]:
        """The bytes of each place.

        >>> Ties.of(Pattern.matrix([[0, 5, 0], [7, 0, 1], [0, 0, 0]])).sums.tolist()
        [12.0, 13.0, 1.0]
        """
        return np.diff(np.append(0.0, self.nbytes.cumsum())[self.first])

    def near(self, place: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The others of a place, and the bytes."""
        here = slice(self.first[place], self.first[place + 1])
        return self.other[here], self.nbytes[here]


def grown(ties: Ties, far: NDArray[np.float64], begin: int) -> Order:
    """The node of each place: next comes what has most bytes with those that have one.

    Of places that have as many, the one that was met first comes first, and it goes where its
    bytes take least: then a mesh grows evenly, whatever its places are called. ``far`` has the
    seconds of a byte on all links between nodes, there and back.

    >>> from graycube.machine import Machine
    >>> from graycube.mapping.routes import Routes
    >>> far = Routes.of(Machine.torus((2, 2), per_byte=1.0)).far
    >>> grown(Ties.of(Pattern.mesh((4,), neighbours=1.0)), far, 0).tolist()
    [0, 1, 3, 2]
    """
    count = len(far)
    order = np.full(count, -1)
    met, pull = np.full(count, count), np.zeros(count)  # of places that have no node yet
    free, place = np.zeros(count), begin
    for turn in range(count):
        others, nbytes = ties.near(place)
        placed = order[others] >= 0
        cost = nbytes[placed] @ far[order[others[placed]]]
        nearest = free + cost + cost.max() * 1e-9 * far[0] / far[0].max()
        order[place] = np.argmin(nearest)
        free[order[place]], pull[place] = np.inf, -np.inf
        pull[others] += nbytes
        met[others] = np.minimum(met[others], turn)
        ready = np.flatnonzero(pull >= pull.max() * (1 - 1e-12))
        place = int(ready[np.argmin(met[ready])])
    return order
