"""What drawings share: cubes with arrows, grids of what nodes hold, tables, charts of cycles.

Modules that draw import matplotlib, which is optional, and are imported where there is some.
"""

from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graycube.papers.codes import Ints

Point = tuple[float, float]
Edge = tuple[int, int]
"""A node and a dimension."""
Grid = list[list[str]]
Marked = set[tuple[int, int]]
_PALE, _STRONG, _EDGE = "#f4f4f4", "#f0c987", "0.75"
_BUSY, _IDLE = "#33658a", "#f4f4f4"
_PAD = {"w_pad": 0.1, "h_pad": 0.1}
_CELL, _SIDE = (0.095, 0.3), 0.6  # inches: of a letter, of a row, and around
COLOURS = "#0072B2", "#D55E00", "#009E73"
_AXES = (1.0, 0.0), (0.0, 1.0), (0.42, 0.34), (2.05, 0.0)
"""Where each dimension leads."""


def place(node: int) -> Point:
    """The corner of a node.

    >>> place(3)
    (1.0, 1.0)
    """
    steps = [step for d, step in enumerate(_AXES) if node >> d & 1]
    return sum(x for x, _ in steps), sum(y for _, y in steps)


def cube(ax: Axes, n: int, labels: Iterable[object], used: Iterable[Edge] = ()) -> None:
    """Nodes with labels and edges, those used in the colour of their dimension.

    The edges of a fourth dimension are left out.
    """
    ax.set_axis_off()
    for u in range(1 << n):
        for d in range(min(n, 3)):
            if not u >> d & 1:
                ends = zip(place(u), place(u ^ 1 << d), strict=True)
                ax.plot(*ends, color="0.8", zorder=1)
    for u, d in used:
        arrow(ax, place(u), place(u ^ 1 << d), COLOURS[d])
    for u, label in enumerate(labels):
        ax.plot(*place(u), "o", color="white", markeredgecolor="0.5", ms=26, zorder=3)
        ax.text(*place(u), str(label), fontsize=8, zorder=4, ha="center", va="center_baseline")
    ax.set(xlim=(-0.25, place((1 << n) - 1)[0] + 0.25), ylim=(-0.25, 1.6 if n > 2 else 1.3))
    ax.set_aspect("equal")


def arrow(  # noqa: PLR0913
    ax: Axes,
    start: Point,
    end: Point,
    colour: str,
    *,
    style: str = "<->",
    bend: float = 0.0,
    gap: float = 12,
) -> None:
    """An arrow in two directions or one, which keeps a distance from both ends."""
    look = {"arrowstyle": style, "color": colour, "lw": 2, "mutation_scale": 11}
    look |= {"shrinkA": gap, "shrinkB": gap, "connectionstyle": f"arc3,rad={bend}"}
    ax.annotate("", xy=end, xytext=start, arrowprops=look, zorder=2)


def titled(figure: Figure, size: tuple[float, float], title: str) -> None:
    """A title for all panels, which are laid out below it on so many inches."""
    figure.set_size_inches(size)
    figure.suptitle(title, fontsize=10)
    figure.set_layout_engine("constrained")


def placements(
    figure: Figure,
    tables: dict[str, Grid],
    nodes: list[str],
    marked: Sequence[Marked] = (),
    note: str = "",
) -> None:
    """One grid below the other: memory locations by nodes; marked cells are set off.

    ``note`` says what is set off, if anything is.
    """
    grids = [{str(slot): row for slot, row in enumerate(rows)} for rows in tables.values()]
    axes = _tables(figure, grids, nodes, marked or [set()] * len(grids), note)
    for ax, name in zip(axes, tables, strict=True):
        ax.set_title(name, fontsize=9, loc="left")
        ax.set_ylabel("memory", fontsize=8)
    axes[-1].set_xlabel("node", fontsize=8)


def text_table(
    figure: Figure,
    columns: list[str],
    rows: dict[str, list[str]],
    marked: Marked | None = None,
    note: str = "",
) -> None:
    """Rows with names; marked cells are set off."""
    (ax,) = _tables(figure, [rows], columns, [marked or set()], note)
    ax.xaxis.tick_top()


def _tables(
    figure: Figure,
    tables: Sequence[dict[str, list[str]]],
    columns: list[str],
    marked: Sequence[Marked],
    note: str,
) -> Sequence[Axes]:
    """Tables below each other, whose rows have names and whose columns are the same."""
    words = [*columns, *(word for rows in tables for row in rows.values() for word in row)]
    letters, margin = max(map(len, words)), max(len(name) for rows in tables for name in rows)
    width = (len(columns) * (letters + 2) + margin) * _CELL[0] + _SIDE
    heights = [len(rows) for rows in tables]
    figure.set_size_inches(max(width, 4.0), sum(heights) * _CELL[1] + 0.8 * len(tables))
    figure.set_layout_engine("constrained", **_PAD)
    axes: list[Axes] = list(
        figure.subplots(len(tables), squeeze=False, height_ratios=heights)[:, 0]
    )
    for ax, rows, marks in zip(axes, tables, marked, strict=True):
        _cells(ax, list(rows.values()), marks)
        _labels(ax, columns, list(rows))
    if note and any(marked):
        figure.supxlabel(f"set off: {note}", fontsize=8, x=0.02, ha="left")
    return axes


def chart(figure: Figure, uses: dict[str, Ints]) -> None:
    """Dimensions by cycles: filled where nodes send over the dimension."""
    figure.set_size_inches(6.4, sum(len(use) * 0.32 + 0.75 for use in uses.values()))
    figure.set_layout_engine("constrained", **_PAD)
    axes = figure.subplots(len(uses), squeeze=False)[:, 0]
    for ax, (name, use) in zip(axes, uses.items(), strict=True):
        for d, row in enumerate(use.tolist()):
            for cycle, nodes in enumerate(row):
                colour = _BUSY if nodes else _IDLE
                ax.barh(d, 1, 0.8, cycle, align="center", color=colour, edgecolor="white")
        _labels(ax, *(list(map(str, range(count))) for count in use.shape[::-1]))
        ax.set(ylabel="dimension", xlabel="cycle")
        ax.set_title(name, fontsize=9, loc="left")


def _cells(ax: Axes, rows: Grid, marked: Marked) -> None:
    for i, row in enumerate(rows):
        for j, word in enumerate(row):
            colour = _STRONG if (i, j) in marked else _PALE
            ax.barh(i, 1, 1, j, color=colour, edgecolor=_EDGE, linewidth=0.6)
            ax.text(j + 0.5, i, word, ha="center", va="center", fontsize=8, family="monospace")
    ax.set(xlim=(-0.02, max(map(len, rows)) + 0.02), ylim=(len(rows) - 0.48, -0.52))


def _labels(ax: Axes, columns: list[str], rows: list[str]) -> None:
    ax.set_xticks([j + 0.5 for j in range(len(columns))], columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0, labelsize=8)
    ax.spines[:].set_visible(False)
