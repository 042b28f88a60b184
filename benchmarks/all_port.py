"""All-port schedules: how long planning, proving and checking take, and the cycles.

Every round runs all contenders one after the other; what is printed are the median and the
range over the rounds.

    python benchmarks/all_port.py [ROUNDS]
"""

import sys
import time
from collections.abc import Callable
from statistics import median

import graycube as gc
from graycube.cost import replay, simulate
from graycube.schedule import expand
from graycube.verify import check_algebra, check_elements


def planned(n: int, block: int, ports: int | str = "all", algorithm: str = "auto") -> gc.Plan:
    source, target = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    machine = gc.Machine(dims=n, ports=ports)  # type: ignore[arg-type]
    return gc.plan(source, target, block, machine=machine, algorithm=algorithm)


def timed(title: str, works: dict[str, Callable[[], object]], rounds: int) -> None:
    print(title)
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            times[name].append(1e3 * (time.perf_counter() - start))
    for name, values in times.items():
        spread = f"({min(values):.1f} - {max(values):.1f})"
        print(f"  {name:32} {median(values):9.1f}  {spread} ms")


def symbolic(n: int, block: int, rounds: int) -> None:
    plan = planned(n, block, algorithm="nonminimum-ring")
    works: dict[str, Callable[[], object]] = {
        "plan": lambda: planned(n, block),
        "price of the ring": lambda: simulate(plan.schedule),
        "proof of the ring": lambda: check_algebra(plan.schedule, plan.machine),
    }
    timed(f"n = {n}, K = {block}: {plan.cycles} cycles", works, rounds)


def explicit(n: int, block: int, rounds: int) -> None:
    plan = planned(n, block)
    moves = plan.moves()
    works: dict[str, Callable[[], object]] = {
        "written out": lambda: expand(plan.schedule),
        "checked element by element": lambda: check_elements(moves, plan.machine),
        "replayed": lambda: replay(moves),
    }
    timed(f"n = {n}, K = {block}, {plan.algorithm}: {len(moves)} crossings", works, rounds)


def cycles() -> None:
    print("cycles over K = 960: all ports, then 1 .. n ports")
    for n in range(3, 13):
        every = planned(n, 960).cycles / 960
        some = [planned(n, 960, ports).cycles / 960 for ports in range(1, n + 1)]
        print(f"  n = {n:2}: {every:.4f};", " ".join(f"{share:.3f}" for share in some))


if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    symbolic(12, 256, repeats)
    symbolic(40, 1 << 20, repeats)
    explicit(12, 256, repeats)
    cycles()
