"""The planner's choice against the fastest candidate, over a grid of tasks and sizes.

Calibrates first, then carries out every candidate of every plan. What the planner would choose
if rows cost nothing to gather stands beside its choice. Run it on an idle machine:

    mpiexec -n 4 python benchmarks/predicted.py [ROUNDS]
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from mpi4py import MPI

import graycube as gc

SIZES = tuple(1 << k for k in range(6, 24, 2))  # bytes of a block
MISS = 1.05


def tasks(n: int, nbytes: int) -> dict[str, tuple[gc.Layout, gc.Layout, int]]:
    """Layouts before and after, and elements of 8 bytes."""
    items = nbytes // 8
    bits = items.bit_length() - 1
    found = dict(between(n, n + min(2 * n, bits)))
    found |= {f"{name}, single": pair for name, pair in between(n, n + bits)}
    if n > 1:
        found["Gray to binary"] = (gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n))
    return {name: (*pair, items) for name, pair in found.items() if pair[0].block_size <= items}


def between(n: int, p: int) -> Iterator[tuple[str, tuple[gc.Layout, gc.Layout]]]:
    """Tasks of addresses with p bits; the rest of a block is payload."""
    yield "cyclic to consecutive", (gc.Layout.cyclic(p, n), gc.Layout.consecutive(p, n))
    half = (p - n) // 2
    if half >= n:
        shape = 1 << n + half, 1 << p - n - half
        rows, across = (gc.Layout.mesh(shape, nodes) for nodes in ((1 << n, 1), (1, 1 << n)))
        yield "transpose", (rows, across)


def main(rounds: int) -> None:
    comm = MPI.COMM_WORLD
    n = comm.size.bit_length() - 1
    calibration = gc.calibrate(comm, "here")
    machine, plain = calibration.machine, replace(calibration.machine, per_row=0.0)
    if comm.rank == 0:
        print(calibration, flush=True)
        print(
            f"{'task':30}{'bytes':>8}  {'choice':14}{'without rows':14}{'fastest':14}", end=""
        )
        print(" regret without   ratio without")
    regrets, before, ratios = [], [], []
    for nbytes in SIZES:
        for name, (source, target, items) in tasks(n, nbytes).items():
            plan = gc.plan(source, target, items, itemsize=8, machine=machine)
            other = gc.plan(source, target, items, itemsize=8, machine=plain)
            found = gc.bench(plan, comm, rounds)
            seconds = {t.algorithm: t.seconds for t in found.candidates}
            least = found.fastest.seconds
            regrets.append(found.regret)
            before.append(seconds[other.algorithm] / least)
            took = seconds[plan.algorithm]
            ratios.append((took / plan.cost, took / plan.traffic.time(plain)))
            if comm.rank == 0:
                names = f"{found.chosen:14}{other.algorithm:14}{found.fastest.algorithm:14}"
                figures = f"{regrets[-1]:7.2f}{before[-1]:8.2f}"
                figures += f"{ratios[-1][0]:8.2f}{ratios[-1][1]:8.2f}"
                mark = "  a miss" if found.regret > MISS else ""
                print(f"{name:30}{nbytes:>8}  {names}{figures}{mark}", flush=True)
    if comm.rank == 0:
        for what, all_of in (("regret", regrets), ("without rows", before)):
            misses = sum(regret > MISS for regret in all_of)
            print(f"{what}: median {median(all_of):.3f}, worst {max(all_of):.2f}; ", end="")
            print(f"{misses} of {len(all_of)} choices are more than 5 percent off the fastest")
        both = [median(column) for column in zip(*ratios, strict=True)]
        print(f"measured over predicted, median: {both[0]:.2f}, without rows {both[1]:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
