"""Any cyclic Gray code, given as the sequence of its words.

The reflected code is one of many. All of them embed a ring in the cube; what sets the
reflected one apart is Theorem 2 of CAM-87-02: how far it puts things apart. Distance profiles
take the sequence of words itself, so that they judge any code, Gray or not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import MAX_ARRAY_BITS, IntArray, require_integers, require_range
from graycube.gf2.bits import log2_exact, require_int
from graycube.gf2.gray import gray
from graycube.texts import in_digits


@dataclass(frozen=True)
class GrayCode:
    """A cyclic Gray code as a mapping: ``encode(i)`` is its i-th word, ``decode`` the inverse.

    Construction checks that all 2^n words occur once and that neighbours, the last and the
    first included, differ in exactly one bit.

    >>> h3 = GrayCode([0b000, 0b001, 0b011, 0b111, 0b101, 0b100, 0b110, 0b010])
    >>> h3.n, h3.encode(3), h3.decode(0b111)
    (3, 7, 3)
    >>> GrayCode([0, 1, 2, 3])
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: words 1 and 2 are 1 and 2, at distance 2: neighbours of
    a cyclic Gray code differ in one bit; reorder the words
    """

    words: Sequence[int]

    def __post_init__(self) -> None:
        table = require_integers(self.words).astype(np.int64)
        _require_permutation(table)
        _require_unit_steps(table)
        object.__setattr__(self, "words", tuple(table.tolist()))

    @classmethod
    def reflected(cls, n: int) -> "GrayCode":
        """The binary-reflected Gray code of n bits, as a sequence.

        >>> GrayCode.reflected(2).words
        (0, 1, 3, 2)
        """
        if require_int(n, "n", least=0) > MAX_ARRAY_BITS - 2:
            raise InvalidValueError(
                f"n is {in_digits(n)}",
                f"a list of words has fewer than 2^{MAX_ARRAY_BITS - 1}",
                "use gray(i), which needs no list",
            )
        return cls(gray(np.arange(1 << n)).tolist())

    @property
    def n(self) -> int:
        """Number of bits of a word.

        >>> GrayCode([0, 1, 3, 2]).n
        2
        """
        return len(self.words).bit_length() - 1

    @overload
    def encode(self, i: int) -> int: ...
    @overload
    def encode(self, i: IntArray) -> IntArray: ...
    def encode(self, i: int | IntArray) -> int | IntArray:
        """The word of index i: the node that index lives on.

        >>> GrayCode([0, 1, 3, 2]).encode(np.array([2, 3]))
        array([3, 2])
        """
        return _look_up(self._table, i, "index")

    @overload
    def decode(self, word: int) -> int: ...
    @overload
    def decode(self, word: IntArray) -> IntArray: ...
    def decode(self, word: int | IntArray) -> int | IntArray:
        """The index of a word.

        >>> GrayCode([0, 1, 3, 2]).decode(3)
        2
        """
        return _look_up(self._inverse_table, word, "word")

    @cached_property
    def _table(self) -> NDArray[np.int64]:
        return np.array(self.words, dtype=np.int64)

    @cached_property
    def _inverse_table(self) -> NDArray[np.int64]:
        return np.argsort(self._table)


def is_gray_code(words: Sequence[int]) -> bool:
    """Whether the sequence is a cyclic Gray code; :class:`GrayCode` says why not.

    >>> is_gray_code([0, 1, 3, 2]), is_gray_code([0, 1, 2, 3])
    (True, False)
    """
    try:
        GrayCode(words)
    except InvalidValueError:
        return False
    return True


def _look_up(table: NDArray[np.int64], key: int | IntArray, what: str) -> int | IntArray:
    keys = require_integers(key)
    found = table[require_range(keys, table.size, what, f"the code has {table.size} words")]
    return found if keys.ndim else int(found)


def _require_permutation(table: IntArray) -> None:
    """Refuse what is not one word for each of 2^n indices."""
    log2_exact(table.size, "the number of words")
    missing = np.setdiff1d(np.arange(table.size), table)
    if table.ndim != 1 or missing.size:
        raise InvalidValueError(
            f"{table.size} words, of shape {table.shape}, lack {missing.tolist()[:3]}",
            f"each of 0..{table.size - 1} must occur once",
            "pass one flat sequence of all the words",
        )


def _require_unit_steps(table: IntArray) -> None:
    steps = np.bitwise_count(table ^ np.roll(table, -1))
    if table.size > 1 and steps.max() > 1:
        bad = int(np.argmax(steps > 1))
        after = (bad + 1) % table.size
        raise InvalidValueError(
            f"words {bad} and {after} are {table[bad]} and {table[after]}, "
            f"at distance {steps[bad]}",
            "neighbours of a cyclic Gray code differ in one bit",
            "reorder the words",
        )


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
    _require_permutation(table)
    return table
