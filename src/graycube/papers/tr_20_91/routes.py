"""Sections 4 and 5: the routes of the proofs, written out afresh, and the library's."""

from functools import lru_cache

import numpy as np

import graycube as gc
from graycube.gf2 import Exchange
from graycube.papers import compared, tried
from graycube.papers.codes import crossings, ranks
from graycube.schedule import Moves, Way, expand, hop
from graycube.verify import Report, check_elements

from .model import all_ports, proved, task_of


def above(n: int, k: int) -> int:
    """The bits above k of a node number."""
    return (1 << n) - (2 << k)


@lru_cache(maxsize=1 << 12)
def routes(n: int, short: int, aside: int, *, overlap: bool = True) -> gc.Schedule:
    """Section 5.1: so many elements on short routes in ascending order, so many on long ones.

    Without ``overlap`` nothing crosses back before all have been converted.
    """
    block, back = short + aside, max(aside, n) if overlap else aside + n - 1
    top = Exchange(1 << n - 1, 0, 0)
    direct = [Exchange(1 << k, above(n, k)) for k in range(n - 1)]
    turned = [Exchange(1 << k, above(n, k), 0) for k in range(n - 1)]
    hops = tuple(hop(k, e, n) for k, e in enumerate(direct))
    around = (hop(1 + k, e, n) for k, e in enumerate(turned))
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
    for d, who, here in crossings(nodes, end, order):
        leaves = np.isin(nodes, here[who])
        paired = np.array_equal(leaves, leaves[nodes ^ 1 << d])
        if not (paired and (leaves ^ leaves[nodes ^ 1 << n - 1]).all()):
            return False
    return int((nodes ^ end).max()) < 1 << n - 1  # nobody has to cross the top dimension


@tried
def edge_disjoint(n: int) -> bool:
    """Short and long routes of all nodes share no link but those of the top dimension."""
    moves = expand(routes(n, 1, 1))
    low = moves.dimension < n - 1
    links, uses = np.unique(
        np.stack([moves.node, moves.dimension])[:, low], axis=1, return_counts=True
    )
    return links.shape[1] == (n - 1) << n and set(uses.tolist()) == {1}


short_routes = compared(lambda n, M: proved(routes(n, M, 0)))
long_routes = compared(lambda n, M: proved(routes(n, 0, M)))


@tried
def run_backwards(n: int, K: int) -> bool:
    """The moves of the routes in reverse, each link the other way, convert the other way."""
    moves = expand(routes(n, K - K // 3, K // 3))
    return bool(backwards(moves))


def backwards(moves: Moves) -> Report:
    """What the checker says about a schedule run backwards."""
    task, n = moves.task, moves.task.n
    turned = gc.Task(task.target, task.source, task.block)
    home, position = np.divmod(moves.element, task.block)
    element = ranks(n)[home] * task.block + position
    node = moves.node ^ 1 << moves.dimension.astype(np.int64)
    columns = (moves.cycles - 1 - moves.cycle, node, moves.dimension, element)
    made = Moves(turned, "reversed", range(moves.cycles), moves.cycles, *columns)
    return check_elements(made, all_ports(n))
