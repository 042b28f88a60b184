"""Table 4 and the theorems of the paper beside ours: ``cycles.csv``.

    python tools/tr_764/cycles.py [--check]

All eight allocations, n = 1 to 6, 2 to 64 elements on a node. Every figure is that of a
schedule; the bound is for stages from the highest bit down. With ``--check`` all schedules, of
both outputs and both orders of the stages, also with everything brought back, are proved by
algebra, followed element by element and pair by pair, and their butterflies are compared with
NumPy's transform.
"""

import csv
import itertools
import sys
from pathlib import Path

import numpy as np

import graycube as gc
from graycube.cost import butterfly_cycles
from graycube.errors import InvalidValueError
from graycube.layout import ALLOCATIONS, Allocation
from graycube.papers import tr_764
from graycube.run import emulate
from graycube.run.butterflies import replicate
from graycube.schedule import expand
from graycube.table.networks import one_point
from graycube.table.networks.state import Code
from graycube.verify import check_algebra, check_elements, check_pairs, check_replication

FILE = Path(tr_764.__file__).with_name("cycles.csv")
COLUMNS = (
    "n",
    "slots",
    "allocation",
    "encoding",
    "inter-node: paper",
    "inter-node",
    "local: paper",
    "local",
    "multi: paper",
    "multi",
    "radix",
    "restored",
    "bound",
)
SIZES = list(itertools.product(range(1, 7), range(1, 7)))
CODES: tuple[Code, ...] = ("binary", "gray")
METHODS = (
    gc.Method(),
    gc.Method("inter-node"),
    gc.Method(radix=2),
    gc.Method(radix=3),
    gc.Method(overlap=False),
    gc.Method(merged=1),
)


def table4(row: Allocation, n: int, slots: int) -> tuple[int, int]:
    """Table 4 as printed: inter-node and local conversion. Binary rows: section 1."""
    half, block = 1 << slots - 1, 1 << slots
    if row.kind == "consecutive":
        return half + max(n, block), half + max(n, half)
    return block + n - 2 + (row.encoding == "Gray"), half + n - 1


def multi(row: Allocation, n: int, slots: int) -> tuple[int, int]:
    """Section 6: the least of P/2N + (n/r - 1) R/2 over r, with whole phases, and its r.

    Gray code takes a memory bit more than r, unless r is n and the nodes are coded apart.
    """
    spare = row.encoding != "Binary"
    ways = [
        ((1 << slots - 1) + (-(-n // radix) - 1) * (1 << radix - 1), radix)
        for radix in range(1, n + 1)
        if radix + spare <= slots or (radix == n <= slots and row.encoding != "Gray")
    ]
    return min(ways, default=(0, 0))


def cycles(layout: gc.Layout, method: gc.Method, *, restore: bool = False) -> int | None:
    """Cycles of an emulation, or None where memory is too small for it."""
    try:
        return gc.emulation(layout, method=method, restore=restore).cycles
    except InvalidValueError:
        return None


def row(allocation: Allocation, n: int, slots: int) -> tuple[str, ...]:
    """One line of the table."""
    layout = allocation.layout(n + slots, n)
    coded = "Gray" in allocation.encoding
    inter, local = table4(allocation, n, slots)
    claimed, radix = multi(allocation, n, slots)
    sections = {
        r: made
        for r in range(1, n + 1)
        if (made := cycles(layout, gc.Method(radix=r))) is not None
    }
    best = min(sections, key=lambda r: (sections[r], r), default=None)
    figures = (
        n,
        1 << slots,
        allocation.kind,
        allocation.encoding,
        inter if coded else None,
        cycles(layout, gc.Method("inter-node")) if coded else None,
        local if slots > 1 or not coded else None,
        cycles(layout, gc.Method()),
        claimed if radix and allocation.kind == "cyclic" else None,
        None if best is None else sections[best],
        best,
        cycles(layout, gc.Method(), restore=True),
        butterfly_cycles(layout, 0, 1 << slots, n, range(n + slots - 1, -1, -1)),
    )
    return tuple("" if figure is None else str(figure) for figure in figures)


def right(made: gc.Schedule, *, descending: bool) -> bool:
    """Whether all witnesses agree."""
    task = made.task
    machine = gc.Machine(dims=task.n, ports="all")
    moves = expand(made)
    stages = made.stages
    reports = (
        check_algebra(made, machine),
        check_elements(moves, machine),
        check_pairs(moves, stages),
    )
    x = np.random.default_rng(0).standard_normal(1 << task.p)
    digits = reversed_digits(task.p)
    start = x if descending else x[digits]
    end = task.target.gather(emulate(made, task.source.scatter(start)))
    values = np.allclose(end[digits] if descending else end, np.fft.fft(x))
    return all(reports) and values


def reversed_digits(p: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The index with the bits of every index in reverse."""
    index = np.arange(1 << p)
    return np.array(sum((index >> b & 1) << p - 1 - b for b in range(p)))


def check(allocation: Allocation, n: int, slots: int) -> int:
    """Check every schedule of an allocation; how many there are."""
    layout, checked = allocation.layout(n + slots, n), 0
    ways = itertools.product(METHODS, CODES, (True, False), (False, True))
    for method, output, descending, restore in ways:
        if method.merged and slots < 2:
            continue
        try:
            made = gc.emulation(
                layout, method=method, output=output, descending=descending, restore=restore
            )
        except InvalidValueError:  # too little memory for this conversion
            continue
        if not right(made, descending=descending):
            raise SystemExit(f"{allocation} {n} {slots} {method} {output} {descending}: wrong")
        checked += 1
    return checked


def check_one_point(n: int) -> int:
    """Check Theorem 5 for both inputs and outputs."""
    digits = reversed_digits(n)
    x = np.random.default_rng(1).standard_normal(1 << n)
    for before, after in itertools.product(CODES, repeat=2):
        source, target = gc.Layout.nodes(n, before), gc.Layout.nodes(n, after)
        network = one_point(source, output=after)
        end = target.gather(replicate(network, source.scatter(x)[:, 0])[:, None])
        sound = (
            check_replication(network, gc.Machine(n, ports="all"))
            and network.layouts[-1] == target
        )
        if not sound or network.cycles != n or not np.allclose(end[digits], np.fft.fft(x)):
            raise SystemExit(f"one point, n = {n}, {before} to {after}: wrong")
    return 4


def main() -> None:
    if "--check" in sys.argv[1:]:
        counts = [check(a, *size) for a in ALLOCATIONS for size in SIZES]
        counts += [check_one_point(n) for n in range(1, 11)]
        print(f"{sum(counts)} schedules are right")
    rows = [row(a, *size) for a in ALLOCATIONS for size in SIZES]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    for name, paper, ours in (("inter-node", 4, 5), ("local", 6, 7), ("multi", 8, 9)):
        pairs = [(int(r[paper]), int(r[ours])) for r in rows if r[paper] and r[ours]]
        equal = sum(a == b for a, b in pairs)
        above = sum(b > a for a, b in pairs)
        print(f"{name}: {len(pairs)} formulas, {equal} met, {above} missed, rest beaten")


if __name__ == "__main__":
    main()
