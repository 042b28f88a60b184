"""Draws ``grids.png``: neighbours on coarser and coarser grids, in Gray and in binary code.

python docs/pictures/grids.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import graycube as gc

PLACES = [(x + 0.45 * z, y + 0.4 * z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
COLORS = {1: "#2f6f9f", 2: "#d9722e", 3: "#b03a48"}  # by the number of hops
GREY = "#dde2e6"


def draw(axes: Axes, layout: gc.Layout, stride: int) -> None:
    """A cube of 8 nodes, their points, and the ways to what a stencil reads above."""
    for u in range(8):
        for v in (u ^ 1, u ^ 2, u ^ 4):
            axes.plot(
                *zip(PLACES[u], PLACES[v], strict=True), color=GREY, linewidth=1.5, zorder=1
            )
    exchange = gc.halo(layout, [(0, 1)], stride=stride)
    for node in range(8):
        for message in exchange.messages(node):
            hops = (message.source ^ message.target).bit_count()
            at = message.source
            for d in range(3):
                if (at ^ message.target) >> d & 1:
                    a, b = np.array(PLACES[at]), np.array(PLACES[at ^ 1 << d])
                    side = 0.03 * np.array([-(b - a)[1], (b - a)[0]])
                    axes.annotate(
                        "",
                        b + side,
                        a + side,
                        arrowprops={"arrowstyle": "->", "color": COLORS[hops], "lw": 1.4},
                    )
                    at ^= 1 << d
    for node, place in enumerate(PLACES):
        axes.plot(
            *place, "o", color="white", markeredgecolor="#444444", markersize=14, zorder=3
        )
        (point,) = layout.coordinates(node, 0)
        axes.text(*place, str(point), ha="center", va="center", fontsize=8, zorder=4)
    axes.margins(0.08)
    axes.set_axis_off()
    axes.set_aspect("equal")


def main(path: Path) -> None:
    """All panels."""
    figure = Figure((12.5, 5.6))
    panels = figure.subplots(2, 4)
    for row, code in zip(panels, ("gray", "binary"), strict=True):
        fine = gc.Layout.nodes(3, code)
        whole = gc.CubeArray.from_numpy(np.arange(8), fine)
        named = [
            (f"{code}, 8 points", fine, 1),
            ("stride 2, in place", fine, 2),
            ("every second point", gc.coarsen(whole, 2).layout, 1),
            ("every fourth point", gc.coarsen(whole, 4).layout, 1),
        ]
        for axes, (name, layout, stride) in zip(row, named, strict=True):
            draw(axes, layout, stride)
            axes.set_title(name, fontsize=11)
    text = "Ways to the next point of the grid:"
    figure.text(0.3, 0.02, text, ha="right", fontsize=10)
    for hops, color in COLORS.items():
        words = f"{hops} hop{'s' * (hops > 1)}"
        figure.text(0.26 + 0.07 * hops, 0.02, words, color=color, fontsize=10)
    figure.savefig(path, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_suffix(".png"))
