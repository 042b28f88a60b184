"""Figures 1, 4 and 5: which edges of small cubes are used, and how they fold."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, require
from graycube.papers.codes import crossings, ranks
from graycube.schedule import expand

from .bounds import around
from .routes import routes

Edge = tuple[int, int]
"""The lower node and the dimension."""


def exchanges(n: int) -> set[Edge]:
    """The edges that are used in ascending order, each by two blocks, one either way."""
    hops = crossings(np.arange(1 << n), ranks(n), range(n))
    uses = Counter((u, d) for d, who, node in hops for u in (node[who] & ~(1 << d)).tolist())
    require(set(uses.values()) == {2}, "an edge is used one way only")
    return set(uses)


def used_in(n: int, dimension: int) -> int:
    """The edges of a dimension that are used."""
    return sum(d == dimension for _, d in exchanges(n))


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
    for n, d, printed in claim.figures:
        ours = used_in(n, d)
        yield Case(f"{n}-cube, dimension {d}", f"{printed} edges", f"{ours}", ours == printed)
    for n in dict.fromkeys(n for n, *_ in claim.figures):
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
    home = moves.element // 2
    counted = (moves.dimension == n - 1) & (rank[home] != home)
    upper = home >> n - 1 == 1
    return Counter(zip(moves.node[counted].tolist(), upper[counted].tolist(), strict=True))


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
    crossed = np.stack([moves.node, moves.dimension], axis=1)
    ends = {home: (home * block, (home + 1) * block - 1) for home in (2, 3)}
    return {
        home: [[(u, d) for u, d in crossed[moves.element == e].tolist()] for e in elements]
        for home, elements in ends.items()
    }
