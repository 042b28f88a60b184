"""Tridiagonal systems, and what solves them densely, line by line."""

import numpy as np


def dense(lower, diagonal, upper, *, periodic=False):
    """The matrix, from the equations, one by one; what they name twice is added."""
    n = len(diagonal)
    a = np.zeros((n, n), np.result_type(lower, diagonal, upper))
    for i in range(n):
        for j, value in ((i - 1, lower[i]), (i, diagonal[i]), (i + 1, upper[i])):
            if periodic or 0 <= j < n:
                a[i, j % n] += value
    return a


def solved(*arrays, axis, periodic=False):
    """NumPy's solution of every line."""
    arrays = np.broadcast_arrays(*arrays)
    lines = [np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis]) for x in arrays]
    each = zip(*lines, strict=True)
    found = [np.linalg.solve(dense(*c, periodic=periodic), b) for *c, b in each]
    moved = np.moveaxis(arrays[3], axis, -1).shape
    return np.moveaxis(np.reshape(found, moved), -1, axis)


def system(rng, shape, payload, several, kind=float):
    """Random coefficients, dominant or not by much, and right sides."""

    def drawn(extra):
        x = rng.standard_normal((*shape, *extra))
        return x + 1j * rng.standard_normal(x.shape) if kind is complex else x

    extra = payload if several else (1,) * len(payload)
    lower, upper = drawn(extra), drawn(extra)
    diagonal = drawn(extra) / 2 + (2 + abs(lower) + abs(upper))
    return lower, diagonal, upper, drawn(payload)
