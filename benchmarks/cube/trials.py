"""The experiments on the ranks of one cube, in one job that calibrates first.

    trials.py REPORT LONGEST LESS [NAME]

What is found is added to the REPORT. LONGEST are the bytes of the longest blocks; LESS makes
all of them shorter by so many bits. With the NAME of an experiment it runs again, on the
machine in the REPORT.

What is predicted is what graycube.plan says for the machine that was calibrated.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from candidates import COLD, Ports, Row, rows, tried
from measured import Comm, calm, latency
from mpi4py import MPI
from programs import mappings, transforms

import graycube as gc
from graycube.whole_files import write_whole

LONG = (1 << 20, 4 << 20, 16 << 20)
SHORT = tuple(1 << k for k in range(8, 19))
STRETCH = 0.02  # seconds that short blocks are moved again and again
GRAIN = 512  # bytes of an element where messages of all sizes are tried
STARTUPS = (1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1)
SIZES = (8, 1 << 18)
"""Bytes to calibrate with: the ends. Between them bursts are neither a start-up nor a rate."""

ITEMS: dict[Ports, int] = {1: 128 << 10, 2: 32 << 10, "all": 16 << 10}
"""Bytes of an element of long blocks. On few ports a message often finds a link that was idle,
where a burst passes at once, so it should be much longer than that."""


def main(report: Path, longest: int, less: int, only: str | None = None) -> None:
    comm = MPI.COMM_WORLD
    content: Row = json.loads(report.read_text(encoding="ascii"))
    if not only:
        content |= measures(comm, less)
    machine = gc.Machine(**content["calibration"]["machine"])
    sizes = tuple(size >> less for size in LONG[: 1 if less else None] if size <= longest)
    short = SHORT[:: 4 if less else 1]
    trials = {
        "conversions": conversions(comm, machine, sizes, less),
        "layouts": layouts(comm, machine, LONG[0] >> less),
        "grains": grains(comm, machine, LONG[0] >> less, GRAIN >> less or 1),
        "short blocks": short_blocks(comm, machine, short, 3 if less else 25),
        "transforms": transforms(comm, machine, less),
        "mappings": mappings(comm, machine, less),
    }
    for name in [only] if only else trials:
        known = content[name] = []
        for row in trials[name]:
            known.append(row)
            if comm.rank == 0:
                write_whole(report, json.dumps(content))
                shown = " ".join(str(value) for value in list(row.values())[:4])
                print(f"{comm.size} nodes, {name}: {shown}", file=sys.stderr)


def measures(comm: Comm, less: int) -> Row:
    """The machine, calibrated."""
    ends = tuple(size >> min(less, 3) for size in SIZES)
    repeats = 2 if less else 6
    stolen, found = calm(
        lambda: (gc.calibrate(comm, "cube", sizes=ends, repeats=repeats),), comm
    )
    return {"latency": latency(comm), "stolen": stolen, "calibration": found.as_dict()}


def conversions(
    comm: Comm, machine: gc.Machine, sizes: Sequence[int], less: int
) -> Iterator[Row]:
    """Gray to binary code: all candidates, and one Alltoallv; long blocks."""
    target, source = gc.gray_inverse(comm.rank), gc.gray(comm.rank)
    for nbytes in sizes:
        runs = 4 if nbytes < COLD else 3
        amounts = [
            [nbytes * (u == other) for u in range(comm.size)] for other in (target, source)
        ]
        plans = {
            ports: planned(machine, nbytes, item >> less, ports)
            for ports, item in ITEMS.items()
        }
        yield from tried(plans, comm, runs, amounts)


def layouts(comm: Comm, machine: gc.Machine, nbytes: int) -> Iterator[Row]:
    """From cyclic to consecutive: every node has a part for every other one."""
    n, amounts = machine.dims, [[nbytes // comm.size] * comm.size] * 2
    p, item = n + 6, nbytes >> 6
    binary = gc.Layout.cyclic(p, n), gc.Layout.consecutive(p, n)
    from_gray = gc.Layout.cyclic(p, n, nodes="gray"), gc.Layout.consecutive(p, n)
    for move, (source, target) in {"binary": binary, "from Gray": from_gray}.items():
        plans = {
            ports: gc.plan(
                source, target, 64, itemsize=item, machine=replace(machine, ports=ports)
            )
            for ports in ITEMS
        }
        yield from ({"move": move} | row for row in tried(plans, comm, 4, amounts))


def grains(comm: Comm, machine: gc.Machine, nbytes: int, item: int) -> Iterator[Row]:
    """Three-fifths in messages of all sizes: each the best one for some start-up."""
    if machine.dims < 3:
        return
    best = planned(machine, nbytes, item, "all", "three-fifths")
    plans = {best.rounds: best}
    for startup in STARTUPS:
        other = replace(machine, startup=startup)
        made = planned(other, nbytes, item, "all", "three-fifths")
        plans.setdefault(made.rounds, replace(made, machine=best.machine))
    for plan, found in zip(plans.values(), rows([*plans.values()], comm, 5), strict=True):
        size = max(r.longest for r in plan.traffic.rounds) * plan.task.itemsize
        yield found | {"message": size, "chosen": plan is best}


def short_blocks(
    comm: Comm, machine: gc.Machine, sizes: Sequence[int], runs: int
) -> Iterator[Row]:
    """GB1, GB2 and GB3: TR-20-92 figures 4 and 5."""
    for nbytes in sizes:
        plans = [planned(machine, nbytes, 1, 1, name) for name in ("gb1", "gb2", "gb3")]
        yield from rows(plans, comm, runs, stretch=STRETCH)


def planned(
    machine: gc.Machine, nbytes: int, item: int, ports: Ports, algorithm: str = "auto"
) -> gc.Plan:
    """Gray to binary code of the nodes."""
    gray, binary = gc.Layout.nodes(machine.dims, "gray"), gc.Layout.nodes(machine.dims)
    machine = replace(machine, ports=ports)
    return gc.plan(
        gray, binary, nbytes // item, itemsize=item, machine=machine, algorithm=algorithm
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
