"""A layout as a coloured grid, drawn with matplotlib.

Rules. Every square has the colour and the number of its node. The border between neighbours is
thin where their nodes are one hop apart and thicker with every further hop; neighbours on one
node have none. So a Gray-coded mesh shows thin lines only, and a binary one its bad seams.
"""

from typing import TYPE_CHECKING

import numpy as np

from graycube.errors import MissingExtraError
from graycube.layout import Layout
from graycube.texts import counted
from graycube.view.picture import Picture, picture_of

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes

_SQUARE, _MARGIN, _WIDEST, _HIGHEST = 0.5, 1.5, 12.0, 8.0  # inches, of a new figure
_POINTS = 72  # to an inch
_SMALLEST_FONT, _LARGEST_FONT = 4.5, 11.0
_LETTER = 7.0  # points: the width of a digit of a tick label, with some air
_THIN, _STEP = 0.5, 2.0  # points: a border of one hop, and what each further hop adds
_MOST_TICKS = 16
_COLOURS, _SHARE = "YlGnBu", 0.55  # the light share of the map, on which black stands out


def plot(layout: Layout, ax: "Axes | None" = None) -> "Axes":
    """Draw who holds what on ``ax``, or on a new pyplot figure of fitting size.

    It takes one or two axes and at most 4096 cells: neighbours that are always on one node
    are one cell.

    >>> from matplotlib.figure import Figure
    >>> layout = Layout.mesh((64, 32), nodes=(8, 4), code="gray")
    >>> ax = plot(layout, Figure().subplots())
    >>> ax.get_title() == str(layout)
    True
    """
    picture = picture_of(layout)
    ax = _new_axes(picture.nodes.shape) if ax is None else ax
    _draw_squares(ax, picture, 1 << layout.n)
    _draw_borders(ax, picture)
    _label_sides(ax, picture)
    ax.set_title(str(layout), wrap=True, fontsize="medium", fontfamily="monospace")
    return ax


def _new_axes(shape: tuple[int, ...]) -> "Axes":
    rows, columns = shape
    side = min(_SQUARE, _WIDEST / columns, _HIGHEST / rows)
    return new_figure((columns * side + 2 * _MARGIN, rows * side + _MARGIN))


def new_figure(size: tuple[float, float]) -> "Axes":
    """The axes of a new pyplot figure of so many inches."""
    try:
        from matplotlib import pyplot as plt  # noqa: PLC0415 - only who plots needs it
    except ImportError as error:
        raise MissingExtraError(
            "matplotlib is not installed", "plots need it", "run: pip install 'graycube[plot]'"
        ) from error
    return plt.subplots(figsize=size, layout="constrained")[1]


def _draw_squares(ax: "Axes", picture: Picture, nodes: int) -> None:
    shown = np.ma.masked_less(picture.nodes, 0)
    squares = ax.pcolormesh(shown, cmap=_COLOURS, vmin=0, vmax=nodes / _SHARE)
    rows, columns = shown.shape
    ax.set(xlim=(0, columns), ylim=(rows, 0))
    wide, high = square_points(ax, rows, columns)
    font = min(0.5 * high, wide / len(str(nodes - 1)), _LARGEST_FONT)
    if font < _SMALLEST_FONT:
        scale = ax.figure.colorbar(squares, ax=ax, location="bottom", label="node")
        scale.ax.set_xlim(0, nodes - 1)
        return
    for (i, j), node in np.ndenumerate(picture.nodes):
        if node >= 0:
            ax.text(j + 0.5, i + 0.5, str(node), ha="center", va="center", fontsize=font)


def _draw_borders(ax: "Axes", picture: Picture) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415

    side = min(square_points(ax, *picture.nodes.shape))
    thin = min(_THIN, 0.1 * side)
    step = min(_STEP, 0.4 * side / max(picture.borders, default=1))
    for hops, borders in picture.borders.items():
        label = f"{counted(hops, 'hop')} apart"
        width = thin + step * (hops - 1)
        ax.add_collection(
            LineCollection(borders, linewidths=width, colors="black", label=label)
        )
    if picture.borders:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    if picture.in_lines:
        lines, length = picture.nodes.shape
        ax.hlines(range(1, lines), 0, length, linewidth=0.15 * side, color="white", zorder=2.5)


def _label_sides(ax: "Axes", picture: Picture) -> None:
    for axis, side in ((ax.yaxis, picture.down), (ax.xaxis, picture.across)):
        step = max(1, -(-len(side.labels) // _MOST_TICKS))
        axis.set_ticks(np.arange(0, len(side.labels), step) + 0.5, side.labels[::step])
        axis.set_label_text(side.title)
    room = square_points(ax, *picture.nodes.shape)[0] * step
    if max(map(len, picture.across.labels)) * _LETTER > room:
        ax.tick_params(axis="x", rotation=90)


def square_points(ax: "Axes", rows: int, columns: float) -> tuple[float, float]:
    """Width and height of a square of a picture that has so many."""
    inches = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return inches.width * _POINTS / columns, inches.height * _POINTS / rows
