"""Cheapest ways through phases: matrices over (min, +), with the way itself.

Entry (i, j) of a :class:`Ways` is the least cost from place i to place j. One after the other
is a product, and a loop is a power, by repeated squaring: so a loop costs the same whether it
runs ten times or a million times, and its steady state shows in the way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Costs = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Step:
    """What is done between two places, numbered by the caller; ``label`` says what.

    >>> print(Step("fft", 0, 1, 2.5))
    fft: 0 to 1, 2.5
    """

    label: object
    before: int
    after: int
    cost: float

    def __str__(self) -> str:
        return f"{self.label}: {self.before} to {self.after}, {self.cost:g}"


@dataclass(frozen=True, slots=True)
class Repeated:
    """Steps that are done so many times.

    >>> print(Repeated((Step("fft", 0, 0, 1.0),), 3))
    3 x (fft: 0 to 0, 1)
    """

    steps: "Trace"
    times: int

    def __str__(self) -> str:
        return f"{self.times} x ({'; '.join(map(str, self.steps))})"


Trace = tuple[Step | Repeated, ...]


@dataclass(frozen=True, eq=False)
class Ways:
    """The cheapest ways of one phase; ``label(i, j)`` is what the step from i to j is called.

    ``prices`` are what the steps cost, if that is not quite what they are compared by.

    >>> ways = Ways(np.array([[1.0, 5.0], [np.inf, 2.0]]), lambda i, j: "move")
    >>> twice = then(ways, ways)
    >>> float(twice.costs[0, 1]), [str(step) for step in twice.trace(0, 1)]
    (6.0, ['move: 0 to 0, 1', 'move: 0 to 1, 5'])
    """

    costs: Costs
    label: Callable[[int, int], object]
    prices: Costs | None = None

    def trace(self, i: int, j: int) -> Trace:
        """The steps from i to j, none where the label is None."""
        label, prices = self.label(i, j), self.costs if self.prices is None else self.prices
        return () if label is None else (Step(label, i, j, float(prices[i, j])),)


@dataclass(frozen=True, eq=False)
class Chain:
    """One thing after the other: ``via[i, j]`` is the place in between."""

    first: "Ways | Chain | Turn"
    second: "Ways | Chain | Turn"
    _known: dict[tuple[int, int], Trace] = field(default_factory=dict)

    @cached_property
    def _joined(self) -> tuple[Costs, NDArray[np.intp]]:
        sums = self.first.costs[:, :, None] + self.second.costs[None, :, :]
        via = sums.argmin(axis=1)
        return np.take_along_axis(sums, via[:, None, :], axis=1)[:, 0, :], via

    @property
    def costs(self) -> Costs:
        """The least costs."""
        return self._joined[0]

    def trace(self, i: int, j: int) -> Trace:
        """The steps from i to j."""
        if (i, j) not in self._known:  # the squares of a power meet themselves again
            k = int(self._joined[1][i, j])
            both = (*self.first.trace(i, k), *self.second.trace(k, j))
            self._known[i, j] = _merged(both)
        return self._known[i, j]


@dataclass(frozen=True, eq=False)
class Turn:
    """One turn of a loop; its steps stay together."""

    body: Ways | Chain

    @property
    def costs(self) -> Costs:
        """Those of the body."""
        return self.body.costs

    def trace(self, i: int, j: int) -> Trace:
        """The steps of the body, as one."""
        return (Repeated(self.body.trace(i, j), 1),)


def then(first: Ways | Chain | Turn, second: Ways | Chain | Turn) -> Chain:
    """The second after the first."""
    return Chain(first, second)


def nothing(size: int) -> Ways:
    """Staying where one is, without a step.

    >>> nothing(2).costs.tolist()
    [[0.0, inf], [inf, 0.0]]
    """
    costs = np.full((size, size), np.inf)
    np.fill_diagonal(costs, 0.0)
    return Ways(costs, lambda i, j: None)  # noqa: ARG005 - the shape of a label


def power(body: Ways | Chain, times: int, size: int) -> Ways | Chain | Turn:
    """A loop that runs so many times.

    >>> ways = Ways(np.array([[1.0]]), lambda i, j: "step")
    >>> str(power(ways, 1000, 1).trace(0, 0)[0])
    '1000 x (step: 0 to 0, 1)'
    """
    found: Ways | Chain | Turn | None = None
    square: Ways | Chain | Turn = Turn(body)
    while times:
        if times & 1:
            found = square if found is None else then(found, square)
        times >>= 1
        square = then(square, square) if times else square
    return nothing(size) if found is None else found


def _merged(trace: Sequence[Step | Repeated]) -> Trace:
    """Equal turns that follow each other as one."""
    done: list[Step | Repeated] = []
    for step in trace:
        last = done[-1] if done else None
        if (
            isinstance(step, Repeated)
            and isinstance(last, Repeated)
            and last.steps == step.steps
        ):
            done[-1] = Repeated(step.steps, last.times + step.times)
        else:
            done.append(step)
    return tuple(done)
