"""Sums of small arrays over ranks of one machine, beside ``comm.allreduce`` of the local sum.

mpiexec -n 4 python benchmarks/sums.py [ROUNDS]
"""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from statistics import median, quantiles
from time import perf_counter
from unittest.mock import patch

import numpy as np
from mpi4py import MPI

import graycube as gc

EACH = 50  # calls in a round
_BY_MESSAGES = patch("graycube.array.reducing.reductions._noted", new=lambda *_: None)


def contenders(comm: MPI.Intracomm, length: int) -> dict[str, Callable[[], object]]:
    """Sums of ``length`` numbers cubed: what MPI does, and what graycube does."""
    x = np.random.default_rng(0).random((length,) * 3)
    layout = gc.Layout.mesh(x.shape, nodes=(comm.size, 1, 1))
    a = gc.CubeArray.from_numpy(x, layout, comm=comm)

    return {
        "comm.allreduce": lambda: comm.allreduce(a.blocks.sum()),
        "sum, memory": a.sum,
        "sum, messages": a.sum,
        "vdot, memory": lambda: np.vdot(a, a),
    }


def main(rounds: int) -> None:
    comm = MPI.COMM_WORLD
    for length in (32, 64):
        calls = contenders(comm, length)
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                with _BY_MESSAGES if "messages" in name else nullcontext():
                    call()
                    comm.Barrier()
                    start = perf_counter()
                    for _ in range(EACH):
                        call()
                    each = (perf_counter() - start) / EACH
                times[name].append(comm.allreduce(each, MPI.MAX))
        if comm.rank == 0:
            plain = times["comm.allreduce"]
            for name, took in times.items():
                ratios = [t / one for t, one in zip(took, plain, strict=True)]
                low, middle, high = quantiles(ratios)
                figures = (
                    f"{1e6 * median(took):8.1f} us  {middle:5.2f} ({low:.2f} - {high:.2f})"
                )
                print(f"{length}^3 on {comm.size} ranks  {name:16}{figures}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
