"""Layouts at p = 60, n = 30, and the price of `locate` on arrays.

python benchmarks/layout.py
"""

import time
from collections.abc import Callable
from statistics import median

import numpy as np

import graycube as gc

ROUNDS = 9
ELEMENTS = 1 << 22


def milliseconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - start))
    return median(times)


def huge_layouts() -> None:
    def build() -> gc.Layout:
        return gc.Layout.cyclic(60, 30, whole="gray")

    layout, other = build(), gc.Layout.consecutive(60, 30, nodes="gray")
    print("p = 60, n = 30, median milliseconds")
    for name, work in {
        "build": build,
        "compose with another": lambda: layout.conversion(other),
        "invert": layout.map.inverse,
        "print": lambda: str(layout),
        "locate one element": lambda: layout.locate(2**59 + 12345),
        "build, invert and locate back": lambda: build().index(77, 123456),
    }.items():
        print(f"  {name:32} {milliseconds(work):8.3f}")


def arrays() -> None:
    i = np.random.default_rng(0).integers(0, ELEMENTS, size=ELEMENTS)
    copy = milliseconds(i.copy)
    print(f"locate on {ELEMENTS} int64 indices, time over a copy of them")
    for name, layout in {
        "cyclic, binary": gc.Layout.cyclic(22, 8),
        "cyclic, entire address Gray": gc.Layout.cyclic(22, 8, whole="gray"),
        "mesh of two axes, Gray": gc.Layout.mesh((2048, 2048), (16, 16), code="gray"),
        "one axis of 3 x 2^21, Gray": gc.Layout.mesh((3 << 21,), (256,), code="gray"),
    }.items():
        print(f"  {name:32} {milliseconds(lambda at=layout: at.locate(i)) / copy:8.1f}")  # type: ignore[misc]


if __name__ == "__main__":
    huge_layouts()
    arrays()
