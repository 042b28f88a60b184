"""Figures 1 to 3: a 4-cube as two 3-cubes, step by step; Figures 4 and 5: times and ratios."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graycube.papers import Claim
from graycube.papers.codes import Ints
from graycube.papers.drawing import COLOURS, arrow, cube, place, titled

from .model import ALGORITHMS, HalfStep, placements, steps
from .times import LARGE, break_even, ipsc2, ipsc2_speed_up, simulated

_N = 4


def figure(drawn: Figure, claim: Claim) -> None:
    """One panel before each exchange, with its arrows, and one for the end."""
    algorithm = f"gb{claim.number}"
    states, made = placements(algorithm, _N), [*steps(algorithm, _N), None]
    rows = -(-len(states) // 2)
    drawn.set_size_inches(10, 3.3 * rows + 0.4)
    panels = drawn.subplots(rows, 2, squeeze=False).ravel()
    for ax in panels:
        ax.set_axis_off()
    for k, (ax, state, step) in enumerate(zip(panels, states, made, strict=False), 1):
        cube(ax, _N, [""] * len(state))
        _held(ax, state)
        if step:
            _arrows(ax, step)
        ax.set_title(f"{k}. {_title(step)}" if step else "at the end", fontsize=10)
    what = "both halves of the blocks" if states[0].shape[1] > 1 else "the blocks"
    title = f"{algorithm.upper()} on a 4-cube: ranks of {what}, and the exchanges to come"
    titled(drawn, title)


def _title(step: HalfStep) -> str:
    if step.name.startswith("dimension"):
        return f"exchange in dimension {step.dimension}"
    return f"{step.name}, dimension {step.dimension}"


def _held(ax: Axes, state: Ints) -> None:
    """What the nodes hold: both halves, one above the other, or whole blocks."""
    for u, held in enumerate(state):
        x, y = place(u)
        height = (0,) if len(held) == 1 else (0.055, -0.06)
        for rank, up, colour in zip(held, height, COLOURS, strict=False):
            prime = "'" if up < 0 else ""
            ax.text(x, y + up, f"{rank}{prime}", color=colour, fontsize=7.5, zorder=4,
                    ha="center", va="center_baseline")  # fmt: skip


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


_LOOKS = {"gb1": ("#0072B2", "-"), "gb2": ("#E69F00", "--"), "gb3": ("#D55E00", "-")}
_SIZES = [16 << k for k in range(15)]
_MEASURED_EVEN = 485


def milliseconds(algorithm: str, n: int, size: int) -> float:
    """The model's time on the iPSC/2."""
    return 1000 * simulated(algorithm, ipsc2(dims=n), size)


def figure_4(drawn: Figure, _: Claim) -> None:
    """Times by message size, and the speed-up, whose break-evens are where it is 1."""
    times, ratio = _two_panels(drawn)
    for name in ALGORITHMS:
        colour, line = _LOOKS[name]
        values = [milliseconds(name, 6, size) for size in _SIZES]
        times.plot(_SIZES, values, line, color=colour, label=name.upper())
    times.set(xscale="log", yscale="log", xlabel="bytes on a node", ylabel="milliseconds")
    times.set(title="predicted, 64 nodes of an iPSC/2")
    speed = [milliseconds("gb1", 6, s) / milliseconds("gb3", 6, s) for s in _SIZES]
    ratio.plot(_SIZES, speed, color=_LOOKS["gb3"][0], label="GB1 / GB3")
    ratio.axhline(2 * 5 / 6, color="0.5", ls=":", label="limit 2 (n - 1) / n")
    ratio.axhline(1, color="0.8", lw=1)
    even = break_even(ipsc2(dims=6))
    ratio.plot(even, 1, "o", color="black", label=f"predicted break-even, {even} bytes")
    ratio.plot(_MEASURED_EVEN, 1, "x", color="black", ms=8,
               label=f"measured break-even, {_MEASURED_EVEN} bytes (paper)")  # fmt: skip
    ratio.plot(LARGE, 1.79, "s", color="black", mfc="white",
               label="measured at 64 kbyte, 1.79 (paper)")  # fmt: skip
    ratio.set(xscale="log", xlabel="bytes on a node", ylabel="speed-up of GB3 over GB1")
    ratio.set(title="the same as a ratio", ylim=(0.75, 2.35))
    for ax in (times, ratio):
        ax.legend(frameon=False, fontsize=8)


def figure_5(drawn: Figure, claim: Claim) -> None:
    """Times by dimension for 64 kbyte, and the speed-ups beside the measured ones."""
    times, ratio = _two_panels(drawn)
    dims = range(2, 9)
    for name in ALGORITHMS:
        colour, line = _LOOKS[name]
        values = [milliseconds(name, n, LARGE) for n in dims]
        times.plot(dims, values, line, marker="o", ms=4, color=colour, label=name.upper())
    times.set(xlabel="dimension of the cube", ylabel="milliseconds", ylim=(0, None))
    times.set(title="model, 64 kbyte on a node of an iPSC/2")
    ratio.plot(dims, [ipsc2_speed_up(n) for n in dims], "o-", ms=4, color=_LOOKS["gb3"][0],
               label="model")  # fmt: skip
    ratio.plot(dims, [2 * (n - 1) / n for n in dims], ":", color="0.5",
               label="limit of the formulas, 2 (n - 1) / n")  # fmt: skip
    measured = [(n, value) for n, value in claim.figures]
    ratio.plot(*zip(*measured, strict=True), "s", color="black", mfc="white",
               label="measured (paper)")  # fmt: skip
    for n, value in measured:
        ratio.annotate(f"{value:.2f}", (n, value), (0, 7), textcoords="offset points",
                       ha="center", fontsize=8)  # fmt: skip
    ratio.set(xlabel="dimension of the cube", ylabel="speed-up of GB3 over GB1")
    ratio.set(title="speed-up", ylim=(0.9, 2.05))
    for ax in (times, ratio):
        ax.legend(frameon=False, fontsize=8, loc="upper left" if ax is times else "lower right")
        ax.set_xticks(dims)


def _two_panels(drawn: Figure) -> list[Axes]:
    """For times and for their ratio."""
    drawn.set_size_inches(10, 4)
    drawn.set_layout_engine("constrained")
    panels = list(drawn.subplots(1, 2))
    for ax in panels:
        ax.spines[["top", "right"]].set_visible(False)
    return panels
