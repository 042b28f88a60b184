"""The Gray code and its inverse as one pass over memory, where Numba is installed.

NumPy needs two passes per shift; a compiled loop needs one in all. This file, ``streamed``
beside it, and the ``loops`` of ``array`` and ``butterflies`` are all that knows Numba
(the ``fast`` extra); without it the NumPy way is taken, with the same results.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from graycube.gf2.arrays import IntArray

LINE = 64
"""Bytes that a processor's caches move at once."""
Kernel = Callable[[IntArray, IntArray], None]
Maker = Callable[[int], Kernel]


def available() -> bool:
    """Whether compiled loops can be had.

    >>> available() in (True, False)
    True
    """
    return _vectorize() is not None


@cache
def gray_kernel(bits: int) -> Kernel:
    """``kernel(source, result)`` for integers >= 0 of ``bits`` bits: their Gray codes."""
    one = np.dtype(f"u{bits // 8}").type(1)

    def gray(x: Any) -> Any:  # noqa: ANN401
        return x ^ (x >> one)

    return _kernel(gray, bits)


@cache
def gray_inverse_kernel(bits: int) -> Kernel:
    """``kernel(source, result)`` for Gray codes of ``bits`` bits: the integers they encode."""
    unsigned = np.dtype(f"u{bits // 8}").type
    shifts = tuple(unsigned(1 << k) for k in range(bits.bit_length() - 1))

    def gray_inverse(x: Any) -> Any:  # noqa: ANN401
        for shift in shifts:
            x ^= x >> shift
        return x

    return _kernel(gray_inverse, bits)


@cache
def _vectorize() -> Any:  # noqa: ANN401 - Numba has no types
    """Numba's ``vectorize``, or None where it is missing or does not fit this NumPy."""
    try:
        from numba import vectorize  # noqa: PLC0415 - slow to import, and seldom needed
    except ImportError:
        return None
    return vectorize


def _kernel(function: Callable[[Any], Any], bits: int) -> Kernel:
    ufunc = _vectorize()([f"uint{bits}(uint{bits})"])(function)
    unsigned = np.dtype(f"u{bits // 8}")

    def kernel(source: IntArray, result: IntArray) -> None:
        ufunc(source.view(unsigned), out=result.view(unsigned))

    return kernel
