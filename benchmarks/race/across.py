"""What lines cost that lie across the rows of a block, beside lines that are rows.

    race/bin/python benchmarks/race/across.py [POINTS...]

A rank of two has half of a plane of POINTS x POINTS. FFTW's transposed order makes rows of the
lines of both axes; in the order of NumPy those of the first axis lie across.
"""

import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter

import ducc0
import numpy as np
import pyfftw

ROUNDS = 60


def works(points: int) -> dict[str, Callable[[], object]]:
    """By name: rows and columns, each from one array into another."""
    lines = points // 2
    found: dict[str, Callable[[], object]] = {}
    for name, shape, axis in (("rows", (lines, points), 1), ("columns", (points, lines), 0)):
        source, target = (pyfftw.empty_aligned(shape, complex) for _ in range(2))
        plan = pyfftw.FFTW(source, target, axes=(axis,), flags=("FFTW_MEASURE",))
        source[...] = np.linspace(0, 1, source.size).reshape(shape)
        found[f"{name}, FFTW"] = plan.execute
        found[f"{name}, ducc0"] = partial(ducc0.fft.c2c, source, axes=(axis,), out=target)
    return found


def main(*sizes: str) -> None:
    for points in map(int, sizes or ("256", "512", "1024")):
        timed = works(points)
        seconds: dict[str, list[float]] = {name: [] for name in timed}
        for _ in range(ROUNDS):
            for name, work in timed.items():
                start = perf_counter()
                work()
                seconds[name].append(perf_counter() - start)
        told = (f"{name} {1e3 * median(taken):.3f} ms" for name, taken in seconds.items())
        print(f"{points // 2} lines of {points} points: {', '.join(told)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
