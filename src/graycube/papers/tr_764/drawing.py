"""Three pictures: what nodes hold, a table of texts, and dimensions by cycles."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graycube.papers.codes import Ints

Grid = list[list[str]]
Marked = set[tuple[int, int]]
_PALE, _STRONG, _EDGE = "#f4f4f4", "#f0c987", "0.75"
_BUSY, _IDLE = "#33658a", "#f4f4f4"
_PAD = {"w_pad": 0.1, "h_pad": 0.1}
_CELL, _SIDE = (0.095, 0.3), 0.6  # inches: of a letter, of a row, and around


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
    grids = list(tables.values())
    letters = max(len(word) for rows in grids for row in rows for word in row)
    letters = max(letters, *map(len, nodes))
    width = len(nodes) * (letters + 2) * _CELL[0] + 2 * _SIDE
    heights = [len(rows) for rows in grids]
    figure.set_size_inches(max(width, 4.0), sum(heights) * _CELL[1] + 0.62 * len(grids) + 0.4)
    figure.set_layout_engine("constrained", **_PAD)
    axes = figure.subplots(len(grids), squeeze=False, height_ratios=heights)[:, 0]
    for at, (ax, name) in enumerate(zip(axes, tables, strict=True)):
        rows = tables[name]
        _cells(ax, rows, marked[at] if marked else set())
        _labels(ax, nodes, [f"{slot}" for slot in range(len(rows))])
        ax.set_title(name, fontsize=9, loc="left")
        ax.set_ylabel("memory", fontsize=8)
    axes[-1].set_xlabel("node", fontsize=8)
    _note(figure, note if any(marked) else "")


def text_table(
    figure: Figure,
    columns: list[str],
    rows: dict[str, list[str]],
    marked: Marked | None = None,
    note: str = "",
) -> None:
    """Rows with names; marked cells are set off."""
    words = [*columns, *(word for row in rows.values() for word in row)]
    letters, margin = max(map(len, words)), max(map(len, rows))
    width = (len(columns) * (letters + 2) + margin) * _CELL[0] + _SIDE
    figure.set_size_inches(width, (len(rows) + 1) * _CELL[1] + 0.5)
    figure.set_layout_engine("constrained", **_PAD)
    ax = figure.subplots()
    _cells(ax, list(rows.values()), marked or set())
    _labels(ax, columns, list(rows))
    ax.xaxis.tick_top()
    _note(figure, note if marked else "")


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
        cycles = range(use.shape[1])
        ax.set(yticks=range(len(use)), ylabel="dimension", xlabel="cycle")
        ax.set_xticks([c + 0.5 for c in cycles], [str(c) for c in cycles])
        ax.set_title(name, fontsize=9, loc="left")
        ax.tick_params(length=0, labelsize=8)
        ax.spines[:].set_visible(False)


def _note(figure: Figure, text: str) -> None:
    if text:
        figure.supxlabel(f"set off: {text}", fontsize=8, x=0.02, ha="left")


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
