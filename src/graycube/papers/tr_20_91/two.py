"""Two dimensions: the bounds and optima of section 3.1, and the routing of Figure 4."""

from fractions import Fraction

import numpy as np

from graycube.cost import best_cut
from graycube.papers import compared, require, tried
from graycube.papers.codes import ranks
from graycube.schedule import Moves
from graycube.verify import check_elements

from .bounds import on_any
from .model import all_ports, best, cycles_of, optimum, task_of


@tried
def two_cube_bounds(K: int) -> bool:
    """For n = 2 both bounds from their proofs, the library's, and the optimum close above."""
    crossings = K * int(np.bitwise_count(np.arange(4) ^ ranks(2)).sum())
    by_links, by_paths = Fraction(crossings, 2 * 4), Fraction(K, 2)
    cut = best_cut(task_of((2,), K), 2)
    library = cut is not None and cut.share * K == by_paths <= max(on_any((2,), K))
    close = by_paths <= optimum((2,), K) <= by_paths + Fraction(3, 2)
    return by_links == Fraction(K, 4) and library and close


@compared
def two_cube_optimum(K: int) -> int:
    """For n = 2 the optimum, which our schedule reaches."""
    found = optimum((2,), K)
    require(cycles_of("two-cube", (2,), K) == found == best(2, K), "it is not reached")
    return found


@compared
def two_cube_formula(K: int) -> int:
    """For n = 2 the optimum, which the routing of Figure 4 takes, and the ring does not."""
    figure, ring = (cycles_of(name, (2,), K) for name in ("two-cube", "nonminimum-ring"))
    require(ring == -(-2 * K // 3), "the ring takes another number of cycles")
    require(figure == optimum((2,), K), "Figure 4 takes more than needed")
    return optimum((2,), K)


def around(block: int) -> Moves:
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
    return Moves(task_of((2,), block), "figure 4", range(cycles), cycles, *columns)


@compared
def figure_4(K: int) -> int:
    """The drawn routes are a sound schedule of as many cycles as the optimum."""
    moves = around(K)
    require(check_elements(moves, all_ports(2)), "the routes of Figure 4 meet")
    found = int(moves.cycle.max()) + 1
    require(optimum((2,), K) == found, "there are shorter ones")
    return found
