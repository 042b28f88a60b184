"""Draws ``sorting.png``: the sorted parts of four nodes, where they are cut, and even blocks.

python docs/pictures/sorting.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import graycube as gc
from graycube.array.ordering.cuts import cuts_of

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7")  # of the nodes that get them
NODES, EACH = 4, 12
KEYS = np.random.default_rng(4).pareto(1.0, NODES * EACH).round(1).clip(0, 9)


def draw(axes: Axes, title: str, keys: np.ndarray, owner: np.ndarray) -> None:
    """A bar for each key in blocks side by side."""
    for node in range(NODES):
        mine = slice(node * EACH, (node + 1) * EACH)
        places = np.arange(EACH) + node * (EACH + 2)
        axes.bar(places, keys[mine] + 0.15, 0.85, color=[COLORS[k] for k in owner[mine]])
        axes.text(places.mean(), -0.9, f"node {node}", ha="center", va="top", fontsize=9)
    axes.set_title(title, fontsize=10, loc="left")
    axes.axis("off")


def main(path: Path) -> None:
    """Draw the keys as they are, sorted on each node, and sorted."""
    keys = gc.CubeArray.from_numpy(KEYS, gc.Layout.mesh(KEYS.shape, (NODES,)))
    parts = np.sort(KEYS.reshape(NODES, EACH), axis=1)
    cuts = cuts_of([part[None] for part in parts], [EACH * k for k in range(1, NODES)])[:, 0]
    at = np.arange(EACH)
    owner = np.concatenate([np.searchsorted(cut, at, "right") for cut in cuts])
    sorted_by = np.repeat(np.arange(NODES), EACH)
    figure = Figure(figsize=(9, 5.2), layout="constrained")
    panels = figure.subplots(3)
    order = np.argsort(np.argsort(KEYS.reshape(NODES, EACH), axis=1, kind="stable"), axis=1)
    first = np.take_along_axis(owner.reshape(NODES, EACH), order, axis=1).ravel()
    draw(panels[0], "keys, in the color of the node that is to have them", KEYS, first)
    draw(panels[1], "each node sorts its own, and all know where to cut", parts.ravel(), owner)
    made = np.sort(keys).to_numpy()
    draw(panels[2], "each key crosses once, and blocks are even again", made, sorted_by)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png")))
