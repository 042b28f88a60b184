"""The compiled loop that merges two sorted arrays.

Only ``in_order`` imports this file, and only where Numba is installed. What
it compiles is kept beside this file, or where ``NUMBA_CACHE_DIR`` says.

Rules.

1. The result is made in four parts at once. Which element comes next is known some cycles
   after the last one, and meanwhile the other parts go on.
2. How many steps can be made before a part may run out is known before them, so that the loop
   asks for nothing but the order.
"""

from functools import cache
from typing import Any

from numba import njit

_ANY = Any


@njit(inline="always")  # type: ignore[untyped-decorator]
def _first(a: _ANY, b: _ANY, k: int) -> int:
    """How many of the first k elements of both are of the first one; equal ones come first."""
    low, high = max(0, k - len(b)), min(k, len(a))
    while low < high:
        middle = (low + high) // 2
        if b[k - middle - 1] < a[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@njit(inline="always")  # type: ignore[untyped-decorator]
def _step(  # noqa: PLR0913, PLR0917
    a: _ANY,
    b: _ANY,
    out: _ANY,
    at: _ANY,
    bt: _ANY,
    to: _ANY,
    i: int,
    j: int,
    paired: bool,  # noqa: FBT001
) -> _ANY:
    """The next element, of those from i and from j on, and how far it is from there."""
    x, y = a[i], b[j]
    later = y < x
    out[i + j] = y if later else x
    if paired:
        one, other = at[i], bt[j]  # both, so that nothing has to be guessed
        to[i + j] = other if later else one
    return i + (1 - later), j + later


@njit(inline="always")  # type: ignore[untyped-decorator]
def _rest(  # noqa: PLR0913, PLR0917
    a: _ANY,
    b: _ANY,
    out: _ANY,
    at: _ANY,
    bt: _ANY,
    to: _ANY,
    i: int,
    j: int,
    m: int,
    n: int,
    paired: bool,  # noqa: FBT001
) -> None:
    """What is left of a part, up to m and n."""
    while i < m and j < n:
        i, j = _step(a, b, out, at, bt, to, i, j, paired)
    while i < m:
        out[i + j] = a[i]
        if paired:
            to[i + j] = at[i]
        i += 1
    while j < n:
        out[i + j] = b[j]
        if paired:
            to[i + j] = bt[j]
        j += 1


@cache
def merger(*, paired: bool) -> _ANY:
    """The loop for keys alone, or for keys and what belongs to each of them.

    >>> import numpy as np
    >>> one, other, made = np.array([1, 4]), np.array([2, 3, 5]), np.zeros(5, int)
    >>> merger(paired=False)(one, other, made, one, other, made)
    >>> made.tolist()
    [1, 2, 3, 4, 5]
    """

    def merge(a: _ANY, b: _ANY, out: _ANY, at: _ANY, bt: _ANY, to: _ANY) -> None:  # noqa: PLR0913, PLR0917
        """Merge ``a`` and ``b`` into ``out``, and what goes with them, ``at`` and ``bt``."""
        part = len(out) // 4
        i1, i2, i3 = _first(a, b, part), _first(a, b, 2 * part), _first(a, b, 3 * part)
        i0, j0, j1, j2, j3 = 0, 0, part - i1, 2 * part - i2, 3 * part - i3
        m1, m2, m3, m4 = i1, i2, i3, len(a)
        n1, n2, n3, n4 = j1, j2, j3, len(b)
        while True:
            left = min(m1 - i0, n1 - j0, m2 - i1, n2 - j1, m3 - i2, n3 - j2, m4 - i3, n4 - j3)
            if left == 0:
                break
            for _ in range(left):
                i0, j0 = _step(a, b, out, at, bt, to, i0, j0, paired)
                i1, j1 = _step(a, b, out, at, bt, to, i1, j1, paired)
                i2, j2 = _step(a, b, out, at, bt, to, i2, j2, paired)
                i3, j3 = _step(a, b, out, at, bt, to, i3, j3, paired)
        _rest(a, b, out, at, bt, to, i0, j0, m1, n1, paired)
        _rest(a, b, out, at, bt, to, i1, j1, m2, n2, paired)
        _rest(a, b, out, at, bt, to, i2, j2, m3, n3, paired)
        _rest(a, b, out, at, bt, to, i3, j3, m4, n4, paired)

    try:
        return njit(cache=True, nogil=True)(merge)
    except RuntimeError:  # there is no folder to keep it in
        return njit(nogil=True)(merge)
