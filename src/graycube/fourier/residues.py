"""Number-theoretic transforms: Fourier transforms of whole numbers modulo primes.

Rules.

1. Each prime is k 2^26 + 1 or more, below 2^31: products of residues fit 64 bits, and there are
   roots of unity of every order up to 2^26.
2. The stages of the transform go from the highest bit down, and those of its inverse back up,
   so nothing is put in order in between. They are butterflies like any others.
3. Numbers are put together from their residues digit by digit, in a mixed radix (Garner). The
   last digit tells the sign.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.butterflies import butterfly

PRIMES = ((2013265921, 31), (1811939329, 13), (469762049, 3))
"""Primes, and a generator of each."""
MOST_BITS = 26
_Array = NDArray[Any]


def product_modulo(x: CubeArray, y: CubeArray, axis: int, which: int) -> CubeArray:
    """The periodic convolution of arrays of one layout along an axis, modulo a prime.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([1, 2, 0, 0], Layout.nodes(2, "gray"))
    >>> product_modulo(x, x, 0, 2).to_numpy().tolist()
    [1, 4, 4, 0]
    """
    prime = PRIMES[which][0]
    bits = x.layout.axes[axis].bits

    def forward(low: _Array, high: _Array, bit: int, index: _Array) -> tuple[_Array, _Array]:
        turn = _powers(which, bit, index, back=False)
        return (low + high) % p, (low + (p - high)) % p * turn % p

    def back(low: _Array, high: _Array, bit: int, index: _Array) -> tuple[_Array, _Array]:
        turned = high * _powers(which, bit, index, back=True) % p
        return (low + turned) % p, (low + (p - turned)) % p

    p = np.uint64(prime)
    there = [butterfly(_residues(u, prime), forward, axis) for u in (x, y)]
    blocks = there[0].blocks * there[1].blocks % p * np.uint64(pow(2, -bits, prime)) % p
    return butterfly(there[0].with_blocks(blocks), back, axis, range(bits))


def _residues(u: CubeArray, prime: int) -> CubeArray:
    kind = np.uint64 if u.dtype.kind == "u" else np.int64
    return u.with_blocks((u.blocks.astype(kind) % kind(prime)).astype(np.uint64))


def _powers(which: int, bit: int, index: _Array, *, back: bool) -> _Array:
    """The root of unity of order 2^(bit + 1) to the index below the bit, or its inverse."""
    high, low, half = _tables(which, bit, back=back)
    power = index & (1 << bit) - 1
    found: _Array = high[power >> half] * low[power & (1 << half) - 1]
    return found % np.uint64(PRIMES[which][0])


@lru_cache(maxsize=4 * MOST_BITS)
def _tables(which: int, bit: int, *, back: bool) -> tuple[_Array, _Array, int]:
    """Powers of a root by the high and the low half of the bits of the exponent."""
    prime, generator = PRIMES[which]
    root = pow(generator, (prime - 1) >> bit + 1, prime)
    root = pow(root, -1, prime) if back else root
    half = bit // 2
    parts = []
    for count, step in ((bit - half, pow(root, 1 << half, prime)), (half, root)):
        table = [1]
        for _ in range((1 << count) - 1):
            table.append(table[-1] * step % prime)
        parts.append(np.array(table, np.uint64))
    return parts[0], parts[1], half


def primes_for(most: int) -> int:
    """How many primes tell all numbers up to a size apart, with their signs.

    >>> primes_for(10**8), primes_for(2**62)
    (1, 3)
    """
    products = (prod(p for p, _ in PRIMES[: k + 1]) for k in range(len(PRIMES)))
    return next(k for k, bound in enumerate(products, 1) if bound > 4 * most + 4)


def joined(residues: Sequence[_Array]) -> _Array:
    """The whole numbers with these residues, as int64.

    >>> joined([np.array([x % p], np.uint64) for (p, _), x in zip(PRIMES, [-5] * 3)]).tolist()
    [-5]
    """
    value, radix = residues[0], PRIMES[0][0]
    digit, last = residues[0], PRIMES[0][0]
    for (prime, _), residue in zip(PRIMES[1:], residues[1:], strict=False):
        p = np.uint64(prime)
        known = value % p  # exact: the first two digits fit 64 bits
        inverse = np.uint64(pow(radix, -1, prime))
        digit, last = (residue + (p - known)) % p * inverse % p, prime
        value = value + digit * np.uint64(radix & (1 << 64) - 1)
        radix *= prime
    negative = digit > np.uint64(last // 2)
    return np.where(negative, value - np.uint64(radix & (1 << 64) - 1), value).view(np.int64)
