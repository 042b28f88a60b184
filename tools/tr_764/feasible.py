"""The fewest cycles of a butterfly network, by integer program: ``feasible.csv``.

    python tools/tr_764/feasible.py

Some minutes.
"""

import csv
import time
from pathlib import Path

import graycube as gc
from graycube.papers import tr_764
from graycube.papers.tr_764.feasible import Network
from graycube.table.networks.state import Code

FILE = Path(tr_764.__file__).with_name("feasible.csv")
COLUMNS = ("n", "slots", "allocation", "encoding", "cycles", "output", "feasible", "seconds")
TIME_LIMIT = 1500.0  # seconds
CASES: list[tuple[str, Code, int, int, int, str]] = [
    ("cyclic", "gray", 2, 1, 2, "anywhere"),
    ("cyclic", "gray", 2, 2, 2, "anywhere"),
    ("cyclic", "gray", 3, 1, 2, "anywhere"),
    ("cyclic", "gray", 3, 1, 3, "anywhere"),
    ("cyclic", "gray", 3, 2, 3, "anywhere"),
    ("cyclic", "gray", 3, 2, 3, "as by bi-sectioning"),
    ("cyclic", "gray", 4, 2, 4, "as by bi-sectioning"),
    ("consecutive", "gray", 2, 1, 2, "anywhere"),
    ("consecutive", "gray", 2, 1, 3, "anywhere"),
    ("consecutive", "gray", 2, 2, 3, "anywhere"),
    ("consecutive", "gray", 2, 2, 4, "anywhere"),
    ("consecutive", "gray", 3, 1, 3, "anywhere"),
    ("consecutive", "gray", 3, 1, 4, "anywhere"),
]


def solve(  # noqa: PLR0913, PLR0917
    kind: str, code: Code, n: int, slots: int, cycles: int, output: str
) -> list[str]:
    """One case: whether so many cycles are enough."""
    build = gc.Layout.cyclic if kind == "cyclic" else gc.Layout.consecutive
    layout = build(n + slots, n, nodes=code)
    started = time.perf_counter()
    goal = None
    if output != "anywhere":
        target = gc.emulation(layout).task.target.map
        goal = [target(e) & (1 << n) - 1 for e in range(1 << layout.p)]
    verdict = Network(layout, cycles, goal).feasible(TIME_LIMIT)
    seconds = time.perf_counter() - started
    encoding = f"Binary || {code.capitalize()}"
    figures = (n, 1 << slots, kind, encoding, cycles, output, verdict, f"{seconds:.0f}")
    return [str(figure) for figure in figures]


def main() -> None:
    rows = []
    for case in CASES:
        rows.append(solve(*case))
        print(*rows[-1], flush=True)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
