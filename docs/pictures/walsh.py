"""Draws ``walsh.png``: the outputs of a Walsh-Hadamard transform in their three orders.

python docs/pictures/walsh.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import graycube as gc

BITS = 3
LAYOUT = gc.Layout.nodes(BITS, "gray")
BLUE, WHITE, LINE = "#2f6f9f", "#ffffff", "#9aa4ae"


def draw(axes: Axes, order: str) -> None:
    """A row for each output: which points it adds, and which it takes away."""
    count = 1 << BITS
    units = gc.CubeArray.from_numpy(np.eye(count), LAYOUT)  # a payload of all unit vectors
    made = gc.hadamard(units, 0, order=order)
    signs = made.to_numpy()
    for row, column in np.ndindex(*signs.shape):
        color = BLUE if signs[row, column] > 0 else WHITE
        axes.bar(column, 0.8, 1, row - 0.4, color=color, edgecolor=LINE, linewidth=0.6)
    nodes = made.layout.locate(np.arange(count))[0]
    axes.set_yticks(range(count), [f"{k}" for k in range(count)], fontsize=9)
    for row, (node, sign) in enumerate(zip(nodes, signs, strict=True)):
        changes = int((np.diff(sign) != 0).sum())
        axes.text(count, row, f"{changes}", ha="center", va="center", fontsize=9)
        axes.text(count + 1.6, row, f"{node:03b}", ha="center", va="center", fontsize=9)
    for column, word in ((count, "changes"), (count + 1.6, "node")):
        axes.text(column, -0.75, word, ha="center", fontsize=8)
    axes.set(title=order, xlim=(-0.6, count + 2.3), ylim=(count - 0.5, -1.1), xticks=[])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def main(path: Path) -> None:
    """Draw the picture."""
    figure = Figure(figsize=(10.5, 3.4), layout="constrained")
    for axes, order in zip(
        figure.subplots(1, 3), ("natural", "dyadic", "sequency"), strict=True
    ):
        draw(axes, order)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png")))
