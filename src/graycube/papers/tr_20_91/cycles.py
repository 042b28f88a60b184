"""How many cycles are needed, by bounds and integer programs, and how many schedules take.

The lower bounds of section 3, Figure 4, and Theorems 6, 8 and 9.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from operator import le

import numpy as np

import graycube as gc
from graycube.cost import best_cut, lower_bounds, minimum_path_bound, simulate
from graycube.papers import Case, Claim, at_every_size, compared, require, tried
from graycube.papers.checks import Check
from graycube.papers.codes import compositions, distance, ranks
from graycube.papers.library import Widths, task_of
from graycube.verify import check_elements

from .codes import sorts
from .model import all_ports, best, cycles_of, optimum, optimum_on_shortest, proved, schedule
from .routes import around, routes

SHORT = "minimum-path"


def limited(both: Callable[[Widths, int], tuple[Fraction, int]]) -> Check:
    """The least optimum of all ways to make the fields, and the library's bound below it."""

    @at_every_size
    def check(claim: Claim, **sizes: int) -> Iterator[Case]:
        made = compositions(sizes["n"], sizes.get("d", 1), least=2)
        bounds, optima = zip(*(both(widths, sizes["K"]) for widths in made), strict=True)
        require(all(map(le, bounds, optima)), "the library's bound is none")
        for ours in (min(optima), min(bounds)):
            yield claim.compare(ours, **sizes)

    return check


@limited
def on_shortest_paths(widths: Widths, K: int) -> tuple[Fraction, int]:
    """Theorems 2 and 4: the optimum on shortest paths."""
    bound = minimum_path_bound(task_of(widths, K), all_ports(sum(widths)))
    return Fraction(bound.seconds), optimum_on_shortest(widths, K)


on_any_paths = limited(lambda widths, K: (on_any(widths, K), optimum(widths, K)))
"""Theorems 3 and 5: the optimum on any paths."""


def on_any(widths: Widths, block: int) -> Fraction:
    """The highest of the library's bounds on any paths, in cycles."""
    found = lower_bounds(task_of(widths, block), all_ports(sum(widths)))
    return max(Fraction(bound.seconds).limit_denominator(1000) for bound in found)


@tried
def nearest_exchange(n: int) -> bool:
    """Nodes 2 and 3 exchange whole blocks, and no node keeps a part of its block."""
    rank = ranks(n)
    library = gc.gray_inverse(np.arange(1 << n))
    return bool(rank[2] == 3 and rank[3] == 2) and np.array_equal(rank, library)


@compared
def total(n: int, d: int, K: int) -> int:
    """Crossings on shortest paths, over all nodes, for any fields."""
    counts, nodes = set[int](), np.arange(1 << n)
    for widths in compositions(n, d, least=2):
        task = task_of(widths, K)
        plan = gc.plan(task.source, task.target, K, machine=all_ports(n), algorithm=SHORT)
        far = int(distance(nodes, task.move(nodes)).sum()) * K
        counts |= {plan.traffic.crossings, far}
    require(len(counts) == 1, f"not the same for all fields, or not shortest: {counts}")
    return counts.pop()


@tried
def two_cube_bounds(K: int) -> bool:
    """For n = 2 both bounds from their proofs, the library's, and the optimum close above."""
    crossings = K * int(distance(np.arange(4), ranks(2)).sum())
    by_links, by_paths = Fraction(crossings, 2 * 4), Fraction(K, 2)
    cut = best_cut(task_of((2,), K), 2)
    library = cut is not None and cut.share * K == by_paths <= on_any((2,), K)
    close = by_paths <= optimum((2,), K) <= by_paths + Fraction(3, 2)
    return by_links == Fraction(K, 4) and library and close


@compared
def two_cube(K: int) -> int:
    """For n = 2 the optimum, which our schedule reaches, and the ring does not."""
    found = optimum((2,), K)
    require(cycles_of("two-cube", (2,), K) == found == best(2, K), "it is not reached")
    ring = cycles_of("nonminimum-ring", (2,), K)
    require(K < 5 or ring == -(-2 * K // 3), "the ring takes another number of cycles")
    return found


@compared
def figure_4(K: int) -> int:
    """The drawn routes are a sound schedule of as many cycles as the optimum."""
    moves = around(K)
    require(check_elements(moves, all_ports(2)), "the routes of Figure 4 meet")
    found = int(moves.cycle.max()) + 1
    require(optimum((2,), K) == found, "there are shorter ones")
    return found


def known_bound(claim: Claim) -> Iterator[Case]:
    """The best schedules against K/2 + 1, whose reach is one third above it.

    One third and a half are no more than needed: the last case says that both are reached.
    """
    reached = set[bool]()
    for sizes in claim.cases():
        n, block = sizes.values()
        found, cut = best(n, block), best_cut(task_of((n,), block), n)
        right = cut is not None and cut.share == Fraction(3, 5) and 3 * block <= 5 * found
        require(right, "the cut is another one")
        if not claim.compare(found + 1, **sizes).corrected:
            reached.add(block >= 3 * n)
        yield claim.compare(found, **sizes)
    tight = reached == {False, True}
    yield Case("one cycle more", "it would be too much", str(sorted(reached)), tight, tight)


@tried
def disjoint_paths(n: int) -> bool:
    """Between 0 and every node, which stands for all pairs: n paths, built and compared."""
    return all(_paths_to(end, n) for end in range(1, 1 << n))


def _paths_to(end: int, n: int) -> bool:
    """Rotations of the dimensions to cross, and a detour over each other dimension."""
    dims = [j for j in range(n) if end >> j & 1]
    ways = [dims[k:] + dims[:k] for k in range(len(dims))]
    ways += [[j, *dims, j] for j in range(n) if j not in dims]
    paths = [np.bitwise_xor.accumulate([0] + [1 << j for j in way]).tolist() for way in ways]
    inner = [set(path[1:-1]) for path in paths]
    apart = not any(a & b for a, b in combinations([*inner, {0, end}], 2))
    d, lengths = len(dims), sorted(map(len, ways))
    return apart and {p[-1] for p in paths} == {end} and lengths == [d] * d + [d + 2] * (n - d)


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
    return K


def _rotated(n: int, sequences: int, length: int) -> bool:
    """Whether sequences of this length convert, and never two of them use one dimension."""
    turns = [*range(n - 2, -1, -1), *[-1] * (length - (n - 1))]
    orders = [[*turns[s:], *turns[:s]] for s in range(sequences)]
    at_once = ([d for d in dims if d >= 0] for dims in zip(*orders, strict=True))
    apart = all(len(set(dims)) == len(dims) for dims in at_once)
    return apart and all(sorts(n, [d for d in order if d >= 0]) for order in orders)


@compared
def on_several_fields(n: int, d: int, K: int) -> int:
    """The most cycles of all ways to make the fields."""
    return max(cycles_of("minimum-path", widths, K) for widths in compositions(n, d, least=2))


def split(n: int, K: int) -> int:
    """Cycles of the paper's routes with the printed split for K > n + 2."""
    short = -(-(2 * K - (n - 2)) // 3)
    return proved(routes(n, short, K - short))


partition = tried(
    lambda n, K: split(n, K) <= formula(n, K),
    lambda n, K: cycles_of("nonminimum-ring", (n,), K) <= formula(n, K),
)
"""The ring is the correction."""


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
