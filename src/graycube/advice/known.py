"""The layouts that a program may use, and what is known of the steps between them.

Rules.

1. The places are the homes, and wherever phases leave data that start at home. What a transform
   does in a place is found out when it is asked for: so places come up one by one.
2. Until then a step has a bound in the place of its price (:mod:`graycube.advice.floors`). A
   transform leads ``anywhere``: there, every phase costs what it costs at least in any layout.
   So no way is cheaper than it seems.
3. Conversions lead to homes. They have a rough bound, a good one, and a price when it matters.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from graycube.advice import floors
from graycube.advice.homes import Place
from graycube.advice.paths import Leg, Ways
from graycube.advice.phases import Coarse, Elementwise, Network, Single, Transpose
from graycube.advice.prices import Methods, Option, conversion, least, options
from graycube.advice.sent import Staying
from graycube.layout import Layout
from graycube.layout.grids import tidied
from graycube.machine import Machine

LEFT_BEHIND = 36
"""Most places that are no homes in which a transform is priced: others are not followed."""
_FAVOUR = 1e-12
"""A conversion counts as dearer by this part of all prices, so that ties go without one."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The label of a step that converts, and the algorithm."""

    algorithm: str

    def __str__(self) -> str:
        return f"convert by {self.algorithm}"


@dataclass
class Known:
    """The places and prices found out so far; asking for more makes more of them.

    >>> from graycube.advice.homes import homes
    >>> from graycube.advice.phases import FFT
    >>> known = Known(homes((16,), 2), 1, Machine(dims=2, startup=1.0), Methods())
    >>> [str(known.places[k]) for k, option in known.done(FFT(), 0)]
    ['binary 4, cyclic', 'place 4', 'place 4']
    """

    homes: Sequence[Place]
    itemsize: int
    machine: Machine
    methods: Methods
    places: list[Place] = field(default_factory=list)
    numbers: dict[object, int] = field(default_factory=dict)
    deepest: int = 0
    _depths: list[int] = field(default_factory=list)
    _bounds: list[list[float]] = field(default_factory=list)
    _rough: set[int] = field(default_factory=set)
    _algorithms: dict[tuple[int, int], str] = field(default_factory=dict)
    _done: dict[tuple[Single, int], list[tuple[int, Option]]] = field(default_factory=dict)
    _floors: dict[tuple[Single, int], float] = field(default_factory=dict)
    _followed: Counter[Single] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for home in self.homes:
            self.numbers.setdefault(home.key, len(self.places))  # of two names the first
            self._add(home, 0)
        self._rough.clear()
        self._bounds = [self._conversions(home, least) for home in self.homes]

    def __repr__(self) -> str:
        return f"<{len(self.places)} places, {1 << self.machine.dims} nodes>"

    @property
    def anywhere(self) -> int:
        """The number that stands for all places that are not known."""
        return len(self.places)

    def done(self, phase: Single, i: int) -> list[tuple[int, Option]]:
        """The ways to do a phase in a place, and where they lead."""
        if (phase, i) not in self._done:
            found = self._done[phase, i] = []
            self._followed[phase] += i >= len(self.homes)
            layout = self.places[i].layout
            for option in options(phase, layout, self.itemsize, self.machine, self.methods):
                after = tidied(option.after)
                found.append((self._number(after, self._depths[i] + 1), option))
        return self._done[phase, i]

    def is_open(self, step: Leg) -> bool:
        """Whether the price of a step is a bound; what begins anywhere has no other."""
        if step.before == self.anywhere:
            return False
        if isinstance(step.label, Conversion):
            return (step.before, step.after) not in self._algorithms
        return (phase_of(step), step.before) not in self._done

    def is_quick(self, step: Leg) -> bool:
        """Whether more about an open step is found out without a plan or a network."""
        if isinstance(step.label, Conversion):
            return step.before in self._rough
        return not isinstance(phase_of(step), Network)

    def may_follow(self, phase: Single, i: int, depth: int) -> bool:
        """Whether there is room for a transform in a place, at most that far from home."""
        room = i < len(self.homes) or self._followed[phase] < LEFT_BEHIND
        return room and self._depths[i] <= depth

    def phase(self, phase: Single, opened: Callable[[Single, int], bool]) -> Ways:
        """The steps of a phase; those that are not known only where they are ``opened``."""
        size = self.anywhere + 1
        costs, hows = np.full((size, size), inf), dict[tuple[int, int], str]()
        costs[-1, -1] = self._floor(phase, self.anywhere)
        for i in range(self.anywhere):
            if isinstance(phase, Elementwise) or (phase, i) in self._done:
                for j, option in self.done(phase, i):
                    if option.cost < costs[i, j]:
                        costs[i, j], hows[i, j] = option.cost, option.how
            elif isinstance(phase, Staying | Coarse):
                costs[i, i] = self._floor(phase, self.anywhere)
            elif isinstance(phase, Transpose) or opened(phase, i):
                costs[i, -1] = self._floor(phase, i)
        return Ways(costs, lambda i, j: (phase, hows.get((i, j), "")))

    def conversions(self, favour: float) -> Ways:
        """The steps that convert, dearer by so many times next to nothing."""
        size = self.anywhere + 1
        prices = np.full((size, size), inf)
        prices[:-1, : len(self.homes)] = self._bounds
        np.fill_diagonal(prices, 0.0)
        scale = float(np.max(prices, initial=0.0, where=np.isfinite(prices)))
        costs = prices + ~np.eye(size, dtype=bool) * scale * _FAVOUR * favour

        def label(i: int, j: int) -> object:
            return None if i == j else Conversion(self._algorithms.get((i, j), "a bound"))

        return Ways(costs, label, prices)

    def find_out(self, step: Leg) -> None:
        """Learn more about an open step: its price, or a good bound first."""
        i, j = step.before, step.after
        phase = phase_of(step)
        if phase is not None:
            self.done(phase, i)
        elif i in self._rough:
            self._rough.discard(i)
            self._bounds[i] = self._conversions(self.places[i], least)
        else:
            pair = self.places[i].layout, self.places[j].layout
            cost, name = conversion(*pair, self.itemsize, self.machine, self.methods)
            self._bounds[i][j], self._algorithms[i, j] = cost, name

    def _number(self, layout: Layout, depth: int) -> int:
        """The number of the place that has this layout, a new one if need be."""
        place = Place(layout, f"place {len(self.places)}")
        k = self.numbers.setdefault(place.key, len(self.places))
        if k == len(self.places):
            self._add(place, depth)
        self._depths[k] = min(self._depths[k], depth)
        return k

    def _add(self, place: Place, depth: int) -> None:
        self._rough.add(len(self.places))
        self.places.append(place)
        self._depths.append(depth)
        self.deepest = max(self.deepest, depth)
        self._bounds.append(self._conversions(place, floors.conversion))

    def _conversions(
        self, place: Place, bound: Callable[[Layout, Layout, int, Machine], float]
    ) -> list[float]:
        """Bounds for those from a place to all homes."""
        return [
            bound(place.layout, home.layout, self.itemsize, self.machine)
            if place.layout.axes == home.layout.axes
            else inf
            for home in self.homes
        ]

    def _floor(self, phase: Single, i: int) -> float:
        """What a phase costs at least in a place, or anywhere."""
        key = phase, -1 if i == self.anywhere else i
        if key not in self._floors:
            rest = self.itemsize, self.machine
            if i < self.anywhere and isinstance(phase, Network):
                self._floors[key] = floors.here(phase, self.places[i].layout, *rest)
            else:  # seen from all shapes that transposes lead to
                shapes = {home.layout.axes: home.layout for home in self.homes}.values()
                self._floors[key] = min(floors.anywhere(phase, one, *rest) for one in shapes)
        return self._floors[key]


def phase_of(step: Leg) -> Single | None:
    """The phase of a step, if it is none that converts.

    >>> [phase_of(Leg(label, 0, 1, 2.0)) for label in ((Elementwise(), ""), Conversion("gb1"))]
    [Elementwise(), None]
    """
    return step.label[0] if isinstance(step.label, tuple) else None
