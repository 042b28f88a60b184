"""Planning, counting and proving beside the last release whose schedules had three forms.

    git worktree add --detach OLD f3db03cf
    python benchmarks/one_form.py OLD [ROUNDS] [--no-plans]

In each round a fresh process of either release, one after the other, plans each task once, then
makes, counts and proves the schedule of an algorithm that both know, the best of five times.
What a release imports late is imported before. What is printed is today's processor time over
that of the old release: the median and the range over the rounds. Plans weigh all algorithms,
of which more apply today: "same" is a plan that weighs those that applied then, made by another
process.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import graycube as gc
from graycube.gf2 import AffineMap, Matrix
from graycube.schedule import Task
from graycube.verify import check_algebra

SIZES = 10, 20, 40
BLOCK = 3 << 12
TIMES = 5
PLANS = "--no-plans" not in sys.argv
WORKS = (*(["plan", "same"] if PLANS else []), "make", "count", "prove")
APPLYING: dict[str, list[str]] = json.loads(os.environ.get("APPLYING", "{}"))
"""The algorithms that plans weigh, by case; all of them if it is empty."""
Seconds = dict[str, float]


class Case(NamedTuple):
    """A task on a machine, and an algorithm for it; a transform has no target."""

    name: str
    source: gc.Layout
    target: gc.Layout | None
    machine: gc.Machine
    algorithm: str


def cases(n: int) -> Iterator[Case]:
    gray, binary = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    ports = {count: gc.Machine(n, count, startup=1e3) for count in (1, 2)}
    every = gc.Machine(n, "all", startup=1e3)
    circuits = gc.Machine(n, 2, "circuit", startup=1e3)
    yield Case("Gray to binary, one port", gray, binary, ports[1], "gb3")
    yield Case("Gray to binary, two ports", gray, binary, ports[2], "few-ports")
    yield Case("Gray to binary, all ports", gray, binary, every, "nonminimum-ring")
    yield Case("binary to Gray, circuits", binary, gray, circuits, "circuit-split")
    sides = 1 << n // 2, 1 << n - n // 2
    coded, plain = (gc.Layout.mesh(sides, sides, code=code) for code in ("gray", "binary"))
    yield Case("a mesh, one port", coded, plain, ports[1], "gb3")
    rows, columns = gc.Layout.consecutive(2 * n, n), gc.Layout.cyclic(2 * n, n)
    yield Case("cyclic to consecutive, one port", columns, rows, ports[1], "exchange")
    yield Case("cyclic to consecutive, all ports", columns, rows, every, "pipeline")
    yield Case("cyclic to consecutive, circuits", columns, rows, circuits, "all-to-all")
    if n < 40:  # there it takes minutes
        yield Case("any map, one port", binary, any_map(n) @ binary, ports[1], "exchange")
    yield Case(
        "a transform", gc.Layout.cyclic(2 * n, n, nodes="gray"), None, every, "bi-sectioning"
    )


def any_map(n: int) -> AffineMap:
    rng = random.Random(n)  # noqa: S311
    while True:
        matrix = Matrix(tuple(rng.randrange(1 << n) for _ in range(n)), n)
        if matrix.is_invertible():
            return AffineMap(matrix)


def timed(work: Callable[[], Any], times: int = TIMES) -> tuple[float, Any]:
    best = inf
    for _ in range(times):
        start = time.process_time()
        made = work()
        best = min(best, time.process_time() - start)
    return best, made


def seconds(case: Case, simulate: Callable[[Any], Any]) -> Seconds:
    """What this release takes for each kind of work."""
    source, target, machine, found = case.source, case.target, case.machine, Seconds()
    if target is None:
        if PLANS:
            found["plan"], _ = timed(lambda: gc.plan_fft(source, machine=machine), times=1)
        found["make"], schedule = timed(lambda: gc.emulation(source, itemsize=8))
    else:
        block = source.block_size if source.block_size > 1 else BLOCK
        task = Task(source, target, block, itemsize=8)  # which no plan has made ready
        if PLANS:
            ask = partial(gc.plan, source, target, block, machine=machine)
            found["plan"], _ = timed(ask, times=1)
        (made,) = (a for a in gc.algorithms() if a.name == case.algorithm)
        found["make"], schedule = timed(lambda: made.emit(task, machine))
    found["count"], _ = timed(lambda: simulate(schedule))
    found["prove"], report = timed(lambda: check_algebra(schedule, machine))
    if not report:
        raise SystemExit(f"{case.name}: {report}")
    return found


def weigh_only(names: list[str]) -> None:
    """Let plans weigh no other algorithms."""
    candidates: Any = import_module("graycube.planning.candidate")
    every = gc.algorithms()
    candidates.algorithms = lambda: [a for a in every if a.network or a.name in names]


def applying(case: Case) -> list[str]:
    """The algorithms that apply to a case; networks have no names that both know."""
    if case.target is None:
        return []
    block = case.source.block_size if case.source.block_size > 1 else BLOCK
    task = Task(case.source, case.target, block, itemsize=8)
    return [a.name for a in gc.algorithms() if a.applicable(task, case.machine) is None]


def measure(n: int) -> None:
    """The times of the release that this process has, and what applies, as JSON."""
    old = Path(gc.__file__).with_name("simulate").exists()
    simulate = import_module("graycube.simulate" if old else "graycube.cost").simulate
    for case in cases(4):
        seconds(case, simulate)
    times = {}
    for case in cases(n):
        if APPLYING:
            weigh_only(APPLYING[case.name])
        times[case.name] = seconds(case, simulate)
    print(json.dumps([times, {case.name: applying(case) for case in cases(n)}]))


def ran(
    root: Path, n: int, weighed: dict[str, list[str]] | None = None
) -> tuple[dict[str, Seconds], dict[str, list[str]]]:
    env = {**os.environ, "PYTHONPATH": str(root / "src"), "APPLYING": json.dumps(weighed or {})}
    line = [sys.executable, __file__, str(n), *([] if PLANS else ["--no-plans"])]
    done = subprocess.run(line, env=env, check=True, capture_output=True, text=True)  # noqa: S603
    times, names = json.loads(done.stdout)
    return times, names


def one_round(old: Path, n: int) -> tuple[dict[str, Seconds], dict[str, Seconds]]:
    """Then, and today."""
    today = Path(__file__).parents[1]
    then, weighed = ran(old, n)
    now, _ = ran(today, n)
    for name in now if PLANS else ():
        then[name]["same"] = then[name]["plan"]
    for name, times in (ran(today, n, weighed)[0] if PLANS else {}).items():
        now[name]["same"] = times["plan"]
    return then, now


def compare(old: Path, rounds: int, n: int) -> None:
    pairs = [one_round(old, n) for _ in range(rounds)]
    for name in pairs[0][0]:
        print(f"n = {n}, {name}", flush=True)
        for work in WORKS:
            times = [(then[name][work], now[name][work]) for then, now in pairs]
            ratios = [now / then for then, now in times]
            print(
                f"  {work:6} {1e3 * median(then for then, _ in times):9.2f} ms  "
                f"{median(ratios):6.2f} ({min(ratios):.2f} - {max(ratios):.2f})",
                flush=True,
            )


def main(arguments: list[str]) -> None:
    if len(arguments) == 1 and arguments[0].isdigit():
        measure(int(arguments[0]))
        return
    rounds = int(arguments[1]) if len(arguments) > 1 else 7
    print(f"{rounds} rounds; milliseconds then, and times as long today: median (range)")
    for n in SIZES:
        compare(Path(arguments[0]), rounds, n)


if __name__ == "__main__":
    main([argument for argument in sys.argv[1:] if argument != "--no-plans"])
