"""Which nodes, or indices, take part: systems of equations over GF(2)."""

from collections import defaultdict
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
    """The most dimensions that are used under one combination of parities.

    >>> low, high = ((1, 0),), ((1, 1),)  # what bit 0 of the node number is
    >>> most_combined(frozenset([(0, low), (1, high), (2, ((2, 1),))]))
    2
    """
    masks = sorted({mask for _, conditions in uses for mask, _ in conditions})
    met = defaultdict[int, set[int]](set)  # the dimensions, by the values of the parities
    for dimension, conditions in uses:
        known = dict(conditions)
        if len(known) == len(conditions):  # else one parity would have two values
            free = [(0, 1 << j) for j, mask in enumerate(masks) if mask not in known]
            fixed = sum(known.get(mask, 0) << j for j, mask in enumerate(masks))
            for more in product(*free):
                met[fixed + sum(more)].add(dimension)
    most = 0
    for values, dimensions in met.items():
        if len(dimensions) > most:
            parities = ((mask, values >> j & 1) for j, mask in enumerate(masks))
            if consistent(parities):
                most = len(dimensions)
    return most


def combinations(uses: frozenset[tuple[int, Conditions]]) -> int:
    """How many it looks at: those of the parities that a use leaves open, for each use."""
    masks = {mask for _, conditions in uses for mask, _ in conditions}
    return sum(1 << max(0, len(masks) - len(conditions)) for _, conditions in uses)


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
