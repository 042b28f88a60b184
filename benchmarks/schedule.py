"""Planning and proving at any size, and element crossings per second where all are followed.

Every round runs all contenders one after the other; what is printed are the median and the
range over the rounds. First plans are made in other processes, which remember nothing but a
small plan.

    python benchmarks/schedule.py [ROUNDS]
"""

import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import graycube as gc
from graycube.cost import simulate
from graycube.schedule import expand
from graycube.verify import check_algebra, check_elements

BLOCK = 16
SIZES = range(8, 15)
LARGEST = 16
LARGE = 3 << 12
FIRST = [(8, "8", 24), (8, "8", LARGE)]
FIRST += [(n, ports, LARGE) for n in (64, 128) for ports in ("1", "2", "4", "7", str(n))]
STARTUPS = 1e3, 0.0


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def report(name: str, values: list[float], unit: str) -> None:
    print(f"  {name:42} {median(values):9.3f}  ({min(values):.3f} - {max(values):.3f}) {unit}")


def planned(n: int, algorithm: str = "auto", block: int = BLOCK) -> gc.Plan:
    source, target = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    return gc.plan(source, target, block, machine=gc.Machine(dims=n), algorithm=algorithm)


def symbolic(rounds: int) -> None:
    """What a schedule costs as long as nobody writes it out."""
    plans = {n: planned(n, "gb3") for n in (10, 40)}
    works: dict[str, Callable[[], object]] = {
        "plan, n = 10": lambda: planned(10),
        "plan, n = 40": lambda: planned(40),
        "price of gb3, n = 40": lambda: simulate(plans[40].schedule),
        "proof of gb3, n = 10": lambda: check_algebra(plans[10].schedule, plans[10].machine),
        "proof of gb3, n = 40": lambda: check_algebra(plans[40].schedule, plans[40].machine),
    }
    print(f"symbolic schedules, {rounds} rounds")
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(1e3 * seconds(work))
    for name, values in times.items():
        report(name, values, "ms")


def first_plan(n: int, ports: str, block: int, startup: float) -> float:
    """Processor time of Gray to binary, with so many elements on a node, after a small plan."""
    for dims in (5, n):
        machine = gc.Machine(dims, min(int(ports), dims), startup=startup, per_byte=1.0)
        start = time.process_time()
        gc.plan(gc.Layout.nodes(dims, "gray"), gc.Layout.nodes(dims), block, machine=machine)
    return time.process_time() - start


def first(rounds: int) -> None:
    print(f"first plans, {rounds} rounds, processor time")
    for n, ports, block in FIRST:
        for startup in STARTUPS:
            line = [sys.executable, __file__, str(n), ports, str(block), str(startup)]
            ran = (
                subprocess.run(line, check=True, capture_output=True, text=True)  # noqa: S603
                for _ in range(rounds)
            )
            name = f"n = {n}, {ports} ports, {block}, start-up {startup:g}"
            report(name, [float(one.stdout) for one in ran], "s")


def explicit(n: int, rounds: int) -> None:
    """Millions of element crossings per second of GB3."""
    plan = planned(n, "gb3")
    moves = plan.moves()
    works: dict[str, Callable[[], object]] = {
        "expand": plan.moves,
        "check_elements": lambda: check_elements(moves, plan.machine),
        "simulate, symbolic": lambda: simulate(plan.schedule),
    }
    rates: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            rates[name].append(1e-6 * len(moves) / seconds(work))
    print(f"gb3, n = {n}, {BLOCK} elements a node, {len(moves)} crossings")
    for name, values in rates.items():
        report(name, values, "million crossings/s")


def largest() -> None:
    """The full check of GB1 and GB3, once each: nothing is left to algebra."""
    print(f"n = {LARGEST}, {BLOCK} elements a node, once")
    for name in ("gb1", "gb3"):
        plan = planned(LARGEST, name)
        start = time.perf_counter()
        moves = expand(plan.schedule)
        written = time.perf_counter()
        found = check_elements(moves, plan.machine)
        checked = time.perf_counter()
        print(
            f"  {name}: {len(moves)} crossings, expand {written - start:.2f} s, "
            f"check {checked - written:.2f} s; {found}"
        )


if __name__ == "__main__":
    if len(sys.argv) > 3:  # a process of its own
        n, ports, block, startup = sys.argv[1:]
        print(first_plan(int(n), ports, int(block), float(startup)))
        sys.exit()
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    symbolic(repeats)
    first(repeats)
    for size in SIZES:
        explicit(size, repeats)
    largest()
