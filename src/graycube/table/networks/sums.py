"""Sums of index bits, and where they are: what an address bit holds, as a bit vector."""

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


@lru_cache(maxsize=1 << 10)
def rows(place: AffineMap) -> tuple[int, ...]:
    """The index bits whose sum each address bit is, up to a constant."""
    return place.matrix.rows


@lru_cache(maxsize=1 << 10)
def _rows_of_inverse(place: AffineMap) -> tuple[int, ...]:
    return place.matrix.inverse().rows
