"""Which nodes, or indices, take part: systems of equations over GF(2)."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import product

from graycube.schedule import Schedule

Conditions = tuple[tuple[int, int], ...]
"""Equations (mask, want): a node u has them if parity(u & mask) == want in each."""


def has_one_way(schedule: Schedule) -> bool:
    """Whether all elements do the same steps."""
    spans = [(way.start, way.stop, way.mask) for way in schedule.ways]
    return spans == [(0, schedule.task.block, 0)]


def most_combined(uses: frozenset[tuple[int, Conditions]]) -> int:
    """The most dimensions that are used under one combination of parities."""
    masks = sorted({mask for _, conditions in uses for mask, _ in conditions})
    most = 0
    for values in product((0, 1), repeat=len(masks)):
        parities = tuple(zip(masks, values, strict=True))
        if consistent(parities):
            met = {d for d, conditions in uses if set(conditions) <= set(parities)}
            most = max(most, len(met))
    return most


@lru_cache(maxsize=1 << 14)
def have_common_solution(one: Conditions, other: Conditions) -> bool:
    """Whether some node has both sets of equations."""
    known = dict(one)
    if any(known.get(mask, want) != want for mask, want in other):
        return False
    return consistent(one + other)


def consistent(equations: Iterable[tuple[int, int]]) -> bool:
    """Whether something has these parities: every dependency of the masks must add up."""
    return not any(value for mask, value in _eliminated(equations) if not mask)


def on_nodes(n: int, equations: Iterable[tuple[int, int]]) -> tuple[Conditions, int]:
    """What equations say of the n node bits alone, and of how many parities of slots.

    >>> on_nodes(2, [(0b101, 1), (0b110, 0)])  # their sum has no slot bit
    (((3, 1),), 1)
    """
    known = _eliminated(equations)
    alone = tuple(sorted(e for e in known if not e[0] >> n and e != (0, 0)))
    return alone, sum(bool(mask >> n) for mask, _ in known)


def reduced(mask: int, equations: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """What is left of a parity, and the value of the rest of it, if these equations hold."""
    return _less((mask, 0), [known for known in _eliminated(equations) if known[0]])


def _eliminated(equations: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The equations without what follows from others; those of no mask say 0 = value."""
    known: list[tuple[int, int]] = []
    for equation in equations:
        known = sorted([*known, _less(equation, known)], reverse=True)
    return known


def _less(equation: tuple[int, int], known: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """An equation less known ones, which come in the order of their highest bits."""
    mask, value = equation
    for other, its in known:
        if mask ^ other < mask:
            mask, value = mask ^ other, value ^ its
    return mask, value
