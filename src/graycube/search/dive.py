"""Schedules of so many rounds: their links are chosen one round after the other.

Rules.

1. In a round that is *open* the linear program may use all links, as much as ports carry.
2. That open round gets its links of which they carry most: as many at each node as it has
   ports. Then the program is solved again, until no round is open. This is a *dive*.
3. Some rounds of the best are opened again, at random, and chosen anew with some noise. What
   is no longer is kept.
4. More rounds begin with those of the best schedule of fewer, and open ones among them. Many
   begin with nothing else.
"""

from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.search.demand import Demand
from graycube.search.layers import shortest
from graycube.search.limits import left
from graycube.search.rounds import Point, loads, widest
from graycube.search.step_arcs import DETOUR, Lower

_Flags = NDArray[np.bool_]
_Links = Sequence[_Flags | None]  # of each round, None where it is open

OPENED = 4
"""As many rounds are opened at once, or fewer."""
NOISE = (0.0, 0.1, 0.3, 0.6)
"""How far what a link carries may be off when it is weighed."""
SPARE = 0.01
"""What a link weighs that carries nothing, for links that still fit in, over the busiest."""
PLACES = 4
"""Ways of putting open rounds among others."""
AFRESH = 12
"""Rounds that are all open at first, or fewer."""
_LESS = 1e-7  # of a block: a gain


class _Dive(NamedTuple):
    """What is the same for all dives of a search."""

    demand: Demand
    ports: int
    lower: Lower | None
    detour: int
    random: np.random.Generator
    deadline: float

    def __call__(self, chosen: _Links, noise: float = 0.0) -> Point | None:
        """With links for the open rounds; None where some elements do not arrive."""
        demand, links = self.demand, list(chosen)
        every = np.ones((1 << demand.n, demand.n), dtype=bool)
        limit = self.ports if self.chooses else None
        if limit is None:
            links = [every for _ in links]
        ports = self._free(len(links))
        while True:
            allowed = np.array([every if used is None else used for used in links])
            still_open = [r for r, used in enumerate(links) if used is None]
            steps = shortest(
                demand,
                allowed,
                limit,
                lower=self.lower,
                detour=self.detour if still_open else DETOUR,
                deadline=self.deadline,
            )
            if steps is None:
                return None
            if not still_open:
                return Point(allowed, steps, self.lower)
            carried = loads(demand, steps, len(links))
            found = [(r, self._links(carried[r], ports[r], noise)) for r in still_open]
            r, used = max(found, key=lambda choice: _kept(carried[choice[0]], choice[1]))
            links[r] = used[demand.classes]

    def _free(self, rounds: int) -> list[int]:
        """The ports of a node that no lower dimension takes, in each round."""
        busy = self.lower.busy(rounds).tolist() if self.lower else [0] * rounds
        return [self.ports - taken for taken in busy]

    @property
    def chooses(self) -> bool:
        """Whether nodes have links that they cannot use in some round."""
        return self.ports < self.demand.n or self.lower is not None

    def _links(self, load: NDArray[np.float64], ports: int, noise: float) -> _Flags:
        """Those of a round, for each class of nodes, by what they carry while it is open."""
        wrong = noise * self.random.standard_normal(load.shape)
        spare = SPARE * load.max() * self.random.random(load.shape)
        return widest(self.demand, load * (1 + wrong).clip(min=0) + spare, ports)


def shorter(  # noqa: PLR0913
    demand: Demand,
    ports: int,
    rounds: int,
    *,
    after: Point | None = None,
    tries: int,
    lower: Lower | None = None,
    detour: int = DETOUR,
    afresh: int = 1,
    seed: int = 0,
    deadline: float = inf,
) -> Iterator[Point]:
    """Schedules of so many rounds, each shorter than the one before.

    It begins ``afresh`` so many times. ``after`` is one of fewer rounds, to go on from. It ends
    after so many ``tries`` in a row without a gain.
    If there are ``lower`` dimensions, ``after`` has no more rounds before them, and no more
    behind them. While links are chosen, only ways with so much ``detour`` count: with none it
    takes a fifth of the time.
    """
    random = np.random.default_rng(seed)
    dive = _Dive(demand, ports, lower, detour, random, deadline)
    best = inf
    for first in _starts(dive, rounds, after, afresh):
        for point in _polished(dive, first, tries if dive.chooses else 0):
            if point.steps.volume < best - _LESS:
                best = point.steps.volume
                yield point


def _starts(dive: _Dive, rounds: int, after: Point | None, afresh: int) -> Iterator[Point]:
    """What a dive with all rounds open finds, and the best that begins with another's links."""
    if after is None or rounds <= AFRESH:
        for k in range(afresh):
            fresh = dive([None] * rounds, dive.random.choice(NOISE) if k else 0.0)
            if fresh is not None:
                yield fresh
    if after is not None:
        longer = [point for links in _longer(dive, after, rounds) if (point := dive(links))]
        yield from sorted(longer, key=lambda point: point.steps.volume)[:1]


def _polished(dive: _Dive, point: Point, tries: int) -> Iterator[Point]:
    """The point, and better ones with some rounds chosen anew."""
    yield point
    failed = 0
    while failed < tries and left(dive.deadline) > 0:
        other = dive(_opened(point, dive.random), dive.random.choice(NOISE))
        gain = point.steps.volume - other.steps.volume if other is not None else -inf
        if other is not None and gain > -_LESS:
            point = other
        failed = 0 if gain > _LESS else failed + 1
        if gain > _LESS:
            yield point


def _kept(load: NDArray[np.float64], used: _Flags) -> float:
    """The part of what an open round carries that these links do."""
    total = float(load.sum())
    return float(load[used].sum()) / total if total else 1.0


def _opened(point: Point, random: np.random.Generator) -> _Links:
    """The links of a schedule, with some rounds open."""
    count = random.integers(1, min(OPENED, point.rounds) + 1)
    gone = set(random.choice(point.rounds, count, replace=False).tolist())
    return [None if r in gone else used for r, used in enumerate(point.links)]


def _longer(dive: _Dive, point: Point, rounds: int) -> Iterator[_Links]:
    """The links of a schedule, with open rounds among them, but not where shares are busy."""
    early, known, length = 0, 0, 0
    if dive.lower and point.lower:
        early, known, length = dive.lower.begin, point.lower.begin, dive.lower.length
    late = early + length
    for _ in range(PLACES):
        places = {*_places(dive, early, known), *range(early, late)}
        after = _places(dive, rounds - late, point.rounds - len(places))
        places |= {late + r for r in after}
        links = iter(point.links)
        yield [next(links) if r in places else None for r in range(rounds)]


def _places(dive: _Dive, among: int, count: int) -> set[int]:
    """So many of the first rounds, at random."""
    return set(dive.random.choice(among, count, replace=False).tolist()) if count else set()
