"""Draws ``gf2.png``: layouts as matrices over GF(2), and exchanges that turn one into another.

python docs/pictures/gf2.py [FILE]
"""

import sys
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import graycube as gc
from graycube.gf2 import Exchange

LAYOUTS = {
    "consecutive, binary": gc.Layout.consecutive(6, 3),
    "consecutive, Gray": gc.Layout.consecutive(6, 3, nodes="gray"),
    "cyclic, Gray": gc.Layout.cyclic(6, 3, nodes="gray"),
    "mesh of 8 x 8 on 4 x 4 nodes, Gray": gc.Layout.mesh((8, 8), nodes=(4, 4), code="gray"),
}
WIDE, HIGH = 13.0, 8.3  # inches
SQUARE, SMALL = 0.32, 0.2  # inches: squares of layouts, of exchanges
ORANGE, GREY, GRID = "#d9722e", "#444444", "#c8ced4"
BIG_TEXT, TEXT = 11.0, 9.5
BITS = 4
CHAINS = (
    (4.25, (2, 1, 0), "the highest dimension down"),
    (6.7, (0, 1, 2), "the lowest dimension up"),
)


def axes(figure: Figure, left: float, top: float, side: float) -> Axes:
    """Axes whose upper left corner is at so many inches from that of the figure."""
    bottom = HIGH - top - side
    return figure.add_axes((left / WIDE, bottom / HIGH, side / WIDE, side / HIGH))


def write(figure: Figure, x: float, y: float, text: str, **looks: Any) -> None:  # noqa: ANN401
    """Text at so many inches from the upper left corner of the figure."""
    figure.text(x / WIDE, 1 - y / HIGH, text, **({"fontsize": TEXT} | looks))


def draw_layouts(figure: Figure, top: float) -> None:
    """The layouts side by side."""
    for k, (name, layout) in enumerate(LAYOUTS.items()):
        ax = axes(figure, 0.85 + 3.2 * k, top, layout.p * SQUARE)
        gc.view.plot_matrix(layout, ax)
        ax.set_title("")
        middle = 0.85 + 3.2 * k + layout.p * SQUARE / 2
        write(figure, middle, top - 0.58, name, ha="center", fontsize=BIG_TEXT)
        below = top + layout.p * SQUARE + 0.25
        looks = {"ha": "center", "fontfamily": "monospace", "color": GREY, "fontsize": 8.5}
        write(figure, middle, below, str(layout), **looks)


def draw_chain(figure: Figure, top: float, order: tuple[int, ...]) -> None:
    """From Gray code to binary code, with the exchanges between the layouts."""
    exchanges = gc.gray_to_binary(BITS, order)
    layouts = [gc.Layout.nodes(BITS, "gray")]
    layouts += (exchange.affine(BITS) @ layouts[-1] for exchange in exchanges)
    step, left = 3.36, 0.85
    for k, layout in enumerate(layouts):
        ax = axes(figure, left + step * k, top, BITS * SQUARE)
        gc.view.plot_matrix(layout, ax)
        ax.set_title("")
        for text in ax.texts:
            text.set_visible(text.get_text() != "node")
        if k < len(exchanges):
            mark(ax, squares(layout) - squares(layouts[k + 1]), fill=False)
            draw_exchange(figure, left + step * k + 2.34, top, exchanges[k])


def draw_exchange(figure: Figure, middle: float, top: float, exchange: Exchange) -> None:
    """A small matrix above an arrow, and what the exchange does below it."""
    layout, side = gc.Layout(exchange.affine(BITS), BITS), BITS * SMALL
    ax = axes(figure, middle - side / 2, top - 0.22, side)
    gc.view.plot_matrix(layout, ax)
    ax.set(title="", xticks=[], yticks=[])
    for text in ax.texts:
        text.set_visible(False)
    mark(ax, squares(layout) - squares(gc.Layout.nodes(BITS)), fill=True)
    y = 1 - (top + 0.76) / HIGH
    ends = [((middle + d) / WIDE, y) for d in (-0.42, 0.42)]
    arrow = {"arrowstyle": "-|>", "color": GREY, "linewidth": 1.5, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", ends[1], ends[0], "figure fraction", "figure fraction", arrowprops=arrow)
    flip, where = str(exchange).split(" where ")
    looks = {"ha": "center", "va": "top", "fontfamily": "monospace", "fontsize": 8.0}
    write(figure, middle, top + 0.86, f"{flip} where\n{where}", **looks)


def squares(layout: gc.Layout) -> set[tuple[int, int]]:
    """The filled ones: address bit and index bit."""
    columns = enumerate(layout.map.matrix.columns)
    return {(i, j) for j, column in columns for i in range(layout.p) if column >> i & 1}


def mark(ax: Axes, which: set[tuple[int, int]], *, fill: bool) -> None:
    """Fill squares with the colour that stands out, or frame them."""
    for i, j in which:
        x, y = BITS - 1 - j, BITS - 1 - i
        if fill:
            square = Rectangle((x, y), 1, 1, facecolor=ORANGE, edgecolor=GRID, linewidth=0.6)
        else:
            square = Rectangle((x + 0.09, y + 0.09), 0.82, 0.82, edgecolor=ORANGE)
            square.set(fill=False, linewidth=2.4)
        ax.add_patch(square)


def main() -> None:
    """Draw it."""
    figure = Figure(figsize=(WIDE, HIGH))
    draw_layouts(figure, top=0.85)
    for top, order, way in CHAINS:
        title = f"From Gray to binary code, from {way}"
        write(figure, 0.5, top - 0.6, title, fontsize=BIG_TEXT)
        draw_chain(figure, top, order)
    path = sys.argv[1] if sys.argv[1:] else Path(__file__).with_suffix(".png")
    figure.savefig(path, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
