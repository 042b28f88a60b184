"""How far apart a code puts things: the distance profiles of CAM-87-02 and TR-20-92.

Both take the sequence of words itself, so that they judge any code, Gray or not.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.arrays import require_integers
from graycube.gf2.bits import log2_exact
from graycube.gf2.sequences import GrayCode, require_permutation

Histogram = dict[int, int]
"""Distance in the cube -> how many pairs have it."""


def stride_profile(code: GrayCode | Sequence[int]) -> tuple[Histogram, ...]:
    """For each stride 2^j, the distances between word i and word i + 2^j (cyclically).

    CAM-87-02 Theorem 2: with the reflected code the distance is exactly 1 for j = 0 and
    exactly 2 for every j > 0. Other Gray codes keep only the first half of that.

    >>> stride_profile(GrayCode.reflected(3))
    ({1: 8}, {2: 8}, {2: 8})
    >>> g4 = GrayCode([0, 1, 3, 2, 6, 7, 5, 13, 15, 14, 10, 11, 9, 8, 12, 4])  # the paper's G4
    >>> stride_profile(g4)
    ({1: 16}, {2: 16}, {2: 12, 4: 4}, {2: 8, 4: 8})
    """
    words = _words(code)
    n = log2_exact(words.size, "the number of words")
    return tuple(histogram(words ^ np.roll(words, -(1 << j))) for j in range(n))


def displacement_profile(code: GrayCode | Sequence[int]) -> Histogram:
    """The distances between each index and its own word.

    TR-20-92 Lemma 2: with the reflected code of n bits, 2 C(n-1, j) indices are at distance j
    from their code; that is how far a Gray-to-binary conversion has to carry data.

    >>> displacement_profile(GrayCode.reflected(4))
    {0: 2, 1: 6, 2: 6, 3: 2}
    """
    words = _words(code)
    return histogram(words ^ np.arange(words.size))


def histogram(differences: NDArray[np.int64]) -> Histogram:
    """How many of the differences have how many ones.

    >>> histogram(np.array([0b0, 0b11, 0b101]))
    {0: 1, 2: 2}
    """
    distances, counts = np.unique(np.bitwise_count(differences), return_counts=True)
    return dict(zip(distances.tolist(), counts.tolist(), strict=True))


def _words(code: GrayCode | Sequence[int]) -> NDArray[np.int64]:
    words = code.words if isinstance(code, GrayCode) else code
    table = require_integers(words).astype(np.int64)
    require_permutation(table)
    return table
