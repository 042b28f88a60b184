"""Sections 5 and 9: algorithms on strides of powers of two, multigrid and cyclic reduction."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded

import graycube as gc
from graycube.gf2 import stride_profile
from graycube.papers import compared, require
from graycube.papers.codes import Ints, distance, reflected

Values = NDArray[np.float64]
SHIFT = 0.01
"""In 2 u(j) - u(j - 1) - u(j + 1) + SHIFT u(j) = f(j), so that it has a solution."""
CYCLES = 30
DAMPING = 2 / 3


@dataclass
class Grids:
    """The nodes of the points, and how far values have been read at most."""

    node: Ints
    farthest: int = 0

    def beside(self, values: Values, sign: int) -> Values:
        """What every point of a grid reads of the next one, after or before it."""
        node = self.node[:: len(self.node) // len(values)]
        self.farthest = max(self.farthest, int(distance(node, np.roll(node, -sign)).max()))
        return np.roll(values, -sign)

    def residual(self, values: Values, wanted: Values) -> Values:
        """What the equation of a grid leaves at every point."""
        stride = len(self.node) // len(values)
        differences = 2 * values - self.beside(values, 1) - self.beside(values, -1)
        left: Values = wanted - differences / stride**2 - SHIFT * values
        return left

    def smoothed(self, values: Values, wanted: Values) -> Values:
        """Two damped steps of Jacobi."""
        stride = len(self.node) // len(values)
        for _ in range(2):
            step = self.residual(values, wanted) / (2 / stride**2 + SHIFT)
            values = values + DAMPING * step
        return values

    def cycle(self, values: Values, wanted: Values) -> Values:
        """A V-cycle: to the grid of a single point and back."""
        if len(values) == 1:
            return wanted / SHIFT
        values = self.smoothed(values, wanted)
        left = self.residual(values, wanted)
        weighted = (self.beside(left, -1) + 2 * left + self.beside(left, 1)) / 4
        coarse = self.cycle(np.zeros(len(values) // 2), weighted[::2])
        spread = np.zeros_like(values)
        spread[::2] = coarse
        values = values + spread + (self.beside(spread, -1) + self.beside(spread, 1)) / 2
        return self.smoothed(values, wanted)


@compared
def multigrid(d: int) -> int:
    """Every value that is read is at most two links away, and the solution is right."""
    wanted = np.random.default_rng(d).uniform(-1, 1, 1 << d)
    grids, found = Grids(reflected(d)), np.zeros(1 << d)
    for _ in range(CYCLES):
        found = grids.cycle(found, wanted)
    waves = 2 - 2 * np.cos(2 * np.pi * np.fft.fftfreq(1 << d))
    known = np.fft.ifft(np.fft.fft(wanted) / (waves + SHIFT)).real
    require(np.allclose(found, known), "the solution is wrong")
    return grids.farthest


@compared
def cyclic_reduction(d: int) -> int:
    """Every element that is read is at most two links away, and the solution is right."""
    rows = np.random.default_rng(d).uniform(-1, 1, (1 << d, 4)) + np.array([0, 4, 0, 0])
    rows[0, 0] = rows[-1, 2] = 0
    bands = np.array([np.roll(rows[:, 2], 1), rows[:, 1], np.roll(rows[:, 0], -1)])
    known = solve_banded((1, 1), bands, rows[:, 3])
    found, farthest = solved(rows, reflected(d))
    require(np.allclose(found, known), "the solution is wrong")
    strides = max(map(max, stride_profile(gc.GrayCode.reflected(d))))
    require(farthest == strides, "the library has other strides")
    return farthest


def solved(rows: Values, node: Ints) -> tuple[Values, int]:
    """The solution of a tridiagonal system by odd-even reduction, and how far is read.

    Columns are the lower, middle and upper coefficients, and the right-hand side.
    Equation j is on the j-th node. In a step every equation eliminates those at a stride before
    and after it; after the last one it is alone.
    """
    index, farthest, stride = np.arange(len(rows)), 0, 1
    while stride < len(rows):
        new = rows.copy()
        for sign, column in ((-1, 0), (1, 2)):
            here = index[(index + sign * stride >= 0) & (index + sign * stride < len(rows))]
            there = here + sign * stride
            farthest = max(farthest, int(distance(node[here], node[there]).max()))
            factor = rows[here, column] / rows[there, 1]
            new[here, column] = -factor * rows[there, column]
            new[here, 1] -= factor * rows[there, 2 - column]
            new[here, 3] -= factor * rows[there, 3]
        rows, stride = new, 2 * stride
    return rows[:, 3] / rows[:, 1], farthest
