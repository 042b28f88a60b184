"""Figures 4 and 5, and Theorem 4 as a map, drawn with matplotlib."""

from pathlib import Path
from typing import TYPE_CHECKING

import graycube as gc

from .advice import advice
from .model import MAPPINGS, printed
from .tables import FIGURE_4, POINTS, alone, model

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes

COLOURS = {"FFT": "tab:blue", "BRGC": "tab:orange"}
_SIZE = 6.4, 4.4  # inches
_WIDE = 8.0, 4.4


def draw(folder: Path) -> None:
    """The figures as files in a folder."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - only who plots needs it

    for name, fill, size in (
        ("figure4", times, _SIZE),
        ("figure5", speedups, _SIZE),
        ("theorem4", regions, _WIDE),
    ):
        figure = Figure(figsize=size, layout="constrained")
        fill(figure.subplots())
        figure.savefig(folder / f"{name}.png", dpi=100, metadata={"Software": None})


def times(ax: "Axes") -> None:
    """Figure 4 on the machine of Table 2: the paper does not print Swarztrauber's."""
    dims = range(FIGURE_4 + 1)
    models = [model(FIGURE_4, d) for d in dims]
    for mapping in MAPPINGS:
        colour = COLOURS[mapping]
        whole = [float(m.fft(mapping, FIGURE_4)) for m in models]
        sent = [float(m.fft_sends(mapping)) for m in models]
        best = whole.index(min(whole))
        ax.plot(dims, whole, color=colour, label=f"{mapping} mapping, best d = {best}")
        ax.plot(dims[1:], sent[1:], ":", color=colour, label=f"{mapping}: communication")
        ax.plot(best, whole[best], "o", color=colour)
    computed = [float(m.q * FIGURE_4 * m.costs.arithmetic) for m in models]
    ax.plot(dims, computed, "--", color="0.5", label="computation")
    ax.set(xlabel="d, dimensions of the cube", ylabel="milliseconds", yscale="log")
    ax.set(title="1024-point FFT, parameters of Table 2", xticks=dims)
    ax.legend(frameon=False)


def regions(ax: "Axes") -> None:
    """What the planner finds best for k transforms and l stencils, on 64 nodes of an iPSC."""
    found = advice(6, 64, gc.Machine.profile("ipsc1", dims=6), 1, 1, itemsize=8)
    gc.view.plot_regions(found.vary(k=range(1, 9), l=range(1, 17)), ax)
    ax.set(title="4096 points of 8 bytes on 64 nodes, section 8.3")


def speedups(ax: "Axes") -> None:
    """Figure 5: the model as lines, the averages of Table 1 as marks."""
    dims = range(7)
    nodes = [1 << d for d in dims]
    for mapping, mark in zip(MAPPINGS, "os", strict=True):
        colour = COLOURS[mapping]
        whole = [alone() / model(POINTS, d).fft(mapping, POINTS) for d in dims]
        measured = [alone() / printed().average(d, mapping) for d in dims]
        entries = [float(printed().speedups[d, mapping][0]) for d in dims[1:]]
        ax.plot(nodes, [*map(float, whole)], color=colour, label=f"{mapping} mapping, model")
        ax.plot(
            nodes, [*map(float, measured)], mark, color=colour, label=f"{mapping}, measured"
        )
        name = "the model's, as printed" if mapping == MAPPINGS[-1] else "_"
        ax.plot(nodes[1:], entries, "x", color="black", label=name)
    ax.plot(nodes, nodes, "--", color="0.5", label="one for one")
    ax.set(xlabel="nodes", ylabel="speed-up", title="4096-point FFT on the Intel iPSC")
    ax.legend(frameon=False)
