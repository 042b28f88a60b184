"""Figures 1 to 3: a 4-cube as two 3-cubes, step by step; Figures 4 and 5: times and ratios."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import graycube as gc
from graycube.papers import Claim
from graycube.papers.codes import Ints
from graycube.papers.drawing import COLOURS, arrow, cube, place, titled

from .model import ALGORITHMS, HalfStep, placements, steps
from .times import LARGE, break_even, ipsc2, simulated

_N = 4
_MEASURED = 6  # the dimensions of the machine in Figure 4
_BLACK: dict[str, Any] = {"color": "black", "mfc": "white"}


def figure(drawn: Figure, claim: Claim) -> None:
    """One panel before each exchange, with its arrows, and one for the end."""
    algorithm = f"gb{claim.number}"
    states, made = placements(algorithm, _N), [*steps(algorithm, _N), None]
    rows = -(-len(states) // 2)
    panels = drawn.subplots(rows, 2, squeeze=False).ravel()
    for ax in panels:
        ax.set_axis_off()
    for k, (ax, state, step) in enumerate(zip(panels, states, made, strict=False), 1):
        cube(ax, _N, [""] * len(state))
        _held(ax, state)
        if step:
            _arrows(ax, step)
        name = f"{k}. {step.name}" if step else "at the end"
        over = f", dimension {step.dimension}" if step and "change" in step.name else ""
        ax.set_title(name + over, fontsize=10)
    what = "both halves of the blocks" if states[0].shape[1] > 1 else "the blocks"
    title = f"{algorithm.upper()} on a 4-cube: ranks of {what}, and the exchanges to come"
    titled(drawn, (10, 3.3 * rows + 0.4), title)


def _held(ax: Axes, state: Ints) -> None:
    """What the nodes hold: both halves, one above the other, or whole blocks."""
    look: dict[str, Any] = {"fontsize": 7.5, "zorder": 4, "va": "center_baseline"}
    heights = ((0, ""),) if state.shape[1] == 1 else ((0.055, ""), (-0.06, "'"))
    for u, held in enumerate(state):
        for rank, (up, prime), colour in zip(held, heights, COLOURS, strict=False):
            x, y = place(u)
            ax.text(x, y + up, f"{rank}{prime}", color=colour, ha="center", **look)


def _arrows(ax: Axes, step: HalfStep) -> None:
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


def figure_4(drawn: Figure, _: Claim) -> None:
    """Times by message size, and the speed-up, whose break-evens are where it is 1."""
    on = ipsc2(dims=_MEASURED)
    sizes = [16 << k for k in range(15)]
    times, ratio = _panels(drawn, sizes, [on] * len(sizes), sizes)
    times.set(xscale="log", yscale="log", title="predicted, 64 nodes of an iPSC/2")
    ratio.axhline(1, color="0.8", lw=1)
    for size, speed, mark, what in (
        (break_even(on), 1, "o", "break-even, predicted"),
        (485, 1, "x", "break-even, measured (paper)"),
        (LARGE, 1.79, "s", "measured (paper)"),
    ):
        ratio.plot(size, speed, mark, **_BLACK, label=f"{what}: {speed} at {size} bytes")
    ratio.set(xscale="log", ylim=(0.75, 2.35), title="the same as a ratio")
    for ax in (times, ratio):
        ax.legend(frameon=False, fontsize=8)
        ax.set_xlabel("bytes on a node")


def figure_5(drawn: Figure, claim: Claim) -> None:
    """Times by dimension for 64 kbyte, and the speed-ups beside the measured ones."""
    dims = range(2, 9)
    machines = [ipsc2(dims=n) for n in dims]
    times, ratio = _panels(drawn, dims, machines, [LARGE] * len(dims))
    times.set(ylim=(0, None), title="model, 64 kbyte on a node of an iPSC/2")
    ratio.plot(*zip(*claim.figures, strict=True), "s", **_BLACK, label="measured (paper)")
    ratio.set(ylim=(0.9, 2.05), title="speed-up")
    for ax in (times, ratio):
        ax.legend(frameon=False, fontsize=8, loc="upper left" if ax is times else "lower right")
        ax.set(xticks=dims, xlabel="dimension of the cube")


def _panels(
    drawn: Figure, xs: Sequence[int], machines: Sequence[gc.Machine], sizes: Sequence[int]
) -> list[Axes]:
    """Times of all algorithms for these messages, and GB1's over GB3's beside their limit."""
    drawn.set_size_inches(10, 4)
    drawn.set_layout_engine("constrained")
    times, ratio = panels = list(drawn.subplots(1, 2))
    seconds = {
        name: [simulated(name, on, size) for on, size in zip(machines, sizes, strict=True)]
        for name in ALGORITHMS
    }
    for (name, values), colour in zip(seconds.items(), COLOURS, strict=True):
        times.plot(xs, [1000 * x for x in values], color=colour, label=name.upper())
    speed = [one / other for one, other in zip(seconds["gb1"], seconds["gb3"], strict=True)]
    ratio.plot(xs, speed, color=COLOURS[2], label="GB1 / GB3, model")
    limits = [2 * (on.dims - 1) / on.dims for on in machines]
    ratio.plot(xs, limits, ":", color="0.5", label="limit 2 (n - 1) / n")
    times.set_ylabel("milliseconds")
    ratio.set_ylabel("speed-up of GB3 over GB1")
    return panels
