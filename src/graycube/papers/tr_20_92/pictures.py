"""Figures 1 to 3: a 4-cube as two 3-cubes, before each exchange and at the end."""

from typing import TYPE_CHECKING

import numpy as np

from graycube.papers import Claim
from graycube.papers.codes import Ints
from graycube.papers.drawing import COLOURS, arrow, edges, place, titled

from .model import HalfStep, placements, steps

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_N = 4


def figure(drawn: "Figure", claim: Claim) -> None:
    """One panel before each exchange, with its arrows, and one for the end."""
    algorithm = f"gb{claim.number}"
    states, made = placements(algorithm, _N), [*steps(algorithm, _N), None]
    rows = -(-len(states) // 2)
    drawn.set_size_inches(10, 3.3 * rows + 0.4)
    panels = drawn.subplots(rows, 2, squeeze=False).ravel()
    for ax in panels:
        ax.set_axis_off()
    for k, (ax, state, step) in enumerate(zip(panels, states, made, strict=False), 1):
        _cube(ax, state, step)
        ax.set_title(f"{k}. {_title(step)}" if step else "at the end", fontsize=10)
    what = "both halves of the blocks" if states[0].shape[1] > 1 else "the blocks"
    title = f"{algorithm.upper()} on a 4-cube: ranks of {what}, and the exchanges to come"
    titled(drawn, title)


def _title(step: HalfStep) -> str:
    if step.name.startswith("dimension"):
        return f"exchange in dimension {step.dimension}"
    return f"{step.name}, dimension {step.dimension}"


def _cube(ax: "Axes", state: Ints, step: HalfStep | None) -> None:
    """Edges, arrows, and nodes with what they hold."""
    edges(ax, _N)
    if step is not None:
        _arrows(ax, step)
    for u, held in enumerate(state):
        x, y = place(u)
        ax.plot(x, y, "o", color="white", markeredgecolor="0.5", markersize=23, zorder=3)
        height = (0,) if len(held) == 1 else (0.055, -0.06)
        for rank, up, colour in zip(held, height, COLOURS, strict=False):
            prime = "'" if up < 0 else ""
            ax.text(x, y + up, f"{rank}{prime}", color=colour, fontsize=7.5, zorder=4,
                    ha="center", va="center_baseline")  # fmt: skip
    ax.set(xlim=(-0.2, place(1 << _N - 1)[0] + 1.65), ylim=(-0.25, 1.6))


def _arrows(ax: "Axes", step: HalfStep) -> None:
    """Between neighbours; over the top dimension one for all, as the paper draws it."""
    if step.dimension == _N - 1:
        left, right = place(7)[0] + 0.06, place(1 << _N - 1)[0] - 0.06
        arrow(ax, (left, 0.75), (right, 0.75), COLOURS[1], gap=0)
        ax.text((left + right) / 2, 0.82, "all", color=COLOURS[1], fontsize=8, ha="center")
        return
    for half, where in enumerate(step.where):
        for u in np.flatnonzero(where).tolist():
            if not u >> step.dimension & 1:
                arrow(ax, place(u), place(u ^ 1 << step.dimension), COLOURS[half])
