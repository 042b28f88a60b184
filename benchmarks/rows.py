"""A bound exchange of rows as single items, relative to the same with rows of words.

mpiexec -n 2 python benchmarks/rows.py [ROUNDS]
"""

import sys
from contextlib import nullcontext
from statistics import quantiles
from time import perf_counter
from unittest.mock import patch

import numpy as np
from mpi4py import MPI

import graycube as gc

ROUND = 0.01  # seconds of work in a round, more or less
BY_WORDS = patch("graycube.run.execution._as_items", new=lambda rows: rows)


def main(rounds: int) -> None:
    comm = MPI.COMM_WORLD
    n = comm.size.bit_length() - 1
    machine = gc.Machine(n, switching="circuit", startup=1e-5, per_byte=1e-10)
    for row in (32, 64, 256):
        for nbytes in (1 << 14, 1 << 18, 1 << 21):
            p = n + (nbytes // row).bit_length() - 1
            layouts = gc.Layout.cyclic(p, n), gc.Layout.consecutive(p, n)
            plan = gc.plan(
                *layouts, nbytes // 8, itemsize=8, machine=machine, algorithm="exchange"
            )
            bound = []
            for how in (BY_WORDS, nullcontext()):
                with how:
                    bound.append(plan.bind(np.ones(nbytes // 8), comm))
            each = max(2, round(ROUND / (3e-5 + 4e-10 * nbytes)))
            ratios = []
            for _ in range(rounds):
                took = []
                for one in bound:
                    one.run()
                    comm.Barrier()
                    start = perf_counter()
                    for _ in range(each):
                        one.run()
                    took.append(comm.allreduce(perf_counter() - start, MPI.MAX))
                ratios.append(took[1] / took[0])
            for one in bound:
                one.free()
            if comm.rank == 0:
                low, middle, high = quantiles(ratios)
                figures = f"{middle:.2f} ({low:.2f} - {high:.2f})"
                print(f"rows of {row} B, {nbytes >> 10} KiB, {comm.size} ranks: {figures}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 21)
