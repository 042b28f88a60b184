"""The experiments on the ranks of one cube, in one job that calibrates first.

    trials.py REPORT LONGEST [LESS]

LONGEST are the bytes of the longest blocks; LESS makes all of them shorter by so many bits.

What is predicted is what graycube.plan says for the machine that was calibrated.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from measured import Comm, Measured, latency, measured
from mpi4py import MPI
from programs import mappings, transforms

import graycube as gc

LONG = (1 << 20, 4 << 20, 16 << 20)
ITEM = 16 << 10  # bytes of an element of them
SHORT = tuple(1 << k for k in range(8, 19))
GRAIN = 512  # bytes of an element where messages of all sizes are tried
STARTUPS = (1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1)
SIZES = (8, 1 << 20)
"""Bytes to calibrate with: the ends. Between them a link that was idle for a while passes up to
its burst at once, which is neither a start-up nor a rate."""

Row = dict[str, Any]
Ports = int | Literal["all"]


def main(report: str, longest: int, less: int = 0) -> None:
    comm = MPI.COMM_WORLD
    ends = tuple(size >> min(less, 3) or size for size in SIZES)
    calibration = gc.calibrate(comm, "cube", sizes=ends, repeats=2 if less else 6)
    machine = calibration.machine
    content: Row = {"latency": latency(comm), "calibration": calibration.as_dict()}
    sizes = tuple(size >> less for size in LONG[: 1 if less else None] if size <= longest)
    trials = {
        "conversions": conversions(comm, machine, sizes, ITEM >> less),
        "grains": grains(comm, machine, LONG[0] >> less, GRAIN >> less or 1),
        "short blocks": short_blocks(
            comm, machine, SHORT[:: 4 if less else 1], 3 if less else 25
        ),
        "transforms": transforms(comm, machine, less),
        "mappings": mappings(comm, machine, less),
    }
    for name, trial in trials.items():
        known = content.setdefault(name, [])
        for row in trial:
            known.append(row)
            if comm.rank == 0:
                Path(report).write_text(json.dumps(content), encoding="ascii")
                shown = " ".join(str(value) for value in list(row.values())[:4])
                print(f"{comm.size} nodes, {name}: {shown}", file=sys.stderr)


def conversions(
    comm: Comm, machine: gc.Machine, sizes: Sequence[int], item: int
) -> Iterator[Row]:
    """All candidates for one port, two, and all, and one Alltoallv; long blocks."""
    for nbytes in sizes:
        some: list[Ports] = [1, 2, "all"]
        plans = {ports: planned(machine, nbytes, item, ports) for ports in some}
        users: dict[tuple[str, int], list[Ports]] = {}
        rivals: dict[tuple[str, int], gc.Plan] = {}
        for ports, plan in plans.items():
            for rival in candidates(plan):
                key = rival.algorithm, rival.rounds
                rivals.setdefault(key, rival)
                users.setdefault(key, []).append(ports)
        runs = 2 if nbytes > 4 << 20 else 4
        (whole,) = measured([alltoallv(comm, nbytes)], comm, runs)
        yield {"algorithm": "Alltoallv", "block": nbytes, **told(whole)}
        for key, made in zip(rivals, rows([*rivals.values()], comm, runs), strict=True):
            chosen = [p for p in users[key] if (plans[p].algorithm, plans[p].rounds) == key]
            yield made | {"ports": users[key], "chosen": chosen}


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
        yield from rows(plans, comm, runs)


def planned(
    machine: gc.Machine, nbytes: int, item: int, ports: Ports, algorithm: str = "auto"
) -> gc.Plan:
    """Gray to binary code of the nodes."""
    layouts = gc.Layout.nodes(machine.dims, "gray"), gc.Layout.nodes(machine.dims)
    machine = replace(machine, ports=ports)
    return gc.plan(
        *layouts, nbytes // item, itemsize=item, machine=machine, algorithm=algorithm
    )


def candidates(plan: gc.Plan) -> list[gc.Plan]:
    """A plan for every candidate that moves data."""
    found = (c.traffic for c in plan.candidates if c.algorithm.name != "relabel")
    return [replace(plan, schedule=t.schedule, traffic=t) for t in found if t is not None]


def rows(plans: Sequence[gc.Plan], comm: Comm, runs: int) -> Iterator[Row]:
    """Plans, predicted and measured; what they move is right."""
    task = plans[0].task
    block = np.full((task.block, task.itemsize), comm.rank, np.uint8)
    works = [plan.bind(block, comm) for plan in plans]
    found = measured([work.run for work in works], comm, runs)
    for plan, work, one in zip(plans, works, found, strict=True):
        if not (work.result == gc.gray(comm.rank)).all():
            raise ValueError(f"{plan.algorithm} on rank {comm.rank} is wrong")
        work.free()
        yield {
            "algorithm": plan.algorithm,
            "block": task.block_bytes,
            "rounds": plan.rounds,
            "predicted": plan.cost,
            "planned_bytes": plan.traffic.bytes,
            **told(one),
        }


def alltoallv(comm: Comm, nbytes: int) -> Callable[[], object]:
    """The whole block to the node where it belongs, by MPI's own means."""
    target, source = gc.gray_inverse(comm.rank), gc.gray(comm.rank)
    out, into = (np.ones(nbytes, np.uint8) for _ in range(2))
    amounts = [[nbytes * (u == other) for u in range(comm.size)] for other in (target, source)]
    return lambda: comm.Alltoallv([out, amounts[0]], [into, amounts[1]])


def told(found: Measured) -> Row:
    """What was measured."""
    sent = np.array(found.links)
    return {"seconds": found.seconds, "bytes": float(sent.sum()), "busiest": float(sent.max())}


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
