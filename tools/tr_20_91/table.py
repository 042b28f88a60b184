"""The paper's cycles beside ours, the bound and the optimum: ``cycles.csv``.

    python tools/tr_20_91/table.py [--check]

Gray to binary on all ports, n = 2 to 8, K = 1 to 64. Every figure is counted by the simulator;
the optima are those of ``optima.csv``. With ``--check`` all schedules of both directions are
proved, followed element by element, and carried out on data.
"""

import csv
import math
import sys
from pathlib import Path

import numpy as np

import graycube as gc
from graycube.papers import tr_20_91
from graycube.papers.tr_20_91.cycles import formula
from graycube.run import apply
from graycube.schedule import expand
from graycube.verify import check_algebra, check_elements

FOLDER = Path(tr_20_91.__file__).parent
FILE = FOLDER / "cycles.csv"
SHOWN = ("pipelined", "minimum-path", "nonminimum-path", "nonminimum-ring")
COLUMNS = (
    "n",
    "K",
    "theorem 8",
    *SHOWN,
    "best",
    "by",
    "bound",
    "bound by",
    "optimum",
    "remark",
)


def optima() -> dict[tuple[int, int], tuple[int, str]]:
    """The optimum on all ports and why it is one, for each n and K that has been solved."""
    with (FOLDER / "optima.csv").open(encoding="utf-8", newline="") as file:
        return {
            (int(row["n"]), int(row["K"])): (int(row["cycles"]), row["proof"])
            for row in csv.DictReader(file)
            if row["ports"] == "all"
        }


def row(n: int, block: int, solved: dict[tuple[int, int], tuple[int, str]]) -> tuple[str, ...]:
    """One line of the table."""
    machine = gc.Machine(dims=n, ports="all")
    plan = gc.plan(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block, machine=machine)
    if not plan.verify():
        raise SystemExit(f"n = {n}, K = {block}: {plan.verify()}")
    counted = {c.algorithm.name: c.traffic.cycles for c in plan.candidates if c.traffic}
    bound = max(plan.bounds, key=lambda b: b.seconds)
    least = math.ceil(bound.seconds)  # an element takes a second to cross a link
    optimum, proof = solved.get((n, block), (None, ""))
    claimed, remark = formula(n, block), ""
    if max(least, optimum or 0) > claimed:
        reason = proof if least <= claimed else f"bound by {bound.name}"
        remark = f"{claimed} cycles are infeasible ({reason})"
    shown = (counted.get(name, "") for name in SHOWN)
    figures = (n, block, claimed, *shown, plan.cycles, plan.algorithm, least, bound.name)
    return (*map(str, figures), "" if optimum is None else str(optimum), remark)


def check(n: int, block: int) -> int:
    """Check every schedule for so many elements; how many there are."""
    machine, checked = gc.Machine(dims=n, ports="all"), 0
    data = np.arange(block << n).reshape(1 << n, block)
    for codes in (("gray", "binary"), ("binary", "gray")):
        source, target = (gc.Layout.nodes(n, code) for code in codes)
        plan = gc.plan(source, target, block, machine=machine)
        for candidate in plan.candidates:
            if candidate.traffic is None or candidate.algorithm.name == "relabel":
                continue
            schedule = candidate.traffic.schedule
            reports = (
                check_algebra(schedule, machine),
                check_elements(expand(schedule), machine),
            )
            moved = target.gather(apply(schedule, source.scatter(data)))
            if not all(reports) or not np.array_equal(moved, data):
                raise SystemExit(f"n = {n}, K = {block}, {candidate.algorithm.name}: {reports}")
            checked += 1
    return checked


def main() -> None:
    if "--check" in sys.argv[1:]:
        counts = [check(n, block) for n in range(2, 9) for block in range(1, 65)]
        print(f"{sum(counts)} schedules are right")
    solved = optima()
    rows = [row(n, block, solved) for n in range(2, 9) for block in range(1, 65)]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *rows])
    above = [r for r in rows if int(r[7]) > int(r[2])]
    print(f"{len(rows)} rows; in {len(above)} of them the best schedule is above the formula:")
    for r in above:
        print(f"  n = {r[0]}, K = {r[1]}: {r[7]} cycles; {r[-1] or 'UNEXPLAINED'}")
    known = [r for r in rows if r[-2]]
    reached = sum(r[7] == r[-2] for r in known)
    print(f"the optimum is known in {len(known)} rows and reached in {reached}")


if __name__ == "__main__":
    main()
