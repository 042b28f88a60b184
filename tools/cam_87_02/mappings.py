"""The paper's tables and figures beside ours. All times are in milliseconds.

    python tools/cam_87_02/mappings.py

Writes the CSV files of the paper's folder and, where matplotlib is installed, the kept figures.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from itertools import permutations, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graycube as gc
from graycube.cost import simulate
from graycube.papers import cam_87_02
from graycube.papers.cam_87_02 import drawings
from graycube.papers.cam_87_02.evidence import (
    FIGURE_4,
    ITEMSIZE,
    POINTS,
    alone,
    measured_speedups,
    model_speedups,
    printed,
)
from graycube.papers.cam_87_02.prices import Costs, split
from graycube.papers.cam_87_02.rounds import (
    MAPPINGS,
    Mapping,
    conversion,
    fft_rounds,
    neighbour_rounds,
    placed,
)
from graycube.papers.cam_87_02.strategies import THEOREM_4, Problem, advice
from graycube.papers.cam_87_02.tradeoffs import best_dims, times

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes

FOLDER = Path(cam_87_02.__file__).parent
Row = tuple[object, ...]
UNITS = 1000  # milliseconds to a second
_SIZE = 6.4, 4.4  # inches
_WIDE = 8.0, 4.4


def machine(d: int) -> gc.Machine:
    """The paper's machine, from the library's profile."""
    return gc.Machine.profile("ipsc1", dims=d)


def seconds(schedules: Iterable[gc.Schedule], machine: gc.Machine) -> float:
    """The price of schedules, one after the other."""
    return sum(simulate(schedule).time(machine) for schedule in schedules)


def arithmetic(n: int, d: int) -> float:
    """What an FFT computes on every node."""
    return (n << n - d) * machine(d).arithmetic * UNITS


def sends(n: int, d: int, mapping: Mapping) -> float:
    """What the rounds of an FFT take."""
    layout = placed(n, d, mapping)
    return seconds(fft_rounds(layout, layout.block_size, ITEMSIZE), machine(d)) * UNITS


def timings() -> Iterator[Row]:
    """Table 1, the model and the schedules."""
    yield "d", "mapping", "fastest", "slowest", "average", "model", "schedules"
    for (d, mapping), (fastest, slowest) in printed().times.items():
        predicted = printed().fft(POINTS, d, mapping)
        priced = arithmetic(POINTS, d) + sends(POINTS, d, mapping)
        average = printed().average(d, mapping)
        yield d, mapping, fastest, slowest, *_ms(average, predicted, priced)


def speedups() -> Iterator[Row]:
    """Table 2, what it follows from, and the library's own FFT beside it."""
    yield (
        *("d", "mapping", "model: paper", "model", "model of whole ms"),
        *("experiment: paper", "experiment", "of the measured time", "by the slowest node"),
        "graycube",
    )
    for (d, mapping), (predicted, measured) in printed().speedups.items():
        slowest = printed().average(0, mapping) / printed().times[d, mapping][1]
        figures = (f"{float(x):.2f}" for x in (*measured_speedups(d, mapping), slowest))
        ours = f"{alone() / _graycube(d, mapping):.2f}"
        exact, rounded = model_speedups(d, mapping)
        yield d, mapping, predicted, f"{exact:.3f}", f"{rounded:.2f}", measured, *figures, ours


def _graycube(d: int, mapping: Mapping) -> float:
    """The exchanges of ``plan_fft``, with the paper's arithmetic."""
    plan = gc.plan_fft(placed(POINTS, d, mapping), itemsize=ITEMSIZE, machine=machine(d))
    return arithmetic(POINTS, d) + plan.cost * UNITS


def figure4() -> Iterator[Row]:
    """An FFT of 1024 points on 0 to 10 dimensions of the machine of Table 2."""
    yield (
        *("d", "computation", "FFT: sends", "BRGC: sends", "FFT", "BRGC"),
        *("FFT: schedules", "BRGC: schedules"),
    )
    for d in range(FIGURE_4 + 1):
        computed = arithmetic(FIGURE_4, d)
        sent = [split(printed().costs, FIGURE_4, d, mapping)[1] for mapping in MAPPINGS]
        whole = [printed().fft(FIGURE_4, d, mapping) for mapping in MAPPINGS]
        priced = [computed + sends(FIGURE_4, d, mapping) for mapping in MAPPINGS]
        yield d, *_ms(computed, *sent, *whole, *priced)


def optimum() -> Iterator[Row]:
    """The best number of dimensions of these 1024 points on machines of other ratios."""
    yield "s/a", "c/a", "FFT: best d", "BRGC: best d", "BRGC / FFT", "FFT: share of sends"
    ratios = product((1, 3, 10, 30, 100, 300, 1000, 3000), ("0", "0.03", "0.3", "3", "30"))
    for s, c in ratios:
        costs = Costs(Fraction(s), Fraction(c), Fraction(1))
        best = {m: best_dims(costs, m, FIGURE_4) for m in MAPPINGS}
        least = {m: min(times(costs, m, FIGURE_4)) for m in MAPPINGS}
        _, sent = split(costs, FIGURE_4, best["FFT"], "FFT")
        shares = (least["BRGC"] / least["FFT"], sent / least["FFT"])
        yield s, c, best["FFT"], best["BRGC"], *(f"{float(share):.3f}" for share in shares)


def conversions() -> Iterator[Row]:
    """The conversion in whole blocks, in single elements, in the best units, and the best."""
    yield "d", "q", "T_c", "gb1", "T_cp", "single elements", "best units", "cheapest", "by"
    for d, q in product(range(2, 9), (1 << j for j in range(0, 17, 4))):
        ports = replace(machine(d), ports="all")
        gray, binary = gc.Layout.nodes(d, "gray"), gc.Layout.nodes(d)
        plan = gc.plan(gray, binary, q, itemsize=ITEMSIZE, machine=ports)
        cost = {c.algorithm.name: c.cost * UNITS for c in plan.candidates}
        single = seconds([conversion(d, q, 1, ITEMSIZE)], ports) * UNITS
        s, c = printed().costs.startup, printed().costs.transfer
        blocks = ((d - 1) * (s + q * c), cost["gb1"], (q + d - 2) * (s + c), single)
        units = (cost["pipelined"], plan.cost * UNITS)
        yield d, q, *_ms(*blocks, *units), plan.algorithm


def strategies() -> Iterator[Row]:
    """Section 8.3 for 4096 points, priced from schedules."""
    yield "d", "k", "l", "T_b", "T_f", "T_c", "least", "theorem 4"
    for d, k, stencils in product(range(1, 7), (1, 2, 3), (1, 2, 4, 8)):
        priced = strategy_prices(POINTS, d, k, stencils)
        least = [name for name, time in priced.items() if time < min(priced.values()) + 1e-9]
        said = theorem4(Problem(printed().costs, d, 1 << POINTS - d, k, stencils))
        yield d, k, stencils, *_ms(*priced.values()), " ".join(least), said


def strategy_prices(n: int, d: int, k: int, stencils: int) -> dict[str, float]:
    """T_b, T_f and T_c from the rounds of FFTs, stencils and conversions."""
    layouts = {mapping: placed(n, d, mapping) for mapping in MAPPINGS}
    fft = {mapping: k * sends(n, d, mapping) for mapping in MAPPINGS}
    mesh = {
        mapping: stencils * neighbour_seconds(layout, machine(d), ITEMSIZE) * UNITS
        for mapping, layout in layouts.items()
    }
    there, back = (
        gc.plan(a, b, 1 << n - d, itemsize=ITEMSIZE, machine=machine(d), algorithm="gb1").cost
        for a, b in permutations(layouts.values(), 2)
    )
    return {
        "T_b": fft["BRGC"] + mesh["BRGC"],
        "T_f": fft["FFT"] + mesh["FFT"],
        "T_c": fft["FFT"] + mesh["BRGC"] + (there + back) * UNITS,
    }


def neighbour_seconds(layout: gc.Layout, machine: gc.Machine, itemsize: int = 1) -> float:
    """The price of these rounds: in each, of the link that most elements cross."""
    total = 0.0
    for hops in neighbour_rounds(layout):
        loads = np.unique(np.array(hops), axis=1, return_counts=True)[1]
        total += machine.message_time(int(loads.max()) * itemsize)
    return total


def theorem4(problem: Problem) -> str:
    """What Theorem 4 says."""
    held = (pair for pair, condition in THEOREM_4.items() if condition(problem))
    return "; ".join(f"{fast} < {slow}" for fast, slow in held)


def _ms(*times: float | Fraction) -> tuple[str, ...]:
    return tuple(f"{float(time):.3f}" for time in times)


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "timings": timings,
    "speedups": speedups,
    "figure4": figure4,
    "optimum": optimum,
    "conversions": conversions,
    "strategies": strategies,
}


def draw(folder: Path) -> None:
    """The figures as files in a folder."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - only who plots needs it

    for name, fill, size in (
        ("figure4", drawings.times, _SIZE),
        ("figure5", drawings.speedups, _SIZE),
        ("theorem4", regions, _WIDE),
    ):
        figure = Figure(figsize=size, layout="constrained")
        fill(figure.subplots())
        figure.savefig(folder / f"{name}.png", dpi=100, metadata={"Software": None})


def regions(ax: "Axes") -> None:
    """What the planner finds best for k transforms and l stencils, on 64 nodes of an iPSC."""
    found = advice(6, 64, machine(6), 1, 1, itemsize=8)
    gc.view.plot_regions(found.vary(k=range(1, 9), l=range(1, 17)), ax)
    ax.set(title="4096 points of 8 bytes on 64 nodes, section 8.3")


def main() -> None:
    for name, rows in TABLES.items():
        with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows())
    if find_spec("matplotlib"):
        draw(FOLDER)


if __name__ == "__main__":
    main()
