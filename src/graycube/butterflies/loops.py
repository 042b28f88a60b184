"""The compiled loop of Walsh-Hadamard transforms.

Only :mod:`graycube.butterflies.walsh` imports this file, and only where Numba is installed.
What it compiles is kept beside this file, or where ``NUMBA_CACHE_DIR`` says.

Rules.

1. Two stages are done at once, on four rows: each number is read and written half as often.
2. What is one after the other and fits a cache has all of its stages done there. Stages beyond
   are done on some columns of some rows, which are copied to a buffer: rows that are a power of
   two apart would push each other out of the cache.
"""

from functools import cache
from typing import Any

import numpy as np
from numba import njit

_ANY = Any
_NEAREST, _NEAR = 1 << 11, 1 << 15  # numbers that fit the first cache, and the second one
_ROWS, _BUFFER = 128, 1 << 15  # of a buffer: rows, and numbers


@njit  # type: ignore[untyped-decorator]
def _copied(given: _ANY, x: _ANY) -> None:
    """An assignment of slices would take seconds to compile, for its errors."""
    for k in range(len(x)):
        x[k] = given[k]


@njit  # type: ignore[untyped-decorator]
def _pairs(x: _ANY, below: int) -> None:
    """One stage: rows that are ``below`` apart."""
    for low in range(0, len(x), 2 * below):
        one, two = x[low : low + below], x[low + below : low + 2 * below]
        for k in range(below):
            a, b = one[k], two[k]
            one[k], two[k] = a + b, a - b


@njit  # type: ignore[untyped-decorator]
def _fours(x: _ANY, below: int) -> None:
    """Two stages: rows that are once and twice ``below`` apart."""
    for low in range(0, len(x), 4 * below):
        one, two = x[low : low + below], x[low + below : low + 2 * below]
        three = x[low + 2 * below : low + 3 * below]
        four = x[low + 3 * below : low + 4 * below]
        for k in range(below):
            a, b, c, d = (
                one[k] + two[k],
                one[k] - two[k],
                three[k] + four[k],
                three[k] - four[k],
            )
            one[k], two[k], three[k], four[k] = a + c, b + d, a - c, b - d


@njit  # type: ignore[untyped-decorator]
def _singles(x: _ANY) -> None:
    """Three stages of numbers that are neighbours, eight at a time."""
    for k in range(0, len(x), 8):
        a, b, c, d = x[k] + x[k + 1], x[k] - x[k + 1], x[k + 2] + x[k + 3], x[k + 2] - x[k + 3]
        e, f, g, h = (
            x[k + 4] + x[k + 5],
            x[k + 4] - x[k + 5],
            x[k + 6] + x[k + 7],
            x[k + 6] - x[k + 7],
        )
        a, b, c, d = a + c, b + d, a - c, b - d
        e, f, g, h = e + g, f + h, e - g, f - h
        x[k], x[k + 1], x[k + 2], x[k + 3] = a + e, b + f, c + g, d + h
        x[k + 4], x[k + 5], x[k + 6], x[k + 7] = a - e, b - f, c - g, d - h


@njit  # type: ignore[untyped-decorator]
def _stages(x: _ANY, size: int, below: int) -> None:
    """All stages of rows that are one after the other."""
    done = 1
    if below == 1 and size >= 8:
        _singles(x)
        done = 8
    while 2 * done < size:
        _fours(x, done * below)
        done *= 4
    if done < size:
        _pairs(x, done * below)


@njit  # type: ignore[untyped-decorator]
def _near(x: _ANY, size: int, below: int) -> None:
    """The same of more than fits the first cache: what fits it comes first."""
    small = _fitting(size, below, _NEAREST)
    if small > 1:
        for part in range(0, len(x), small * below):
            _stages(x[part : part + small * below], small, below)
    if small < size:
        _stages(x, size // small, small * below)


@njit  # type: ignore[untyped-decorator]
def _fitting(size: int, below: int, room: int) -> int:
    """How many rows fit a room, or 1."""
    while size > 1 and size * below > room:
        size //= 2
    return size


@njit  # type: ignore[untyped-decorator]
def _far(given: _ANY, x: _ANY, buffer: _ANY, rows: int, apart: int) -> None:
    """All stages of rows that are far apart, some columns at a time."""
    some = min(apart, _BUFFER // rows)
    for line in range(0, len(x), rows * apart):
        for first in range(line, line + apart, some):
            wide = min(some, line + apart - first)
            for row in range(rows):
                here = first + row * apart
                _copied(given[here : here + wide], buffer[row * wide : (row + 1) * wide])
            _near(buffer[: rows * wide], rows, wide)
            for row in range(rows):
                here = first + row * apart
                _copied(buffer[row * wide : (row + 1) * wide], x[here : here + wide])


@cache
def summed() -> _ANY:
    """The loop, for lines of ``size`` rows of ``below`` numbers, from one array to another.

    >>> x, made = np.array([5.0, 1.0, 2.0, 0.0]), np.empty(4)
    >>> summed()(x, made, 4, 1)
    >>> made.tolist()
    [8.0, 6.0, 4.0, 2.0]
    """

    def walsh(given: _ANY, x: _ANY, size: int, below: int) -> None:
        """Both may be one array."""
        near = _fitting(size, below, _NEAR)
        if near > 1 or size == 1:
            for start in range(0, len(x), near * below):
                stop = start + near * below
                _copied(given[start:stop], x[start:stop])
                _near(x[start:stop], near, below)
        source, buffer = given if near == 1 else x, np.empty(_BUFFER, x.dtype)
        while near < size:
            rows = min(_ROWS, size // near)
            _far(source, x, buffer, rows, near * below)
            near, source = near * rows, x

    try:
        return njit(cache=True, nogil=True)(walsh)
    except RuntimeError:  # there is no folder to keep it in
        return njit(nogil=True)(walsh)
