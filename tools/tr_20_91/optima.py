"""The fewest cycles for small cubes, by integer program: ``optima.csv``.

    python tools/tr_20_91/optima.py [SECONDS]

Gray to binary; a row of so many seconds (300) without an answer ends its series. Every optimum
is a schedule that is checked element by element, and a proof that one cycle less is too few.
"""

import csv
import sys
from pathlib import Path

import graycube as gc
from graycube.papers import tr_20_91
from graycube.search import least_cycles
from graycube.verify import check_elements

FILE = Path(tr_20_91.__file__).with_name("optima.csv")
COLUMNS = ("n", "K", "ports", "cycles", "proof")
SERIES = ((2, "all", 20), (2, 1, 20), (3, "all", 20), (3, 2, 20), (3, 1, 20), (4, "all", 20))
"""Dimensions, ports and the largest block."""


def main(seconds: float) -> None:
    rows: list[tuple[object, ...]] = []
    for n, ports, most in SERIES:
        machine = gc.Machine(dims=n, ports=ports)  # type: ignore[arg-type]
        for block in range(1, most + 1):
            task = gc.Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block)
            try:
                best = least_cycles(task, machine, time_limit=seconds)
            except gc.GraycubeError as error:
                print(f"n = {n}, ports = {ports}, K = {block}: {error}")
                break
            report = check_elements(best.moves, machine)
            if not report:
                raise SystemExit(f"n = {n}, ports = {ports}, K = {block}: {report}")
            rows.append((n, block, ports, best.cycles, best.proof))
            print(*rows[-1], flush=True)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 300.0)
