"""How the advice changes with the numbers of loops: crossover points, and regions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from graycube.advice.paths import Trace
from graycube.advice.phases import Loop, Phase
from graycube.advice.search import Conversion, Search, steps_of
from graycube.errors import InvalidValueError
from graycube.gf2 import require_ints

if TYPE_CHECKING:
    from graycube.advice.advise import Advice

MAX_POINTS = 1 << 16


@dataclass(frozen=True, slots=True)
class Crossover:
    """From ``value`` on, ``after`` is cheaper than what was best before.

    >>> print(Crossover("steps", 12, "stay in A", "fft in A, stencil in B"))
    from steps = 12 on: fft in A, stencil in B (before: stay in A)
    """

    name: str
    value: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"from {self.name} = {self.value} on: {self.after} (before: {self.before})"


@dataclass(frozen=True)
class Variation:
    """The best strategy and its cost for all numbers of some loops.

    ``values`` has the numbers by the names of the loops; ``strategies`` and ``costs`` have an
    entry for each combination, the last name running fastest.

    >>> variation = Variation({"steps": (1, 2, 3)}, ("A", "A", "B"), (1.0, 2.0, 2.5))
    >>> print(*variation.crossovers())
    from steps = 3 on: B (before: A)
    """

    values: dict[str, tuple[int, ...]]
    strategies: tuple[str, ...]
    costs: tuple[float, ...]

    def crossovers(self) -> tuple[Crossover, ...]:
        """Where the best strategy changes along the last of the names, row by row."""
        name, steps = list(self.values.items())[-1]
        found: list[Crossover] = []
        for row in range(0, len(self.strategies), max(1, len(steps))):
            line = self.strategies[row : row + len(steps)]
            changes = (k for k in range(1, len(line)) if line[k] != line[k - 1])
            found += [Crossover(name, steps[k], line[k - 1], line[k]) for k in changes]
        return tuple(found)


def vary(advice: "Advice", times: Mapping[str, Iterable[int]]) -> Variation:
    """The variation of the advice; prices are those already found, and any that are new."""
    names = set(_names(advice.phases))
    values = {name: require_ints(some, name) for name, some in times.items()}
    unknown = [name for name in values if name not in names]
    if unknown or not values:
        raise InvalidValueError(
            f"the loops to vary are {', '.join(values) or 'none'}",
            f"the named loops are {', '.join(sorted(names)) or 'none'}",
            "give a loop a name, and say which numbers to try",
        )
    points = list(product(*values.values()))
    if len(points) > MAX_POINTS or any(value < 0 for point in points for value in point):
        raise InvalidValueError(
            f"there are {len(points)} combinations",
            f"at most {MAX_POINTS} are tried, of numbers >= 0",
            "try fewer numbers",
        )
    found = [
        advice.search.cheapest(
            advice.starts, dict(zip(values, point, strict=True)), returns=advice.returns
        )
        for point in points
    ]
    strategies = tuple(strategy(advice.search, trace) for _, trace in found)
    return Variation(values, strategies, tuple(cost for cost, _ in found))


def strategy(search: Search, trace: Trace) -> str:
    """A way in a few words: in which of the usual layouts each kind of phase is done.

    What a phase left behind counts as where the data came from.
    """
    usual = len(search.homes)
    at: dict[str, list[str]] = {}
    home = ""
    for step in steps_of(trace):
        if step.before < usual or not home:
            home = str(search.places[step.before])
        if isinstance(step.label, Conversion):
            continue
        phase, _ = step.label if isinstance(step.label, tuple) else (step.label, "")
        places = at.setdefault(str(phase), [])
        if step.cost and home not in places:
            places.append(home)
    every = {place for places in at.values() for place in places}
    if len(every) <= 1:
        return f"stay in {min(every, default=home)}"
    counted = {phase: places for phase, places in at.items() if places}
    return "; ".join(f"{phase} in {' and '.join(places)}" for phase, places in counted.items())


def _names(phases: Iterable[Phase]) -> Iterable[str]:
    for phase in phases:
        if isinstance(phase, Loop):
            if phase.name:
                yield phase.name
            yield from _names(phase.phases)
