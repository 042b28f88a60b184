"""A transform of 2^22 points on virtual nodes, as a ratio to scipy.fft on one array.

Every round runs all contenders one after the other; what is printed are the median and the
range of the ratios over the rounds. SciPy uses one thread in all of them.

    python benchmarks/fft.py [ROUNDS]
"""

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np
import scipy.fft

import graycube as gc
from graycube.array.moving import moved
from graycube.fourier import along
from graycube.fourier.engine import transformed

POINTS = 22


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def contenders(x: np.ndarray) -> dict[str, Callable[[], object]]:
    works: dict[str, Callable[[], object]] = {"scipy": lambda: scipy.fft.fft(x)}
    for allocation in (gc.Layout.cyclic, gc.Layout.consecutive):
        for n in (4, 8):
            for code in ("binary", "gray"):
                layout = allocation(POINTS, n, nodes=code)
                a = gc.CubeArray.from_numpy(x, layout)
                name = f"{allocation.__name__}, 2^{n} nodes, {code}"
                works[name] = lambda a=a: gc.fft(a)  # type: ignore[misc]
    return works


def report(name: str, ratios: list[float]) -> None:
    print(f"  {name:36} {median(ratios):6.2f}  ({min(ratios):.2f} - {max(ratios):.2f})")


def main(rounds: int) -> None:
    generator = np.random.default_rng(0)
    x = generator.standard_normal(1 << POINTS) + 1j * generator.standard_normal(1 << POINTS)
    works = contenders(x)
    for work in works.values():
        work()  # plan
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(seconds(work))
    print(f"2^{POINTS} complex points, {rounds} rounds, in times of scipy.fft.fft")
    for name, values in times.items():
        if name != "scipy":
            pairs = zip(values, times["scipy"], strict=True)
            report(name, [ours / theirs for ours, theirs in pairs])
    print("Gray in times of binary")
    for name in [name for name in works if name.endswith("gray")]:
        pairs = zip(times[name], times[name.replace("gray", "binary")], strict=True)
        report(name.removesuffix(", gray"), [gray / binary for gray, binary in pairs])
    where(x)


def where(x: np.ndarray) -> None:
    print("where the time goes: cyclic, 2^8 nodes, gray; milliseconds, once")
    layout = gc.Layout.cyclic(POINTS, 8, nodes="gray")
    blocks = layout.scatter(x)
    planned = along(layout, 0, "complex128", inverse=False)
    for group, step in zip(planned.passes, planned.steps, strict=True):
        start = time.perf_counter()
        held = moved(blocks, layout, step.before, group.place, None)
        fetched = time.perf_counter()
        held = transformed(held.reshape(step.shape), step.axis, inverse=False)
        done = time.perf_counter()
        if step.factors is not None:
            held *= step.factors
        end = time.perf_counter()
        parts = f"moved {1e3 * (fetched - start):.0f}, transformed {1e3 * (done - fetched):.0f}"
        print(f"  bits {group.low} to {group.high}: {parts}, factors {1e3 * (end - done):.0f}")
        blocks = held.reshape(blocks.shape)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
