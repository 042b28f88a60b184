"""What a copy costs, depending on where in their pages two arrays begin.

    python benchmarks/pages.py

Blocks of 128 KiB are copied from the beginning of a page, as they are when ranks read memory
that they share, to some bytes into another one.
"""

from functools import partial
from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

BLOCK, BLOCKS, PAGE, ROUNDS = 1 << 17, 128, 4096, 15
PLACES = (0, 16, 32, 64, 1024, 2048, 4080)


def room() -> NDArray[np.uint8]:
    """Blocks from the beginning of a page on, and a page more."""
    memory = np.ones((BLOCKS + 1) * BLOCK, np.uint8)
    return memory[-memory.ctypes.data % PAGE :]


def main() -> None:
    source, target = room(), room()
    copies = {
        place: [
            partial(np.copyto, target[k + place :][:BLOCK], source[k : k + BLOCK])
            for k in range(0, BLOCKS * BLOCK - BLOCK, BLOCK)
        ]
        for place in PLACES
    }
    seconds: dict[int, list[float]] = {place: [] for place in PLACES}
    for _ in range(ROUNDS):
        for place, work in copies.items():
            start = perf_counter()
            for copy in work:
                copy()
            seconds[place].append(perf_counter() - start)
    for place, times in seconds.items():
        ratios = [a / b for a, b in zip(times, seconds[0], strict=True)]
        print(
            f"{place:5} bytes into a page: {1e3 * median(times):6.2f} ms, {median(ratios):.2f}"
        )


if __name__ == "__main__":
    main()
