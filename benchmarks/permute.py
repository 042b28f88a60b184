"""`gc.permute` against a copy by the same threads.

In every round each map is timed right after a copy, so that a slow phase hits both of them;
what is printed are their ratios: median, and the range over the rounds. Behind them stands what
the same loop takes, over a copy, if it reads and writes the same runs of memory in the same
order, and leaves their elements as they are: what the order of memory costs by itself.

    python benchmarks/permute.py [BITS] [THREADS] [ROUNDS]

The array has 2^BITS complex numbers; there are ten random maps.
"""

import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from statistics import median
from unittest.mock import patch

import numpy as np
import scipy.fft
from numpy.typing import NDArray

import graycube as gc
from graycube.errors import SingularError
from graycube.gf2 import AffineMap, Matrix, compiled, gray_matrix, permuting
from graycube.gf2.tiles import Tiling, tiles

RANDOM_MAPS = 10


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def random_map(p: int, random: np.random.Generator) -> AffineMap:
    while True:
        columns = tuple(random.integers(0, 1 << p, p).tolist())
        try:
            Matrix(columns, p).inverse()
        except SingularError:
            continue
        return AffineMap(Matrix(columns, p), int(random.integers(1 << p)))


def maps(p: int) -> dict[str, AffineMap]:
    random = np.random.default_rng(2306)
    return {
        "Gray": AffineMap(gray_matrix(p)),
        "inverse of Gray": AffineMap(gray_matrix(p).inverse()),
        "bit reversal": AffineMap(Matrix.permutation(range(p)[::-1])),
        "transpose": AffineMap(Matrix.permutation([*range(p // 2, p), *range(p // 2)])),
        **{f"random {k}": random_map(p, random) for k in range(RANDOM_MAPS)},
    }


def copy(source: NDArray[np.generic], target: NDArray[np.generic], threads: int) -> None:
    ends = [len(source) * k // threads for k in range(threads + 1)]
    parts = [slice(*pair) for pair in pairwise(ends)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda part: np.copyto(target[part], source[part]), parts))


def unchanged(move: AffineMap, most: int, line: int) -> Tiling:
    """The tiles of a map, whose elements keep their places in the buffer."""
    made = tiles(move, most, line)
    rows, columns = (np.arange(len(table)) for table in (made.rows, made.columns))
    return replace(
        made, rows=rows * len(columns), columns=columns, twists=np.zeros_like(made.twists)
    )


def spread(ratios: list[float]) -> str:
    return f"{median(ratios):6.2f}  ({min(ratios):.2f} - {max(ratios):.2f})"


def main(bits: int, threads: int, rounds: int) -> None:
    x = np.arange(1 << bits).astype(complex)
    y = np.zeros_like(x)
    found: dict[str, list[float]] = {}
    runs: dict[str, list[float]] = {}
    with scipy.fft.set_workers(threads):
        first = seconds(lambda: gc.permute(x, gray_matrix(bits), y))
        for name, move in maps(bits).items():
            gc.permute(x, move, y)
            some = np.random.default_rng(0).integers(0, 1 << bits, 1000)
            if not np.array_equal(y[move(some)], x[some]):
                raise SystemExit(f"{name} is wrong")
        for _ in range(rounds):
            for name, move in maps(bits).items():
                base = seconds(lambda: copy(x, y, threads))
                spent = seconds(lambda m=move: gc.permute(x, m, y))  # type: ignore[misc]
                found.setdefault(name, []).append(spent / base)
                with patch.object(permuting, "tiles", unchanged):
                    spent = seconds(lambda m=move: gc.permute(x, m, y))  # type: ignore[misc]
                runs.setdefault(name, []).append(spent / base)
    print(f"2^{bits} complex numbers, {threads} threads, {rounds} rounds,", end=" ")
    print(f"compiled: {compiled.available()}; the first call took {first:.1f} s")
    for name, ratios in found.items():
        print(f"{name:18} {spread(ratios)}   runs alone {spread(runs[name])}")
    middles = [median(ratios) for name, ratios in found.items() if name.startswith("random")]
    print(f"random maps: median {median(middles):.2f}, worst {max(middles):.2f}")


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    main(*(arguments + [24, 1, 5][len(arguments) :]))
