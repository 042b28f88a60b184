"""The fewest element transfers in sequence, as far as they are known: ``least_transfers.csv``.

    python tools/tr_764/least_transfers.py

Cyclic data, binary and Gray-coded nodes, n = 2 to 6, 2 to 2^n elements on a node. "ours" is the
fastest of the library's methods, "least" the fastest schedule that is known, and "by" whose it
is: the library's, or that of an integer program (:mod:`least_program`). Where it meets the
bound, it is the optimum. Chains with sides, and what is not the library's, are followed element
by element and pair by pair; the other methods are by ``cycles.py --check``.
"""

import csv
from contextlib import suppress
from pathlib import Path

from cycles import cycles
from least_program import FOUND, four_on_a_node

import graycube as gc
from graycube.cost import butterfly_cycles
from graycube.errors import InvalidValueError
from graycube.papers import tr_764
from graycube.schedule import Moves, expand
from graycube.table.networks import sided
from graycube.table.networks.state import Code
from graycube.verify import check_elements, check_pairs

FILE = Path(tr_764.__file__).with_name("least_transfers.csv")
COLUMNS = ("n", "slots", "encoding", "ours", "least", "by", "bound", "optimum")
CODES: tuple[Code, ...] = ("binary", "gray")


def ours(layout: gc.Layout) -> int:
    """The cycles of the fastest method that the library has for it."""
    methods = [gc.Method(radix=r) for r in range(1, layout.n + 1)]
    methods.append(gc.Method("inter-node"))
    found = [cycles(layout, method) for method in methods]
    stages = tuple(reversed(range(layout.p)))
    task = gc.Task(layout, layout, layout.block_size, stages=stages, free=True)
    with suppress(InvalidValueError):  # too few dimensions or memory bits for sides
        found.append(follow(expand(sided(task))))
    return min(count for count in found if count is not None)


def follow(moves: Moves) -> int:
    """Its cycles, after following every element and pair."""
    task = moves.task
    machine = gc.Machine(dims=task.n, ports="all")
    stages = range(task.p - 1, -1, -1)
    report = check_elements(moves, machine).joined(check_pairs(moves, stages))
    if not report:
        raise SystemExit(f"n = {task.n}, {task.block} elements, {moves.algorithm}: {report}")
    return moves.cycles


def row(n: int, m: int, code: Code) -> tuple[str, ...]:
    """One line of the table."""
    layout = gc.Layout.cyclic(n + m, n, nodes=code)
    known = [(ours(layout), "ours")]
    if code == "gray" and m == 2 and n in FOUND:
        known.append((follow(moves := four_on_a_node(n)), moves.algorithm))
    least, by = min(known, key=lambda one: one[0])
    stages = range(n + m - 1, -1, -1)
    bound = butterfly_cycles(layout, 0, 1 << m, n, stages)
    encoding = "Binary" if code == "binary" else "Binary || Gray"
    optimum = least if least == bound else ""
    return tuple(map(str, (n, 1 << m, encoding, known[0][0], least, by, bound, optimum)))


def main() -> None:
    sizes = [(n, m) for n in range(2, 7) for m in range(1, n + 1)]
    rows = [row(*size, code) for code in CODES for size in sizes]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    optimal = sum(bool(r[-1]) for r in rows)
    beaten = sum(r[3] != r[4] for r in rows)
    widest = max(int(r[4]) - int(r[6]) for r in rows)
    print(
        f"{len(rows)} cases: {optimal} optima, elsewhere {widest} open; ours beaten in {beaten}"
    )


if __name__ == "__main__":
    main()
