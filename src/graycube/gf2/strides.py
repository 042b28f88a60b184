"""Where index bits have strides: an array with its bits in another order is a view of it."""

from collections.abc import Sequence
from typing import Any

from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

MOST_AXES = 6
"""A view of more axes, most of them short, takes longer to copy than rows from a list."""


def axes_of(strides: Sequence[int], cuts: Sequence[int] = ()) -> list[tuple[int, int, int]]:
    """The lowest bit, the length and the stride of each axis, the highest first.

    Bit b is at ``strides[b]``; bits whose strides fit are an axis together, and each cut is a
    bit at which a new axis begins.

    >>> axes_of([4, 8, 16, 1, 2]), axes_of([4, 8, 16], cuts=[1])
    ([(3, 4, 1), (0, 8, 4)], [(1, 4, 8), (0, 2, 4)])
    """
    found: list[tuple[int, int, int]] = []
    for bit, step in reversed([*enumerate(strides)]):
        if found and bit + 1 not in cuts and found[-1][2] == 2 * step:
            found[-1] = (bit, 2 * found[-1][1], step)
        else:
            found.append((bit, 2, step))
    return found


def strided(
    rows: NDArray[Any], start: int, strides: Sequence[int], cuts: Sequence[int] = ()
) -> NDArray[Any]:
    """The rows, of which row 0 is at ``start``, as a view with these axes.

    >>> import numpy as np
    >>> strided(np.arange(8), 1, [2, 4]).tolist()
    [1, 3, 5, 7]
    """
    axes = axes_of(strides, cuts)
    shape = (*(length for _, length, _ in axes), *rows.shape[1:])
    steps = (step * rows.strides[0] for _, _, step in axes)
    return as_strided(rows[start:], shape, (*steps, *rows.strides[1:]))
