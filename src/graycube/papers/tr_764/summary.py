"""Section 6: all methods compared, multi-sectioning, and start-ups."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, agreed, compared, tried
from graycube.papers.codes import rounds_to_know_all
from graycube.papers.library import cycles_of

from .cube import Cube, coded
from .networks import CODES, INTER, LOCAL, NODES, bits, bound, proved


def most(n: int, K: int, whole: int) -> int:
    """Of the fewer of local and inter-node conversion; ``whole`` is 1 for whole addresses."""
    encodings = ("Gray",) if whole else ("Gray || Gray", NODES)
    method = LOCAL if K > 2 else INTER
    return max(proved("cyclic", e, n, K, method, o) for e in encodings for o in CODES)


cyclic_cycles = compared(
    most, lambda n, K, whole: bound("cyclic", "Gray" if whole else NODES, n, K)
)


@tried
def as_binary(n: int, K: int) -> bool:
    """Gray-coded data against the same schedule for binary data."""
    binary = proved("cyclic", "Binary", n, K, LOCAL)
    return all(
        proved("cyclic", encoding, n, K, LOCAL, output) <= binary
        for encoding in ("Gray", "Gray || Gray", NODES)
        for output in CODES
    )


def consecutive_ratio(claim: Claim) -> Iterator[Case]:
    """Never above the limit, which is reached."""

    def ratio(n: int, K: int) -> Fraction:
        return Fraction(
            *(proved(kind, NODES, n, K, LOCAL) for kind in ("consecutive", "cyclic"))
        )

    yield from compared(ratio)(claim)
    highest = max(ratio(**sizes) for sizes in claim.cases())
    yield agreed("the highest ratio", claim.formula, str(highest))


@compared
def restoring(n: int, K: int) -> Fraction:
    """How far the cycles with everything brought back are from twice those without, in part."""
    layout = gc.Layout.cyclic(n + bits(K), n, nodes="gray")
    back, plain = (gc.emulation(layout, restore=restore) for restore in (True, False))
    ratio = Fraction(*(cycles_of(made, gc.Machine(n, ports="all")) for made in (back, plain)))
    return abs(ratio - 2) if back.task.target == layout else Fraction(9)


def orders(n: int, K: int) -> Iterator[tuple[int, int, int]]:
    """Cycles in rising order, in falling order, and in that of the other allocation."""
    kinds = ("cyclic", "consecutive")
    for (kind, other), m in product((kinds, kinds[::-1]), (LOCAL, INTER)):
        falling, away = (proved(k, NODES, n, K, m) for k in (kind, other))
        yield proved(kind, NODES, n, K, m, descending=False), falling, away


from_the_bottom = tried(
    lambda n, K: all(rising == falling for rising, falling, _ in orders(n, K)),
    lambda n, K: (
        all(rising <= other + (n == 2) for rising, _, other in orders(n, K))
        and bound("cyclic", NODES, n, K, descending=False) > next(orders(n, K))[1]
    ),
)
"""It is not for want of better schedules that the same allocation takes more in rising order:
no schedule takes as few cycles."""


@compared
def sections(n: int, r: int, more: int) -> int:
    """2^r-sectioning, for radices that divide n; the elements on a node are 2^(r + more)."""
    return max(_sections(n, r, r + more, output) for output in CODES)


no_delay = compared(lambda n, more: _sections(n, n, n + more, "binary"))


def shorter(claim: Claim) -> Iterator[Case]:
    """Radices whose phases can be split: fewer cycles than the formula, a delay of n - 1."""
    yield from compared(lambda n, r: _sections(n, r, r + 1, "binary"))(claim)
    for n, r in (sizes.values() for sizes in claim.cases()):
        delay = _sections(n, r, r + 1, "binary") - (1 << r)
        yield agreed(f"n = {n}, r = {r}: delay", n - 1, delay)


@tried
def second_best(n: int) -> bool:
    """No radix from 3 to n - 1 takes fewer cycles than bi-sectioning and four-sectioning."""
    cycles = {r: _sections(n, r, n + 1, "binary") for r in range(1, n + 1)}
    small = min(cycles[1], cycles[2])
    return cycles[n] <= small <= min((cycles[r] for r in range(3, n)), default=small)


def _sections(n: int, radix: int, slots: int, output: str) -> int:
    return proved("cyclic", NODES, n, 1 << slots, gc.Method(radix=radix), output)


def _in_memory(n: int, r: int) -> Cube:
    """The top r dimensions traded for all of memory."""
    cube = Cube(n, coded("cyclic", NODES, n + r, n))
    for d in range(n - r, n):
        cube.exchange(d + r, d, 0)
    return cube


@compared
def first_stages(n: int, r: int) -> int:
    """With r dimensions in memory, the stages whose pairs are local; the next is not."""
    cube = _in_memory(n, r)
    cube.stages(range(n))
    return n - 1 - max(cube.apart)


@compared
def half_of_the_data(n: int, r: int) -> Fraction:
    """What crosses dimension n - r - 1 in the next exchange: elements of every node."""
    cube = _in_memory(n, r)
    before = len(cube.moves[0])
    cube.exchange(n + r - 1, n - r - 1, 0)
    senders = np.bincount(cube.moves[1][before:], minlength=1 << n)
    (each,) = np.unique(senders)
    cube.apart.clear()
    cube.stage(n - r)
    return Fraction(int(each), 1 << r) if not cube.apart else Fraction(0)


@compared
def start_ups(r: int) -> int:
    """The fewest rounds of messages of any size in an r-cube; r exchanges are as many."""
    cube = Cube(r, coded("cyclic", "Binary", 2 * r, r))
    for d in range(r):
        cube.exchange(r + d, d, d)
    low, high = cube.index & ((1 << r) - 1), cube.index >> r
    transposed = np.array_equal(cube.place, low << r | high)
    return rounds_to_know_all(r) if transposed else -1
