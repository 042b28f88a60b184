"""Shift registers: turns in which elements cross several dimensions, never two at a time.

The step T shifts a state down by one and puts a sum of its bits on top.
"""

from collections.abc import Iterator
from functools import lru_cache

from graycube.gf2 import Matrix

Digit = tuple[int, int, int]
"""Bits of a state whose sum it is, and what is added in the early half and in the late one."""


def powers(width: int, count: int) -> Iterator[list[Matrix]]:
    """So many powers of T from T^0 on, for each T no two of which agree on a state but 0.

    >>> [power.rows for power in next(powers(width=2, count=3))]
    [(1, 2), (2, 3), (3, 1)]
    """
    for tops in range(1, 1 << width, 2):
        step = Matrix.from_rows([*(1 << k + 1 for k in range(width - 1)), tops], width)
        found = [Matrix.identity(width)]
        while len(found) < count:
            found.append(step @ found[-1])
        if all((power + found[0]).is_invertible() for power in found[1:]):
            yield found


@lru_cache(maxsize=64)
def turns(sides: int, width: int) -> tuple[tuple[Digit, ...], ...]:
    """For each side, the digits of the turn of a state of ``width`` bits.

    An element has another turn at each side that it crosses. For two sides with T^j x and T^k x
    that is so if T^(k - j) + 1 is invertible. For the second side and one with P = T^k: if the
    turns are equal, then (P + 1) x = c, which has the half h (0 early, 1 late) in the lowest
    place and the constant of the second side above. If the lowest bit of x is h, the second
    side is not crossed. So the lowest bit of (P + 1)^-1 c shall be h: linear equations for c.

    >>> for digits in turns(sides=2, width=2):
    ...     print(digits)
    ((2, 0, 0),)
    ((2, 1, 0),)
    """
    for some in powers(width, sides - 1):
        lowest = [1, *((power + some[0]).inverse().rows[0] for power in some[1:])]
        half = 1 << width
        found = Matrix.from_rows([row | half for row in lowest], width + 1).kernel()
        late = next((c for c in found if c & half), 0)
        early = next((c ^ late * (c >> width) for c in found if c != late), 0)
        if late and early:
            turns = [[(row, 0, 0) for row in power.rows[1:]] for power in some]
            second = [
                (row, early >> k & 1, late >> k & 1)
                for k, (row, _, _) in enumerate(turns[0], 1)
            ]
            return tuple(map(tuple, (turns[0], second, *turns[1:])))
    raise AssertionError(sides, width)
