"""Section 8.1: Tables 1 and 2 entry by entry, the parameters, and Figures 4 and 5.

All times are in milliseconds, on the machine of the two tables.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import graycube as gc
from graycube.papers import Case, Claim, read_paper, require
from graycube.papers.claims import Row
from graycube.papers.formula import Number, evaluate

from . import prices
from .rounds import MAPPINGS, Mapping

ITEMSIZE = 8  # bytes: with the profile's 2 microseconds each it is the paper's c
POINTS = 12  # stages of the 4096-point FFT of Tables 1 and 2
FIGURE_4 = 10  # and of the 1024-point one
ROUNDED = Fraction(1, 1000)  # the parameter a has three digits
WORD = 4  # bytes of 32 bits


@dataclass(frozen=True, slots=True)
class Printed:
    """The formula of T_fft, and the two tables by numbers of dimensions and mappings.

    ``times`` are those of the fastest and of the slowest node, ``speedups`` those of the model
    and of the experiment.
    """

    costs: prices.Costs
    formula: str
    times: dict[tuple[int, Mapping], tuple[int, int]]
    speedups: dict[tuple[int, Mapping], tuple[str, str]]

    def fft(self, n: int, d: int, mapping: Mapping) -> Number:
        """T_fft of 2^n elements on a d-cube by the paper's formula."""
        s, c, a = self.costs.startup, self.costs.transfer, self.costs.arithmetic
        sizes = {"n": n, "d": d, "delta": 1 + MAPPINGS.index(mapping)}
        return evaluate(self.formula, {**sizes, "s": s, "c": c, "a": a})

    def average(self, d: int, mapping: Mapping) -> Fraction:
        """What the paper compares its model with."""
        return Fraction(sum(self.times[d, mapping]), 2)


@cache
def printed() -> Printed:
    """What the claims have on record of section 8.1's parameters and of both tables."""
    paper = read_paper(Path(__file__).with_name("claims.toml"))
    rows = {claim.key: claim.figures for claim in paper.claims}
    wrongs = {claim.key: claim.correction for claim in paper.claims}
    costs = prices.Costs(**{name: Fraction(value) for name, value, *_ in rows["text-8.1-f"]})
    tables = (by_mapping(rows[f"table-{number}"]) for number in (1, 2))
    return Printed(costs, getattr(wrongs["text-8.1-a"], "formula", ""), *tables)


def by_mapping(rows: Iterable[Row]) -> dict[tuple[int, Mapping], tuple[Any, Any]]:
    """The two entries of every number of dimensions and mapping."""
    return {
        (row[0], mapping): (row[1 + 2 * j], row[2 + 2 * j])
        for row in rows
        for j, mapping in enumerate(MAPPINGS)
    }


def split(n: int, d: int, mapping: Mapping) -> tuple[Fraction, Fraction]:
    """Computation, and the sends that schedules take, on the machine of Table 2."""
    return prices.split(printed().costs, n, d, mapping)


def alone() -> Fraction:
    """The model's time of one node: a q n."""
    return Fraction(sum(split(POINTS, 0, "FFT")))


def model_speedups(d: int, mapping: Mapping) -> tuple[float, float]:
    """The model's, and the same from its two times in whole milliseconds."""
    work, sent = split(POINTS, d, mapping)
    return float(alone() / (work + sent)), float(alone() / (round(work) + round(sent)))


def measured_speedups(d: int, mapping: Mapping) -> tuple[float, float]:
    """Of the averages, to the model's time of one node and to the measured one."""
    average, measured = printed().average(d, mapping), printed().average(0, mapping)
    return float(alone() / average), float(measured / average)


def table_1(claim: Claim) -> Iterator[Case]:
    """Every measured time, fastest and slowest, against that of the priced schedules."""
    for (d, mapping), (fastest, slowest) in by_mapping(claim.figures).items():
        time, where = Fraction(sum(split(POINTS, d, mapping))), f"d = {d}, {mapping}"
        ours, above = f"{float(time):.1f}", time >= fastest * (1 - ROUNDED)
        yield Case(f"{where}, fastest", f">= {fastest}", ours, above)
        below = time <= slowest * (1 + ROUNDED)
        yield Case(f"{where}, slowest", f"<= {slowest}", ours, below)


def table_2(claim: Claim) -> Iterator[Case]:
    """Every entry from the parameters or from Table 1's averages; corrected, as it was made."""
    for (d, mapping), entries in by_mapping(claim.figures).items():
        exact, whole = model_speedups(d, mapping)
        by_model, by_measured = measured_speedups(d, mapping)
        ours = ("model", exact, whole), ("experiment", by_measured, by_model)
        for entry, (name, plain, corrected) in zip(entries, ours, strict=True):
            agree = (f"{figure:.2f}" == entry for figure in (plain, corrected))
            yield Case(f"d = {d}, {mapping}, {name}", entry, f"{plain:.2f}", *agree)


def parameters(claim: Claim) -> Iterator[Case]:
    """What the measurements at Yale, one way, and Table 1's single node come to."""
    for name, value, *one_way in claim.figures:
        printed_value = Fraction(value)
        if name == "arithmetic":
            ours = Fraction(printed().times[0, "FFT"][0], POINTS << POINTS)
            right = corrected = abs(ours - printed_value) <= printed_value * ROUNDED
        else:
            ours = 2 * Fraction(*one_way) * (WORD if name == "transfer" else 1)
            costs = gc.Machine.profile("ipsc1").dearest
            profile = costs.startup if name == "startup" else ITEMSIZE * costs.per_byte
            same = round(profile * 10**6) == printed_value * 1000
            require(same, f"the profile has another {name}")
            right = ours == printed_value
            corrected = right or ours * ITEMSIZE / WORD == printed_value
        yield Case(str(name), f"{value} ms", f"{float(ours):.4g} ms", right, corrected)


def figure_4(claim: Claim) -> Iterator[Case]:
    """What section 8.1 reads off the curves, here those of Table 2's machine."""
    best = {}
    for mapping in MAPPINGS:
        parts = [split(FIGURE_4, d, mapping) for d in range(FIGURE_4 + 1)]
        for (d,) in (sizes.values() for sizes in claim.cases()):
            said, time = printed().fft(FIGURE_4, d, mapping), sum(parts[d])
            told = f"{float(said):.3f} ms", f"{float(time):.3f}"
            yield Case(f"{mapping}, d = {d}", *told, said == time)
        d = best[mapping] = min(range(len(parts)), key=lambda d: sum(parts[d]))
        work, sent = parts[d]
        ours = f"{float(sent):.1f} and {float(work):.1f} ms"
        where = f"{mapping}, the best d = {d}"
        yield Case(where, "more communication than computation", ours, sent > work)
        low = [k for k, (work, sent) in enumerate(parts[:d]) if 2 * sent < work]
        ours = f"below half for d = {low[0]} to {low[-1]}"
        large = low == list(range(len(low))) and 2 * len(low) > d
        yield Case(f"{mapping}, d < {d}", "much less over a large range", ours, large)
    ours = f"{best['BRGC']} and {best['FFT']}"
    yield Case("best d, BRGC and FFT", "BRGC lower", ours, best["BRGC"] < best["FFT"])
    for d in range(1, FIGURE_4 * 2 // 5 + 1):
        fft, brgc = (sum(split(FIGURE_4, d, mapping)) for mapping in MAPPINGS)
        ours = f"{100 * float(brgc / fft - 1):.1f} percent higher"
        where = f"BRGC and FFT, n/d = {FIGURE_4 / d:.3g}"
        yield Case(where, "slightly higher", ours, fft <= brgc < Fraction(11, 10) * fft)


def figure_5(_: Claim) -> Iterator[Case]:
    """Both curves of both mappings, the points of Table 2.

    The paper compares averages, as the model does not have the imbalance that spreads the times
    of Table 1. So they agree well where the model's time is nearer to the average than to those
    of the fastest and of the slowest processor.
    """
    for d, mapping in printed().speedups:
        time = Fraction(sum(split(POINTS, d, mapping)))
        average, ends = printed().average(d, mapping), printed().times[d, mapping]
        apart = abs(time - average)
        speedups = f"{float(alone() / time):.2f} and {float(alone() / average):.2f}"
        shown = f"{speedups}, {float(100 * apart / average):.1f} percent apart"
        where = f"d = {d}, {mapping}, model and experiment"
        nearer = apart < min(abs(time - end) for end in ends)
        yield Case(where, "nearer to the average", shown, nearer)
