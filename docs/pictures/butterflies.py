"""Draws ``butterflies.png``: which dimensions a butterfly network uses when, in two methods.

python docs/pictures/butterflies.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import graycube as gc
from graycube.schedule import expand

LAYOUT = gc.Layout.cyclic(9, 4, nodes="gray")
WAYS = {
    "one phase after the other": gc.Method(overlap=False),
    "bi-sectioning": gc.Method(),
    "four-sectioning": gc.Method(radix=2),
}


def draw(axes: Axes, name: str, last: int) -> None:
    """A row for each dimension, a column for each cycle; dark where all links are used."""
    moves = expand(gc.emulation(LAYOUT, method=WAYS[name]))
    used = np.zeros((LAYOUT.n, last))
    np.add.at(used, (moves.dimension, moves.cycle), 1 / (1 << LAYOUT.n))
    axes.imshow(used, cmap="Blues", vmin=0, vmax=1, aspect="auto", origin="lower")
    axes.set_yticks(range(LAYOUT.n), [f"dimension {k}" for k in range(LAYOUT.n)], fontsize=8)
    axes.set_title(f"{name}: {moves.cycles} cycles", fontsize=10, loc="left")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def main(path: Path) -> None:
    """Draw the picture."""
    figure = Figure(figsize=(9, 4.4), layout="constrained")
    last = LAYOUT.n << LAYOUT.p - LAYOUT.n - 1
    panels = figure.subplots(len(WAYS), sharex=True)
    for axes, name in zip(panels, WAYS, strict=True):
        draw(axes, name, last)
    panels[-1].set_xlabel("cycle")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png")))
