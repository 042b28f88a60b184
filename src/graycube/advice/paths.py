"""Cheapest ways through phases: matrices over (min, +), with the way itself.

Entry (i, j) of a :class:`Ways` is the least cost from place i to place j. One after the other
is a product, and a loop is a power, by repeated squaring: so a loop costs the same whether it
runs ten times or a million times, and its steady state shows in the way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Costs = NDArray[np.float64]
MAX_PERIOD = 32
"""Turns of a loop that alternate are told as one if so many of them or fewer do."""
_SUMS = 1 << 17  # so many costs are added at once


@dataclass(frozen=True, slots=True)
class Leg:
    """What is done between two places, numbered by the caller; ``label`` says what.

    >>> print(Leg("fft", 0, 1, 2.5))
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

    >>> print(Repeated((Leg("fft", 0, 0, 1.0),), 3))
    3 x (fft: 0 to 0, 1)
    """

    steps: "Trace"
    times: int

    def __str__(self) -> str:
        return f"{self.times} x ({'; '.join(map(str, self.steps))})"


Trace = tuple[Leg | Repeated, ...]


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
        return () if label is None else (Leg(label, i, j, float(prices[i, j])),)


@dataclass(frozen=True, eq=False)
class Chain:
    """One thing after the other.

    ``first`` may be a long chain itself, so its steps are collected from the last one back.
    """

    first: "Ways | Chain | LoopTurn"
    second: "Ways | Chain | LoopTurn"
    costs: Costs
    _known: dict[tuple[int, int], Trace] = field(default_factory=dict)

    def between(self, i: int, j: int) -> int:
        """The place in between on the way from i to j."""
        return int((self.first.costs[i] + self.second.costs[:, j]).argmin())

    def trace(self, i: int, j: int) -> Trace:
        """The steps from i to j."""
        if (i, j) not in self._known:  # the squares of a power meet themselves again
            node: Ways | Chain | LoopTurn = self
            parts, end = list[Trace](), j
            while isinstance(node, Chain):
                k = node.between(i, end)
                parts.append(node.second.trace(k, end))
                node, end = node.first, k
            parts.append(node.trace(i, end))
            self._known[i, j] = _merged([step for part in reversed(parts) for step in part])
        return self._known[i, j]


@dataclass(frozen=True, eq=False)
class LoopTurn:
    """One turn of a loop; its steps stay together."""

    body: Ways | Chain

    @property
    def costs(self) -> Costs:
        """Those of the body."""
        return self.body.costs

    def trace(self, i: int, j: int) -> Trace:
        """The steps of the body, as one."""
        return (Repeated(self.body.trace(i, j), 1),)


def then(first: Ways | Chain | LoopTurn, second: Ways | Chain | LoopTurn) -> Chain:
    """The second after the first."""
    near, far = first.costs, second.costs
    costs = np.full((len(near), far.shape[1]), np.inf)
    reached = (near < np.inf).any(axis=0)
    some = max(1, _SUMS // max(1, near.size))
    for k in range(0, far.shape[1], some):
        ends = far[:, k : k + some].T
        via = np.flatnonzero(reached & (ends < np.inf).any(axis=0))  # few, if few lead there
        sums = ends[:, via, None] + near.T[via]
        costs[:, k : k + some] = sums.min(axis=1, initial=np.inf).T
    return Chain(first, second, costs)


def nothing(size: int, starts: Sequence[int] | None = None) -> Ways:
    """Staying where one is, without a step, everywhere or from some places only.

    >>> nothing(3, starts=[0, 2]).costs.tolist()
    [[0.0, inf, inf], [inf, inf, 0.0]]
    """
    costs = np.full((size, size), np.inf)
    np.fill_diagonal(costs, 0.0)
    rows = costs if starts is None else costs[list(starts)]
    return Ways(rows, lambda i, j: None)  # noqa: ARG005 - the shape of a label


def steps_between(ways: Ways | Chain | LoopTurn, i: int, j: int) -> list[Leg]:
    """The steps of the way from i to j, each once.

    >>> ways = Ways(np.array([[1.0]]), lambda i, j: "step")
    >>> [str(step) for step in steps_between(power(ways, 1000, 1), 0, 0)]
    ['step: 0 to 0, 1']
    """
    found, seen, todo = dict[Leg, None](), set[tuple[int, int, int]](), [(ways, i, j)]
    while todo:
        node, i, j = todo.pop()
        if (id(node), i, j) in seen:
            continue
        seen.add((id(node), i, j))
        if isinstance(node, Chain):
            k = node.between(i, j)
            todo += [(node.second, k, j), (node.first, i, k)]
        elif isinstance(node, LoopTurn):
            todo.append((node.body, i, j))
        else:
            found |= dict.fromkeys(s for s in node.trace(i, j) if isinstance(s, Leg))
    return list(found)


def power(body: Ways | Chain, times: int, size: int) -> Ways | Chain | LoopTurn:
    """A loop that runs so many times.

    >>> ways = Ways(np.array([[1.0]]), lambda i, j: "step")
    >>> str(power(ways, 1000, 1).trace(0, 0)[0])
    '1000 x (step: 0 to 0, 1)'
    """
    found: Ways | Chain | LoopTurn | None = None
    square: Ways | Chain | LoopTurn = LoopTurn(body)
    while times:
        if times & 1:
            found = square if found is None else then(found, square)
        times >>= 1
        square = then(square, square) if times else square
    return nothing(size) if found is None else found


def _merged(trace: Sequence[Leg | Repeated]) -> Trace:
    """Equal turns that follow each other as one, and so for turns that alternate.

    A, and B C A twice, is A B C twice, and A: so a turn goes behind those that end in it.
    """
    done: list[Leg | Repeated] = []
    for step in trace:
        passed = list[Leg | Repeated]()
        while done and isinstance(step, Repeated) and isinstance(done[-1], Repeated):
            if step.steps[-1:] != (done[-1],):
                break
            passed.append(done.pop())
            step = Repeated((passed[-1], *step.steps[:-1]), step.times)  # noqa: PLW2901
        for each in (step, *reversed(passed)):
            done.append(each)
            while _joined(done):
                pass
    return tuple(done)


def _joined(done: list[Leg | Repeated]) -> bool:
    """Join what stands twice at the end; whether there was something to join."""
    for period in range(1, MAX_PERIOD + 1):
        tail = tuple(done[-period:])
        if not all(isinstance(turn, Repeated) for turn in tail):
            return False
        steps, times = _as_one(tail)
        before = done[-period - 1] if len(done) > period else None
        if isinstance(before, Repeated) and before.steps == steps:
            done[-period - 1 :] = [Repeated(steps, before.times + times)]
            return True
        if period > 1 and tuple(done[-2 * period : -period]) == tail:
            done[-2 * period :] = [Repeated(tail, 2)]
            return True
    return False


def _as_one(turns: Trace) -> tuple[Trace, int]:
    """The steps of one turn and how often, or those of several once."""
    only = turns[0]
    if len(turns) == 1 and isinstance(only, Repeated):
        return only.steps, only.times
    return turns, 1
