"""The figures drawn: cubes with the edges that are used, and tables of what nodes hold."""

from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graycube.gf2 import rotation
from graycube.papers import Claim
from graycube.papers.codes import ranks
from graycube.papers.drawing import COLOURS, arrow, edges, place, titled

from .codes import SEQUENCES, rows_of_2, rows_of_3
from .routes import Edge, exchanges, folded, ways_around

_HELD = "Data by node, at first and after each exchange; shaded where it was exchanged"
_EXCHANGES = "Ranks of the blocks in Gray code, and exchanges in ascending order of dimensions"


def cube(ax: Axes, n: int, labels: Sequence[object], used: Iterable[Edge]) -> None:
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


def figure_1(figure: Figure, _: Claim) -> None:
    """Nodes with the ranks of their blocks."""
    figure.set_size_inches(8, 3.6)
    for ax, n in zip(figure.subplots(1, 2), (2, 3), strict=True):
        cube(ax, n, ranks(n).tolist(), exchanges(n))
        ax.set_title(f"{n}-cube", fontsize=10)
    titled(figure, _EXCHANGES)


def figure_5(figure: Figure, _: Claim) -> None:
    """The 4-cube, and the 3-cube onto which it is folded."""
    figure.set_size_inches(10, 3.8)
    whole, half = figure.subplots(1, 2, width_ratios=(3.6, 1.7))
    cube(whole, 4, ranks(4).tolist(), exchanges(4))
    whole.set_title("4-cube; the links of dimension 3 are idle", fontsize=10)
    pairs = zip(ranks(4)[:8], ranks(4)[8:], strict=True)
    cube(half, 3, [f"{a}, {b}" for a, b in pairs], folded(4))
    half.set_title("folded along dimension 3", fontsize=10)
    titled(figure, _EXCHANGES)


def figure_4(figure: Figure, _: Claim) -> None:
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


def figure_2(figure: Figure, _: Claim) -> None:
    """The data of each node after each exchange."""
    figure.set_size_inches(6, 5)
    _table(figure.subplots(), (2, 1, 0), rows_of_2(), (0, 3, 5, 7))
    titled(figure, _HELD)


def figure_3(figure: Figure, _: Claim) -> None:
    """The same for three sequences."""
    figure.set_size_inches(11, 5)
    for k, (ax, start) in enumerate(zip(figure.subplots(1, 3), SEQUENCES, strict=True)):
        _table(ax, rotation(4, start), rows_of_3(), (0, *range(3 * k + 2, 3 * k + 5)))
        ax.set_title(f"sequence {start}", fontsize=10)
    titled(figure, _HELD)


def _table(ax: Axes, dims: Iterable[int], rows: list[list[int]], shown: Sequence[int]) -> None:
    """These columns of the rows, at first and after an exchange in each dimension."""
    names = ["Gray", *(f"dim. {d}" for d in dims)]
    columns, nodes = [[row[j] for row in rows] for j in shown], [row[1] for row in rows]
    ax.set(xlim=(-1, len(names)), ylim=(len(nodes), -1))
    ax.set_axis_off()
    ax.text(-0.6, -0.6, "node", fontsize=8, ha="center")
    for y, node in enumerate(nodes):
        ax.text(-0.6, y, f"{node:04b}", fontsize=8, ha="center", va="center", color="0.4")
    for x, (name, column) in enumerate(zip(names, columns, strict=True)):
        ax.text(x + 0.3, -0.6, name, fontsize=8, ha="center")
        for y, value in enumerate(column):
            if x and value != columns[x - 1][y]:
                ax.axhspan(y - 0.5, y + 0.5, (x + 0.95) / (len(names) + 1),
                           (x + 1.65) / (len(names) + 1), color="#CCE4F3")  # fmt: skip
            ax.text(x + 0.3, y, str(value), fontsize=9, ha="center", va="center")
