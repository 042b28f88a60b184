"""Sums of index bits, and where they are: what an address bit holds, as a bit vector."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graycube.gf2 import AffineMap, Exchange, Matrix, bit_indices


@dataclass(frozen=True)
class Tracked:
    """Where everything is: a map of indices to addresses, and back, followed through exchanges.

    ``rows`` are the index bits whose sum each address bit is, up to the ``constant``, and
    ``masks`` the address bits whose sum each index bit is.

    >>> place = Tracked.of(AffineMap(Matrix((0b01, 0b11), 2)))
    >>> place.rows, place.masks
    ((3, 2), (3, 2))
    >>> place.after(Exchange(flip=0b01, when=0b10)) == Tracked.of(AffineMap.identity(2))
    True
    """

    rows: tuple[int, ...]
    constant: int
    masks: tuple[int, ...] = field(compare=False)

    @classmethod
    def of(cls, map_: AffineMap) -> "Tracked":
        """The place that a map says."""
        return cls(map_.matrix.rows, map_.constant, map_.matrix.inverse().rows)

    @property
    def width(self) -> int:
        """Number of address bits."""
        return len(self.rows)

    def after(self, exchange: Exchange) -> "Tracked":
        """The place when an exchange has been done."""
        flip, when = exchange.flip, exchange.when
        rows, tested = list(self.rows), self.index_bits(when)
        for row in bit_indices(flip):
            rows[row] ^= tested
        masks = tuple([m ^ when if (m & flip).bit_count() & 1 else m for m in self.masks])
        return Tracked(tuple(rows), exchange(self.constant), masks)

    def address_mask(self, wanted: int) -> int:
        """The address bits whose sum is a sum of index bits, up to a constant."""
        return sum_of(self.masks, wanted)

    def index_bits(self, mask: int) -> int:
        """The index bits whose sum is a sum of address bits, up to a constant."""
        return sum_of(self.rows, mask)

    def inverse(self) -> AffineMap:
        """The map of addresses to indices."""
        back = Matrix.from_rows(self.masks, self.width)
        return AffineMap(back, back(self.constant))


def sum_of(vectors: Sequence[int], chosen: int) -> int:
    """The sum of those that a mask chooses."""
    total = 0
    for k in bit_indices(chosen):
        total ^= vectors[k]
    return total
