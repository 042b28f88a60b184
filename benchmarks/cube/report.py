"""Tables and pictures of what the experiments measured.

    python benchmarks/cube/report.py [RESULTS [FOLDER]]

The tables are printed, for docs/cube.md; the pictures go to docs/pictures.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from statistics import median
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

HERE = Path(__file__).parent
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
COLOURS = {"gb1": "#0072B2", "gb2": "#999999", "gb3": "#D55E00"}
MIB = 1 << 20

Row = dict[str, Any]


def main(results: Path = HERE / "results.json", folder: Path | None = None) -> None:
    content = json.loads(Path(results).read_text(encoding="ascii"))
    cubes = {int(n): cube for n, cube in content["cubes"].items()}
    for heading, table in tables(cubes).items():
        print(f"\n{heading}\n\n" + "\n".join(table))
    folder = folder or HERE.parents[1] / "docs" / "pictures"
    pictures = {
        "long": long_blocks,
        "short": short_blocks,
        "grains": grains,
        "mappings": mappings,
    }
    for name, draw in pictures.items():
        figure = draw(cubes)
        figure.savefig(Path(folder) / f"cube-{name}.png", dpi=110)
        plt.close(figure)


def typical(row: Row) -> float:
    """The lower quartile of the runs."""
    return float(np.quantile(row["seconds"], 0.25))


def spread(row: Row) -> float:
    """How much longer the slowest run took, as a share."""
    return float(max(row["seconds"]) / typical(row) - 1)


def tables(cubes: dict[int, Row]) -> dict[str, list[str]]:
    """Lines of Markdown under headings."""
    return {
        "calibration": list(_lines(_calibrations(cubes))),
        "long blocks: measured, and over predicted": list(_lines(_long(cubes))),
        "ratios": list(_lines(_ratios(cubes))),
        "regret": list(_lines(_regret(cubes))),
        "break-even": list(_lines(_break_even(cubes))),
        "transforms": list(_lines(_transforms(cubes))),
        "mappings": list(_lines(_mappings(cubes))),
    }


def _lines(rows: Iterator[Sequence[str]]) -> Iterator[str]:
    """A table of Markdown; the first row is its head."""
    for k, row in enumerate(rows):
        yield "| " + " | ".join(row) + " |"
        if k == 0:
            yield "|" + "---|" * len(row)


def _machine(cube: Row) -> Row:
    found: Row = cube["calibration"]["machine"]
    return found


def _calibrations(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "Mbit/s of a link", "start-up", "reached", "ports", "switching", "latency"
    for n, cube in cubes.items():
        machine = _machine(cube)
        yield (
            str(1 << n),
            f"{cube['rate']:g}",
            f"{1e6 * machine['startup']:.0f} us",
            f"{8e-6 / machine['per_byte']:.1f} Mbit/s",
            str(machine["ports"]),
            machine["switching"],
            f"{1e6 * cube['latency']:.0f} us",
        )


def _conversions(cube: Row) -> dict[int, list[Row]]:
    """The rows of each size of a block."""
    found: dict[int, list[Row]] = {}
    for row in cube["conversions"]:
        found.setdefault(row["block"], []).append(row)
    return found


def _long(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    sizes = sorted({block for cube in cubes.values() for block in _conversions(cube)})
    yield "nodes", "algorithm", "ports", *(f"{size // MIB} MiB" for size in sizes)
    for n, cube in cubes.items():
        cells: dict[tuple[str, str], dict[int, str]] = {}
        for row in cube["conversions"]:
            ports = ", ".join(map(str, row.get("ports", ("all",))))
            ratio = f", {typical(row) / row['predicted']:.3f}" if "predicted" in row else ""
            found = cells.setdefault((row["algorithm"], ports), {})
            found[row["block"]] = f"{typical(row):.4g} s{ratio}"
        for (name, ports), found in cells.items():
            yield str(1 << n), name, ports, *(found.get(size, "") for size in sizes)


def _ratios(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "block", "least", "median", "greatest", "three fifths over direct"
    for n, cube in cubes.items():
        for block, rows in _conversions(cube).items():
            ratios = [typical(r) / r["predicted"] for r in rows if r.get("predicted")]
            times = {row["algorithm"]: typical(row) for row in rows}
            three = times.get("three-fifths")
            yield (
                str(1 << n),
                f"{block // MIB} MiB",
                *(f"{pick(ratios):.3f}" for pick in (min, median, max)),
                f"{three / times['direct']:.3f}" if three else "",
            )


def _regret(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "block", "ports", "choice", "fastest", "regret"
    for n, cube in cubes.items():
        for block, rows in _conversions(cube).items():
            for ports in (1, 2, "all"):
                able = [row for row in rows if ports in row.get("ports", ())]
                (choice,) = (row for row in able if ports in row["chosen"])
                fastest = min(able, key=typical)
                yield (
                    str(1 << n),
                    f"{block // MIB} MiB",
                    str(ports),
                    choice["algorithm"],
                    fastest["algorithm"],
                    f"{typical(choice) / typical(fastest):.3f}",
                )


def _break_even(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "predicted", "measured", "GB1 over GB3 at 256 KiB", "2(n-1)/n"
    for n, cube in cubes.items():
        if n > 2:  # for two dimensions GB1 is never slower
            machine, times = _machine(cube), _short(cube)
            even = machine["startup"] / machine["per_byte"] / (n / 2 - 1)
            last = max(times["gb1"])
            yield (
                str(1 << n),
                f"{even:.0f} bytes",
                f"{_crossing(times['gb1'], times['gb3']):.0f} bytes",
                f"{times['gb1'][last] / times['gb3'][last]:.2f}",
                f"{2 * (n - 1) / n:.2f}",
            )


def _short(cube: Row) -> dict[str, dict[int, float]]:
    """Times by algorithm and size."""
    found: dict[str, dict[int, float]] = {}
    for row in cube["short blocks"]:
        found.setdefault(row["algorithm"], {})[row["block"]] = typical(row)
    return found


def _crossing(one: dict[int, float], other: dict[int, float]) -> float:
    """From where on the second one is always faster; between two sizes by their logarithms."""
    sizes = sorted(one)
    gains = [log(one[size] / other[size]) for size in sizes]
    last = max((k for k, gain in enumerate(gains) if gain <= 0), default=-1)
    if last in {-1, len(sizes) - 1}:
        return float(sizes[0] if last < 0 else sizes[-1])
    part = -gains[last] / (gains[last + 1] - gains[last])
    return float(sizes[last] * (sizes[last + 1] / sizes[last]) ** part)


def _transforms(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "allocation", "binary", "Gray", "Gray over binary", "bytes, Gray over binary"
    for n, cube in cubes.items():
        rows = {(row["kind"], row["code"]): row for row in cube["transforms"]}
        for kind in dict.fromkeys(kind for kind, _ in rows):
            binary, gray = (rows[kind, code] for code in ("binary", "gray"))
            yield (
                str(1 << n),
                kind,
                *(
                    f"{typical(row):.4g} s (+{100 * spread(row):.0f} %)"
                    for row in (binary, gray)
                ),
                f"{typical(gray) / typical(binary):.3f}",
                f"{gray['bytes'] / binary['bytes']:.4f}",
            )


def _mappings(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "part or program", "binary", "Gray", "both, converted", "predicted"
    for n, cube in cubes.items():
        found: dict[str, dict[str, Row]] = {}
        for row in cube["mappings"]:
            found.setdefault(row["part"], {})[row["code"]] = row
        for part, rows in found.items():
            told = [
                f"{typical(rows[c]):.4g} s" if c in rows else ""
                for c in ("binary", "gray", "both")
            ]
            predicted = [
                f"{row['predicted']:.4g} s" for row in rows.values() if row["predicted"]
            ]
            yield str(1 << n), part, *told, ", ".join(predicted)


def long_blocks(cubes: dict[int, Row]) -> Figure:
    """Times in those of a block on a link: predicted and measured, on all ports."""
    wide = {n: cube for n, cube in cubes.items() if n in (3, 4)}
    figure, panels = plt.subplots(
        1, len(wide), figsize=(10, 4.2), sharey=True, squeeze=False, layout="constrained"
    )
    for ax, (n, cube) in zip(panels[0], wide.items(), strict=True):
        per_byte = _machine(cube)["per_byte"]
        for k, (block, rows) in enumerate(_conversions(cube).items()):
            known = {row["algorithm"]: row for row in rows}
            names = [name for name in ALL_PORTS if name in known]
            places = np.arange(len(names)) + 0.22 * (k - 1)
            whole = block * per_byte
            ax.bar(
                places,
                [typical(known[name]) / whole for name in names],
                0.2,
                color=("#56B4E9", "#0072B2", "#003B5C")[k],
                label=f"{block // MIB} MiB, measured",
            )
            marked = [
                p for p, name in zip(places, names, strict=True) if known[name].get("predicted")
            ]
            told = [known[n]["predicted"] / whole for n in names if known[n].get("predicted")]
            ax.plot(
                marked,
                told,
                "_",
                color="#D55E00",
                ms=9,
                mew=2,
                label="predicted" if not k else None,
            )
        ax.axhline(0.6, color="0.5", lw=0.8, ls="--")
        ax.set_xticks(
            range(len(names)), [ALL_PORTS[name] for name in names], rotation=40, ha="right"
        )
        ax.set_title(f"{1 << n} nodes, {cube['rate']:g} Mbit/s a link", fontsize=10)
    panels[0][0].set_ylabel("time / (bytes of a block x time of a byte)")
    panels[0][0].legend(fontsize=8)
    return figure


def short_blocks(cubes: dict[int, Row]) -> Figure:
    """TR-20-92 figures 4 and 5 on these links."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    n = max(n for n in cubes if n < 5)
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
    size = max(_short(cubes[n])["gb1"])
    for name, colour in COLOURS.items():
        times = [
            (n, _short(cube)[name][size] / (size * _machine(cube)["per_byte"]))
            for n, cube in cubes.items()
        ]
        right.plot(*zip(*sorted(times), strict=True), "o-", color=colour, label=name.upper())
    right.set(
        xlabel="dimensions", ylabel="time / (block x time of a byte)", xticks=sorted(cubes)
    )
    right.set_title(f"blocks of {size >> 10} KiB", fontsize=10)
    right.legend(fontsize=8)
    return figure


def grains(cubes: dict[int, Row]) -> Figure:
    """Three-fifths over the size of its messages."""
    wide = {n: cube for n, cube in cubes.items() if cube["grains"]}
    figure, panels = plt.subplots(
        1, len(wide), figsize=(10, 3.8), squeeze=False, layout="constrained"
    )
    for ax, (n, cube) in zip(panels[0], sorted(wide.items()), strict=True):
        rows = sorted(cube["grains"], key=lambda row: row["message"])
        sizes = [row["message"] for row in rows]
        ax.plot(sizes, [typical(row) for row in rows], "o", color="#0072B2", label="measured")
        ax.plot(sizes, [row["predicted"] for row in rows], color="#D55E00", label="predicted")
        (best,) = (row for row in rows if row["chosen"])
        ax.axvline(best["message"], color="0.5", ls="--", lw=0.8, label="the planner's choice")
        ax.set(xscale="log", yscale="log", xlabel="bytes of a message", ylabel="seconds")
        ax.set_title(f"three fifths, {1 << n} nodes, 1 MiB a node", fontsize=10)
    panels[0][0].legend(fontsize=8)
    return figure


def mappings(cubes: dict[int, Row]) -> Figure:
    """Programs of transforms and stencils in either code, or converted between."""
    wide = {n: cube for n, cube in cubes.items() if n in (3, 4)}
    figure, panels = plt.subplots(
        1, len(wide), figsize=(10, 3.8), squeeze=False, layout="constrained"
    )
    for ax, (n, cube) in zip(panels[0], wide.items(), strict=True):
        rows = [row for row in cube["mappings"] if "transforms" in row["part"]]
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
    panels[0][0].set_ylabel("seconds")
    panels[0][0].legend(fontsize=8)
    return figure


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
