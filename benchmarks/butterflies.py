"""Butterfly networks: how long emulations take to lay out, prove and check, and to plan.

Every round runs all contenders one after the other; what is printed are the median and the
range over the rounds.

    python benchmarks/butterflies.py [ROUNDS]
"""

import sys
import time
from collections.abc import Callable
from statistics import median

import graycube as gc
from graycube.schedule import expand
from graycube.table.networks.phases import phases
from graycube.verify import check_algebra, check_elements, check_pairs


def timed(title: str, works: dict[str, Callable[[], object]], rounds: int) -> None:
    print(title)
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            phases.cache_clear()  # every network is laid out anew
            start = time.perf_counter()
            work()
            times[name].append(1e3 * (time.perf_counter() - start))
    for name, values in times.items():
        spread = f"({min(values):.1f} - {max(values):.1f})"
        print(f"  {name:32} {median(values):9.1f}  {spread} ms")


def symbolic(n: int, slots: int, rounds: int) -> None:
    layout = gc.Layout.cyclic(n + slots, n, nodes="gray")
    machine = gc.Machine(dims=n, ports="all")
    made = gc.emulation(layout)
    works: dict[str, Callable[[], object]] = {
        "bi-sectioning": lambda: gc.emulation(layout),
        "four-sectioning": lambda: gc.emulation(layout, method=gc.Method(radix=2)),
        "inter-node bi-sectioning": lambda: gc.emulation(
            layout, method=gc.Method("inter-node")
        ),
        "proof of bi-sectioning": lambda: check_algebra(made, machine),
    }
    timed(f"n = {n}, 2^{slots} slots: {made.cycles} cycles", works, rounds)


def explicit(n: int, slots: int, rounds: int) -> None:
    layout = gc.Layout.cyclic(n + slots, n, nodes="gray")
    machine = gc.Machine(dims=n, ports="all", startup=1e-6, per_byte=1e-9)
    made = gc.emulation(layout)
    moves = expand(made)
    stages = made.stages
    works: dict[str, Callable[[], object]] = {
        "written out": lambda: expand(made),
        "every element": lambda: check_elements(moves, machine),
        "every pair": lambda: check_pairs(moves, stages),
        "plan_fft": lambda: gc.plan_fft(layout, machine=machine),
    }
    timed(f"n = {n}, 2^{slots} slots: {len(moves)} crossings", works, rounds)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    symbolic(8, 8, count)
    symbolic(40, 20, count)
    explicit(10, 6, count)
