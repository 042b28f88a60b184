"""Sums of index bits, and where they are: what an address bit holds, as a bit vector."""

from collections.abc import Iterable
from functools import lru_cache

from graycube.gf2 import AffineMap, bit_indices


def address_mask(place: AffineMap, wanted: int) -> int:
    """The address bits whose sum is a sum of index bits, up to a constant."""
    mask = 0
    for bit in bit_indices(wanted):
        mask ^= _rows_of_inverse(place)[bit]
    return mask


def index_bits(place: AffineMap, mask: int) -> int:
    """The index bits whose sum is a sum of address bits, up to a constant."""
    wanted = 0
    for row in bit_indices(mask):
        wanted ^= rows(place)[row]
    return wanted


@lru_cache(maxsize=64)
def rows(place: AffineMap) -> tuple[int, ...]:
    """The index bits whose sum each address bit is, up to a constant."""
    return place.matrix.rows


@lru_cache(maxsize=64)
def _rows_of_inverse(place: AffineMap) -> tuple[int, ...]:
    return place.matrix.inverse().rows


class Span:
    """All sums of some bit vectors.

    >>> span = Span([0b011, 0b110])
    >>> 0b101 in span, 0b001 in span
    (True, False)
    """

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self._basis: dict[int, int] = {}  # by the place of the highest bit
        for vector in vectors:
            self.add(vector)

    def _rest(self, vector: int) -> int:
        while vector:
            known = self._basis.get(vector.bit_length())
            if known is None:
                return vector
            vector ^= known
        return 0

    def __contains__(self, vector: int) -> bool:
        return not self._rest(vector)

    def add(self, vector: int) -> bool:
        """Take one more vector in; whether it is new."""
        rest = self._rest(vector)
        if rest:
            self._basis[rest.bit_length()] = rest
        return bool(rest)
