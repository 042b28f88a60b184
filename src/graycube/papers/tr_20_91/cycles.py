"""Theorems 6, 8 and 9: how many cycles are enough, counted from schedules."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from graycube.cost import simulate
from graycube.papers import Case, Claim, at_every_size, compared, require
from graycube.papers.codes import compositions, ranks

from .codes import converts
from .model import best, cycles_of, optimum, proved, schedule
from .routes import routes


def formula(n: int, block: int) -> int:
    """Theorem 8 as printed at its end: the number of element transfers in sequence."""
    return n if block <= n + 2 else -(-(2 * block - (n - 2)) // 3) + n - 2


@compared
def theorem_6(n: int, K: int) -> int:
    """Counted on n - 1 ports; no element crosses more links than it has to."""
    made = schedule("minimum-path", (n,), K)
    shortest = K * int(np.bitwise_count(np.arange(1 << n) ^ ranks(n)).sum())
    found = proved(made, max(1, n - 1))
    require(simulate(made).crossings == shortest, "some path is longer than needed")
    return found


@compared
def by_rotations(n: int, K: int) -> int:
    """The proof of Theorem 6: rotated sequences, with dummy dimensions for the remainder."""
    real = n - 1
    if real > K:
        require(_rotated(n, K, real), "the sequences meet")
        return real
    last = real + K % real
    require(_rotated(n, real, real) and _rotated(n, last, last), "the sequences meet")
    return (K - last) + last


def _rotated(n: int, sequences: int, length: int) -> bool:
    """Whether sequences of this length convert, and never two of them use one dimension."""
    turns = [*range(n - 2, -1, -1), *[-1] * (length - (n - 1))]
    orders = [[*turns[s:], *turns[:s]] for s in range(sequences)]
    at_once = ([d for d in dims if d >= 0] for dims in zip(*orders, strict=True))
    apart = all(len(set(dims)) == len(dims) for dims in at_once)
    return apart and all(converts(n, [d for d in order if d >= 0]) for order in orders)


@compared
def on_several_fields(n: int, d: int, K: int) -> int:
    """The most cycles of all ways to make the fields."""
    return max(cycles_of("minimum-path", widths, K) for widths in compositions(n, d, least=2))


def partition(claim: Claim) -> Iterator[Case]:
    """The printed split for K > n + 2 on the paper's routes; the ring as the correction."""

    def split(n: int, K: int) -> bool:
        short = -(-(2 * K - (n - 2)) // 3)
        return proved(routes(n, short, K - short)) <= formula(n, K)

    def ring(n: int, K: int) -> bool:
        return cycles_of("nonminimum-ring", (n,), K) <= formula(n, K)

    return claim.tried(split, ring)


@at_every_size
def fewest(claim: Claim, n: int, K: int) -> Iterator[Case]:
    """Theorems 8 and 9: the best schedules; where they take more than printed, proofs.

    The correction is a limit, but where the print is exceeded it is the figure itself.
    """
    wrong = claim.correction
    exact = replace(claim, correction=wrong and replace(wrong, relation="=="))
    backwards = claim.number == "9"
    found = best(n, K, backwards=backwards)
    if found > formula(n, K):
        found = optimum((n,), K, backwards=backwards)
    case = claim.compare(found, n=n, K=K)
    yield case if case.holds else exact.compare(found, n=n, K=K)
