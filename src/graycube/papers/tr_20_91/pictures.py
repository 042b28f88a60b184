"""Figures 1, 4 and 5 drawn: cubes with the edges that are used."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from matplotlib.patches import FancyArrowPatch

from graycube.papers import Claim
from graycube.papers.codes import ranks

from .cubes import Edge, edges, exchanges, folded, ways_around

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[float, float]
_AXES = (1.0, 0.0), (0.0, 1.0), (0.42, 0.34), (2.05, 0.0)
"""Where each dimension leads."""
_COLOURS = "#0072B2", "#D55E00", "#009E73"
_EDGE = "0.8"
_EXCHANGES = "Ranks of the blocks in Gray code, and exchanges in ascending order of dimensions"


def place(node: int) -> Point:
    """The corner of a node."""
    steps = [step for d, step in enumerate(_AXES) if node >> d & 1]
    return sum(x for x, _ in steps), sum(y for _, y in steps)


def cube(ax: "Axes", n: int, labels: Sequence[str], used: Iterable[Edge]) -> None:
    """The edges, those used in the colour of their dimension, and the nodes.

    Edges of a fourth dimension are left out.
    """
    ax.set_axis_off()
    for u, d in edges(n):
        if d < 3:
            ax.plot(*zip(place(u), place(u ^ 1 << d), strict=True), color=_EDGE, zorder=1)
    for u, d in used:
        arrow(ax, place(u), place(u ^ 1 << d), _COLOURS[d], style="<->")
    for u, label in enumerate(labels):
        ax.plot(*place(u), "o", color="white", markeredgecolor="0.5", ms=26, zorder=3)
        ax.text(*place(u), label, fontsize=8, zorder=4, ha="center", va="center_baseline")
    ax.set(xlim=(-0.25, place((1 << n) - 1)[0] + 0.25), ylim=(-0.25, 1.6 if n > 2 else 1.3))
    ax.set_aspect("equal")


def arrow(  # noqa: PLR0913
    ax: "Axes", start: Point, end: Point, colour: str, *, style: str = "->", bend: float = 0.0
) -> None:
    look = f"arc3,rad={bend}"
    patch = FancyArrowPatch(start, end, arrowstyle=style, color=colour, lw=2, zorder=2,
                            mutation_scale=11, shrinkA=12, shrinkB=12,
                            connectionstyle=look)  # fmt: skip
    ax.add_patch(patch)


def figure_1(figure: "Figure", claim: Claim) -> None:  # noqa: ARG001 - all drawings take it
    """Nodes with the ranks of their blocks."""
    figure.set_size_inches(8, 3.6)
    for ax, n in zip(figure.subplots(1, 2), (2, 3), strict=True):
        cube(ax, n, [str(rank) for rank in ranks(n)], exchanges(n))
        ax.set_title(f"{n}-cube", fontsize=10)
    _titled(figure, _EXCHANGES)


def figure_5(figure: "Figure", claim: Claim) -> None:  # noqa: ARG001 - all drawings take it
    """The 4-cube, and the 3-cube onto which it is folded."""
    figure.set_size_inches(10, 3.8)
    whole, half = figure.subplots(1, 2, width_ratios=(3.6, 1.7))
    cube(whole, 4, [str(rank) for rank in ranks(4)], exchanges(4))
    whole.set_title("4-cube; the links of dimension 3 are idle", fontsize=10)
    pairs = zip(ranks(4)[:8], ranks(4)[8:], strict=True)
    cube(half, 3, [f"{a}, {b}" for a, b in pairs], folded(4))
    half.set_title("folded along dimension 3", fontsize=10)
    _titled(figure, _EXCHANGES)


def figure_4(figure: "Figure", claim: Claim) -> None:  # noqa: ARG001 - all drawings take it
    """The two routes of each of the two blocks that move."""
    figure.set_size_inches(8, 3.6)
    block = 6
    for ax, (home, ways) in zip(figure.subplots(1, 2), ways_around(block).items(), strict=True):
        cube(ax, 2, [str(u) for u in range(4)], [])
        for way, colour in zip(ways, _COLOURS, strict=False):
            for u, d in way:
                arrow(ax, place(u), place(u ^ 1 << d), colour, bend=0.15)
        end = home ^ 1
        ax.set_title(f"the block of node {home}, to node {end}", fontsize=10)
        ax.text(0.5, 0.78, "K/2 + 1", color=_COLOURS[0], ha="center", fontsize=9)
        ax.text(0.5, 0.3, "K/2 - 1", color=_COLOURS[1], ha="center", fontsize=9)
    _titled(figure, "Nodes of a 2-cube, and the two routes of each block that moves")


def _titled(figure: "Figure", title: str) -> None:
    figure.suptitle(title, fontsize=10)
    figure.set_layout_engine("constrained")
