"""The exchange: one conditional flip of address bits.

Rule: *where* parity(a & when) == want, *do* a ^= flip. Because parity(flip & when) is 0, the
flip does not change the condition: an exchange is its own inverse, and it swaps what is at a
with what is at a ^ flip. Every step of the conversion and butterfly algorithms is one.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import overload

import numpy as np

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2.affine import AffineMap
from graycube.gf2.arrays import IntArray
from graycube.gf2.bits import bit_indices, parity, require_int
from graycube.gf2.matrix import fitting

MAX_BITS = 4096  # of an address in a text, so that a hostile text stays cheap
_NUMBER = re.compile(r"[0-9]{1,4}")
_WRITTEN = re.compile(
    r"flip ([0-9]{1,4}(?: [0-9]{1,4})*) where (0|a[0-9]{1,4}(?: \^ a[0-9]{1,4})*) = ([01])"
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """Where parity(a & ``when``) == ``want``, flip the bits ``flip`` of the address a.

    ``when=0, want=0`` holds everywhere: an unconditional flip.

    >>> step = Exchange(flip=0b001, when=0b110)  # dimension 0, where bits 1 and 2 differ
    >>> [step(a) for a in range(8)], step(np.arange(8))
    ([0, 1, 3, 2, 5, 4, 6, 7], array([0, 1, 3, 2, 5, 4, 6, 7]))
    >>> print(step)
    flip 0 where a1 ^ a2 = 1
    """

    flip: int
    when: int
    want: int = 1

    def __post_init__(self) -> None:
        for name in ("flip", "when", "want"):
            object.__setattr__(self, name, require_int(getattr(self, name), name))
        if self.flip <= 0 or self.when < 0:
            raise InvalidValueError(
                f"flip is {self.flip} and when is {self.when}",
                "flip must be > 0 and when >= 0",
                "give the bits to flip and the bits to test as masks",
            )
        if self.want not in (0, 1):
            raise InvalidValueError(
                f"want is {self.want}", "a parity is 0 or 1", "use want=0 or want=1"
            )
        if self.when == 0 and self.want == 1:
            raise InvalidValueError(
                "when is 0 and want is 1",
                "the parity of nothing is never 1",
                "use want=0 for an unconditional flip",
            )
        if parity(self.flip & self.when):
            raise InvalidValueError(
                f"flip {self.flip:#b} meets when {self.when:#b} in an odd number of bits",
                "the flip must not change its own condition",
                "take an even number of common bits, or none",
            )

    @overload
    def __call__(self, a: int) -> int: ...
    @overload
    def __call__(self, a: IntArray) -> IntArray: ...
    def __call__(self, a: int | IntArray) -> int | IntArray:
        """The new address of what was at a, or at each address of an array."""
        if isinstance(a, np.ndarray):
            flips = np.bitwise_count(a & self.when) & 1 == self.want
            return np.where(flips, a ^ self.flip, a)
        a = require_int(a, "the address", least=0)
        return a ^ self.flip if parity(a & self.when) == self.want else a

    def __matmul__(self, before: AffineMap) -> AffineMap:
        """The map that does this exchange after another map: what :meth:`affine` gives, sooner.

        >>> step, place = Exchange(flip=0b01, when=0b10), AffineMap.identity(2)
        >>> step @ place == step.affine(2) @ place
        True
        """
        flip, when = self.flip, self.when
        if max(flip, when) >> before.height:
            self.affine(before.height)  # which says what is wrong
        columns = [c ^ flip if (c & when).bit_count() & 1 else c for c in before.matrix.columns]
        return AffineMap(fitting(tuple(columns), before.height), self(before.constant))

    def affine(self, size: int) -> AffineMap:
        """The same exchange as an affine map on addresses of ``size`` bits.

        >>> print(Exchange(flip=0b01, when=0b10).affine(2))
        1 1 | 0
        . 1 | 0
        """
        if max(self.flip, self.when) >> size:
            raise InvalidValueError(
                f"the exchange '{self}' meets addresses of {size} bits",
                f"its highest bit is {max(self.flip, self.when).bit_length() - 1}",
                "use an exchange of these bits, or longer addresses",
            )
        columns = [1 << j ^ (self.flip if self.when >> j & 1 else 0) for j in range(size)]
        return AffineMap(fitting(tuple(columns), size), 0 if self.want else self.flip)

    def changes(self, bit: int) -> tuple[int, int]:
        """The mask and parity of the addresses in which a bit is flipped.

        >>> Exchange(flip=1, when=6).changes(0), Exchange(flip=1, when=6).changes(1)
        ((6, 1), (0, 1))
        """
        return (self.when, self.want) if self.flip >> bit & 1 else (0, 1)

    @classmethod
    def parse(cls, written: str) -> "Exchange":
        """The exchange that prints as ``written``.

        >>> Exchange.parse("flip 0 where a1 ^ a2 = 1") == Exchange(flip=1, when=6)
        True
        """
        if not isinstance(written, str):
            raise InvalidTypeError(f"got {written!r}", "an exchange is text", "pass a str")
        match = _WRITTEN.fullmatch(written)
        if match is None:
            raise InvalidValueError(
                f"cannot read {written!r:.40}",
                "an exchange is written 'flip 0 where a1 ^ a2 = 1'",
                "see what print(exchange) shows for a similar one",
            )
        flips = [int(j) for j in match[1].split()]
        tests = [int(j) for j in _NUMBER.findall(match[2])] if match[2] != "0" else []
        if len(set(flips)) < len(flips) or len(set(tests)) < len(tests):
            raise InvalidValueError(
                f"'{written[:40]}' names a bit twice",
                "each is named once",
                "leave one of them out",
            )
        if max(flips + tests) >= MAX_BITS:
            raise InvalidValueError(
                f"'{written[:40]}' names bit {max(flips + tests)}",
                f"a written address has at most {MAX_BITS} bits",
                f"use bits below {MAX_BITS}",
            )
        return cls(sum(1 << j for j in flips), sum(1 << j for j in tests), int(match[3]))

    def shifted(self, low: int) -> "Exchange":
        """The same exchange on a field that starts at bit ``low`` of a longer address.

        >>> print(Exchange(flip=1, when=2).shifted(4))
        flip 4 where a5 = 1
        """
        low = require_int(low, "low", least=0)
        return Exchange(self.flip << low, self.when << low, self.want)

    def __str__(self) -> str:
        flips = " ".join(str(j) for j in bit_indices(self.flip))
        tested = " ^ ".join(f"a{j}" for j in bit_indices(self.when)) or "0"
        return f"flip {flips} where {tested} = {self.want}"


@lru_cache(maxsize=1 << 14)
def shared_exchange(flip: int, when: int, want: int = 1) -> Exchange:
    """The same object for the same numbers, for schedules that have few exchanges many times.

    >>> shared_exchange(1, 2) is shared_exchange(1, 2)
    True
    """
    return Exchange(flip, when, want)


def compose(exchanges: Iterable[Exchange], size: int) -> AffineMap:
    """The map of a whole list of exchanges, the first one done first.

    >>> swap = [Exchange(1, 2), Exchange(2, 1), Exchange(1, 2)]  # three CNOTs swap two bits
    >>> from graycube.gf2 import Matrix
    >>> compose(swap, 2) == AffineMap(Matrix.permutation([1, 0]))
    True
    """
    total = AffineMap.identity(size)
    for exchange in exchanges:
        total = exchange @ total
    return total
