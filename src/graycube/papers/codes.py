"""Gray code by its definition and its lemmas, which share nothing with the library's."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def reflected(n: int) -> Ints:
    """The binary-reflected Gray code of n bits by its recursion.

    >>> reflected(2).tolist()
    [0, 1, 3, 2]
    """
    code = np.array([0])
    for m in range(n):
        code = np.concatenate([code, code[::-1] | 1 << m])
    return code


def ranks(n: int) -> Ints:
    """The inverse of the code at every word, a parity for each bit.

    >>> ranks(2).tolist()
    [0, 1, 3, 2]
    """
    words = np.arange(1 << n)
    bits = ((np.bitwise_count(words >> m) & 1).astype(np.int64) << m for m in range(n))
    return sum(bits, np.zeros_like(words))


def distance(a: Ints, b: Ints) -> NDArray[np.uint8]:
    """Links between nodes of a cube.

    >>> distance(np.array([0, 5]), np.array([3, 4])).tolist()
    [2, 1]
    """
    counted: NDArray[np.uint8] = np.bitwise_count(a ^ b)
    return counted


def digits_reversed(n: int) -> Ints:
    """The numbers of n bits, each with its bits in reverse order.

    >>> digits_reversed(2).tolist()
    [0, 2, 1, 3]
    """
    numbers = np.arange(1 << n)
    return sum(((numbers >> j & 1) << n - 1 - j for j in range(n)), np.zeros_like(numbers))


def compositions(n: int, parts: int, least: int) -> Iterator[tuple[int, ...]]:
    """All ways to make n bits out of so many fields of ``least`` bits or more.

    >>> list(compositions(5, 2, least=2))
    [(2, 3), (3, 2)]
    """
    if parts == 1 and n >= least:
        yield (n,)
    for first in range(least, n - least + 1) if parts > 1 else ():
        yield from ((first, *rest) for rest in compositions(n - first, parts - 1, least))
