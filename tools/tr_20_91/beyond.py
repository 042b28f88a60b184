"""Three fifths beside the paper's two thirds, for n = 3 to 16: ``beyond.csv``.

    python tools/tr_20_91/beyond.py [--check]

Gray to binary on all ports, blocks of 5 to 10,000 elements. "achieved" is counted by the
simulator. With ``--check`` every schedule is proved by algebra, and followed element by element
for n <= 10: by the library up to a million elements, and here, with the cycles of every link
laid out. Above that sampled elements are followed, and all that sampled nodes send. That takes
some minutes.
"""

import csv
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from table import optima

import graycube as gc
from graycube.papers import tr_20_91
from graycube.papers.tr_20_91.cycles import formula
from graycube.schedule.replication import of_ways
from graycube.verify import check_algebra, check_elements

FILE = Path(tr_20_91.__file__).with_name("beyond.csv")
COLUMNS = ("n", "K", "published", "achieved", "by", "bound", "optimum", "achieved / (3K/5)")
DIMS = range(3, 17)
FEW = (*range(5, 11), 12, 15, 20, 25, 30, 40, 50, 64)
BLOCKS = (*FEW, 100, 200, 500, 1000, 2000, 5000, 10_000)
FOLLOWED = 10  # dimensions up to which every element is followed
AFFORDABLE = 1 << 20  # elements that the library follows
SAMPLES = 300


def planned(n: int, block: int) -> gc.Plan:
    """The plan for blocks of so many elements on all ports, without start-ups."""
    source, target = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    return gc.plan(source, target, block, machine=gc.Machine(n, ports="all"))


def row(plan: gc.Plan, solved: dict[tuple[int, int], tuple[int, str]]) -> tuple[str, ...]:
    """One line of the table."""
    n, block, achieved = plan.task.n, plan.task.block, plan.cycles
    bound = math.ceil(plan.lower_bound)  # an element takes a second to cross a link
    optimum = solved.get((n, block), (achieved if achieved == bound else "", ""))[0]
    ratio = f"{achieved / (0.6 * block):.4f}"
    published = formula(n, block)
    return (*map(str, (n, block, published, achieved, plan.algorithm, bound, optimum)), ratio)


def check(plan: gc.Plan) -> None:
    """Stop unless the schedule is right."""
    reports = [check_algebra(plan.schedule, plan.machine)]
    if plan.task.block << plan.task.n <= AFFORDABLE:
        reports.append(check_elements(plan.moves(), plan.machine))
    if not all(reports):
        raise SystemExit(f"{plan!r}: {reports}")
    (follow if plan.task.n <= FOLLOWED else sample)(plan)


def follow(plan: gc.Plan) -> None:
    """Stop unless every element arrives, and never meets another one on a link."""
    n, nodes = plan.task.n, 1 << plan.task.n
    busy = np.zeros((nodes, n, plan.schedule.cycles), dtype=bool)
    placed = np.zeros((nodes, plan.task.block), dtype=int)
    for way in of_ways(plan.schedule).ways:
        for home in filter(way.starts_at, range(nodes)):
            placed[home, way.start : way.stop] += 1
            at, free = home, 0
            for step in way.steps:
                after, (crossing,) = step(at), step.crossings
                if after == at:
                    continue
                cycles = busy[at, crossing.dim][crossing.start :][: way.size]
                if cycles.any() or len(cycles) < way.size or crossing.start < free:
                    raise SystemExit(f"{plan!r}: elements of node {home} meet others at {at}")
                cycles[:] = True
                at, free = after, crossing.start + 1
            if gc.gray(at) != home:
                raise SystemExit(f"{plan!r}: elements of node {home} end at {at}")
    if (placed != 1).any():
        raise SystemExit(f"{plan!r}: elements without a way, or with two")


def sample(plan: gc.Plan) -> None:
    """Stop unless sampled elements arrive, and sampled nodes send one element at a time."""
    task = plan.task
    rng = np.random.default_rng(task.n * task.block)
    nodes = rng.integers(1 << task.n, size=SAMPLES).tolist()
    for node, place in zip(nodes, rng.integers(task.block, size=SAMPLES).tolist(), strict=True):
        ways = [
            way
            for way in of_ways(plan.schedule).ways
            if way.starts_at(node) and way.start <= place < way.stop
        ]
        at = node
        for step in ways[0].steps:
            at = step(at)
        if len(ways) != 1 or gc.gray(at) != node:
            raise SystemExit(f"{plan!r}: element {place} of node {node} ends at {at}")
    for node in nodes[:10]:
        sent = [a for a in plan.actions(node) if a.sends]
        used = Counter(
            (a.dimension, a.cycle + k) for a in sent for k in range(a.stop - a.start)
        )
        if max(used.values(), default=1) > 1:
            raise SystemExit(f"{plan!r}: node {node} sends two elements over a link at once")


def main() -> None:
    solved, rows = optima(), []
    for n in DIMS:
        for block in BLOCKS:
            plan = planned(n, block)
            if "--check" in sys.argv[1:]:
                check(plan)
            rows.append(row(plan, solved))
        told = f"K = {BLOCKS[-1]} in {rows[-1][3]} cycles, {rows[-1][-1]} times 3K/5"
        print(f"n = {n}: {told}", flush=True)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    above = [r for r in rows if int(r[3]) > int(r[2])]
    print(f"{len(rows)} rows; above the published formula in {len(above)}:")
    for r in above:
        print(f"  n = {r[0]}, K = {r[1]}: {r[3]} cycles for {r[2]}, the bound is {r[5]}")


if __name__ == "__main__":
    main()
