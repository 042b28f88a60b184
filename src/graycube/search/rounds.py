"""Schedules in rounds: what carries a load, and the ways on which blocks go.

In a *layer* a node may send on all links, as much in all as its ports carry. In a *round* it
uses as many links as it has ports. A layer can be cut into rounds that take no longer: each is
a matching of senders and receivers that has all of the busiest ones (Koenig's theorem).
"""

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.errors import UndecidedError
from graycube.search.demand import Demand
from graycube.search.layers import Steps, crossings
from graycube.search.limits import left
from graycube.search.step_arcs import Lower
from graycube.search.ways import Share

_Floats = NDArray[np.float64]
_Flags = NDArray[np.bool_]

WEIGHTS = 10_000
"""What shares of a block are multiples of."""

_NOTHING = 1e-7  # a share of a block that only rounding has made


class Point(NamedTuple):
    """Rounds with their links, ``links[round, node, dimension]``, and what they carry."""

    links: _Flags
    steps: Steps
    lower: Lower | None = None

    @property
    def rounds(self) -> int:
        """How many there are."""
        return len(self.links)


def loads(demand: Demand, steps: Steps, count: int) -> _Floats:
    """What each link of a class carries in each step."""
    carried = np.zeros((count, len(demand.members), demand.n))
    moving = crossings(demand, steps.arcs)
    step, _, start, dimension, *_ = (part[moving] for part in steps.arcs)
    at = step, demand.classes[start % len(demand.classes)], dimension
    np.add.at(carried, at, steps.amounts[moving])
    return np.where(carried > _NOTHING, carried, 0.0)


def rounds_of(
    demand: Demand, load: _Floats, ports: int, *, deadline: float = inf
) -> Iterator[tuple[_Flags, float]]:
    """The links and the lengths of rounds that carry a load of whole units."""
    total = load.sum()
    while load.any():
        if left(deadline) <= 0:
            raise UndecidedError(
                "a layer is not yet cut into rounds (time ran out)",
                f"{load.sum() / total:.0%} of it is left",
                "raise time_limit, or take a smaller cube",
            )
        length, used = _matching(demand, load, ports)
        yield used[demand.classes], length
        load = np.where(used, load - length, load)


def _matching(demand: Demand, load: _Floats, ports: int) -> tuple[float, _Flags]:
    """The longest round that does not make the rest of a layer longer, and its links.

    A round of length b leaves time for (total - b) of each link, and p times that of each port.
    Who has more needs the round: these are bounds of a flow from senders to receivers, through
    links that have b to carry. Its vertices are integers.
    """
    start, dimension = np.nonzero(load)
    amount = load[start, dimension]
    ends = np.append(start, len(load) + _stops(demand)[start, dimension])
    busy = np.bincount(ends, np.append(amount, amount), minlength=2 * len(load))
    total = max(np.ceil(busy.max() / ports), amount.max())
    lengths = np.concatenate([amount, total - amount, total - busy / ports])
    lengths = np.unique(np.floor(lengths).clip(1))
    low, high, best = 0, len(lengths), np.zeros(len(start), dtype=bool)
    while low < high:
        middle = (low + high) // 2
        length = lengths[middle]
        chosen = _flow(
            ends,
            needed=np.ceil((busy - ports * (total - length)) / length).clip(0),
            ports=ports,
            must=amount > total - length,
            may=amount >= length,
            gain=amount,
        )
        if chosen is None:
            high = middle
        else:
            best, low = chosen, middle + 1
    used = np.zeros(load.shape, dtype=bool)
    used[start[best], dimension[best]] = True
    return lengths[low - 1], used


def widest(demand: Demand, weight: _Floats, ports: int) -> _Flags:
    """The links of a round with the most weight, for each class of nodes."""
    classes = len(weight)
    start = np.repeat(np.arange(classes), demand.n)
    ends = np.append(start, classes + _stops(demand).ravel())
    may = np.ones(len(start), dtype=bool)
    used = _flow(
        ends,
        needed=np.zeros(2 * classes),
        ports=ports,
        must=~may,
        may=may,
        gain=weight.ravel(),
    )
    return np.zeros_like(weight, dtype=bool) if used is None else used.reshape(weight.shape)


def _stops(demand: Demand) -> NDArray[np.int64]:
    """The class over each dimension of each class."""
    return demand.classes[demand.neighbours[demand.members]]


def _flow(  # noqa: PLR0913
    ends: NDArray[np.int64],
    *,
    needed: _Floats,
    ports: int,
    must: _Flags,
    may: _Flags,
    gain: _Floats,
) -> _Flags | None:
    """Links such that as many meet at each end as needed, and no more than it has ports."""
    from scipy.optimize import linprog  # noqa: PLC0415
    from scipy.sparse import coo_array, vstack  # noqa: PLC0415

    if (must & ~may).any() or needed.max() > ports:
        return None
    link = np.tile(np.arange(len(gain)), 2)
    meet = coo_array((np.ones(len(ends)), (ends, link)), (len(needed), len(gain)))
    result = linprog(
        -gain,
        A_ub=vstack([meet, -meet]).tocsr(),
        b_ub=np.append(np.full(len(needed), ports), -needed),
        bounds=np.stack([must, may], axis=1).astype(float),
        method="highs-ds",
    )
    return result.x > 0.5 if result.status == 0 else None


_Arcs = dict[tuple[int, int, int], list[list[float]]]
"""By home, step and node: what is left of the amount of an arc, its link, step, stop, end."""


def shares(demand: Demand, steps: Steps) -> Iterator[Share]:
    """The ways on which the blocks go, the largest part of a block first."""
    ahead = steps.amounts > _NOTHING
    out: _Arcs = {}
    rows = zip(*(part[ahead].tolist() for part in (*steps.arcs, steps.amounts)), strict=True)
    for step, home, start, dimension, stop, end, amount in rows:
        arc = [amount, dimension, step, stop, end]
        out.setdefault((home, step, start), []).append(arc)
    for i, home in enumerate(demand.homes.tolist()):
        while way := _largest(out, i, home, len(steps.lengths)):
            part = min(arc[0] for arc in way)
            for arc in way:
                arc[0] -= part
            weight = round(part * WEIGHTS)
            hops = tuple((int(arc[2]), int(arc[1])) for arc in way if arc[1] >= 0)
            if weight:
                yield Share(home, weight, hops)


def _largest(out: _Arcs, i: int, home: int, steps: int) -> list[list[float]] | None:
    """The arcs of a way from a home, each the one that carries most."""
    way, node, step = [], home, 0
    while step < steps:
        arc = max(out.get((i, step, node), ()), default=None)
        if arc is None or arc[0] <= _NOTHING:
            return None
        way.append(arc)
        node, step = int(arc[3]), int(arc[4])
    return way
