"""Figures 1, 4 and 5: which edges of small cubes are used, and how they fold."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, require
from graycube.papers.codes import ranks
from graycube.schedule import expand

from .routes import routes
from .two import around

Edge = tuple[int, int]
"""The lower node and the dimension."""


def crossings(n: int) -> Iterator[tuple[int, int, int]]:
    """Home, node and dimension for blocks on shortest paths in ascending order."""
    node, end = np.arange(1 << n), ranks(n)
    for d in range(n):
        crossing = (node ^ end) >> d & 1 == 1
        for home in np.flatnonzero(crossing).tolist():
            yield home, int(node[home]), d
        node = np.where(crossing, node ^ 1 << d, node)


def exchanges(n: int) -> set[Edge]:
    """The edges that are used, each by two blocks, one either way."""
    uses = Counter((node & ~(1 << d), d) for _, node, d in crossings(n))
    require(set(uses.values()) == {2}, "an edge is used one way only")
    return set(uses)


def folded(n: int) -> Counter[Edge]:
    """How often each edge is used when the cube is folded along its top dimension."""
    low = (1 << n - 1) - 1
    return Counter((node & low, d) for node, d in exchanges(n))


def edges(n: int) -> set[Edge]:
    return {(u, d) for u in range(1 << n) for d in range(n) if not u >> d & 1}


def counted_and_folded(claim: Claim) -> Iterator[Case]:
    """Figures 1 and 5: exchanges in each dimension, and every edge of the folded cube once.

    Rows of ``figures``: n, a dimension, and the edges of it that are used.
    """
    per_dimension = {n: Counter(d for _, d in exchanges(n)) for n, *_ in claim.figures}
    for n, d, printed in claim.figures:
        ours = per_dimension[n][d]
        yield Case(f"{n}-cube, dimension {d}", f"{printed} edges", f"{ours}", ours == printed)
    for n in per_dimension:
        used = folded(n)
        holds = set(used) == edges(n - 1) and set(used.values()) == {1}
        yield Case(f"{n}-cube, folded", "every edge once", str(sorted(used.values())), holds)


def opposite(claim: Claim) -> Iterator[Case]:
    """The pairs that the text folds together, by rank, are neighbours across dimension 2."""
    home = np.argsort(gc.gray_inverse(np.arange(8)))
    require(np.array_equal(home, np.argsort(ranks(3))), "the library has other ranks")
    for a, b in claim.figures:
        ours = int(home[a] ^ home[b])
        yield Case(f"ranks {a} and {b}", "across dimension 2", f"{ours:03b}", ours == 1 << 2)


def detours(n: int) -> Counter[tuple[int, bool]]:
    """Uses of the links of the top dimension by long routes of blocks that have to move.

    A link is its node; the flag says whether the block is from the upper subcube.
    """
    moves, rank = expand(routes(n, 1, 1)), ranks(n)
    uses: Counter[tuple[int, bool]] = Counter()
    for node, d, element in zip(
        moves.node.tolist(), moves.dimension.tolist(), moves.element.tolist(), strict=True
    ):
        home = element // 2
        if d == n - 1 and rank[home] != home:
            uses[node, bool(home >> n - 1)] += 1
    return uses


def three_cube(claim: Claim) -> Iterator[Case]:
    """Rows of ``figures``: two ranks, and the blocks that use each link between their nodes."""
    uses, home = detours(3), np.argsort(ranks(3))
    for a, b, printed in claim.figures:
        links = [int(home[a]), int(home[b])]
        ours = {sum(uses[u, upper] for upper in (False, True)) for u in links}
        both = all((uses[u, False] > 0) == (printed > 1) for u in links)
        where = f"ranks {a} and {b}"
        yield Case(where, f"{printed} each way", str(sorted(ours)), ours == {printed} and both)


def ways_around(block: int) -> dict[int, list[list[Edge]]]:
    """Figure 4: for nodes 2 and 3 the links of the short and of the long route."""
    moves = around(block)
    columns = (column.tolist() for column in (moves.element, moves.node, moves.dimension))
    crossed = list(zip(*columns, strict=True))
    return {
        home: [
            [(u, d) for e, u, d in crossed if e == element]
            for element in (home * block, (home + 1) * block - 1)
        ]
        for home in (2, 3)
    }
