"""Sums of bit vectors: whether a vector is one, and what is left of it if not."""

from collections.abc import Iterable, Sequence


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

    def __len__(self) -> int:
        """The dimension."""
        return len(self._basis)

    def __contains__(self, vector: int) -> bool:
        return not self._rest(vector)

    def add(self, vector: int) -> bool:
        """Take one more vector in; whether it is new.

        >>> Span([0b011, 0b110]).add(0b101)
        False
        """
        rest = self._rest(vector)
        if rest:
            self._basis[rest.bit_length()] = rest
        return bool(rest)


def without(basis: Sequence[int], vector: int) -> int:
    """A vector less those of a basis whose highest bits it has, the highest one first.

    If the highest bit of each is in no other, vectors with the same rest differ by a sum of
    the basis.

    >>> [without((0b110, 0b001), vector) for vector in range(8)]
    [0, 0, 2, 2, 2, 2, 0, 0]
    """
    for b in basis:
        if vector >> b.bit_length() - 1 & 1:
            vector ^= b
    return vector


def reduced_basis(vectors: Iterable[int]) -> list[int]:
    """A basis of all sums of some vectors, the highest first: its highest bits are in no other.

    >>> reduced_basis([0b110, 0b011, 0b101])
    [5, 3]
    """
    basis: list[int] = []
    for vector in vectors:
        rest = without(basis, vector)
        if rest:
            top = 1 << rest.bit_length() - 1
            basis = sorted([b ^ rest if b & top else b for b in basis] + [rest], reverse=True)
    return basis
