"""All sums of some bit vectors, with more taken in one by one."""

from collections.abc import Iterable


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
        """Take one more vector in; whether it is new.

        >>> Span([0b011, 0b110]).add(0b101)
        False
        """
        rest = self._rest(vector)
        if rest:
            self._basis[rest.bit_length()] = rest
        return bool(rest)
