"""Sections 4 and 5: the routes of the proofs, written out afresh, and the library's.

Figures 1, 4 and 5: which edges of small cubes they use, and how these fold.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np

import graycube as gc
from graycube.gf2 import Exchange
from graycube.papers import Case, Claim, agreed, answers, compared, require, row_by_row, tried
from graycube.papers.codes import above, crossings, ranks
from graycube.papers.library import task_of
from graycube.schedule import Moves, Way, expand, hop
from graycube.verify import check_elements

from .model import all_ports, proved


@lru_cache(maxsize=1 << 12)
def routes(n: int, short: int, aside: int, *, overlap: bool = True) -> gc.Schedule:
    """Section 5.1: so many elements on short routes in ascending order, so many on long ones.

    Without ``overlap`` nothing crosses back before all have been converted.
    """
    block, back = short + aside, max(aside, n) if overlap else aside + n - 1
    top = Exchange(1 << n - 1, 0, 0)
    hops = tuple(hop(k, Exchange(1 << k, above(n, k)), n) for k in range(n - 1))
    around = (hop(1 + k, Exchange(1 << k, above(n, k), 0), n) for k in range(n - 1))
    detour = (hop(0, top, n), *around, hop(back, top, n))
    cycles = max(short + n - 2 if short else 0, back + aside if aside else 0)
    ways = [Way(0, short, hops)] * (short > 0)
    ways += [Way(short, block, detour)] * (aside > 0)
    task = task_of((n,), block)
    return gc.Schedule(task, "section 5.1", range(cycles), cycles, tuple(ways))


theorem_7 = tried(lambda n: folds(n, range(n - 1), "gray", "binary"))
"""In ascending order each edge is used in one of the two subcubes."""
towards_gray = tried(lambda n: folds(n, range(n - 2, -1, -1), "binary", "gray"))
"""For binary to Gray in descending order."""


def folds(n: int, order: range, *codes: str) -> bool:
    """Whether, block by block over shortest paths in this order, edges are used in turn.

    An edge that is used is used by both of its nodes, for an exchange.
    """
    source, target = (gc.Layout.nodes(n, code) for code in codes)  # type: ignore[arg-type]
    nodes = np.arange(1 << n)
    end = target.locate(source.index(nodes, 0))[0]
    for d, senders in crossings(nodes, end, order):
        leaves = np.isin(nodes, senders)
        paired = np.array_equal(leaves, leaves[nodes ^ 1 << d])
        if not (paired and (leaves ^ leaves[nodes ^ 1 << n - 1]).all()):
            return False
    return int((nodes ^ end).max()) < 1 << n - 1  # nobody has to cross the top dimension


@tried
def edge_disjoint(n: int) -> bool:
    """Short and long routes of all nodes share no link but those of the top dimension."""
    moves = expand(routes(n, 1, 1))
    links = np.stack([moves.node, moves.dimension])[:, moves.dimension < n - 1]
    return links.shape == np.unique(links, axis=1).shape == (2, (n - 1) << n)


short_routes = compared(lambda n, M: proved(routes(n, M, 0)))
long_routes = compared(lambda n, M: proved(routes(n, 0, M)))


@tried
def run_backwards(n: int, K: int) -> bool:
    """The moves of the routes in reverse, each link the other way, convert the other way."""
    moves = expand(routes(n, K - K // 3, K // 3))
    turned = task_of((n,), K, backwards=True)
    home, position = np.divmod(moves.element, K)
    element = ranks(n)[home] * K + position
    node = moves.node ^ 1 << moves.dimension.astype(np.int64)
    columns = (moves.cycles - 1 - moves.cycle, node, moves.dimension, element)
    made = Moves(turned, "reversed", range(moves.cycles), moves.cycles, *columns)
    return bool(check_elements(made, all_ports(n)))


Edge = tuple[int, int]
"""The lower node and the dimension."""


def exchanges(n: int) -> set[Edge]:
    """The edges that are used in ascending order, each by two blocks, one either way."""
    hops = crossings(np.arange(1 << n), ranks(n), range(n))
    uses = Counter((u, d) for d, nodes in hops for u in (nodes & ~(1 << d)).tolist())
    require(set(uses.values()) == {2}, "an edge is used one way only")
    return set(uses)


def folded(n: int) -> Counter[Edge]:
    """How often each edge is used when the cube is folded along its top dimension."""
    low = (1 << n - 1) - 1
    return Counter((node & low, d) for node, d in exchanges(n))


@row_by_row
def counted(n: int, d: int, printed: int) -> Case:
    """Rows of ``figures``: n, a dimension, and the edges of it that are used."""
    ours = sum(dimension == d for _, dimension in exchanges(n))
    return agreed(f"edges of a {n}-cube in dimension {d}", printed, ours)


def counted_and_folded(claim: Claim) -> Iterator[Case]:
    """Figures 1 and 5: exchanges in each dimension, and every edge of the folded cube once."""
    yield from counted(claim)
    for n in dict.fromkeys(n for n, *_ in claim.figures):
        every = {(u, d) for u in range(1 << n - 1) for d in range(n - 1) if not u >> d & 1}
        once = folded(n) == dict.fromkeys(every, 1)
        yield from answers(f"{n}-cube, folded: ", {"every edge is used once": once})


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


def ways_around(home: int) -> tuple[list[Edge], list[Edge]]:
    """Figure 4: the links of the short and of the long route."""
    return [(home, 0)], [(home, 1), (home ^ 2, 0), (home ^ 3, 1)]


def around(block: int) -> Moves:
    """The routing of Figure 4: K/2 + 1 elements over one link, the others over three."""
    short = block // 2 + 1
    rows = []
    for home, k in product((2, 3), range(block)):
        links = enumerate(ways_around(home)[k >= short], k % short)
        rows += [(cycle, u, dimension, home * block + k) for cycle, (u, dimension) in links]
    columns = np.array(rows).T
    return Moves(task_of((2,), block), "figure 4", range(short), short, *columns)
