"""Plans between random pairs of layouts: how near they come to the lower bound.

    python benchmarks/any_to_any.py [PAIRS]

Meshes with random shapes, codes, allocations, wirings and divisions among the nodes, and
random invertible maps, p <= 14 and n <= 7, with 64 elements behind every slot, on machines
priced by volume. Besides the ratio of the price to the bound there is the ratio of the bytes
that cross links to the fewest that can, and what the direct all-to-all costs. Then the time it
takes to make and prove plans for large cubes. Every plan is proved.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.gf2 import AffineMap, Matrix

PAIRS = 1000
BEHIND = 64
CODES: tuple[Literal["binary", "gray"], ...] = ("binary", "gray")
ALLOCATIONS: tuple[Literal["consecutive", "cyclic"], ...] = ("consecutive", "cyclic")
Options = dict[str, Any]
MACHINES: tuple[tuple[str, Options], ...] = (
    ("one port", {"ports": 1}),
    ("all ports", {"ports": "all"}),
    ("circuits", {"ports": 1, "switching": "circuit"}),
)
Pair = tuple[gc.Layout, gc.Layout]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one plan shows."""

    gap: float
    volume: float
    direct: float
    algorithm: str


def meshes(rng: np.random.Generator) -> Pair:
    """Two layouts of one mesh, divided and coded in any way."""
    n = int(rng.integers(1, 8))
    bits = np.bincount(rng.integers(0, 3, size=rng.integers(n + 1, 15)), minlength=3)
    return mesh(rng, bits, n), mesh(rng, bits, n)


def mesh(rng: np.random.Generator, bits: NDArray[np.int64], n: int) -> gc.Layout:
    """An array of 2^bits elements along each axis."""
    axes = rng.permutation(np.repeat(np.arange(3), bits))[:n]
    over = np.bincount(axes, minlength=3)
    wires = np.split(rng.permutation(n), np.cumsum(over)[:-1])
    return gc.Layout.mesh(
        [1 << int(b) for b in bits],
        nodes=[1 << int(b) for b in over],
        code=[CODES[k] for k in rng.integers(2, size=3)],
        slots=[CODES[k] for k in rng.integers(2, size=3)],
        allocation=[ALLOCATIONS[k] for k in rng.integers(2, size=3)],
        dims=[[int(d) for d in some] for some in wires],
    )


def maps(rng: np.random.Generator) -> Pair:
    """Two random invertible maps."""
    n = int(rng.integers(1, 8))
    p = int(rng.integers(n + 1, 15))
    return scrambled(rng, p, n), scrambled(rng, p, n)


def scrambled(rng: np.random.Generator, p: int, n: int) -> gc.Layout:
    """A layout by a random invertible map: rows are drawn until they are independent."""
    while True:
        rows = [int(row) for row in rng.integers(0, 1 << p, size=p)]
        matrix = Matrix.from_rows(rows, p)
        if matrix.is_invertible():
            return gc.Layout(AffineMap(matrix, int(rng.integers(0, 1 << p))), n)


def seen(pair: Pair, options: Options) -> Seen | None:
    """The plan of a pair, if anything has to move."""
    source, target = pair
    machine = gc.Machine(dims=source.n, **options)
    plan = gc.plan(source, target, source.block_size * BEHIND, machine=machine)
    if not plan.verify():
        raise AssertionError(plan)
    if not plan.lower_bound:
        return None
    costs = {c.algorithm.name: c.cost for c in plan.candidates}
    direct = min(costs["all-to-all"], costs["direct"])
    fewest = least_crossings(plan.task)
    volume = plan.traffic.crossings / fewest
    return Seen(plan.cost / plan.lower_bound, volume, direct / plan.cost, plan.algorithm)


def least_crossings(task: gc.Task) -> float:
    """How often links are crossed at least: the sum of all distances."""
    rows, constant = task.move.matrix.rows, task.move.constant
    halves = (1 if rows[d] != 1 << d else 2 * (constant >> d & 1) for d in range(task.n))
    return sum(halves) / 2 * (task.block << task.n)


def gaps(pairs: int) -> Iterator[str]:
    """One line for each machine and kind of pair."""
    yield f"{'':24} {'price / bound':>22} {'bytes / fewest':>16} {'direct / price':>16}"
    yield f"{'':24} {'median':>10} {'worst':>11} {'worst':>16} {'median':>16}"
    for kind in (meshes, maps):
        for name, options in MACHINES:
            rng = np.random.default_rng(7)
            found = [s for _ in range(pairs) if (s := seen(kind(rng), options))]
            figures = (
                median(s.gap for s in found),
                max(s.gap for s in found),
                max(s.volume for s in found),
                median(s.direct for s in found),
            )
            used = ", ".join(f"{a} {c}" for a, c in Counter(s.algorithm for s in found).items())
            columns = (
                f"{figures[0]:10.3f} {figures[1]:11.3f} {figures[2]:16.3f} {figures[3]:16.3f}"
            )
            yield f"{f'{kind.__name__}, {name}':24} {columns}  ({used})"


def large() -> Iterator[str]:
    """Random mesh conversions on large cubes."""
    for n in (10, 16, 20, 30):
        for name, options in MACHINES:
            rng = np.random.default_rng(n)
            bits = np.array([n, n - n // 2, n // 2])
            pair = mesh(rng, bits, n), mesh(rng, bits, n)
            machine = gc.Machine(dims=n, startup=1e-4, per_byte=1e-9, **options)
            start = perf_counter()
            plan = gc.plan(*pair, pair[0].block_size * BEHIND, machine=machine)
            made = perf_counter() - start
            start = perf_counter()
            proved = bool(plan.verify())
            taken = perf_counter() - start
            yield (
                f"n = {n}, {name}: {plan.algorithm} in {made:.3f} s, "
                f"proved {proved} in {taken:.3f} s"
            )


if __name__ == "__main__":
    for line in (*gaps(int(sys.argv[1]) if sys.argv[1:] else PAIRS), *large()):
        print(line)
