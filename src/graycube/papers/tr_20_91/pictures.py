"""The figures drawn: cubes with the edges that are used, and tables of what nodes hold."""

from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from graycube.gf2 import rotation
from graycube.papers import Claim
from graycube.papers.codes import ranks, reflected
from graycube.papers.drawing import COLOURS, arrow, cube, place, text_table, titled

from .codes import SEQUENCES, N, steps
from .routes import exchanges, folded, ways_around

_EXCHANGES = "Ranks of the blocks in Gray code, and exchanges in ascending order of dimensions"


def figure_1(figure: Figure, _: Claim) -> None:
    """Nodes with the ranks of their blocks."""
    for ax, n in zip(figure.subplots(1, 2), (2, 3), strict=True):
        cube(ax, n, ranks(n).tolist(), exchanges(n))
        ax.set_title(f"{n}-cube", fontsize=10)
    titled(figure, (8, 3.6), _EXCHANGES)


def figure_5(figure: Figure, _: Claim) -> None:
    """The 4-cube, and the 3-cube onto which it is folded."""
    whole, half = figure.subplots(1, 2, width_ratios=(3.6, 1.7))
    cube(whole, 4, ranks(4).tolist(), exchanges(4))
    whole.set_title("4-cube; the links of dimension 3 are idle", fontsize=10)
    pairs = zip(ranks(4)[:8], ranks(4)[8:], strict=True)
    cube(half, 3, [f"{a}, {b}" for a, b in pairs], folded(4))
    half.set_title("folded along dimension 3", fontsize=10)
    titled(figure, (10, 3.8), _EXCHANGES)


def figure_4(figure: Figure, _: Claim) -> None:
    """The two routes of each of the two blocks that move."""
    for ax, home in zip(figure.subplots(1, 2), (2, 3), strict=True):
        cube(ax, 2, range(4))
        for way, colour in zip(ways_around(home), COLOURS, strict=False):
            for u, d in way:
                arrow(ax, place(u), place(u ^ 1 << d), colour, style="->", bend=0.15)
        ax.set_title(f"the block of node {home}, to node {home ^ 1}", fontsize=10)
        for height, part, colour in zip((0.78, 0.3), "+-", COLOURS, strict=False):
            ax.text(0.5, height, f"K/2 {part} 1", color=colour, ha="center", fontsize=9)
    titled(figure, (8, 3.6), "Nodes of a 2-cube, and the two routes of each block that moves")


def held(figure: Figure, claim: Claim) -> None:
    """Figures 2 and 3: the data of each node, at first and after each exchange.

    What an exchange has changed is set off.
    """
    nodes, rows, marked = reflected(N), dict[str, list[str]](), set[tuple[int, int]]()
    for start in SEQUENCES[: 1 if claim.number == "2" else None]:
        moments = [held[nodes] for held in steps(N, start)]
        rows["Gray code"] = list(map(str, moments[0].tolist()))
        for d, (before, now) in zip(rotation(N, start), pairwise(moments), strict=True):
            marked |= {(len(rows), at) for at in np.flatnonzero(before != now).tolist()}
            rows[f"sequence {start}, dimension {d}"] = list(map(str, now.tolist()))
    text_table(figure, [f"{node:04b}" for node in nodes], rows, marked, "exchanged")
