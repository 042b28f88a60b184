"""`gray` and `gray_inverse` against a plain copy, the NumPy expression, and SymPy.

Every round times all contenders one after the other, so that a slow phase of the machine hits
them all; what is printed are ratios within a round: median, and the range over the rounds.

    python benchmarks/gray.py [NUMBER_OF_VALUES] [ROUNDS]
"""

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np
from sympy.combinatorics.graycode import GrayCode

import graycube as gc
from graycube.gf2 import compiled

SYMPY_BITS = 16


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def report(name: str, ratios: list[float], unit: str) -> None:
    print(f"{name:42} {median(ratios):8.2f}  ({min(ratios):.2f} - {max(ratios):.2f}) {unit}")


def numpy_only(work: Callable[[], object]) -> float:
    """Time without the compiled loops, as on a machine without the fast extra."""
    installed = compiled.available
    compiled.available = lambda: False
    try:
        return seconds(work)
    finally:
        compiled.available = installed


def main(size: int, rounds: int) -> None:
    x = np.random.default_rng(0).integers(0, 2**64, size=size, dtype=np.uint64)
    one = np.uint64(1)
    gc.gray(x), gc.gray_inverse(x), x.copy()  # compile, and touch the memory
    rows: dict[str, list[float]] = {}
    for _ in range(rounds):
        copy = seconds(x.copy)
        times = {
            "the expression x ^ (x >> 1)": seconds(lambda: x ^ (x >> one)),
            "gray": seconds(lambda: gc.gray(x)),
            "gray_inverse": seconds(lambda: gc.gray_inverse(x)),
            "gray, without the fast extra": numpy_only(lambda: gc.gray(x)),
            "gray_inverse, without the fast extra": numpy_only(lambda: gc.gray_inverse(x)),
        }
        for name, elapsed in times.items():
            rows.setdefault(name, []).append(elapsed / copy)
    print(f"{size} uint64 values, {rounds} rounds, compiled loops: {compiled.available()}")
    for name, ratios in rows.items():
        report(name, ratios, "x the time of a copy")
    compare_with_sympy(rounds)


def compare_with_sympy(rounds: int) -> None:
    """All codes of SYMPY_BITS bits, once as SymPy gives them, once as an array."""
    ratios = [
        seconds(lambda: list(GrayCode(SYMPY_BITS).generate_gray()))
        / seconds(lambda: gc.gray(np.arange(1 << SYMPY_BITS)))
        for _ in range(rounds)
    ]
    report(f"SymPy's GrayCode({SYMPY_BITS}), all codes", ratios, "x the time of gray")


if __name__ == "__main__":
    arguments = [int(float(word)) for word in sys.argv[1:]]
    main(*(arguments + [10**8, 7][len(arguments) :]))
