"""Figures 1 to 3: a 4-cube as two 3-cubes, before each exchange and at the end."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import FancyArrowPatch

from graycube.papers import Claim
from graycube.papers.codes import Ints

from .model import HalfStep, placements, steps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_N = 4
_PLACES = np.array([(0, 0), (1, 0), (0, 1), (1, 1), (0.42, 0.34), (1.42, 0.34), (0.42, 1.34),
                    (1.42, 1.34)])  # fmt: skip
"""The corners of a 3-cube."""
_APART = 2.05
_COLOURS = "#0072B2", "#D55E00"
"""Of the first and the second half of the blocks."""
_EDGE = "0.8"


def figure(drawn: "Figure", claim: Claim) -> None:
    """One panel before each exchange, with its arrows, and one for the end."""
    algorithm = f"gb{claim.number}"
    states, made = placements(algorithm, _N), list(steps(algorithm, _N))
    columns = 2
    rows = -(-len(states) // columns)
    drawn.set_size_inches(10, 3.3 * rows + 0.4)
    panels = drawn.subplots(rows, columns, squeeze=False).ravel()
    for ax in panels:
        ax.set_axis_off()
    for k, (ax, state) in enumerate(zip(panels, states, strict=False)):
        step = made[k] if k < len(made) else None
        _cube(ax, state, step)
        ax.set_title(f"{k + 1}. {_title(step)}" if step else "at the end", fontsize=10)
    drawn.suptitle(
        f"{algorithm.upper()} on a 4-cube: {_legend(states[0].shape[1])}", fontsize=10
    )
    drawn.set_layout_engine("constrained")


def _title(step: HalfStep) -> str:
    if step.name.startswith("dimension"):
        return f"exchange in dimension {step.dimension}"
    return f"{step.name}, dimension {step.dimension}"


def _legend(halves: int) -> str:
    if halves == 1:
        return "ranks of the blocks, and the exchanges to come"
    return "ranks of both halves of the blocks, and the exchanges to come"


def _place(node: int) -> tuple[float, float]:
    x, y = _PLACES[node & 7]
    return x + _APART * (node >> 3), y


def _cube(ax: "Axes", state: Ints, step: HalfStep | None) -> None:
    """Edges, arrows, and nodes with what they hold."""
    for u in range(1 << _N):
        for d in range(3):
            if not u >> d & 1:
                ax.plot(*zip(_place(u), _place(u ^ 1 << d), strict=True), color=_EDGE, zorder=1)
    if step is not None:
        _arrows(ax, step)
    for u, held in enumerate(state):
        x, y = _place(u)
        ax.plot(x, y, "o", color="white", markeredgecolor="0.5", markersize=23, zorder=3)
        height = (0,) if len(held) == 1 else (0.055, -0.06)
        for rank, up, colour in zip(held, height, _COLOURS, strict=False):
            prime = "'" if up < 0 else ""
            ax.text(x, y + up, f"{rank}{prime}", color=colour, fontsize=7.5, zorder=4,
                    ha="center", va="center_baseline")  # fmt: skip
    ax.set(xlim=(-0.2, _APART + 1.65), ylim=(-0.25, 1.6))


def _arrows(ax: "Axes", step: HalfStep) -> None:
    """Between neighbours; over the top dimension one for all, as the paper draws it."""
    if step.dimension == _N - 1:
        left, right = _PLACES[7][0] + 0.06, _APART - 0.06
        _arrow(ax, (left, 0.75), (right, 0.75), _COLOURS[1], gap=0)
        ax.text((left + right) / 2, 0.82, "all", color=_COLOURS[1], fontsize=8, ha="center")
        return
    for half, where in enumerate(step.where):
        for u in np.flatnonzero(where).tolist():
            if not u >> step.dimension & 1:
                _arrow(ax, _place(u), _place(u ^ 1 << step.dimension), _COLOURS[half])


def _arrow(
    ax: "Axes",
    start: tuple[float, float],
    end: tuple[float, float],
    colour: str,
    gap: float = 12,
) -> None:
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="<->",
            color=colour,
            lw=2,
            mutation_scale=11,
            shrinkA=gap,
            shrinkB=gap,
            zorder=2,
        )
    )
