"""Figures 2 and 3, which are tables: every entry, and pictures of them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from graycube.gf2 import rotation
from graycube.papers import Case, Claim
from graycube.papers.drawing import titled

from .codes import steps

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N = 4
TITLE = "Data by node, at first and after each exchange; shaded where it was exchanged"
SEQUENCES = (2, 1, 0)
"""Figure 3: the dimensions in which its sequences begin."""


def rows_of_2() -> list[list[int]]:
    """Data, node, and for each exchange the deciding bit and the data after it."""
    first, *after = (held.tolist() for held in steps(N, N - 2))
    gray = [node ^ node >> 1 for node in range(1 << N)]
    return [
        [i, node]
        + [x for k, held in enumerate(after) for x in (node >> (N - 1 - k) & 1, held[node])]
        for i, node in enumerate(gray)
        if first[node] == i
    ]


def rows_of_3() -> list[list[int]]:
    """Data, node, and the data after each exchange of each sequence."""
    made = [held for start in SEQUENCES for held in steps(N, start)[1:]]
    gray = [node ^ node >> 1 for node in range(1 << N)]
    return [[i, node, *(int(held[node]) for held in made)] for i, node in enumerate(gray)]


def figure_2(claim: Claim) -> Iterator[Case]:
    return entries(claim, rows_of_2(), ["data", "node", "b3", "2", "b2", "1", "b1", "0"])


def figure_3(claim: Claim) -> Iterator[Case]:
    orders = [rotation(N, start) for start in SEQUENCES]
    names = [f"sequence {order[0]}, dimension {d}" for order in orders for d in order]
    return entries(claim, rows_of_3(), ["data", "node", *names])


def entries(claim: Claim, ours: list[list[int]], names: list[str]) -> Iterator[Case]:
    """Entry by entry."""
    for printed, row in zip(claim.figures, ours, strict=True):
        for name, paper, computed in zip(names, printed, row, strict=True):
            where = f"node {printed[1]:04b}, {name}"
            yield Case(where, str(paper), str(computed), paper == computed)


def draw_2(figure: "Figure", claim: Claim) -> None:  # noqa: ARG001 - all drawings take it
    """The data of each node after each exchange."""
    figure.set_size_inches(6, 5)
    _table(figure.subplots(), (2, 1, 0), rows_of_2(), (0, 3, 5, 7))
    titled(figure, TITLE)


def draw_3(figure: "Figure", claim: Claim) -> None:  # noqa: ARG001 - all drawings take it
    """The same for three sequences."""
    figure.set_size_inches(11, 5)
    for k, (ax, start) in enumerate(zip(figure.subplots(1, 3), SEQUENCES, strict=True)):
        _table(ax, rotation(N, start), rows_of_3(), (0, *range(3 * k + 2, 3 * k + 5)))
        ax.set_title(f"sequence {start}", fontsize=10)
    titled(figure, TITLE)


def _table(
    ax: "Axes", dims: Iterable[int], rows: list[list[int]], shown: Sequence[int]
) -> None:
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
