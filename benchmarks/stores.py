"""What stores cost in shared memory that another rank has read; filled before, or by copies.

    mpiexec -n 2 python benchmarks/stores.py [ROUNDS]

Rank 0 writes blocks with ordinary stores, and rank 1 reads them in between. It matters whether
their processors have a cache in common. That may change on a virtual machine: run it again.
"""

import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np
from mpi4py import MPI

from graycube.run.stores import in_bulk
from graycube.run.windows import Windows, windows

SIZES, LINE = (1 << 15, 1 << 17, 1 << 19, 1 << 21, 1 << 23), 64
WRITER = MPI.COMM_WORLD.rank == 0


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def race(shared: Windows, nbytes: int, rounds: int) -> list[float]:
    """The median of each way to write a block, before which the other rank reads it."""
    block = shared.buffers[0][:nbytes]
    numbers, own = block.view(float), np.empty(nbytes // 8)
    given = np.ones(max(SIZES) // 8)[: nbytes // 8]

    def filled() -> None:
        block.fill(0)
        np.negative(given, numbers)

    works = (
        partial(np.negative, given, own),
        partial(np.negative, given, numbers),
        filled,
        partial(np.copyto, numbers, given),
        in_bulk(numbers, given),
    )
    times = list[list[float]]()
    for _ in range(rounds):
        times.append([])
        for work in works:
            if not WRITER:
                numbers.sum()
            shared.meet()
            if WRITER:
                times[-1].append(seconds(work))
            shared.meet()
    return [median(each) for each in zip(*times, strict=True)]


def main() -> None:
    shared, rounds = windows(MPI.COMM_WORLD), int((sys.argv[1:] or ["200"])[0])
    if shared is None or shared.comm.size != 2 or not shared.reserve(max(SIZES)):
        sys.exit("this takes two ranks that share memory")
    for nbytes in SIZES:
        found = race(shared, nbytes, rounds)
        if WRITER:
            alone, read, filled, copied, bulk = (1e9 * time * LINE / nbytes for time in found)
            print(
                f"{nbytes >> 10:5} KiB: {alone:5.2f} ns a line in memory of its own, "
                f"{read:5.2f} where another rank has read, {filled:5.2f} filled first, "
                f"{copied:5.2f} copied, {bulk:5.2f} in pieces"
            )


if __name__ == "__main__":
    main()
