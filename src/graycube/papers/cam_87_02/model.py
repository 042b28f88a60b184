"""The cost model of section 8, in exact rational numbers, and what the paper prints.

The formulas are those of the paper, with one addition: on a single node nothing is sent.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

from graycube.papers import read_paper
from graycube.papers.claims import Row

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
class Model:
    """q elements on each node of a d-cube."""

    costs: Costs
    d: int
    q: int

    @property
    def block(self) -> Fraction:
        """To send a block: s + q c."""
        return self.costs.startup + self.q * self.costs.transfer

    @property
    def element(self) -> Fraction:
        """To send an element: s + c."""
        return self.costs.startup + self.costs.transfer

    def fft_sends(self, mapping: Mapping) -> Fraction:
        """What of an FFT is communication: (d - 1) delta + 1 blocks in sequence."""
        delta = 1 if mapping == "FFT" else 2
        return ((self.d - 1) * delta + 1) * self.block if self.d else Fraction(0)

    def fft(self, mapping: Mapping, n: int) -> Fraction:
        """T_fft, for n stages."""
        return self.q * n * self.costs.arithmetic + self.fft_sends(mapping)


@dataclass(frozen=True, slots=True)
class Printed:
    """The two tables, one entry for each number of dimensions and mapping.

    ``times`` are those of the fastest and of the slowest node, ``speedups`` those of the model
    and of the experiment.
    """

    costs: Costs
    times: dict[tuple[int, Mapping], tuple[int, int]]
    speedups: dict[tuple[int, Mapping], tuple[str, str]]

    def average(self, d: int, mapping: Mapping) -> Fraction:
        """What the paper compares its model with."""
        return Fraction(sum(self.times[d, mapping]), 2)


@cache
def printed() -> Printed:
    """What the claims have on record of section 8.1's parameters and of both tables."""
    paper = read_paper(Path(__file__).with_name("claims.toml"))
    rows = {claim.key: claim.figures for claim in paper.claims}
    costs = Costs(**{name: Fraction(value) for name, value, *_ in rows["text-8.1-f"]})
    return Printed(costs, by_mapping(rows["table-1"]), by_mapping(rows["table-2"]))


def by_mapping(rows: Iterable[Row]) -> dict[tuple[int, Mapping], tuple[Any, Any]]:
    """The two entries of every number of dimensions and mapping."""
    return {
        (row[0], mapping): (row[1 + 2 * j], row[2 + 2 * j])
        for row in rows
        for j, mapping in enumerate(MAPPINGS)
    }
