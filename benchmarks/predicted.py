"""The planner's choice against the fastest candidate, over a grid of tasks and sizes.

Calibrates first, then carries out every candidate of every plan. Run it on an idle machine:

    mpiexec -n 4 python benchmarks/predicted.py [ROUNDS]
"""

import sys
from statistics import median

from mpi4py import MPI

import graycube as gc

SIZES = tuple(1 << k for k in range(6, 24, 2))  # bytes of a block
MISS = 1.05


def tasks(n: int, nbytes: int) -> dict[str, tuple[gc.Layout, gc.Layout, int]]:
    """Layouts before and after, and elements of 8 bytes."""
    items = nbytes // 8
    slots = min(2 * n, items.bit_length() - 1)
    p = n + slots
    whole = {"cyclic to consecutive": (gc.Layout.cyclic(p, n), gc.Layout.consecutive(p, n))}
    half = (p - n) // 2
    if half >= n:
        rows = gc.Layout.mesh((1 << n + half, 1 << p - n - half), nodes=(1 << n, 1))
        across = gc.Layout.mesh((1 << n + half, 1 << p - n - half), nodes=(1, 1 << n))
        whole["transpose"] = (rows, across)
    if n > 1:
        whole["Gray to binary"] = (gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n))
    return {name: (*pair, items) for name, pair in whole.items() if pair[0].block_size <= items}


def main(rounds: int) -> None:
    comm = MPI.COMM_WORLD
    n = comm.size.bit_length() - 1
    calibration = gc.calibrate(comm, "here")
    if comm.rank == 0:
        print(calibration, flush=True)
        print(f"{'task':24}{'bytes':>10}  {'choice':14}{'fastest':14} regret  ratio")
    regrets = []
    for nbytes in SIZES:
        for name, (source, target, items) in tasks(n, nbytes).items():
            machine = calibration.machine
            plan = gc.plan(source, target, items, itemsize=8, machine=machine)
            found = gc.bench(plan, comm, rounds)
            regrets.append(found.regret)
            choice = next(t for t in found.candidates if t.algorithm == found.chosen)
            if comm.rank == 0:
                figures = f"{found.regret:6.2f}  {choice.seconds / choice.predicted:8.2f}"
                names = f"{found.chosen:14}{found.fastest.algorithm:14}"
                mark = "  a miss" if found.regret > MISS else ""
                print(f"{name:24}{nbytes:>10}  {names} {figures}{mark}", flush=True)
    if comm.rank == 0:
        misses = sum(regret > MISS for regret in regrets)
        print(f"regret: median {median(regrets):.3f}, worst {max(regrets):.2f}; ", end="")
        print(f"{misses} of {len(regrets)} choices are more than 5 percent off the fastest")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
