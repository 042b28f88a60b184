"""Sorting over MPI: ours beside a sample sort of 30 lines, and beside gathering everything.

``mpiexec -n 4 python benchmarks/sort.py [BITS] [TIMES]``
"""

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from mpi4py import MPI

import graycube as gc

COMM = MPI.COMM_WORLD
Keys = np.ndarray[Any, Any]


def sample_sort(own: Keys) -> Keys:
    """Splitters from 64 samples a rank; blocks differ as they happen to."""
    own = np.sort(own)
    each = own[np.linspace(0, len(own) - 1, 64).astype(int)]
    samples = np.sort(np.concatenate(COMM.allgather(each)))
    splitters = samples[np.arange(1, COMM.size) * len(samples) // COMM.size]
    sent = np.diff(np.searchsorted(own, splitters), prepend=0, append=len(own))
    coming = np.array(COMM.alltoall(sent.tolist()))
    found = np.empty(coming.sum(), own.dtype)
    COMM.Alltoallv([own, sent], [found, coming])
    found.sort()
    return found


def gathered(own: Keys) -> Keys:
    """Everything on rank 0, which sorts it and sends it back."""
    whole = np.empty(COMM.size * len(own)) if COMM.rank == 0 else None
    COMM.Gather(own, whole)
    if whole is not None:
        whole.sort()
    found = np.empty_like(own)
    COMM.Scatter(whole, found)
    return found


def seconds(call: Callable[[], object]) -> float:
    COMM.Barrier()
    start = perf_counter()
    call()
    COMM.Barrier()
    return perf_counter() - start


def keys(name: str, count: int) -> Keys:
    rng = np.random.default_rng(COMM.rank)
    made: dict[str, Callable[[], Keys]] = {
        "random": lambda: rng.standard_normal(count),
        "skewed": lambda: rng.pareto(0.3, count),
        "constant": lambda: np.full(count, 1.5),
        "sorted": lambda: np.arange(COMM.rank * count, (COMM.rank + 1) * count, dtype=float),
        "reversed": lambda: -np.arange(COMM.rank * count, (COMM.rank + 1) * count, dtype=float),
        "half NaN": lambda: np.where(rng.random(count) < 0.5, np.nan, rng.random(count)),
    }
    return made[name]()


def main(bits: int = 22, times: int = 9) -> None:
    count = (1 << bits) // COMM.size
    layout = gc.Layout.consecutive(bits, COMM.size.bit_length() - 1)
    for name in ("random", "skewed", "constant", "sorted", "reversed", "half NaN"):
        own = keys(name, count)
        u = gc.CubeArray(own[None], layout, COMM)
        ways = {
            "np.sort": lambda u=u: np.sort(u),
            "np.argsort": lambda u=u: np.argsort(u),
            "sample sort": lambda own=own: sample_sort(own),
            "gathered": lambda own=own: gathered(own),
        }
        runs: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(times):
            for way, call in ways.items():
                runs[way].append(seconds(call))
        largest = COMM.allreduce(len(sample_sort(own)), MPI.MAX) / count
        if COMM.rank == 0:
            ours = runs["np.sort"]
            ratios = ", ".join(
                f"{way} {median(b / a for a, b in zip(ours, theirs, strict=True)):.2f}"
                for way, theirs in runs.items()
                if way != "np.sort"
            )
            print(
                f"{name:9} np.sort {1e3 * median(ours):7.1f} ms; times ours: {ratios};", end=" "
            )
            print(f"largest block of the sample sort: {largest:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
