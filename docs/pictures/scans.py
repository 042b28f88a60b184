"""Draws ``scans.png``: whom the nodes of a row meet in a scan, and what they know then.

python docs/pictures/scans.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

import graycube as gc
from graycube.array.scanning.stretches import stretches

COLORS = ("#2f6f9f", "#d9722e", "#5b8c3a")
LAYOUT = gc.Layout.nodes(3, "gray")


def row(axes: Axes, height: float, node: np.ndarray, known: int) -> None:
    """The nodes in the order of the index, in groups that know the same total."""
    for first in range(0, len(node), known):
        box = FancyBboxPatch((first - 0.36, height - 0.2), known - 0.28, 0.4)
        box.set(boxstyle="round,pad=0.04", facecolor="#eef1f4", edgecolor="#9aa4ae")
        axes.add_patch(box)
        last = first + known - 1
        total = f"x{first}" if known == 1 else f"x{first} to x{last}"
        axes.text((first + last) / 2, height - 0.36, total, ha="center", fontsize=8)
    for place, number in enumerate(node):
        axes.text(place, height, f"{number:03b}", ha="center", va="center", fontsize=9)


def main(path: Path) -> None:
    """Draw the rounds of a scan on eight nodes."""
    nodes = range(1 << LAYOUT.n)
    node = LAYOUT.locate(np.arange(len(nodes)))[0]
    figure = Figure(figsize=(8, 6.2), layout="constrained")
    axes = figure.subplots()
    for k, met in enumerate(stretches(LAYOUT, 0, nodes).rounds):
        height = -1.5 * k
        row(axes, height, node, 1 << k)
        for place, number in enumerate(node):
            other = int(np.flatnonzero(node == met.peers[number])[0])
            arrow = FancyArrowPatch((place, height - 0.45), (other, height - 1.27))
            arrow.set(arrowstyle="-|>", mutation_scale=9, color=COLORS[k], linewidth=1.4)
            axes.add_patch(arrow)
        axes.text(8, height - 0.85, f"dimension {k}", color=COLORS[k], fontsize=9)
    row(axes, -4.5, node, 8)
    axes.set(xlim=(-0.7, 9.2), ylim=(-5.1, 0.5))
    axes.axis("off")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png")))
