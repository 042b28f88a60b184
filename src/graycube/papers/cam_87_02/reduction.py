"""Section 5: an algorithm that takes strides of powers of two, cyclic reduction."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded

import graycube as gc
from graycube.papers import Case, Claim
from graycube.papers.codes import distance, reflected

Rows = NDArray[np.float64]
"""Lower, middle and upper coefficient and right-hand side of each equation, in columns."""


def cyclic_reduction(claim: Claim) -> Iterator[Case]:
    """Every element that is read is at most two links away, and the solution is right."""
    return claim.compared(_farthest_read)


def _farthest_read(d: int) -> int:
    rows = np.random.default_rng(d).uniform(-1, 1, (1 << d, 4)) + np.array([0, 4, 0, 0])
    rows[0, 0] = rows[-1, 2] = 0
    bands = np.array([np.roll(rows[:, 2], 1), rows[:, 1], np.roll(rows[:, 0], -1)])
    known = solve_banded((1, 1), bands, rows[:, 3])
    found, farthest = solved(rows, reflected(d))
    if not np.allclose(found, known):
        raise ValueError(f"the solution is wrong, d = {d}")
    if farthest != max(map(max, gc.stride_profile(gc.GrayCode.reflected(d)))):
        raise ValueError(f"the library has other strides, d = {d}")
    return farthest


def solved(rows: Rows, node: NDArray[np.int64]) -> tuple[Rows, int]:
    """The solution of a tridiagonal system by odd-even reduction, and how far is read.

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
