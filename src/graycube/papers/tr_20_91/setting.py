"""Sections 1, 4 and 4.1: grids, allocations, and what the two kinds of routes load."""

from collections.abc import Iterator

import numpy as np

import graycube as gc
from graycube.cost import replay
from graycube.papers import Case, Claim, require, tried
from graycube.papers.codes import compositions, reflected
from graycube.schedule import expand

from .cubes import exchanges
from .model import all_ports, cycles_of, schedule


@tried
def grids(n: int, d: int) -> bool:
    """Neighbours along every axis of every grid of so many axes, axes closed to rings."""
    return set().union(*map(_hops, compositions(n, d, least=2))) == {1}


def _hops(widths: tuple[int, ...]) -> set[int]:
    """The distances of neighbours, with the code of each axis in a field of its own."""
    lengths = [1 << width for width in widths]
    points = np.indices(lengths)
    ours = gc.Layout.mesh(lengths, nodes=lengths, code="gray").locate(*points)[0]
    shifts = [sum(widths[axis + 1 :]) for axis in range(len(widths))]
    coded = [reflected(w)[p] << s for w, p, s in zip(widths, points, shifts, strict=True)]
    require(np.array_equal(np.sum(coded, axis=0), ours), "the layout is another one")
    shifted = (np.roll(ours, 1, axis=axis) for axis in range(len(widths)))
    return {
        hops for there in shifted for hops in np.bitwise_count(ours ^ there).ravel().tolist()
    }


@tried
def allocations(n: int, m: int) -> bool:
    """Both allocations, element by element; a conversion moves whole blocks, and the data."""
    i, node = np.arange(1 << n + m), reflected(n)
    places = {"consecutive": (node[i >> m], i & (1 << m) - 1),
              "cyclic": (node[i & (1 << n) - 1], i >> n)}  # fmt: skip
    for name, (u, slot) in places.items():
        make = getattr(gc.Layout, name)
        gray, binary = make(n + m, n, nodes="gray"), make(n + m, n)
        where = gray.locate(i)
        plan = gc.plan(gray, binary, 1 << m, machine=all_ports(n), algorithm="minimum-path")
        moved = binary.gather(plan.apply(gray.scatter(i)))
        sound = plan.verify() and plan.cycles == max(n - 1, 1 << m)
        placed = np.array_equal(where[0], u) and np.array_equal(where[1], slot)
        if not (sound and placed and np.array_equal(moved, i)):
            return False
    return True


@tried
def loads(n: int, K: int) -> bool:
    """Shortest paths load all links together less, but the busiest one more."""
    names = "minimum-path", "nonminimum-ring"
    made = [schedule(name, (n,), K) for name in names]
    short, wide = (replay(expand(s)).link_loads for s in made)
    return bool(short.sum() < wide.sum() and K == short.max() > wide.max())


def two_cube_edges(claim: Claim) -> Iterator[Case]:
    """For n = 2 shortest paths use one of two edges in dimension 0, and none in dimension 1."""
    for n, dimension, printed in claim.figures:
        ours = sum(d == dimension for _, d in exchanges(n))
        yield Case(f"dimension {dimension}", f"{printed} edges", f"{ours}", ours == printed)


@tried
def improvement(n: int, K: int) -> bool:
    """Cycles of the pipeline less those with detours, which is about a third of K."""
    before, after = (cycles_of(a, (n,), K) for a in ("pipelined", "nonminimum-path"))
    return K / 3 - 1 <= before - after <= (K + n) / 3
