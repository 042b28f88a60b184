"""Section 8.3: which of the three strategies is the best, on times counted from schedules."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from graycube.papers import Case, Claim

from .advice import cases, chosen, consulted
from .model import Costs, Model
from .prices import strategies

SEED = 8702
CASES = 10_000


@dataclass(frozen=True, slots=True)
class Problem:
    """k FFTs and l stencils on a machine."""

    here: Model
    k: int
    l: int  # noqa: E741 - the paper's name

    @property
    def times(self) -> dict[str, Fraction]:
        """T_b, T_f and T_c, counted."""
        counts = strategies(self.here.d, self.here.q, self.k, self.l)
        s, c = self.here.costs.startup, self.here.costs.transfer
        return {name: Fraction(count.price(s, c)) for name, count in counts.items()}

    @property
    def ratio(self) -> Fraction:
        """(s + q c) / (s + c)."""
        return self.here.block / self.here.element

    def __str__(self) -> str:
        costs = self.here.costs
        sizes = f"d = {self.here.d}, q = {self.here.q}, k = {self.k}, l = {self.l}"
        return f"{sizes}, s = {costs.startup}, c = {costs.transfer}"


Condition = Callable[[Problem], bool]
THEOREM_4: dict[tuple[str, str], Condition] = {
    ("T_c", "T_b"): lambda p: p.k > 2,
    ("T_c", "T_f"): lambda p: p.l > 2 * p.ratio,
    ("T_b", "T_f"): lambda p: p.l > p.k * p.ratio,
}


@cache
def problems(count: int = CASES) -> tuple[Problem, ...]:
    """So many random ones; in every other one a condition is on its boundary.

    There s and c are chosen so that (s + q c) / (s + c) is an integer r, and l is k r or 2 r.
    """
    return tuple(_problems(count))


def _problems(count: int) -> Iterator[Problem]:
    rng = np.random.default_rng(SEED)
    for j in range(count):
        d, q, k, stencils, small, large = map(
            int, rng.integers(1, (13, 65, 7, 65, 100, 10_000))
        )
        s, c = Fraction(large, small), Fraction(small, 7)
        if j % 2:
            r = int(rng.integers(1, q + 1))
            s, c = (s, Fraction(0)) if r == 1 else (c * Fraction(q - r, r - 1), c)
            stencils = r * (k if j % 4 == 1 else 2)
        yield Problem(Model(Costs(s, c), d, q), k - 1 if j % 8 == 0 else k, stencils)


def _tried(claim: Claim) -> Iterator[Problem]:
    trials = [sizes["trial"] for sizes in claim.cases()]
    return (problems(max(trials) + 1)[trial] for trial in trials)


def theorem_4(claim: Claim) -> Iterator[Case]:
    """The three conditions; each is the only one for d > 1, and for d = 1 all is equal."""
    for problem in _tried(claim):
        times = problem.times
        for (fast, slow), condition in THEOREM_4.items():
            said, found = condition(problem), times[fast] < times[slow]
            tie = times[fast] == times[slow]
            ours = f"{fast} = {float(times[fast]):g}, {slow} = {float(times[slow]):g}"
            paper = f"{fast} < {slow}" if said else "nothing said"
            right = tie if problem.here.d == 1 else found == said
            yield Case(str(problem), paper, ours, found or not said, right)


def few_transforms(claim: Claim) -> Iterator[Case]:
    """For one or two FFTs nothing is gained by converting from the BRGC mapping."""
    for problem in (p for p in _tried(claim) if p.k <= 2):
        times = problem.times
        ours = f"T_b = {float(times['T_b']):g}, T_c = {float(times['T_c']):g}"
        yield Case(str(problem), "T_b <= T_c", ours, times["T_b"] <= times["T_c"])


def mostly_transforms(claim: Claim) -> Iterator[Case]:
    """With few stencils for a transform the FFT mapping is at least as good as the BRGC."""
    for problem in (p for p in _tried(claim) if p.l < p.k * p.ratio):
        times = problem.times
        ours = f"T_f = {float(times['T_f']):g}, T_b = {float(times['T_b']):g}"
        yield Case(str(problem), "T_f <= T_b", ours, times["T_f"] <= times["T_b"])


def searched(claim: Claim) -> Iterator[Case]:
    """The planner, told the program and the mappings but no strategy, finds the least time."""
    names = {"T_b": "BRGC", "T_f": "FFT", "T_c": "converted"}
    wanted = {sizes["trial"] for sizes in claim.cases()}
    for trial, (k, l, s, c, q, d) in enumerate(cases(max(wanted) + 1)):  # noqa: E741
        if trial in wanted:
            found = consulted(k, l, s, c, q, d)
            problem = Problem(Model(Costs(Fraction(s), Fraction(c)), d, q), k, l)
            times = {names[name]: time for name, time in problem.times.items()}
            right = found.cost == min(times.values()) == times[chosen(found)]
            least = " or ".join(n for n in times if times[n] == min(times.values()))
            yield Case(str(problem), f"{least} is best", chosen(found), right)
