"""A transform of 2^20 points over MPI: data in Gray code in times of data in binary code.

Both run in every round, and take turns to be first; a run ends when its slowest rank is done.

    mpiexec -n 4 python benchmarks/mpi_fft.py [ROUNDS]
"""

import sys
import time
from statistics import median, quantiles

import numpy as np
from mpi4py import MPI

import graycube as gc

POINTS = 20


def seconds(a: gc.CubeArray, comm: MPI.Intracomm) -> float:
    comm.Barrier()
    start = time.perf_counter()
    gc.fft(a)
    slowest: float = comm.allreduce(time.perf_counter() - start, op=MPI.MAX)
    return slowest


def main(rounds: int) -> None:
    comm = MPI.COMM_WORLD
    n = comm.size.bit_length() - 1
    for allocation in (gc.Layout.cyclic, gc.Layout.consecutive):
        layouts = [allocation(POINTS, n), allocation(POINTS, n, nodes="gray")]
        blocks = np.random.default_rng(comm.rank).standard_normal((1, layouts[0].block_size, 2))
        arrays = [gc.CubeArray(blocks.view(complex)[..., 0], each, comm) for each in layouts]
        for a in arrays:
            gc.fft(a)  # plan
        times: list[list[float]] = [[], []]
        for r in range(rounds):
            for k in (r % 2, 1 - r % 2):
                times[k].append(seconds(arrays[k], comm))
        ratios = [gray / binary for binary, gray in zip(*times, strict=True)]
        if comm.rank == 0:
            low, _, high = quantiles(ratios)
            spread = f"{median(ratios):.3f}, quartiles {low:.2f} - {high:.2f}"
            print(
                f"{allocation.__name__}: binary {1e3 * median(times[0]):.1f} ms, Gray {spread}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 61)
