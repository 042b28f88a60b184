"""One axis of an array: how its true index splits into address bits and an extent.

An axis of length ``extent`` * 2^bits keeps its power-of-two part in the address and the rest
out of it. The extent is one digit of a mixed-radix index, with ``low`` address bits below it:

    index = ((high bits) * extent + rest) * 2^low + (low bits)

Consecutive allocation has low = 0 (a node's elements are neighbours), cyclic allocation has
its node bits below the extent (neighbours are on different nodes).
"""

from dataclasses import dataclass
from typing import TypeVar

from graycube.errors import InvalidValueError
from graycube.gf2 import is_power_of_two, require_int
from graycube.gf2.arrays import IntArray

Index = TypeVar("Index", int, IntArray)


def divide(x: Index, divisor: int) -> tuple[Index, Index]:
    """Quotient and remainder of numbers >= 0; shifts, where the divisor is a power of two.

    >>> divide(1027, 1024), divide(1027, 1000)
    ((1, 3), (1, 27))
    """
    if is_power_of_two(divisor):  # a division of an array takes ten times as long as a shift
        return x >> divisor.bit_length() - 1, x & (divisor - 1)
    return divmod(x, divisor)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of extent * 2^bits elements; ``low`` of its bits lie below the extent.

    >>> axis = Axis(bits=3, extent=125)
    >>> axis.length, axis.split(126), axis.join(1, 1)
    (1000, (1, 1), 126)
    """

    bits: int
    extent: int = 1
    low: int = 0

    def __post_init__(self) -> None:
        for name in ("bits", "extent", "low"):
            object.__setattr__(self, name, require_int(getattr(self, name), name))
        if self.bits < 0 or self.extent < 1 or not 0 <= self.low <= self.bits:
            raise InvalidValueError(
                f"an axis has bits={self.bits}, extent={self.extent}, low={self.low}",
                "bits >= 0, extent >= 1 and 0 <= low <= bits are needed",
                "use extent=1, low=0 for a power of two",
            )
        if self.extent % 2 == 0:  # a length is read in one way, so that == is exact
            raise InvalidValueError(
                f"the extent is {self.extent}",
                "it must be odd: its factors of two are address bits",
                "raise bits by one for each of them",
            )
        if self.extent == 1:  # nothing stands between the bits: again one form
            object.__setattr__(self, "low", 0)

    @property
    def length(self) -> int:
        """Number of elements along the axis.

        >>> Axis(9, extent=3).length
        1536
        """
        return self.extent << self.bits

    def split(self, index: Index) -> tuple[Index, Index]:
        """The address bits and the position within the extent of a true index.

        >>> Axis(9, extent=3, low=3).split(8)
        (0, 1)
        """
        high, rest = divide(index >> self.low, self.extent)
        return high << self.low | index & ((1 << self.low) - 1), rest

    def join(self, word: Index, rest: Index) -> Index:
        """The true index of address bits and position: the inverse of :meth:`split`.

        >>> Axis(9, extent=3, low=3).join(0, 1)
        8
        """
        if self.extent == 1:
            return word
        digits = (word >> self.low) * self.extent + rest
        return digits << self.low | word & ((1 << self.low) - 1)

    def neighbour_flips(self, *, periodic: bool) -> dict[int, int]:
        """Which address bits a step from an index to the next one flips, and how often.

        The keys are XOR masks on the axis's address bits; the carry of an addition makes them
        runs of ones. ``periodic`` counts the step from the last index to the first too.

        >>> Axis(3).neighbour_flips(periodic=True)
        {1: 4, 3: 2, 7: 2}
        """
        flips: dict[int, int] = {}

        def count(mask: int, times: int) -> None:
            if times:
                flips[mask] = flips.get(mask, 0) + times

        high, below = self.bits - self.low, (1 << self.low) - 1
        for t in range(self.low):  # the carry ends below the extent
            count((2 << t) - 1, self.length >> (t + 1))
        count(below, (self.extent - 1) << high)  # the carry ends in the extent
        for t in range(high):  # the carry passes the extent
            count(below | ((2 << t) - 1) << self.low, 1 << (high - 1 - t))
        if periodic:
            count((1 << self.bits) - 1, 1)
        return flips
