"""What the experiments found, as pictures."""

from typing import Any

import matplotlib as mpl
import numpy as np
from found import Row, by_algorithm, by_size, calibrated, size, typical

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

ALL_PORTS = {
    "Alltoallv": "one Alltoallv of MPI",
    "direct": "direct",
    "pipelined": "pipelined",
    "minimum-path": "minimum path",
    "nonminimum-path": "non-minimum path",
    "nonminimum-ring": "non-minimum ring",
    "circuit-split": "circuit split",
    "tight": "tight",
    "three-fifths": "three fifths",
}
BLUES = "#56B4E9", "#0072B2", "#003B5C"
COLOURS = {"gb1": "#0072B2", "gb2": "#999999", "gb3": "#D55E00"}


def pictures(cubes: dict[int, Row]) -> dict[str, Figure]:
    """Figures by the names of their files."""
    wide = {n: cube for n, cube in sorted(cubes.items()) if n > 2}  # a 2-cube has too few ways
    if not wide:
        return {}
    return {
        "long": long_blocks(wide),
        "short": short_blocks(cubes),
        "grains": grains(wide),
        "mappings": mappings(wide),
    }


def long_blocks(cubes: dict[int, Row]) -> Figure:
    """Times in those of a block on a link: predicted and measured, on all ports."""
    figure, panels = _row(len(cubes))
    for ax, (n, cube) in zip(panels, cubes.items(), strict=True):
        for k, (block, rows) in enumerate(by_size(cube).items()):
            able = [row for row in rows if "all" in row.get("ports", ("all",))]
            known = {row["algorithm"]: row for row in able}
            names = [name for name in ALL_PORTS if name in known]
            whole = block * calibrated(cube)["per_byte"]
            shares = [typical(known[name]) / whole for name in names]
            places = np.arange(len(names)) + 0.22 * (k - 1)
            label = f"{size(block)}, measured"
            ax.bar(places, shares, 0.2, color=BLUES[k], label=label)
            predicted = [known[name].get("predicted", np.nan) / whole for name in names]
            label = "" if k else "predicted"
            ax.plot(places, predicted, "_", color="#D55E00", ms=9, mew=2, label=label)
        ax.axhline(0.6, color="0.5", lw=0.8, ls="--")
        told = [ALL_PORTS[name] for name in names]
        ax.set_xticks(range(len(names)), told, rotation=40, ha="right")
        ax.set_title(f"{1 << n} nodes, {cube['rate']:g} Mbit/s a link", fontsize=10)
    panels[0].set_ylabel("time / (bytes of a block x time of a byte)")
    panels[0].legend(fontsize=8)
    return figure


def short_blocks(cubes: dict[int, Row]) -> Figure:
    """TR-20-92 figures 4 and 5 on these links."""
    figure, (left, *others) = _row(min(len(cubes), 2))
    n = max(cubes)
    for row in cubes[n]["short blocks"]:
        left.plot(row["block"], typical(row), "o", ms=4, color=COLOURS[row["algorithm"]])
    for name, colour in COLOURS.items():
        rows = [row for row in cubes[n]["short blocks"] if row["algorithm"] == name]
        left.plot(
            *zip(*((r["block"], r["predicted"]) for r in rows), strict=True),
            color=colour,
            lw=1,
            label=name.upper(),
        )
    left.set(xscale="log", yscale="log", xlabel="bytes of a block", ylabel="seconds")
    left.set_title(f"{1 << n} nodes: points measured, lines predicted", fontsize=10)
    left.legend(fontsize=8)
    last = max(by_algorithm(cubes[n])["gb1"])
    for right in others:
        for name, colour in COLOURS.items():
            times = [
                (n, by_algorithm(cube)[name][last] / (last * calibrated(cube)["per_byte"]))
                for n, cube in cubes.items()
            ]
            right.plot(
                *zip(*sorted(times), strict=True), "o-", color=colour, label=name.upper()
            )
        right.set(
            xlabel="dimensions", ylabel="time / (block x time of a byte)", xticks=sorted(cubes)
        )
        right.set_title(f"blocks of {size(last)}", fontsize=10)
        right.legend(fontsize=8)
    return figure


def grains(cubes: dict[int, Row]) -> Figure:
    """Three-fifths over the size of its messages."""
    figure, panels = _row(len(cubes))
    for ax, (n, cube) in zip(panels, cubes.items(), strict=True):
        rows = sorted(cube["grains"], key=lambda row: row["message"])
        sizes = [row["message"] for row in rows]
        ax.plot(sizes, [typical(row) for row in rows], "o", color="#0072B2", label="measured")
        ax.plot(sizes, [row["predicted"] for row in rows], color="#D55E00", label="predicted")
        (best,) = (row for row in rows if row["chosen"])
        ax.axvline(best["message"], color="0.5", ls="--", lw=0.8, label="the planner's choice")
        ax.set(xscale="log", yscale="log", xlabel="bytes of a message", ylabel="seconds")
        ax.set_title(f"three fifths, {1 << n} nodes, 1 MiB a node", fontsize=10)
    panels[0].legend(fontsize=8)
    return figure


def mappings(cubes: dict[int, Row]) -> Figure:
    """Programs of transforms and stencils in either code, or converted between."""
    figure, panels = _row(len(cubes))
    for ax, (n, cube) in zip(panels, cubes.items(), strict=True):
        rows = [row for row in cube["mappings"] if ", " in row["part"]]
        parts = list(dict.fromkeys(row["part"] for row in rows))
        for k, code in enumerate(("binary", "gray", "both")):
            times = [typical(row) for row in rows if row["code"] == code]
            places = np.arange(len(parts)) + 0.25 * (k - 1)
            label = {"both": "both, converted"}.get(code, code)
            ax.bar(places, times, 0.23, color=("#999999", "#0072B2", "#D55E00")[k], label=label)
        ax.set_xticks(
            range(len(parts)), [part.replace(", ", "\n") for part in parts], fontsize=8
        )
        ax.set_title(f"{1 << n} nodes", fontsize=10)
    panels[0].set_ylabel("seconds")
    panels[0].legend(fontsize=8)
    return figure


def _row(panels: int) -> tuple[Figure, Any]:
    """Pictures side by side."""
    figure, found = plt.subplots(
        1, panels, figsize=(10, 4), squeeze=False, layout="constrained"
    )
    return figure, found[0]
