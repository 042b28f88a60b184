"""An affine map as a list of exchanges, with few that change the lowest bits.

Rules.

1. The n low bits are given their final values one after the other. If the value is a sum that
   has the bit itself in it, the bit is flipped where the rest of the sum is 1; if not, it
   trades places with a high bit of the sum. No low bit is flipped twice for that.
2. Bits whose sums have high bits in them come first: that brings high bits into the sums of
   others, too. A trade whose high bit others have in their sums waits until they are done.
3. What is left then concerns low bits only. One of them trades places with a high bit, which
   all sums that had it in them inherit: if it must, or if *halves* are wanted. For an exchange
   whose condition has a high bit changes half of what any value of the low bits has, and one
   whose condition has none changes all or nothing (TR-20-92 section 2.5: GB3 and GB1).

What then concerns the high bits only is elimination.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from graycube.gf2.affine import AffineMap
from graycube.gf2.bits import bit_indices, parity
from graycube.gf2.exchange import Exchange

LOOKED_AT = 32
"""Among so many bits the next one is chosen, so that large maps take no minutes."""


@lru_cache(maxsize=64)  # many candidates ask for the same
def factor(move: AffineMap, n: int, *, halves: bool = False) -> tuple[Exchange, ...]:
    """Exchanges that compose to the map; each flips one of the n lowest bits at most.

    A low bit that keeps its value is not flipped, unless another one needs it. With ``halves``
    more of them may be flipped, so that as many conditions as possible have a high bit.

    >>> from graycube.gf2 import Matrix
    >>> for exchange in factor(AffineMap(Matrix.permutation([1, 0])), n=1):
    ...     print(exchange)
    flip 0 1 where a0 ^ a1 = 1
    >>> gray = AffineMap(Matrix.from_rows([0b011, 0b110, 0b100], width=3))
    >>> [len(factor(gray, n=3, halves=halves)) for halves in (False, True)]
    [2, 2]
    """
    return _one_by_one(move, n, lambda rest, changed: _next(rest, changed, n, halves=halves))


@lru_cache(maxsize=1 << 7)  # whatever the block, and the machine
def in_order(
    move: AffineMap, n: int, order: tuple[int, ...], *, trades: bool = False
) -> tuple[Exchange, ...]:
    """The same, where low bits are given their values in an order, as far as they can be.

    A bit whose value is a sum of other low bits has to wait for one of them, or ``trades``
    places with one: such an exchange flips both. What concerns the high bits only comes last.

    >>> from graycube.gf2 import Matrix
    >>> swap = AffineMap(Matrix.permutation([2, 3, 0, 1]))
    >>> print(*in_order(swap, 2, (1, 0)), sep="; ")
    flip 1 3 where a1 ^ a3 = 1; flip 0 2 where a0 ^ a2 = 1
    >>> print(*in_order(swap, 4, (0, 1, 2, 3), trades=True), sep="; ")
    flip 0 2 where a0 ^ a2 = 1; flip 1 3 where a1 ^ a3 = 1
    """

    def step(rest: AffineMap, changed: Sequence[int]) -> Exchange:
        rows = rest.matrix.rows
        left = [i for i in order if i in changed]
        ready = [i for i in left if rows[i] >> n or rows[i] >> i & 1]
        if trades and left[:1] != ready[:1]:
            return _traded(rest, left[0], changed)
        if ready:
            others = [rows[k] for k in changed if k != ready[0]]
            return _settled(rest, ready[0], n, others)
        return _next(rest, changed, n, halves=False)

    return _one_by_one(move, n, step)


def _one_by_one(
    move: AffineMap, n: int, step: Callable[[AffineMap, Sequence[int]], Exchange]
) -> tuple[Exchange, ...]:
    """The exchanges of a step that sees what is left, and the low bits without their values."""
    done, rest = list[Exchange](), move
    while True:
        rows = rest.matrix.rows
        changed = [i for i in range(n) if rows[i] != 1 << i or rest.constant >> i & 1]
        if not changed:
            return (*done, *_high(rest, n))
        done.append(step(rest, changed))
        rest = rest @ done[-1].affine(move.width)  # its own inverse


def _next(rest: AffineMap, changed: Sequence[int], n: int, *, halves: bool) -> Exchange:
    """The exchange to do next."""
    rows = rest.matrix.rows
    ready = [i for i in changed if rows[i] >> n][:LOOKED_AT]
    if ready:
        others = {i: [rows[k] for k in changed if k != i] for i in ready}
        steps = {i: _settled(rest, i, n, others[i]) for i in ready}

        def low_afterwards(i: int) -> int:
            step = steps[i]
            after = (o ^ step.when if parity(o & step.flip) else o for o in others[i])
            return sum(not row >> n for row in after)

        def urgency(i: int) -> tuple[int, int, bool]:
            needed = any(other >> i & 1 for other in others[i])
            return low_afterwards(i), _losses(rows[i], i, n, others[i])[0], not needed

        return steps[min(ready, key=urgency)]
    memory = rest.width > n
    alone = [i for i in changed if rows[i] >> i & 1]
    columns, among = rest.matrix.columns, sum(1 << i for i in changed)
    heirs = {i: heirs_of(columns, among, i).bit_count() for i in changed}
    widest = max(changed, key=heirs.__getitem__)
    if memory and (not alone or (halves and heirs[widest] > 1)):
        through = 1 << n | 1 << widest
        return Exchange(through, through)
    if alone:
        return _settled(rest, min(alone, key=heirs.__getitem__), n, ())
    i = changed[0]  # its value is a sum of others: one of them takes it in
    return Exchange(1 << next(j for j in changed if rows[i] >> j & 1), 1 << i)


def heirs_of(columns: Sequence[int], changed: int, first: int) -> int:
    """The changed bits whose sums have the first in them, or another such bit: a bit vector.

    >>> f"{heirs_of([0b011, 0b110, 0b100], changed=0b110, first=0):b}"
    '111'
    """
    found, new = 0, 1 << first
    while new:
        low = new & -new
        heirs = columns[low.bit_length() - 1] & changed & ~found
        found |= heirs
        new = new ^ low | heirs
    return found | 1 << first


def _losses(row: int, i: int, n: int, others: Sequence[int]) -> tuple[int, int]:
    """How many other sums lose a high bit if bit i is settled, and the bit it trades with.

    What has the bit itself in its sum trades nothing.
    """
    if row >> i & 1:
        return 0, 0
    high = (n + j for j in bit_indices(row >> n))
    return min((sum(other >> j & 1 for other in others), j) for j in high)


def _settled(rest: AffineMap, i: int, n: int, others: Sequence[int]) -> Exchange:
    """The exchange that gives bit i its value."""
    row, want = rest.matrix.rows[i], 1 ^ rest.constant >> i & 1
    if row >> i & 1:
        return Exchange(1 << i, row ^ 1 << i, want)
    _, partner = _losses(row, i, n, others)
    return Exchange(1 << i | 1 << partner, row | 1 << i, want)


def _traded(rest: AffineMap, i: int, changed: Sequence[int]) -> Exchange:
    """The exchange that gives bit i its value, and its own to a low bit of its sum.

    That is one which has its value, too, then, if there is one.
    """
    rows = rest.matrix.rows
    when, want = rows[i] | 1 << i, 1 ^ rest.constant >> i & 1

    def unsettled(j: int) -> bool:
        inherits = parity(rows[j] & (1 << i | 1 << j))
        return rows[j] ^ (when if inherits else 0) != 1 << j

    partner = min((j for j in changed if rows[i] >> j & 1), key=unsettled)
    return Exchange(1 << i | 1 << partner, when, want)


def _high(rest: AffineMap, n: int) -> list[Exchange]:
    """The exchanges of a map that leaves the n low bits alone: elimination, backwards."""
    p, rows = rest.width, list(rest.matrix.rows)
    done: list[Exchange] = []
    for i in range(n, p):
        pivot = next(j for j in range(i, p) if rows[j] >> i & 1)
        if pivot != i:
            both = 1 << i | 1 << pivot
            done.append(Exchange(both, both))
            rows[i], rows[pivot] = rows[pivot], rows[i]
        for j in range(n, p):
            if j != i and rows[j] >> i & 1:
                done.append(Exchange(1 << j, 1 << i))
                rows[j] ^= rows[i]
    low = {i: rows[i] ^ 1 << i for i in range(n, p)}  # of low bits only
    done += [Exchange(1 << i, when) for i, when in low.items() if when]
    flips = [Exchange(1 << i, 0, 0) for i in range(n, p) if rest.constant >> i & 1]
    return [*reversed(done), *flips]
