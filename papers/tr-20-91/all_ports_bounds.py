"""Section 3: the lower bounds, against optima found by integer program."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from all_ports_model import (
    all_ports,
    best,
    compositions,
    cycles_of,
    optimum,
    optimum_on_shortest,
    ranks,
    require,
    task_of,
)

import graycube as gc
from graycube.reproduce import Case, Claim
from graycube.verify import check_elements

SHORT = "minimum-path"


def theorem_2(claim: Claim) -> Iterator[Case]:
    """The optimum on shortest paths."""
    return claim.compared(lambda n, K: optimum_on_shortest((n,), K))  # noqa: N803 - as in the paper


def theorem_3(claim: Claim) -> Iterator[Case]:
    """The optimum on any paths."""
    return claim.compared(lambda n, K: optimum((n,), K))  # noqa: N803


def theorem_4(claim: Claim) -> Iterator[Case]:
    """The least optimum on shortest paths of all ways to make the fields."""

    def least(n: int, d: int, K: int) -> int | None:  # noqa: N803
        made = [optimum_on_shortest(widths, K) for widths in compositions(n, d)]
        return min(made, default=None)

    return claim.compared(least)


def theorem_5(claim: Claim) -> Iterator[Case]:
    """The least optimum on any paths of all ways to make the fields."""

    def least(n: int, d: int, K: int) -> int | None:  # noqa: N803
        return min((optimum(widths, K) for widths in compositions(n, d)), default=None)

    return claim.compared(least)


def nearest_exchange(claim: Claim) -> Iterator[Case]:
    """Nodes 2 and 3 exchange whole blocks, and no node keeps a part of its block."""

    def exchange(n: int) -> bool:
        rank = ranks(n)
        return bool(rank[2] == 3 and rank[3] == 2)

    return claim.tried(exchange)


def total(claim: Claim) -> Iterator[Case]:
    """Crossings on shortest paths, over all nodes, for any fields."""

    def crossings(n: int, d: int, K: int) -> int | None:  # noqa: N803
        counts = set[int]()
        for widths in compositions(n, d):
            task = task_of(widths, K)
            plan = gc.plan(task.source, task.target, K, machine=all_ports(n), algorithm=SHORT)
            nodes = np.arange(1 << n)
            far = int(np.bitwise_count(nodes ^ task.move(nodes)).sum()) * K
            counts |= {plan.traffic.crossings, far}
        require(len(counts) <= 1, f"not the same for all fields, or not shortest: {counts}")
        return counts.pop() if counts else None

    return claim.compared(crossings)


def two_cube_bounds(claim: Claim) -> Iterator[Case]:
    """For n = 2: whether both bounds are bounds, and the second is the higher one."""

    def both(K: int) -> bool:  # noqa: N803
        least = optimum((2,), K)
        return K / 4 <= K / 2 <= least

    return claim.tried(both)


def two_cube_optimum(claim: Claim) -> Iterator[Case]:
    """For n = 2 the optimum, which our schedule reaches."""

    def least(K: int) -> int:  # noqa: N803
        found = optimum((2,), K)
        require(cycles_of("two-cube", (2,), K) == found == best(2, K), "it is not reached")
        return found

    return claim.compared(least)


def around(block: int) -> gc.Moves:
    """The routing of Figure 4: K/2 + 1 elements over one link, the others over three."""
    short = block // 2 + 1
    rows = []
    for home, end in ((2, 3), (3, 2)):
        rows += [(k, home, 0, home * block + k) for k in range(short)]
        way = ((home, 1), (home ^ 2, 0), (end ^ 2, 1))
        rows += [
            (k + hop, node, dimension, home * block + short + k)
            for k in range(block - short)
            for hop, (node, dimension) in enumerate(way)
        ]
    cycles = block // 2 + 1
    columns = np.array(rows).T
    return gc.Moves(task_of((2,), block), "figure 4", range(cycles), cycles, *columns)


def figure_4(claim: Claim) -> Iterator[Case]:
    """The drawn routes are a sound schedule of as many cycles as the optimum."""

    def cycles(K: int) -> int:  # noqa: N803
        moves = around(K)
        require(bool(check_elements(moves, all_ports(2))), "the routes of Figure 4 meet")
        return max(int(moves.cycle.max()) + 1, optimum((2,), K))

    return claim.compared(cycles)


def known_bound(claim: Claim) -> Iterator[Case]:
    """The best schedules against K/2 + 1, whose reach is one third above it."""
    return claim.compared(lambda n, K: best(n, block=K))  # noqa: N803


def disjoint_paths(claim: Claim) -> Iterator[Case]:
    """Between 0 and every node, which stands for all pairs: n paths, built and compared."""

    def apart(n: int) -> bool:
        return all(_paths_to(end, n) for end in range(1, 1 << n))

    return claim.tried(apart)


def _paths_to(end: int, n: int) -> bool:
    """Rotations of the dimensions to cross, and a detour over each other dimension."""
    dims = [j for j in range(n) if end >> j & 1]
    ways = [dims[k:] + dims[:k] for k in range(len(dims))]
    ways += [[j, *dims, j] for j in range(n) if j not in dims]
    paths = [np.bitwise_xor.accumulate([0] + [1 << j for j in way]).tolist() for way in ways]
    inner = [set(path[1:-1]) for path in paths]
    apart = all(not a & b for a, b in combinations(inner, 2)) and not {0, end} & set().union(
        *inner
    )
    lengths = sorted(map(len, ways))
    d = len(dims)
    return apart and {p[-1] for p in paths} == {end} and lengths == [d] * d + [d + 2] * (n - d)
