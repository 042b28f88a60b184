"""Section 8.3: which of the three strategies is the best, on times counted from schedules.

The planner, besides, finds Theorem 4 without being told of any strategy. It gets the program
(k transforms, then l stencils of one neighbour, and back to where it started), the two
mappings, and the paper's ways of doing things: whole blocks to every partner, conversion by
GB1. It searches.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

import graycube as gc
from graycube.advice import Advice, Methods
from graycube.papers import Case, Claim

from .prices import Costs, strategies
from .rounds import MAPPINGS, placed

SEED = 8702
METHODS = Methods(fft="whole blocks", conversion="gb1")
TIMES = {"stay in FFT": "T_f", "stay in BRGC": "T_b"}
NAMES = {"T_b": "BRGC", "T_f": "FFT", "T_c": "converted"}


@dataclass(frozen=True, slots=True)
class Problem:
    """k FFTs and l stencils on a machine, with q elements on each node of a d-cube."""

    costs: Costs
    d: int
    q: int
    k: int
    l: int  # noqa: E741 - the paper's name

    @property
    def times(self) -> dict[str, Fraction]:
        """T_b, T_f and T_c, counted."""
        counts = strategies(self.d, self.q, self.k, self.l)
        s, c = self.costs.startup, self.costs.transfer
        return {name: count.price(s, c) for name, count in counts.items()}

    @property
    def ratio(self) -> Fraction:
        """(s + q c) / (s + c)."""
        s, c = self.costs.startup, self.costs.transfer
        return (s + self.q * c) / (s + c)

    def __str__(self) -> str:
        sizes = f"d = {self.d}, q = {self.q}, k = {self.k}, l = {self.l}"
        return f"{sizes}, s = {self.costs.startup}, c = {self.costs.transfer}"


Condition = Callable[[Problem], bool]
THEOREM_4: dict[tuple[str, str], Condition] = {
    ("T_c", "T_b"): lambda p: p.k > 2,
    ("T_c", "T_f"): lambda p: p.l > 2 * p.ratio,
    ("T_b", "T_f"): lambda p: p.l > p.k * p.ratio,
}


@cache
def problems(count: int) -> tuple[Problem, ...]:
    """So many random ones; in every other one a condition is on its boundary.

    There s and c are chosen so that (s + q c) / (s + c) is an integer r, and l is k r or 2 r.
    """
    rng, made = np.random.default_rng(SEED), []
    for j in range(count):
        d, q, k, stencils, small, large = map(
            int, rng.integers(1, (13, 65, 7, 65, 100, 10_000))
        )
        s, c = Fraction(large, small), Fraction(small, 7)
        if j % 2:
            r = int(rng.integers(1, q + 1))
            s, c = (s, Fraction(0)) if r == 1 else (c * Fraction(q - r, r - 1), c)
            stencils = r * (k if j % 4 == 1 else 2)
        made.append(Problem(Costs(s, c), d, q, k - (j % 8 == 0), stencils))
    return tuple(made)


def _tried(
    claim: Claim, made: Callable[[int], Iterable[Problem]] = problems
) -> Iterator[Problem]:
    trials = [sizes["trial"] for sizes in claim.cases()]
    return map(list(made(max(trials) + 1)).__getitem__, trials)


def theorem_4(claim: Claim) -> Iterator[Case]:
    """The three conditions; each is the only one for d > 1, and for d = 1 all is equal."""
    for problem in _tried(claim):
        for (fast, slow), condition in THEOREM_4.items():
            said, ours, order = condition(problem), *_against(problem, fast, slow)
            paper = f"{fast} < {slow}" if said else "nothing said"
            right = order == 0 if problem.d == 1 else (order < 0) == said
            yield Case(str(problem), paper, ours, order < 0 or not said, right)


def few_transforms(claim: Claim) -> Iterator[Case]:
    """For one or two FFTs nothing is gained by converting from the BRGC mapping."""
    return (_no_slower(p, "T_b", "T_c") for p in _tried(claim) if p.k <= 2)


def mostly_transforms(claim: Claim) -> Iterator[Case]:
    """With few stencils for a transform the FFT mapping is at least as good as the BRGC."""
    return (_no_slower(p, "T_f", "T_b") for p in _tried(claim) if p.l < p.k * p.ratio)


def _no_slower(problem: Problem, fast: str, slow: str) -> Case:
    ours, order = _against(problem, fast, slow)
    return Case(str(problem), f"{fast} <= {slow}", ours, order <= 0)


def _against(problem: Problem, fast: str, slow: str) -> tuple[str, Fraction]:
    """Two times, and how much longer the first one is."""
    one, other = problem.times[fast], problem.times[slow]
    return f"{fast} = {float(one):g}, {slow} = {float(other):g}", one - other


def advice(  # noqa: PLR0913
    d: int, q: int, machine: gc.Machine, k: int, stencils: int, *, itemsize: int = 1
) -> Advice:
    """What the planner says about the paper's program."""
    p = d + q.bit_length() - 1
    layouts = {str(mapping): placed(p, d, mapping) for mapping in MAPPINGS}
    program = [
        gc.Loop([gc.FFT(order="free")], k, name="k"),
        gc.Loop([gc.Stencil(reach=[(0, 1)])], stencils, name="l"),
    ]
    return gc.advise(
        program,
        machine=machine,
        size=1 << p,
        itemsize=itemsize,
        layouts=layouts,
        returns=True,
        methods=METHODS,
    )


def consulted(problem: Problem) -> tuple[float, str]:
    """The same: the time of what it chose, and the name of that time."""
    s, c = int(problem.costs.startup), int(problem.costs.transfer)
    machine = gc.Machine(problem.d, startup=s, per_byte=c)
    found = advice(problem.d, problem.q, machine, problem.k, problem.l)
    return found.cost, TIMES.get(found.strategy, "T_c")


def cases(count: int) -> Iterator[Problem]:
    """Random ones with whole costs; half of them near a boundary of the theorem."""
    rng = np.random.default_rng(SEED)
    for number in range(count):
        d, q = int(rng.integers(1, 9)), 1 << int(rng.integers(0, 8))
        s, c = (int(10.0 ** rng.uniform(0, 5)) for _ in range(2))
        k = int(rng.integers(1, 6))
        ratio = (s + q * c) / (s + c)
        stencils = int(rng.integers(1, 20)) if number % 2 else round(rng.choice((k, 2)) * ratio)
        near = max(1, stencils + int(rng.integers(-1, 2)))
        yield Problem(Costs(Fraction(s), Fraction(c)), d, q, k, near)


def searched(claim: Claim) -> Iterator[Case]:
    """The planner, told the program and the mappings but no strategy, finds the least time."""
    for problem in _tried(claim, cases):
        (cost, chosen), times = consulted(problem), problem.times
        least = [name for name in times if times[name] == min(times.values())]
        right = cost == times[chosen] and chosen in least
        best = " or ".join(NAMES[name] for name in least)
        yield Case(str(problem), f"{best} is best", NAMES[chosen], right)
