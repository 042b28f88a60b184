"""An affine map as a list of exchanges, with few that change the lowest bits.

Rule: the n low bits are given their final values one after the other. If the value is a sum
that has the bit itself in it, the bit is flipped where the rest of the sum is 1; if not, it
trades places with a high bit of the sum. Where the sum has low bits only, one of them trades
places with a high bit first. What is left concerns the high bits only, and is elimination.
"""

from graycube.errors import InvalidValueError
from graycube.gf2.affine import AffineMap
from graycube.gf2.bits import bit_indices
from graycube.gf2.exchange import Exchange, compose


def factor(move: AffineMap, n: int) -> tuple[Exchange, ...]:
    """Exchanges that compose to the map; each flips one of the n lowest bits at most.

    A low bit that keeps its value is not flipped, unless another one needs it.

    >>> from graycube.gf2 import Matrix
    >>> for exchange in factor(AffineMap(Matrix.permutation([1, 0])), n=1):
    ...     print(exchange)
    flip 0 1 where a0 ^ a1 = 1
    """
    done: list[Exchange] = []
    for i in range(n):
        done += _settled(_rest(move, done), i, n)
    return (*done, *_high(_rest(move, done), n))


def _rest(move: AffineMap, done: list[Exchange]) -> AffineMap:
    """What is still to be done."""
    return move @ compose(done, move.width).inverse()


def _settled(rest: AffineMap, i: int, n: int) -> list[Exchange]:
    """The exchanges that give bit i its value, where all lower bits have theirs."""
    row, want = rest.matrix.rows[i], 1 ^ rest.constant >> i & 1
    if row >> i & 1:
        when = row ^ 1 << i
        return [] if (when, want) == (0, 1) else [Exchange(1 << i, when, want)]
    if row >> n:
        partner = n + next(bit_indices(row >> n))
        return [Exchange(1 << i | 1 << partner, row | 1 << i, want)]
    if rest.width == n:
        raise InvalidValueError(
            f"bit {i} is to trade places with a bit among {n}",
            "it can only do so by way of a bit above them",
            "give every node two elements or more",
        )
    through = 1 << n | 1 << next(j for j in bit_indices(row) if j > i)
    aside = Exchange(through, through)
    moved = rest @ aside.affine(rest.width)
    return [aside, *_settled(moved, i, n)]


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
