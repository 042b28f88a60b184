"""What is tried on the ranks of one network of unequal links.

    unequal_trials.py NETWORK REPORT LESS

Plans are made for the machine that the network was built from. Only two figures are measured
beforehand: what a message costs to start, and what arithmetic costs. LESS makes blocks shorter
by so many bits.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from candidates import Ports, Row, rivals, same, told, tried
from measured import Comm, measured
from mpi4py import MPI
from programs import filled
from unequal import NETWORKS

import graycube as gc
from graycube.whole_files import write_whole

BLOCK = 20  # bits of the number of bytes in a block
PARTS = 6  # bits of the number of elements, so that messages are long
RUNS = 3
POINT = 16  # bytes of a complex number
Nodes = np.ndarray[Any, np.dtype[np.int64]]


def main(name: str, report: Path, less: int) -> None:
    comm = MPI.COMM_WORLD
    startup, arithmetic = measured_costs(comm)
    machine = replace(NETWORKS[name], startup=startup, arithmetic=arithmetic)
    rows: list[Row] = []
    for row in chain(
        moves(comm, machine, BLOCK - less),
        transforms(comm, machine, BLOCK - less),
        placements(comm, machine, BLOCK - less),
    ):
        rows.append(row)
        if comm.rank == 0:
            shown = " ".join(
                str(row[key]) for key in ("data", "algorithm", "predicted", "seconds")
            )
            print(f"{name}: {shown}", file=sys.stderr)
            content = {"startup": startup, "arithmetic": arithmetic, "rows": rows}
            write_whole(report, json.dumps(content))


def measured_costs(comm: Comm, times: int = 100) -> tuple[float, float]:
    """A start-up, and the seconds that a stage of butterflies takes for an element."""
    byte, longer = np.zeros((2, 8), np.uint8), np.zeros((comm.size, 1 << 16), np.uint8)
    for _ in range(4):  # every pair meets, and TCP begins
        comm.Alltoall(longer.copy(), longer)
    taken = np.zeros(times)
    for k in range(times):
        partner = comm.rank ^ 1 << k % (comm.size.bit_length() - 1)
        comm.Barrier()
        start = perf_counter()
        comm.Sendrecv(byte[0], partner, recvbuf=byte[1], source=partner)
        taken[k] = perf_counter() - start
    line = np.ones(1 << BLOCK, np.complex64)
    comm.Barrier()
    start = perf_counter()
    np.fft.fft(line)
    arithmetic = (perf_counter() - start) / (BLOCK << BLOCK)
    startup = np.quantile(np.max(comm.allgather(taken), axis=0), 0.25)
    return float(startup), float(np.median(comm.allgather(arithmetic)))


def for_ports(machine: gc.Machine) -> dict[Ports, gc.Machine]:
    """The machine, and on cubes also one whose nodes use a link at a time."""
    return {"all": machine} if machine.sides else {1: replace(machine, ports=1), "all": machine}


def moves(comm: Comm, machine: gc.Machine, bits: int) -> Iterator[Row]:
    """Conversions and transposes of blocks."""
    n, p = machine.dims, machine.dims + PARTS
    gray, binary = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    side = 1 << n + PARTS // 2
    pairs = {
        "Gray to binary code": (gray, binary),
        "binary to Gray code": (binary, gray),
        "cyclic to consecutive": (gc.Layout.cyclic(p, n), gc.Layout.consecutive(p, n)),
        "rows in Gray code to columns": (
            gc.Layout.mesh((side, side), nodes=(1 << n, 1), code="gray"),
            gc.Layout.mesh((side, side), nodes=(1, 1 << n)),
        ),
    }
    for data, (source, target) in pairs.items():
        elements = max(source.block_size, 1 << PARTS)
        plans = {
            ports: gc.plan(
                source, target, elements, itemsize=(1 << bits) // elements, machine=one
            )
            for ports, one in for_ports(machine).items()
        }
        yield from ({"data": data} | row for row in tried(plans, comm, RUNS, warm=False))


def transforms(comm: Comm, machine: gc.Machine, bits: int) -> Iterator[Row]:
    """Transforms of complex points, by all networks of the table."""
    n, p = machine.dims, machine.dims + bits - 4
    for kind in ("cyclic", "consecutive"):
        array = filled(getattr(gc.Layout, kind)(p, n), comm)
        spectrum = np.fft.fft(np.exp(0.7j * np.arange(1 << p)))
        made: dict[Any, tuple[gc.Plan, list[Ports], list[Ports]]] = {}
        for ports, one in for_ports(machine).items():
            plan = gc.plan_fft(array.layout, itemsize=POINT, machine=one)
            for rival in rivals(plan):
                _, users, choices = made.setdefault(same(rival), (rival, [], []))
                users.append(ports)
                choices.extend([ports] if same(rival) == same(plan) else [])
        plans = [plan for plan, _, _ in made.values()]
        results: list[gc.CubeArray] = [array] * len(plans)

        def work(k: int, array: gc.CubeArray, plan: gc.Plan, into: list[gc.CubeArray]) -> None:
            into[k] = gc.fft(array, plan=plan)

        works = [partial(work, k, array, plan, results) for k, plan in enumerate(plans)]
        timed = measured(works, comm, RUNS)  # the first ones make their scripts
        for k, (plan, users, chosen) in enumerate(made.values()):
            result, taken = results[k], timed[k]
            wanted = spectrum[result.layout.index(comm.rank, np.arange(len(result.blocks[0])))]
            if not np.allclose(result.blocks[0], wanted):
                raise ValueError(f"{plan.algorithm} on rank {comm.rank} is wrong")
            yield {
                "data": f"transform of {kind} points",
                "algorithm": plan.algorithm,
                "block": 1 << bits,
                "rounds": plan.rounds,
                "predicted": plan.cost,
                "planned_bytes": plan.traffic.bytes,
                **told(taken),
                "ports": users,
                "chosen": chosen,
            }


def placements(comm: Comm, machine: gc.Machine, bits: int) -> Iterator[Row]:
    """What ranks of a mesh exchange, in every order that was looked at and differs in load."""
    nodes = 1 << machine.dims
    for shape in ((nodes,), (nodes // 2, 2)):
        for kind in ("neighbours", "butterflies", "all_to_all"):
            parts = nodes if kind == "all_to_all" else 1
            sent: dict[str, Any] = {kind: float((1 << bits) // parts)}
            pattern = gc.Pattern.mesh(shape, **sent)
            placed = gc.place(pattern, machine)
            others = {c.load.busiest: c for c in reversed([placed.chosen, *placed.candidates])}
            considered = [*others.values()]
            works = [exchange(comm, pattern, one.order) for one in considered]
            timed = measured(works, comm, RUNS, warm=False)
            for one, found in zip(considered, timed, strict=True):
                yield {
                    "data": f"{kind.replace('_', ' ')} of {' x '.join(map(str, shape))}",
                    "algorithm": one.name,
                    "block": 1 << bits,
                    "rounds": 1,
                    "predicted": machine.cheapest.startup + one.load.busiest,
                    **told(found),
                    "ports": ["all"],
                    "chosen": ["all"] if one is placed.chosen else [],
                }


def exchange(comm: Comm, pattern: gc.Pattern, order: Nodes) -> Callable[[], object]:
    """All messages of this rank at once; ``order`` has the node of each place."""
    there = order.ravel()[np.stack([pattern.source, pattern.target])]
    messages = [*zip(*there.tolist(), pattern.nbytes.astype(int).tolist(), strict=True)]
    to = [(v, np.ones(nbytes, np.uint8)) for u, v, nbytes in messages if u == comm.rank]
    since = [(u, np.ones(nbytes, np.uint8)) for u, v, nbytes in messages if v == comm.rank]

    def run() -> None:
        waiting = [comm.Irecv(block, u) for u, block in since]
        waiting += [comm.Isend(block, v) for v, block in to]
        MPI.Request.Waitall(waiting)

    return run


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
