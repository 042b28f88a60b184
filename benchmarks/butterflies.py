"""Butterfly networks: how long emulations take to lay out, prove and check, and to plan.

Every round runs all contenders one after the other; what is printed are the median and the
range over the rounds. At the end is what plans of transforms gain by a chain with sides.

    python benchmarks/butterflies.py [ROUNDS]
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from statistics import median

import graycube as gc
from graycube.schedule import Task, expand
from graycube.table.networks import sided
from graycube.table.networks.phases import phases_or_why_not
from graycube.verify import check_algebra, check_elements, check_pairs

SIZES = count(1)  # of items, each used once


def timed(title: str, works: dict[str, Callable[[], object]], rounds: int) -> None:
    print(title)
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            phases_or_why_not.cache_clear()  # every network is laid out anew
            start = time.perf_counter()
            work()
            times[name].append(1e3 * (time.perf_counter() - start))
    for name, values in times.items():
        spread = f"({min(values):.1f} - {max(values):.1f})"
        print(f"  {name:32} {median(values):9.1f}  {spread} ms")


def laid_out(layout: gc.Layout, method: gc.Method) -> object:
    """An emulation that was not made before: what is sent once is remembered."""
    return gc.emulation(layout, method=method, itemsize=next(SIZES))


def symbolic(n: int, slots: int, rounds: int) -> None:
    layout = gc.Layout.cyclic(n + slots, n, nodes="gray")
    machine = gc.Machine(dims=n, ports="all")
    made = gc.emulation(layout)
    made_of = Task(layout, layout, layout.block_size, stages=made.stages, free=True)
    with_sides = sided(made_of)
    works: dict[str, Callable[[], object]] = {
        name: partial(laid_out, layout, method)
        for name, method in (
            ("bi-sectioning", gc.Method()),
            ("four-sectioning", gc.Method(radix=2)),
            ("inter-node bi-sectioning", gc.Method("inter-node")),
        )
    } | {
        "proof of bi-sectioning": lambda: check_algebra(made, machine),
        "chain with sides": lambda: sided(made_of),
        "proof of a chain with sides": lambda: check_algebra(with_sides, machine),
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


def gained() -> None:
    print("seconds of the other plans over those of a chain with sides, if that is cheapest")
    for code in ("binary", "gray"):
        for n, slots in ((4, 4), (6, 6), (8, 8), (10, 10), (12, 8)):
            layout = gc.Layout.cyclic(n + slots, n, nodes=code)
            line = f"  {code:6} n = {n:2}, 2^{slots:2} slots:"
            for share in (0.0, 0.01, 0.1, 1.0):
                machine = gc.Machine(n, "all", startup=share * (1 << slots), per_byte=1.0)
                plan = gc.plan_fft(layout, itemsize=1, machine=machine)
                costs = {c.algorithm.name: c.cost for c in plan.candidates}
                sides = costs.pop("chain with sides")
                line += f"  {share}: {min(costs.values()) / min(sides, *costs.values()):.3f}"
            print(line)


if __name__ == "__main__":
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    symbolic(8, 8, most)
    symbolic(40, 20, most)
    explicit(10, 6, most)
    gained()
