"""Section 5: an algorithm that takes strides of powers of two, cyclic reduction."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded

import graycube as gc
from graycube.papers import compared, require
from graycube.papers.codes import distance, reflected

Rows = NDArray[np.float64]
"""Lower, middle and upper coefficient and right-hand side of each equation, in columns."""


@compared
def cyclic_reduction(d: int) -> int:
    """Every element that is read is at most two links away, and the solution is right."""
    rows = np.random.default_rng(d).uniform(-1, 1, (1 << d, 4)) + np.array([0, 4, 0, 0])
    rows[0, 0] = rows[-1, 2] = 0
    bands = np.array([np.roll(rows[:, 2], 1), rows[:, 1], np.roll(rows[:, 0], -1)])
    known = solve_banded((1, 1), bands, rows[:, 3])
    found, farthest = solved(rows, reflected(d))
    require(np.allclose(found, known), "the solution is wrong")
    strides = max(map(max, gc.stride_profile(gc.GrayCode.reflected(d))))
    require(farthest == strides, "the library has other strides")
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
