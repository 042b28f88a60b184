"""Figures 4 and 5: the model's times, with what the paper's text tells of the measured ones."""

from typing import TYPE_CHECKING

import graycube as gc
from graycube.papers import Claim
from graycube.simulate import simulate

from .machine import LARGE, break_even, ipsc2_speed_up
from .model import ALGORITHMS, schedule, seconds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOOKS = {"gb1": ("#0072B2", "-"), "gb2": ("#E69F00", "--"), "gb3": ("#D55E00", "-")}
_SIZES = [16 << k for k in range(15)]
_MEASURED_EVEN = 485


def milliseconds(algorithm: str, n: int, size: int) -> float:
    """The model's time on the iPSC/2."""
    on, traffic = gc.Machine.profile("ipsc2", dims=n), simulate(schedule(algorithm, n, size))
    return 1000 * seconds((traffic.nonempty, traffic.cycles), on.startup, on.per_byte)


def figure_4(drawn: "Figure", claim: Claim) -> None:  # noqa: ARG001 - all drawings take it
    """Times by message size, and the speed-up, whose break-evens are where it is 1."""
    drawn.set_size_inches(10, 4)
    times, ratio = drawn.subplots(1, 2)
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
    even = break_even(6, gc.Machine.profile("ipsc2", dims=6))
    ratio.plot(even, 1, "o", color="black", label=f"predicted break-even, {even} bytes")
    ratio.plot(_MEASURED_EVEN, 1, "x", color="black", ms=8,
               label=f"measured break-even, {_MEASURED_EVEN} bytes (paper)")  # fmt: skip
    ratio.plot(LARGE, 1.79, "s", color="black", mfc="white",
               label="measured at 64 kbyte, 1.79 (paper)")  # fmt: skip
    ratio.set(xscale="log", xlabel="bytes on a node", ylabel="speed-up of GB3 over GB1")
    ratio.set(title="the same as a ratio", ylim=(0.75, 2.35))
    for ax in (times, ratio):
        ax.legend(frameon=False, fontsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    drawn.set_layout_engine("constrained")


def figure_5(drawn: "Figure", claim: Claim) -> None:
    """Times by dimension for 64 kbyte, and the speed-ups beside the measured ones."""
    drawn.set_size_inches(10, 4)
    times, ratio = drawn.subplots(1, 2)
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
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xticks(dims)
    drawn.set_layout_engine("constrained")
