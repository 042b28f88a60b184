"""Halos of slabs by rows, relative to a plain ``Sendrecv`` of the same planes.

mpiexec -n 2 python benchmarks/slabs.py [ROUNDS]
"""

import sys
from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter
from unittest.mock import patch

import numpy as np
from mpi4py import MPI

import graycube as gc

SHAPES = ((128, 128, 128), (256, 256, 256), (32, 512, 512), (32, 512, 1024), (32, 1024, 1024))
ROUND = 0.02  # seconds of work in a round, more or less


def plain(comm: MPI.Intracomm, shape: tuple[int, ...]) -> Callable[[], object]:
    """The first and the last plane go to the neighbours on a ring."""
    field = np.ones((shape[0] // comm.size + 2, *shape[1:]))
    up, down = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size

    def exchange() -> None:
        comm.Sendrecv(field[1], down, recvbuf=field[-1], source=up)
        comm.Sendrecv(field[-2], up, recvbuf=field[0], source=down)

    return exchange


def contenders(
    comm: MPI.Intracomm, lone: MPI.Intracomm, shape: tuple[int, ...]
) -> dict[str, Callable[[], object]]:
    """The same exchange by MPI, as graycube does it, and in the ways that it leaves aside."""
    layout = gc.Layout.mesh(shape, nodes=(comm.size, 1, 1))
    reach = ((1, 1), (0, 0), (0, 0))
    near, far = (gc.CubeArray.from_numpy(np.ones(shape), layout, c) for c in (comm, lone))
    with patch("graycube.array.halo.borders.LARGE", 1 << 60):
        copied = near.halo(reach)
    return {
        "Sendrecv": plain(comm, shape),
        "graycube": near.halo(reach).exchange,
        "two copies": copied.exchange,
        "messages": far.halo(reach).exchange,
    }


def main(rounds: int) -> None:
    comm = MPI.COMM_WORLD
    lone = comm.Dup()
    with patch.dict("os.environ", GRAYCUBE_WINDOWS="0"):
        gc.CubeArray.from_numpy(
            np.ones(comm.size), gc.Layout.mesh((comm.size,), (comm.size,)), lone
        )
    for shape in SHAPES:
        calls = contenders(comm, lone, shape)
        nbytes = 8 * shape[1] * shape[2]
        each = max(4, round(ROUND / (2e-5 + 2e-10 * nbytes)))
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                call()
                comm.Barrier()
                start = perf_counter()
                for _ in range(each):
                    call()
                seconds = (perf_counter() - start) / each
                times[name].append(comm.allreduce(seconds, MPI.MAX))
        if comm.rank == 0:
            for name, took in times.items():
                ratios = [t / one for t, one in zip(took, times["Sendrecv"], strict=True)]
                low, middle, high = quantiles(ratios)
                figures = (
                    f"{1e6 * median(took):9.1f} us  {middle:5.2f} ({low:.2f} - {high:.2f})"
                )
                print(
                    f"{nbytes >> 10:5} KiB on {comm.size} ranks  {name:12}{figures}", flush=True
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 21)
