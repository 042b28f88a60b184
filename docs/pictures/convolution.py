"""Draws ``convolution.png``: two arrays over four nodes, and their convolutions.

python docs/pictures/convolution.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import graycube as gc

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7")  # of nodes
LAYOUT = gc.Layout.mesh((12,), (4,), code="gray")
A = [0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
V = [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, -1]


def draw(axes: Axes, u: gc.CubeArray, name: str) -> None:
    """A bar for each element, in the color of its node."""
    index = np.arange(u.shape[0])
    axes.bar(index, u.to_numpy(), 0.8, color=[COLORS[k] for k in u.layout.node_of(index)])
    axes.axhline(0, color="#444444", linewidth=0.6)
    axes.set_title(name, fontsize=10, loc="left")
    axes.set(xlim=(-0.8, 22.8), xticks=range(0, 23, 2))
    axes.spines[["top", "right"]].set_visible(False)


def main(path: Path) -> None:
    """Draw the picture."""
    a, v = (gc.CubeArray.from_numpy(np.array(x), LAYOUT) for x in (A, V))
    drawn = {
        "a": a,
        "v": v,
        "gc.convolve(a, v)": gc.convolve(a, v),
        'gc.convolve(a, v, mode="periodic")': gc.convolve(a, v, mode="periodic"),
    }
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    for axes, (name, u) in zip(figure.subplots(2, 2).T.flat, drawn.items(), strict=True):
        draw(axes, u, name)
    for k, color in enumerate(COLORS):
        figure.axes[1].bar([0], [0], color=color, label=f"node {k}")
    figure.axes[0].legend(
        *figure.axes[1].get_legend_handles_labels(), frameon=False, fontsize=8
    )
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png")))
