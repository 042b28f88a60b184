"""Figures 1 to 5 drawn: what is printed in the paper stands beside what is computed."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graycube.papers import Claim
from graycube.papers.codes import Ints, distance, ranks, reflected
from graycube.papers.drawing import arrow, cube, place

from .evidence import FIGURE_4, measured_speedups, model_speedups, printed, split
from .graphs import DIMS, stage_pairs
from .rounds import MAPPINGS, Mapping

COLOURS = {"FFT": "tab:blue", "BRGC": "tab:orange"}
STAGES = {1: "tab:blue", 2: "tab:orange", 3: "0.35"}  # apart in grey, too
LINES = {1: "-", 2: "--", 3: ":"}


def figure_1(figure: Figure, claim: Claim) -> None:
    """The butterfly: a column for the input, and one after each stage."""
    ax = _blank(figure, (6.4, 4.2), "The butterfly of eight elements")
    size = 1 << DIMS
    for stage, stride in enumerate(claim.figures[0], start=1):
        ends = stage_pairs(DIMS, stage)
        for point, partner in zip(*ends, strict=True):
            for end in (point, partner):
                _line(ax, (stage - 1, stage), (-point, -end), stage)
        note = f"stage {stage}\nstride {stride}"
        ax.text(stage - 0.5, 1.0, note, ha="center", va="bottom", fontsize=9)
    for column in range(DIMS + 1):
        ax.plot([column] * size, -np.arange(size), "o", color="black", markersize=4)
    for j in range(size):
        ax.text(-0.1, -j, f"$x_{j}$", ha="right", va="center")
        index = int(f"{j:0{DIMS}b}"[::-1], 2)
        ax.text(DIMS + 0.1, -j, f"$X_{index}$", ha="left", va="center")
    ax.set(xlim=(-0.5, DIMS + 0.5), ylim=(0.5 - size, 2.1))


def figure_2(figure: Figure, claim: Claim) -> None:
    """The natural mapping: the links of a stage in one style."""
    ax = _blank(figure, (6.0, 4.6), "FFT mapping: element j on node j")
    cube(ax, DIMS, _named(np.arange(1 << DIMS)))
    for stage, _ in claim.figures:
        for a, b in zip(*stage_pairs(DIMS, stage), strict=True):
            x, y = zip(place(a), place(b), strict=True)
            _line(ax, x, y, stage)
        ax.plot([], [], LINES[stage], color=STAGES[stage], label=f"partners in stage {stage}")
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3)


def figure_3(figure: Figure, claim: Claim) -> None:
    """The Gray code: the arrows of the mesh, and the partners of element 0."""
    ax = _blank(figure, (6.0, 4.6), "NN-mesh mapping: element j on the j-th node of G3")
    nodes = reflected(DIMS)
    cube(ax, DIMS, _named(ranks(DIMS)))
    for here, there in zip(nodes, np.roll(nodes, -1), strict=True):
        arrow(ax, place(here), place(there), "tab:blue", style="-|>")
    apart = (
        f"$x_{one}$ to $x_{other}$: {distance(nodes[one], nodes[other])} (print: {said})"
        for one, other, said in claim.figures
    )
    note, here = "links from " + ", ".join(apart), ax.transAxes
    ax.text(0.5, -0.02, note, ha="center", va="top", fontsize=9, transform=here)


def figure_4(figure: Figure, _: Claim) -> None:
    """The times of a 1024-point FFT."""
    figure.set_size_inches(6.4, 4.4)
    times(figure.subplots())


def figure_5(figure: Figure, _: Claim) -> None:
    """The speed-ups, and how far model and experiment are apart."""
    figure.set_size_inches(9.6, 4.4)
    curves, rest = figure.subplots(1, 2, width_ratios=(3, 2))
    speedups(curves)
    for mapping, mark in zip(MAPPINGS, "os", strict=True):
        dims, measured, entries = _of_table_2(mapping)
        ours = [model_speedups(d, mapping)[0] for d in dims]
        look = {"color": COLOURS[mapping], "mfc": "none"}
        for values, style, name in ((ours, "-", "ours"), (entries, mark, "Table 2")):
            percent = [100 * (a / b - 1) for a, b in zip(values, measured, strict=True)]
            rest.plot(dims, percent, style, **look, label=f"{mapping}, {name}")
    rest.axhline(0, color="0.5", linestyle="--", linewidth=1)
    rest.set(xlabel="d, dimensions of the cube", ylabel="percent")
    rest.set_title("model above the experiment")
    rest.set_ylim(top=5)
    rest.legend(frameon=False, loc="upper center", ncols=2, fontsize="small", columnspacing=1)


def times(ax: Axes) -> None:
    """Figure 4 on the machine of Table 2: the paper does not print Swarztrauber's."""
    dims = range(FIGURE_4 + 1)
    for mapping in MAPPINGS:
        colour = COLOURS[mapping]
        parts = [split(FIGURE_4, d, mapping) for d in dims]
        whole, sent = [float(sum(part)) for part in parts], [float(sent) for _, sent in parts]
        best = whole.index(min(whole))
        ax.plot(dims, whole, color=colour, label=f"{mapping} mapping, best d = {best}")
        ax.plot(dims[1:], sent[1:], ":", color=colour, label=f"{mapping}: communication")
        ax.plot(best, whole[best], "o", color=colour)
    computed = [float(work) for work, _ in parts]
    ax.plot(dims, computed, "--", color="0.5", label="computation")
    ax.set(xlabel="d, dimensions of the cube", ylabel="milliseconds", yscale="log")
    ax.set(title="1024-point FFT, parameters of Table 2", xticks=dims)
    ax.legend(frameon=False)


def speedups(ax: Axes) -> None:
    """Figure 5: the model as lines, the averages of Table 1 as marks."""
    nodes = [1 << d for d in range(7)]
    for mapping, mark in zip(MAPPINGS, "os", strict=True):
        colour, (_, measured, entries) = COLOURS[mapping], _of_table_2(mapping)
        whole = [model_speedups(d, mapping)[0] for d in range(7)]
        alone_too = [measured_speedups(0, mapping)[0], *measured]
        ax.plot(nodes, whole, color=colour, label=f"{mapping} mapping, model")
        ax.plot(nodes, alone_too, mark, color=colour, label=f"{mapping}, measured")
        name = "the model's, as printed" if mapping == MAPPINGS[-1] else "_"
        ax.plot(nodes[1:], entries, "x", color="black", label=name)
    ax.plot(nodes, nodes, "--", color="0.5", label="one for one")
    ax.set(xlabel="nodes", ylabel="speed-up", title="4096-point FFT on the Intel iPSC")
    ax.legend(frameon=False)


def _of_table_2(mapping: Mapping) -> tuple[list[int], list[float], list[float]]:
    """The dimensions, and the speed-ups that were measured and that the paper's model has."""
    dims = [d for d, m in printed().speedups if m == mapping]
    measured = [measured_speedups(d, mapping)[0] for d in dims]
    return dims, measured, [float(printed().speedups[d, mapping][0]) for d in dims]


def _blank(figure: Figure, size: tuple[float, float], title: str) -> Axes:
    figure.set_size_inches(size)
    ax: Axes = figure.subplots()
    ax.set_axis_off()
    ax.set_title(title)
    return ax


def _line(ax: Axes, x: tuple[Any, ...], y: tuple[Any, ...], stage: int) -> None:
    ax.plot(x, y, LINES[stage], color=STAGES[stage], linewidth=1.4, zorder=1)


def _named(elements: Ints) -> list[str]:
    """The element on every node, above the node's number in bits."""
    return [f"$x_{j}$\n{node:0{DIMS}b}" for node, j in enumerate(elements)]
