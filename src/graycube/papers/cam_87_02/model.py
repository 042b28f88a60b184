"""The costs of section 8, in exact rational numbers, and what the paper prints."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

from graycube.papers import read_paper
from graycube.papers.claims import Row
from graycube.papers.formula import Number, evaluate

Mapping = Literal["FFT", "BRGC"]
"""The paper's names of binary code and of the binary-reflected Gray code."""
MAPPINGS: tuple[Mapping, ...] = ("FFT", "BRGC")


@dataclass(frozen=True, slots=True)
class Costs:
    """The paper's s, c and a: of a message, of an element in it, of an element in a stage."""

    startup: Fraction
    transfer: Fraction
    arithmetic: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Printed:
    """The formula of T_fft, and the two tables by numbers of dimensions and mappings.

    ``times`` are those of the fastest and of the slowest node, ``speedups`` those of the model
    and of the experiment.
    """

    costs: Costs
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
    costs = Costs(**{name: Fraction(value) for name, value, *_ in rows["text-8.1-f"]})
    tables = (by_mapping(rows[f"table-{number}"]) for number in (1, 2))
    return Printed(costs, getattr(wrongs["text-8.1-a"], "formula", ""), *tables)


def by_mapping(rows: Iterable[Row]) -> dict[tuple[int, Mapping], tuple[Any, Any]]:
    """The two entries of every number of dimensions and mapping."""
    return {
        (row[0], mapping): (row[1 + 2 * j], row[2 + 2 * j])
        for row in rows
        for j, mapping in enumerate(MAPPINGS)
    }
