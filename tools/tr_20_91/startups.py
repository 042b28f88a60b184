"""Start-ups with packets, the paper's counts beside ours: ``startups.csv``.

    python tools/tr_20_91/startups.py

Gray to binary on all ports, K elements a node and packets of B. A start-up takes a second and
an element no time, so that the planner counts start-ups only (TR-20-91 section 6).
"""

import csv
from pathlib import Path

import graycube as gc
from graycube.papers import tr_20_91

FILE = Path(tr_20_91.__file__).with_name("startups.csv")
COLUMNS = (
    *("n", "K", "B", "paper minimum", "our minimum"),
    *("paper nonminimum", "our nonminimum", "best", "by"),
)
BLOCK = 5040


def row(n: int, packet: int) -> tuple[str, ...]:
    """The paper's formulas and what the schedules need."""
    machine = gc.Machine(dims=n, ports="all", startup=1.0, per_byte=0.0, packet=packet)
    plan = gc.plan(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), BLOCK, machine=machine)
    cost = {c.algorithm.name: round(c.cost) for c in plan.candidates if c.traffic}
    shortest = -(-BLOCK // ((n - 1) * packet)) * (n - 1)
    split = -(-BLOCK // (3 * packet))
    detours = max(-(-2 * BLOCK // (3 * packet)) + n - 2, 2 * split + n - 1)
    ours = cost["minimum-path"], cost["nonminimum-ring"], round(plan.cost)
    figures = (n, BLOCK, packet, shortest, ours[0], detours, *ours[1:])
    return (*map(str, figures), plan.algorithm)


def main() -> None:
    packets = {n: {BLOCK // ((n - 1) * k) for k in (1, 2, 4, 16, 64)} for n in range(3, 11)}
    rows = [row(n, size) for n, sizes in packets.items() for size in sorted(sizes)[::-1]]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *rows])
    worse = [r for r in rows if int(r[4]) > int(r[3]) or int(r[6]) > int(r[5])]
    print(
        f"{len(rows)} rows; ours need more start-ups than the paper's in {len(worse)}: {worse}"
    )


if __name__ == "__main__":
    main()
