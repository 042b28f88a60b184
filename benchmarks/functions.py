"""What NumPy's functions take of arrays over ranks, beside NumPy in one process.

    mpiexec -n 2 python benchmarks/functions.py [SIDE] [ROUNDS] [NAME ...]

Each line has milliseconds of processor time: of all ranks together, and of NumPy for the whole
array, and how often the second goes into the first. So a function that is shared out without
loss has 1, and one whose elements all go to another rank about 4: they are written to shared
memory and read there, into memory that is new. Least of the rounds.
"""

import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from mpi4py import MPI

import graycube as gc

Call = Callable[[], object]


def calls(u: Any, v: Any, x: Any) -> dict[str, Call]:  # noqa: ANN401 - arrays of either kind
    """What is called with two arrays of two axes, and one of one axis."""
    n = u.shape[0]
    return {
        "u + v": lambda: u + v,
        "sin": lambda: np.sin(u),
        "where": lambda: np.where(u > 0, u, v),
        "sum": lambda: np.sum(u),
        "sum, axis=0": lambda: np.sum(u, axis=0),
        "argmax": lambda: np.argmax(u),
        "std": lambda: np.std(u),
        "cumsum": lambda: np.cumsum(x),
        "diff, axis=0": lambda: np.diff(u, axis=0),
        "gradient": lambda: np.gradient(u),
        "roll, axis=0": lambda: np.roll(u, 3, axis=0),
        "flip, axis=0": lambda: np.flip(u, axis=0) + 0,
        "transpose": lambda: np.swapaxes(u, 0, 1) + 0,
        "concatenate": lambda: np.concatenate([u, v]),
        "concatenate, axis=1": lambda: np.concatenate([u, v], axis=1),
        "split": lambda: [part + 0 for part in np.split(u, 2)],
        "pad": lambda: np.pad(u, 2),
        "take": lambda: np.take(u, np.arange(0, n, 3), axis=0),
        "take, any order": lambda: np.take(x, np.arange(n**2) * 5 % n**2),
        "repeat": lambda: np.repeat(x, 2),
        "tile": lambda: np.tile(x, 2),
        "sort": lambda: np.sort(x),
        "argsort": lambda: np.argsort(x),
        "median": lambda: np.median(x),
        "histogram": lambda: np.histogram(x, 50),
        "unique": lambda: np.unique(np.round(x, 3)),
        "einsum": lambda: np.einsum("ij,ij->i", u, v),
    }


def seconds(call: Call, comm: MPI.Intracomm, rounds: int) -> float:
    """The least processor time of all ranks together."""
    call()
    found = list[float]()
    for _ in range(rounds):
        comm.Barrier()
        start = process_time()
        call()
        found.append(comm.allreduce(process_time() - start))
    return min(found)


def main(side: str = "1024", rounds: str = "9", *names: str) -> None:
    comm, n = MPI.COMM_WORLD, int(side)
    whole = np.random.default_rng(0).standard_normal((2, n, n))
    lines, line = gc.Layout.mesh((n, n), (comm.size, 1)), gc.Layout.mesh(n * n, comm.size)
    u, v = whole
    arrays = [gc.CubeArray.from_numpy(x, lines, comm) for x in whole]
    arrays.append(gc.CubeArray.from_numpy(u.ravel(), line, comm))
    pairs = zip(calls(*arrays).items(), calls(u, v, u.ravel()).values(), strict=True)
    if comm.rank == 0:
        print(f"{n} x {n} float64 on {comm.size} ranks\n{'':22}    all   NumPy  ratio")
    for (name, ours), theirs in pairs:
        if names and name not in names:
            continue
        all_of_us = 1e3 * seconds(ours, comm, int(rounds))
        numpy = 1e3 * seconds(theirs, comm, int(rounds)) / comm.size
        if comm.rank == 0:
            print(
                f"{name:22} {all_of_us:6.1f} {numpy:7.1f} {all_of_us / numpy:6.1f}", flush=True
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
