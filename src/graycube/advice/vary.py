"""How the advice changes with the numbers of loops: crossover points, and regions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, product
from math import prod

from graycube.advice.known import phase_of
from graycube.advice.paths import Trace
from graycube.advice.phases import MAX_TIMES, Loop, Phase
from graycube.advice.search import Search, steps_of
from graycube.errors import InvalidValueError
from graycube.gf2 import require_ints
from graycube.show import Sheet, Shown, Table

MAX_POINTS = 1 << 16


@dataclass(frozen=True, slots=True)
class Crossover:
    """From ``value`` on, ``after`` is cheaper than what was best before.

    ``where`` says what the number of the other loop is, if there is one.

    >>> print(Crossover("steps", 12, "stay in A", "fft in A, stencil in B"))
    from steps = 12 on: fft in A, stencil in B (before: stay in A)
    """

    name: str
    value: int
    before: str
    after: str
    where: str = ""

    def __str__(self) -> str:
        where = f"{self.where}, " if self.where else ""
        change = f"{self.after} (before: {self.before})"
        return f"{where}from {self.name} = {self.value} on: {change}"


@dataclass(frozen=True)
class Variation(Shown):
    """The best strategy and its cost for all numbers of some loops.

    ``values`` has the numbers by the names of the loops; ``strategies`` and ``costs`` have an
    entry for each combination, the last name running fastest, and so have ``lower_bounds``:
    no way costs less, as in :class:`Advice`.

    >>> variation = Variation({"steps": (1, 2, 3)}, ("A", "A", "B"), (1.0, 2.0, 2.5))
    >>> print(*variation.crossovers())
    from steps = 3 on: B (before: A)
    """

    values: dict[str, tuple[int, ...]]
    strategies: tuple[str, ...]
    costs: tuple[float, ...]
    lower_bounds: tuple[float, ...] = ()

    def __repr__(self) -> str:
        loops = " and ".join(f"{len(some)} numbers of {n}" for n, some in self.values.items())
        kinds = len(set(self.strategies))
        ways = "one strategy" if kinds == 1 else f"{kinds} strategies"
        return f"<Variation of {loops}: {ways}>"

    def crossovers(self) -> tuple[Crossover, ...]:
        """Where the best strategy changes along the last of the names, row by row."""
        name, steps = list(self.values.items())[-1]
        found: list[Crossover] = []
        for row in range(0, len(self.strategies), max(1, len(steps))):
            line = self.strategies[row : row + len(steps)]
            changes = (k for k in range(1, len(line)) if line[k] != line[k - 1])
            where = self._row(row // len(steps))
            found += [Crossover(name, steps[k], line[k - 1], line[k], where) for k in changes]
        return tuple(found)

    def _sheet(self) -> Sheet:
        names = list(self.values)
        head, sides = (*names, "best strategy", "seconds"), "r" * len(names) + "ll"
        return Sheet(repr(self).strip("<>"), Table(head, list(self._stretches()), sides))

    def _stretches(self) -> Iterator[tuple[str, ...]]:
        """Neighbouring numbers of the last loop with one strategy, for each of the first."""
        *first, numbers = self.values.values()
        for row, outer in enumerate([(str(x),) for x in first[0]] if first else [()]):
            at = range(row * len(numbers), (row + 1) * len(numbers))
            for best, some in groupby(at, self.strategies.__getitem__):
                stretch = list(some)
                ends = stretch[0], stretch[-1]
                where = _span(str(numbers[k - at.start]) for k in ends)
                yield *outer, where, best, _span(f"{self.costs[k]:.4g}" for k in ends)

    def _row(self, number: int) -> str:
        """The number of the first of two loops, in words."""
        if len(self.values) == 1:
            return ""
        first, values = next(iter(self.values.items()))
        return f"{first} = {values[number]}"


def _span(ends: Iterable[str]) -> str:
    """The first and the last, once if they are the same.

    >>> _span(["1", "9"]), _span(["1", "1"])
    ('1 to 9', '1')
    """
    return " to ".join(dict.fromkeys(ends))


def vary(
    search: Search,
    starts: Sequence[int],
    times: Mapping[str, Iterable[int] | int],
    *,
    returns: bool,
) -> Variation:
    """The variation of an advice; prices are those already found, and any that are new."""
    names = set(_names(search.phases))
    values = {
        name: require_ints(
            islice(some, MAX_POINTS + 1) if isinstance(some, Iterable) else some, name
        )
        for name, some in times.items()
    }
    unknown = [name for name in values if name not in names]
    if unknown or not values:
        raise InvalidValueError(
            f"the loops to vary are {', '.join(values) or 'none'}",
            f"the named loops are {', '.join(sorted(names)) or 'none'}",
            "give a loop a name, and say which numbers to try",
        )
    if len(values) > 2 or prod(map(len, values.values())) > MAX_POINTS:
        raise InvalidValueError(
            f"there are {prod(map(len, values.values()))} combinations of {len(values)} loops",
            f"at most {MAX_POINTS} are tried, of one loop or two",
            "try fewer numbers",
        )
    points = list(product(*values.values()))
    if any(not 0 <= value <= MAX_TIMES for some in values.values() for value in some):
        raise InvalidValueError(
            f"the numbers are {str(values)[:60]}",
            f"they are tried from 0 to {MAX_TIMES}",
            "use numbers >= 0",
        )
    found = [
        search.cheapest(starts, dict(zip(values, point, strict=True)), returns=returns)
        for point in points
    ]
    strategies = tuple(strategy(search, way.steps) for way in found)
    costs = tuple(way.cost for way in found)
    return Variation(values, strategies, costs, tuple(way.lower_bound for way in found))


def strategy(search: Search, trace: Trace) -> str:
    """A way in a few words: in which of the usual layouts each kind of phase is done.

    What a phase left behind counts as where the data came from.
    """
    usual = len(search.known.homes)
    at: dict[str, list[str]] = {}
    home = ""
    for step in steps_of(trace):
        if step.before < usual or not home:
            home = str(search.known.places[step.before])
        if (phase := phase_of(step)) is not None:
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
