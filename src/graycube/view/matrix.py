"""A layout as what it is, an affine map over GF(2): filled and empty squares.

Rules. A row for each address bit and a column for each index bit, the highest first, as the
printed form has them: slot bits above the thick line, node bits below. A filled square says
that the index bit is one of the sum that makes the address bit. A column of its own, beside
the matrix, marks the address bits that are complemented; a layout without any has no such
column.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits
from graycube.layout.text import tokens
from graycube.texts import shortened
from graycube.view.plot import new_figure, square_points

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes

_MOST_BITS = 64
_SQUARE, _MARGIN, _HIGHEST = 0.36, 2.2, 12.0  # inches, of a new figure
_SMALLEST_FONT, _LARGEST_FONT, _NAME_FONT = 4.5, 10.0, 8.0
_LETTER = 0.62  # of the font's size: the width of a letter
_GAP = 0.5  # squares between the matrix and the constants
_SIDE = 2.8  # of the font's size, from the matrix to what names its rows together
_EMPTY, _SLOT, _NODE, _FLIPPED = "#ffffff", "#7fb3c8", "#1f4e79", "#d9722e"
_GRID, _LINE = "#c8ced4", "#222222"
_LONGEST_SUM = 15  # letters


def plot_matrix(layout: Layout, ax: "Axes | None" = None) -> "Axes":
    """Draw the bit matrix of a layout on ``ax``, or on a new pyplot figure of fitting size.

    Each row is an address bit, named on the left: the sum of the index bits whose squares are
    filled, which stands on the right as the printed form has it. It takes layouts of 1 to 64
    address bits. Extents never enter the matrix.

    >>> from matplotlib.figure import Figure
    >>> layout = Layout.consecutive(5, 3, nodes="gray")
    >>> ax = plot_matrix(layout, Figure().subplots())
    >>> ax.get_title(), [label.get_text() for label in ax.get_yticklabels()]
    ('(b1 b0 || b4 g3 g2)', ['a4', 'a3', 'a2', 'a1', 'a0'])
    """
    _require_fitting(layout)
    width = layout.p + (_GAP + 1 if layout.map.constant else 0)
    ax = _new_axes(layout.p, width) if ax is None else ax
    _draw_squares(ax, layout)
    _draw_lines(ax, layout)
    ax.set(xlim=(0, width), ylim=(layout.p, 0), aspect="equal")
    _name_bits(ax, layout, width)
    ax.set_title(str(layout), wrap=True, fontsize="medium", fontfamily="monospace")
    return ax


def _require_fitting(layout: Layout) -> None:
    layout = in_bits(layout, "a picture of bits")
    if not 1 <= layout.p <= _MOST_BITS:
        raise InvalidValueError(
            f"the layout has {layout.p} address bits",
            f"a picture shows 1 to {_MOST_BITS}",
            "print(layout.map), or draw a smaller layout of the same kind",
        )


def _new_axes(rows: int, columns: float) -> "Axes":
    side = min(_SQUARE, _HIGHEST / rows)
    return new_figure((columns * side + _MARGIN, rows * side + _MARGIN / 2))


def _draw_squares(ax: "Axes", layout: Layout) -> None:
    from matplotlib.colors import ListedColormap  # noqa: PLC0415 - only who plots needs it

    p, columns = layout.p, layout.map.matrix.columns
    downwards = range(p - 1, -1, -1)
    ones = np.array([[columns[j] >> i & 1 for j in downwards] for i in downwards])
    ones[p - layout.n :] *= 2  # the colour of node bits
    looks: dict[str, Any] = {"edgecolors": _GRID, "linewidth": 0.6, "clip_on": False, "vmin": 0}
    ax.pcolormesh(ones, cmap=ListedColormap([_EMPTY, _SLOT, _NODE]), vmax=2, **looks)
    if layout.map.constant:
        edges = (p + _GAP, p + _GAP + 1)
        flipped = np.array([[layout.map.constant >> i & 1] for i in downwards])
        colours = ListedColormap([_EMPTY, _FLIPPED])
        ax.pcolormesh(edges, range(p + 1), flipped, cmap=colours, vmax=1, **looks)


def _draw_lines(ax: "Axes", layout: Layout) -> None:
    """Between slot and node, and between the axes."""
    p = layout.p
    if 0 < layout.n < p:
        ax.hlines(p - layout.n, 0, p, linewidth=2.0, color=_LINE, label="slot || node")
    starts = {p - layout.word_bits(k).stop for k in range(len(layout.axes))} - {0, p}
    if starts:
        ax.vlines(sorted(starts), 0, p, linewidth=1.2, color=_LINE, label="axes")
    for side in ax.spines.values():
        side.set_visible(False)


def _name_bits(ax: "Axes", layout: Layout, width: float) -> None:
    p, n = layout.p, layout.n
    room = min(square_points(ax, p, width))
    font = min(_LARGEST_FONT, max(_SMALLEST_FONT, 0.5 * room))
    looks: dict[str, Any] = {"fontsize": font, "fontfamily": "monospace"}
    middles = np.arange(p) + 0.5
    ax.set_yticks(middles, [f"a{i}" for i in reversed(range(p))], **looks)
    names = tokens(AffineMap.identity(p), layout.axes)[::-1]
    turned = max(map(len, names)) * _LETTER * font > 0.95 * room
    places = list(middles)
    if layout.map.constant:
        places, names = [*places, width - 0.5], [*names, "~"]
    ax.set_xticks(places, names, **looks, rotation=90 * turned)
    ax.tick_params(length=0, top=True, bottom=False, labeltop=True, labelbottom=False)
    looks["va"] = "center"
    for row, name in zip(middles, tokens(layout.map, layout.axes)[::-1], strict=True):
        ax.text(width + _GAP / 2, row, shortened(name, _LONGEST_SUM), ha="left", **looks)
    looks |= {"fontfamily": "sans-serif", "fontsize": max(font, _NAME_FONT)}
    looks |= {"textcoords": "offset points", "rotation": 90}
    for name, first, last in (("slot", 0, p - n), ("node", p - n, p)):
        if first < last:
            looks["xytext"] = (-_SIDE * font, 0)
            ax.annotate(name, (0, (first + last) / 2), ha="right", **looks)
