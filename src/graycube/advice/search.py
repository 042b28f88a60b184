"""The cheapest sequence of layouts for the phases of a program.

Rules.

1. Before every phase that communicates the data may be converted to a home.
2. Where a step is not known yet there is a bound for its price, so the cheapest way seems no
   dearer than it is. What is in doubt on it is found out, until nothing is: then it is the
   cheapest of all ways, through whatever layouts.
3. Layouts are followed that are one phase from home, then two, and so on, where ways through
   them seem cheapest: so a long chain does not take the room of all others. When there is no
   more room, other layouts are left out, and the bound says what they could save at most.
4. Between equally cheap ways, the one with fewer conversions is taken, and with conversions
   before a loop rather than in it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile
from math import inf, isfinite

from graycube.advice.known import Known, phase_of
from graycube.advice.paths import (
    Chain,
    Leg,
    LoopTurn,
    Repeated,
    Trace,
    Ways,
    nothing,
    power,
    steps_between,
    then,
)
from graycube.advice.phases import Elementwise, Loop, Network, Phase, Single

Opened = Callable[[Single, int], bool]
_CLOSE = 1 - 1e-12
"""Sums that differ by less are the same, added up in another order."""


@dataclass(frozen=True, slots=True)
class Found:
    """A way, and a bound for all others: it is the cheapest one if that is its cost.

    >>> Found((Leg("fft", 0, 0, 2.5),), cost=2.5, lower_bound=2.0).cost
    2.5
    """

    steps: Trace
    cost: float
    lower_bound: float


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: for so many turns of named loops, with conversions or without.

    With ``returns`` the end is the start, and there may be a conversion to get there.
    """

    times: Mapping[str, int]
    returns: bool
    stay: bool = False


@dataclass
class Search:
    """Finds the cheapest ways through some phases, and gets to know what it needs for that."""

    phases: Sequence[Phase]
    known: Known
    _depth: int = 0

    def __repr__(self) -> str:
        return f"<Search of {len(self.phases)} phases, {self.known!r}>"

    def cheapest(
        self, starts: Sequence[int], times: Mapping[str, int], *, returns: bool
    ) -> Found:
        """The cheapest way from one of the starts; its cost is infinite if there is none."""
        (found,) = self._answers(Question(times, returns), [starts])
        return found

    def staying(self, starts: Sequence[int], *, returns: bool) -> list[Found]:
        """The cheapest way from each place if nothing is ever converted."""
        return self._answers(Question({}, returns, stay=True), [[start] for start in starts])

    def _answers(self, question: Question, groups: Sequence[Sequence[int]]) -> list[Found]:
        """The cheapest way from one place of each group."""
        while True:
            seen = self._seen(question, groups, lambda *_: True)
            far = [starts for starts, ways in zip(groups, seen, strict=True) if ways[0].new]
            if far and not self._explore(question, far):
                break
            if not far and not self._find_out(seen, plans=True):
                return [ways[0].found(ways[0].cost) for ways in seen]
        while True:
            best = self._seen(question, groups, lambda *_: False)
            if not self._find_out(best, plans=True):
                pairs = zip(best, seen, strict=True)
                return [ways[0].found(lowest[0].cost) for ways, lowest in pairs]

    def _explore(self, question: Question, groups: Sequence[Sequence[int]]) -> bool:
        """Follow layouts near home that seem to be on the cheapest ways, if there are any."""

        def near(phase: Single, i: int) -> bool:
            return self.known.may_follow(phase, i, self._depth)

        followed = False
        while True:
            seen = self._seen(question, groups, near)
            first = [way for ways in seen for way in takewhile(lambda way: way.new, ways)]
            new = [step for way in first for step in way.new]
            for phase, i in new:
                if near(phase, i):
                    self.known.done(phase, i)
            if new or self._find_out(seen, plans=False):
                followed = followed or bool(new)
            elif followed or self._depth >= self.known.deepest:
                return followed
            else:
                self._depth += 1

    def _find_out(self, seen: Iterable[Sequence["_WayThrough"]], *, plans: bool) -> bool:
        """What is quick to have on the ways, or else the plans of the cheapest, if any."""
        every = [step for ways in seen for way in ways for step in way.doubts]
        quick = [step for step in every if self.known.is_quick(step)]
        for step in quick:
            if self.known.is_quick(step):  # a good bound is found for all that begin there
                self.known.find_out(step)
        if not plans or quick:
            return bool(quick)
        doubts = dict.fromkeys(step for ways in seen for step in ways[0].doubts)
        for step in doubts:
            self.known.find_out(step)
        return bool(doubts)

    def _seen(
        self, question: Question, groups: Sequence[Sequence[int]], opened: Opened
    ) -> list[list["_WayThrough"]]:
        """For each group the ways that may be the cheapest, up to one without a doubt."""
        starts, seen = [i for group in groups for i in group], list[list[_WayThrough]]()
        through = self._through(self.phases, question, opened, starts=starts)
        size, rows = self.known.anywhere + 1, iter(enumerate(starts))
        for group in groups:
            ways = list[_WayThrough]()
            for row, start in islice(rows, len(group)):
                ends = [start, self.known.anywhere] if question.returns else range(size)
                end = min(ends, key=through.costs[row].__getitem__)
                ways.append(_WayThrough(through, row, end, self.known))
            ways.sort(key=lambda way: way.cost)
            sure = next((k for k, way in enumerate(ways) if not way.doubts), len(ways) - 1)
            alike = ways[sure].cost * _CLOSE <= ways[0].cost and not ways[sure].doubts
            seen.append(ways[sure if alike else 0 : sure + 1])
        return seen

    def _through(  # noqa: PLR0913
        self,
        phases: Sequence[Phase],
        question: Question,
        opened: Opened,
        made: dict[object, Ways | Chain | LoopTurn] | None = None,
        *,
        starts: Sequence[int] | None = None,
        depth: int = 1,
    ) -> Ways | Chain:
        """The cheapest ways through phases, from some places or all to every place.

        Conversions that are ``depth`` loops deep are the last choice. Loops and phases that
        occur again are ``made`` once.
        """
        size = self.known.anywhere + 1
        total: Ways | Chain = nothing(size, starts)
        moves = nothing(size) if question.stay else self.known.conversions(depth)
        made = {} if made is None else made
        for phase in phases:
            if isinstance(phase, Loop):
                count = question.times.get(phase.name, phase.times)
                loop = phase.phases, count, depth
                if loop not in made:
                    asked = question, opened, made
                    body = self._through(phase.phases, *asked, depth=depth + 1)
                    made[loop] = power(body, count, size)
                total = then(then(total, moves), made[loop])
            else:
                if (phase, depth) not in made:
                    step = self.known.phase(phase, opened)
                    still = isinstance(phase, Elementwise)
                    made[phase, depth] = step if still else then(moves, step)
                total = then(total, made[phase, depth])
        return then(total, moves) if question.returns and depth == 1 else total


@dataclass(frozen=True)
class _WayThrough:
    """One of the ways through a program, by bounds where prices are not known."""

    ways: Ways | Chain
    row: int
    end: int
    known: Known

    @cached_property
    def cost(self) -> float:
        return float(self.ways.costs[self.row, self.end])

    @cached_property
    def doubts(self) -> list[Leg]:
        """The steps that are not known, where they begin in a place."""
        if not isfinite(self.cost):
            return []
        steps = steps_between(self.ways, self.row, self.end)
        return [step for step in steps if self.known.is_open(step)]

    @cached_property
    def new(self) -> list[tuple[Network, int]]:
        """The networks among them, which lead nobody knows where, and the places."""
        phases = ((phase_of(step), step.before) for step in self.doubts)
        return [(phase, i) for phase, i in phases if isinstance(phase, Network)]

    def found(self, lowest: float) -> Found:
        """The way when all is known, where no other costs less than the lowest."""
        if not isfinite(self.cost):
            return Found((), inf, lowest)
        steps = self.ways.trace(self.row, self.end)
        cost = total(steps)
        return Found(steps, cost, cost if self.cost * _CLOSE <= lowest else min(cost, lowest))


def steps_of(trace: Trace) -> list[Leg]:
    """All steps of a way, those of a loop once."""
    found: list[Leg] = []
    for step in trace:
        found += steps_of(step.steps) if isinstance(step, Repeated) else [step]
    return found


def total(trace: Trace) -> float:
    """What a way costs."""
    return sum(
        step.times * total(step.steps) if isinstance(step, Repeated) else step.cost
        for step in trace
    )
