"""When elements cross the sides of a chain: the turns of a shift register, in two halves."""

from functools import lru_cache

from graycube.gf2 import Matrix

Digit = tuple[int, int, int]
"""Bits of a state whose sum it is, and what is added in the early half and in the late one."""


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
    for tops in range(1, 1 << width, 2):
        step = Matrix.from_rows([*(1 << k + 1 for k in range(width - 1)), tops], width)
        powers = [Matrix.identity(width)]
        for _ in range(sides - 2):
            powers.append(step @ powers[-1])
        moved = [power + powers[0] for power in powers[1:]]
        if all(one.is_invertible() for one in moved):
            lowest = [1, *(one.inverse().rows[0] for one in moved)]
            half = 1 << width
            found = Matrix.from_rows([row | half for row in lowest], width + 1).kernel()
            late = next((c for c in found if c & half), 0)
            early = next((c ^ late * (c >> width) for c in found if c != late), 0)
            if late and early:
                turns = [[(row, 0, 0) for row in power.rows[1:]] for power in powers]
                second = [
                    (row, early >> k & 1, late >> k & 1)
                    for k, (row, _, _) in enumerate(turns[0], 1)
                ]
                return tuple(map(tuple, (turns[0], second, *turns[1:])))
    raise AssertionError(sides, width)
