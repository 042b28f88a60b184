"""Walsh-Hadamard beside Fourier transforms of the same data, and running sums beside mpi4py's.

mpiexec -n 4 python benchmarks/walsh.py [ROUNDS] [BITS]
"""

import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from statistics import median, quantiles
from time import perf_counter

import numpy as np
from mpi4py import MPI

import graycube as gc
from graycube.butterflies import groups
from graycube.fourier import passes

Calls = dict[str, Callable[[], object]]


def crossing(layout: gc.Layout, places: list[gc.gf2.AffineMap]) -> int:
    """How many elements change their node from place to place, all of them looked at."""
    words = np.arange(1 << layout.p)
    nodes = [place(words) & (1 << layout.n) - 1 for place in (layout.map, *places)]
    return sum(int((one != other).sum()) for one, other in pairwise(nodes))


def walsh_places(layout: gc.Layout) -> list[gc.gf2.AffineMap]:
    """Where a Walsh-Hadamard transform takes elements: the stages in memory come first."""
    bits = range(layout.p)[::-1]
    local = sorted(bits, key=lambda bit: layout.node_change(1 << bit) != 0)
    return [group.place for group in groups(layout, local)]


def transforms(comm: MPI.Intracomm, p: int) -> None:
    n = comm.size.bit_length() - 1
    small = min(p, 16)
    for name, make in (("cyclic", gc.Layout.cyclic), ("consecutive", gc.Layout.consecutive)):
        layout, few = make(p, n, nodes="gray"), make(small, n, nodes="gray")
        counted = [
            crossing(few, places) / 2**small
            for places in (walsh_places(few), [step.place for step in passes(few, 0)[0]])
        ]
        for dtype in ("float64", "complex128"):
            x = np.random.default_rng(0).standard_normal(1 << p).astype(dtype)
            a = gc.CubeArray.from_numpy(x, layout, comm)
            size = np.dtype(dtype).itemsize * 2.0**p / 1e6
            if comm.rank == 0:
                sent = f"{counted[0] * size:.1f} MB and {counted[1] * 16 * 2.0**p / 1e6:.1f} MB"
                print(f"{name} {dtype}: {sent} change their node")
            calls: Calls = {
                "fft": partial(gc.fft, a),
                "hadamard": partial(gc.hadamard, a),
            }
            race(comm, calls)


def sums(comm: MPI.Intracomm, p: int) -> None:
    n = comm.size.bit_length() - 1
    layout = gc.Layout.consecutive(p, n, nodes="binary")
    u = gc.CubeArray.from_numpy(np.ones(1 << p), layout, comm)
    block = u.blocks[0]

    def by_hand() -> object:
        made = np.cumsum(block)
        before = comm.exscan(made[-1])
        if before is not None:
            made += before
        return made

    if comm.rank == 0:
        print(f"running sums of 2^{p} float64")
    race(comm, {"comm.exscan": by_hand, "cumsum": lambda: u.cumsum(0)})


def race(comm: MPI.Intracomm, calls: Calls) -> None:
    """The times of all, one after the other in each round, and ratios to the first one."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS + 1):
        for name, call in calls.items():
            comm.Barrier()
            start = perf_counter()
            call()
            times[name].append(comm.allreduce(perf_counter() - start, MPI.MAX))
    if comm.rank == 0:
        first = next(iter(times.values()))[1:]
        for name, took in times.items():
            low, middle, high = quantiles(
                [t / one for t, one in zip(took[1:], first, strict=True)]
            )
            spent = f"{1e3 * median(took[1:]):8.2f} ms"
            print(f"  {name:12}{spent}  {middle:5.2f} ({low:.2f} - {high:.2f})", flush=True)


ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 11

if __name__ == "__main__":
    bits = int(sys.argv[2]) if len(sys.argv) > 2 else 22
    transforms(MPI.COMM_WORLD, bits)
    sums(MPI.COMM_WORLD, bits)
