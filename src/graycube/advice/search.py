"""The cheapest sequence of layouts for the phases of a program.

Rules.

1. The places are the homes, and wherever phases leave data that start at home; for a long
   chain of phases that never come back, the first few.
2. Before every phase the data may be converted to a home. Conversions are priced lazily: a
   bound stands for the price until the cheapest way uses it (so the result is exact, and few
   plans are made).
3. Between equally cheap ways, the one with fewer conversions is taken, and with conversions
   before a loop rather than in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite

import numpy as np

from graycube.advice.homes import Place, tidied
from graycube.advice.paths import (
    Chain,
    Costs,
    Repeated,
    Step,
    Trace,
    Ways,
    nothing,
    power,
    then,
)
from graycube.advice.phases import Elementwise, Loop, Phase, single_phases
from graycube.advice.prices import Methods, Option, Single, conversion, least, options
from graycube.machine import Machine

LEFT_BEHIND = 36
"""Most places that phases leave data in: what is left behind beyond that is not followed."""
_FAVOUR = 1e-12
"""A conversion counts as dearer by this part of all prices, so that ties go without one."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The label of a step that converts, and the algorithm."""

    algorithm: str

    def __str__(self) -> str:
        return f"convert by {self.algorithm}"


@dataclass
class Search:
    """The places and prices for some phases on a machine; numbers of loops may vary."""

    homes: Sequence[Place]
    phases: Sequence[Phase]
    itemsize: int
    machine: Machine
    methods: Methods
    places: list[Place] = field(init=False)
    numbers: dict[object, int] = field(init=False)
    done: dict[tuple[Single, int], list[tuple[int, Option]]] = field(init=False)
    _bounds: Costs = field(init=False)
    _algorithms: dict[tuple[int, int], str] = field(default_factory=dict)

    def __repr__(self) -> str:
        count = f"{len(self.phases)} phases, {len(self.places)} places"
        return f"<Search of {count}, {1 << self.machine.dims} nodes>"

    def __post_init__(self) -> None:
        self.places, self.done = list(self.homes), {}
        numbers = self.numbers = dict[object, int]()
        for k, place in enumerate(self.places):
            numbers.setdefault(place.key, k)  # of two names for one place, the first
        kinds = list(dict.fromkeys(single_phases(self.phases)))
        most, at = len(self.places) + LEFT_BEHIND, 0
        while at < len(self.places):
            place = self.places[at]
            for kind in kinds:
                self.done[kind, at] = []
                ways = options(kind, place.layout, self.itemsize, self.machine, self.methods)
                for option in ways:
                    moved = tidied(option.after)
                    after = Place(moved, f"place {len(self.places)}")
                    if after.key not in numbers and len(self.places) < most:
                        numbers[after.key] = len(self.places)
                        self.places.append(after)
                    if after.key in numbers:
                        self.done[kind, at].append((numbers[after.key], option))
            at += 1
        self._bounds = self._least()

    def _least(self) -> Costs:
        """A bound for the conversion from every place to every home."""
        size = len(self.places)
        bounds = np.full((size, size), inf)
        for i, place in enumerate(self.places):
            for j, home in enumerate(self.homes):
                if place.layout.axes == home.layout.axes and i != j:
                    bounds[i, j] = least(place.layout, home.layout, self.itemsize, self.machine)
        np.fill_diagonal(bounds, 0.0)
        return bounds

    def ways(
        self,
        phases: Sequence[Phase],
        times: Mapping[str, int],
        *,
        stay: bool = False,
        back: bool = False,
        depth: int = 1,
    ) -> Ways | Chain:
        """The cheapest ways through phases, from every place to every place.

        ``times`` are the numbers of some named loops; ``stay`` allows no conversions. Those
        that are ``depth`` loops deep are the last choice. With ``back`` there may be one at the
        end, too.
        """
        size = len(self.places)
        total: Ways | Chain = nothing(size)
        moves = nothing(size) if stay else self._conversions(depth)
        for phase in phases:
            if isinstance(phase, Loop):
                body = self.ways(phase.phases, times, stay=stay, depth=depth + 1)
                count = times.get(phase.name, phase.times) if phase.name else phase.times
                total = then(then(total, moves), power(body, count, size))
            else:
                free = isinstance(phase, Elementwise)
                before = total if free else then(total, moves)
                total = then(before, self._phase(phase))
        return then(total, moves) if back else total

    def _conversions(self, depth: int) -> Ways:
        scale = float(np.max(self._bounds, initial=0.0, where=np.isfinite(self._bounds)))
        off = ~np.eye(len(self.places), dtype=bool)
        costs = self._bounds + off * scale * _FAVOUR * depth

        def label(i: int, j: int) -> object:
            return None if i == j else Conversion(self._algorithms.get((i, j), "a bound"))

        return Ways(costs, label, self._bounds)

    def _phase(self, phase: Single) -> Ways:
        size = len(self.places)
        costs, chosen = np.full((size, size), inf), dict[tuple[int, int], Option]()
        for i in range(size):
            for j, option in self.done[phase, i]:
                if option.cost < costs[i, j]:
                    costs[i, j], chosen[i, j] = option.cost, option
        return Ways(costs, lambda i, j: (phase, chosen[i, j].how))

    def cheapest(
        self,
        starts: Sequence[int],
        times: Mapping[str, int],
        *,
        returns: bool,
    ) -> tuple[float, Trace]:
        """The least cost from one of the starts, and how; infinite if there is no way.

        With ``returns`` the end is the start.
        """
        while True:
            found = self.ways(self.phases, times, back=returns)
            pairs = [(i, j) for i in starts for j in self._ends(i, returns=returns)]
            i, j = min(pairs, key=lambda pair: found.costs[pair])
            if not isfinite(found.costs[i, j]):
                return inf, ()
            trace = found.trace(i, j)
            used = [s for s in steps_of(trace) if isinstance(s.label, Conversion)]
            unpriced = {(s.before, s.after) for s in used} - self._algorithms.keys()
            if not unpriced:
                return total(trace), trace
            for pair in sorted(unpriced):
                self._price(*pair)

    def staying(self, starts: Sequence[int], *, returns: bool) -> list[float]:
        """The least cost from each place if nothing is ever converted."""
        costs = self.ways(self.phases, {}, stay=True).costs
        return [float(costs[i, self._ends(i, returns=returns)].min()) for i in starts]

    def _ends(self, i: int, *, returns: bool) -> list[int]:
        return [i] if returns else list(range(len(self.places)))

    def _price(self, i: int, j: int) -> None:
        """Make the plan, and put its price in the place of the bound."""
        source, target = self.places[i], self.places[j]
        pair = source.layout, target.layout
        cost, name = conversion(*pair, self.itemsize, self.machine, self.methods)
        self._bounds[i, j], self._algorithms[i, j] = cost, name


def steps_of(trace: Trace) -> list[Step]:
    """All steps of a way, those of a loop once."""
    found: list[Step] = []
    for step in trace:
        found += steps_of(step.steps) if isinstance(step, Repeated) else [step]
    return found


def total(trace: Trace) -> float:
    """What a way costs."""
    return sum(
        step.times * total(step.steps) if isinstance(step, Repeated) else step.cost
        for step in trace
    )
