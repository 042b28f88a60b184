"""Which nodes take part: systems of equations over GF(2) on the node number."""

from functools import lru_cache
from itertools import product

Conditions = tuple[tuple[int, int], ...]
"""Equations (mask, want): a node u has them if parity(u & mask) == want in each."""


@lru_cache(maxsize=1 << 10)
def most_combined(uses: frozenset[tuple[int, Conditions]]) -> int:
    """The most dimensions that are used under one combination of parities."""
    masks = sorted({mask for _, conditions in uses for mask, _ in conditions})
    most = 0
    for values in product((0, 1), repeat=len(masks)):
        parities = tuple(zip(masks, values, strict=True))
        if _consistent(parities):
            met = {d for d, conditions in uses if set(conditions) <= set(parities)}
            most = max(most, len(met))
    return most


@lru_cache(maxsize=1 << 14)
def have_common_solution(one: Conditions, other: Conditions) -> bool:
    """Whether some node has both sets of equations."""
    known = dict(one)
    if any(known.get(mask, want) != want for mask, want in other):
        return False
    return _consistent(one + other)


def _consistent(equations: Conditions) -> bool:
    """Whether some node has these parities: every dependency of the masks must add up."""
    reduced: list[tuple[int, int]] = []
    for mask, value in equations:
        vector, total = mask, value
        for lead, sign in reduced:
            if vector ^ lead < vector:
                vector, total = vector ^ lead, total ^ sign
        if vector:
            reduced = sorted([*reduced, (vector, total)], reverse=True)
        elif total:
            return False
    return True
