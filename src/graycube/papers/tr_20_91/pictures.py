"""Figures 1, 4 and 5 drawn: cubes with the edges that are used."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from graycube.papers import Claim
from graycube.papers.codes import ranks
from graycube.papers.drawing import COLOURS, arrow, edges, place, titled

from .cubes import Edge, exchanges, folded, ways_around

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_EXCHANGES = "Ranks of the blocks in Gray code, and exchanges in ascending order of dimensions"


def cube(ax: "Axes", n: int, labels: Sequence[object], used: Iterable[Edge]) -> None:
    """The edges, those used in the colour of their dimension, and the nodes."""
    ax.set_axis_off()
    edges(ax, n)
    for u, d in used:
        arrow(ax, place(u), place(u ^ 1 << d), COLOURS[d])
    for u, label in enumerate(labels):
        ax.plot(*place(u), "o", color="white", markeredgecolor="0.5", ms=26, zorder=3)
        ax.text(*place(u), str(label), fontsize=8, zorder=4, ha="center", va="center_baseline")
    ax.set(xlim=(-0.25, place((1 << n) - 1)[0] + 0.25), ylim=(-0.25, 1.6 if n > 2 else 1.3))
    ax.set_aspect("equal")


def figure_1(figure: "Figure", claim: Claim) -> None:  # noqa: ARG001 - all drawings take it
    """Nodes with the ranks of their blocks."""
    figure.set_size_inches(8, 3.6)
    for ax, n in zip(figure.subplots(1, 2), (2, 3), strict=True):
        cube(ax, n, ranks(n).tolist(), exchanges(n))
        ax.set_title(f"{n}-cube", fontsize=10)
    titled(figure, _EXCHANGES)


def figure_5(figure: "Figure", claim: Claim) -> None:  # noqa: ARG001 - all drawings take it
    """The 4-cube, and the 3-cube onto which it is folded."""
    figure.set_size_inches(10, 3.8)
    whole, half = figure.subplots(1, 2, width_ratios=(3.6, 1.7))
    cube(whole, 4, ranks(4).tolist(), exchanges(4))
    whole.set_title("4-cube; the links of dimension 3 are idle", fontsize=10)
    pairs = zip(ranks(4)[:8], ranks(4)[8:], strict=True)
    cube(half, 3, [f"{a}, {b}" for a, b in pairs], folded(4))
    half.set_title("folded along dimension 3", fontsize=10)
    titled(figure, _EXCHANGES)


def figure_4(figure: "Figure", claim: Claim) -> None:  # noqa: ARG001 - all drawings take it
    """The two routes of each of the two blocks that move."""
    figure.set_size_inches(8, 3.6)
    for ax, (home, ways) in zip(figure.subplots(1, 2), ways_around(6).items(), strict=True):
        cube(ax, 2, range(4), [])
        for way, colour in zip(ways, COLOURS, strict=False):
            for u, d in way:
                arrow(ax, place(u), place(u ^ 1 << d), colour, style="->", bend=0.15)
        ax.set_title(f"the block of node {home}, to node {home ^ 1}", fontsize=10)
        for height, part, colour in zip((0.78, 0.3), "+-", COLOURS, strict=False):
            ax.text(0.5, height, f"K/2 {part} 1", color=colour, ha="center", fontsize=9)
    titled(figure, "Nodes of a 2-cube, and the two routes of each block that moves")
