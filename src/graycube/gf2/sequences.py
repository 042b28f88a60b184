"""Any cyclic Gray code, given as the sequence of its words.

The reflected code is one of many. All of them embed a ring in the cube; what sets the
reflected one apart is Theorem 2 of CAM-87-02, which :mod:`graycube.gf2.profiles` measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray, require_integers, require_range
from graycube.gf2.bits import log2_exact, require_int
from graycube.gf2.gray import gray


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
        require_permutation(table)
        _require_unit_steps(table)
        object.__setattr__(self, "words", tuple(table.tolist()))

    @classmethod
    def reflected(cls, n: int) -> "GrayCode":
        """The binary-reflected Gray code of n bits, as a sequence.

        >>> GrayCode.reflected(2).words
        (0, 1, 3, 2)
        """
        return cls(gray(np.arange(1 << require_int(n, "n", least=0))).tolist())

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


def require_permutation(table: IntArray) -> None:
    """Refuse what is not one word for each of 2^n indices.

    >>> require_permutation(np.array([0, 1, 3, 2]))
    """
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
