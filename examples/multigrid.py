"""Poisson's equation in a periodic square by multigrid: V-cycles down to one point.

``python multigrid.py``, or ``mpiexec -n 8 python multigrid.py``. The nodes are a Gray-coded
mesh, and each grid has every second point of the one before. Small grids are whole on every
node, so there nothing is sent.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import graycube as gc

STEPS = [1 / (1.15 + 0.85 * np.cos(np.pi * k / 6)) for k in (1, 3, 5)]  # Chebyshev's
SECOND_DIFFERENCES = [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
LINEAR = np.outer([0.5, 1, 0.5], [0.5, 1, 0.5])
SMALL = 8  # points along a side of the grids that are on every node


def smoothed(
    u: gc.CubeArray, f: gc.CubeArray, area: float
) -> tuple[gc.CubeArray, gc.CubeArray]:
    """The grid function after three steps, and its residual; points are sqrt(area) apart."""
    w = u.halo()
    for step in (*STEPS, 0):
        residual = f + w.correlate(SECOND_DIFFERENCES) / area
        if step:
            u = u + step * area / 4 * residual
            w.update(u)
    return u, residual


def blurred(u: gc.CubeArray) -> gc.CubeArray:
    """Each value, spread linearly over the points around it."""
    return u.halo(corners=True).correlate(LINEAR)


def cycle(
    u: gc.CubeArray, f: gc.CubeArray, area: float = 1
) -> tuple[gc.CubeArray, gc.CubeArray]:
    """A better u with -laplace(u) = f, and its residual."""
    if max(u.shape) == 1:
        return u, f
    u, residual = smoothed(u, f, area)
    gather = max(u.shape) if max(u.shape) <= 2 * SMALL else 1
    coarse = gc.coarsen(blurred(residual) / 4, 2, gather)
    found, _ = cycle(0 * coarse, coarse, 4 * area)
    return smoothed(u + blurred(gc.refine(found, 2, u.layout)), f, area)


def solve(
    layout: gc.Layout, cycles: int, comm: Any = None
) -> tuple[gc.CubeArray, gc.CubeArray, list[float]]:
    """Right side, solution, and the norm of the residual before and after each cycle."""
    f = gc.CubeArray.from_function(
        lambda i, j: np.sin(0.3 * i * i + j) + (i == 5) * (j == 2), layout, comm
    )
    f = f - f.mean()
    u, norms = 0 * f, [float(np.linalg.norm(f))]
    for _ in range(cycles):
        u, residual = cycle(u, f)
        norms.append(float(np.linalg.norm(residual)))
    return f, u, norms


def grids(layout: gc.Layout) -> Iterator[gc.Layout]:
    """The layouts of all grids that have neighbours."""
    u = gc.CubeArray.from_function(lambda i, j: 0 * (i + j), layout)
    while max(u.shape) > 1:
        yield u.layout
        u = gc.coarsen(u, 2)


def one_port(layout: gc.Layout) -> gc.Machine:
    """A cube that sends a message after the other, hop by hop, and takes a second for a hop."""
    return gc.Machine(layout.n, startup=1.0, per_byte=0.0)


def hops(layout: gc.Layout) -> list[tuple[float, float]]:
    """Messages one after the other in an exchange on each grid: on its own, and in place."""
    machine = one_port(layout)
    return [
        (gc.halo(grid, 1).time(machine), gc.halo(layout, 1, stride=1 << k).time(machine))
        for k, grid in enumerate(grids(layout))
    ]


def program(layout: gc.Layout) -> list[gc.Loop]:
    """A cycle in place, as phases for ``gc.advise``: down the grids, and up again."""
    strides = [1 << k for k, _ in enumerate(grids(layout))]
    halves = [
        gc.Loop(
            [
                gc.Loop([gc.Stencil(stride=s)], len(STEPS) + 1),
                gc.Stencil(corners=True, stride=s),
            ]
        )
        for s in strides
    ]
    return [*halves, *halves[::-1]]


def own_grids(side: int) -> list[gc.Loop | gc.Stencil | gc.Coarse]:
    """The same with every grid on its own, as phases within phases."""
    if side == 1:
        return []
    smooth = gc.Loop([gc.Stencil()], len(STEPS) + 1)
    blur = gc.Stencil(corners=True)
    return [smooth, blur, gc.Coarse(2, own_grids(side // 2)), blur, smooth]


def main(comm: Any = None, size: int = 32) -> None:
    """Solve on the nodes that there are, and say what it takes on a node for each point."""
    ranks = comm.size if comm else 16
    speaks = not comm or comm.rank == 0
    layout = gc.Layout.mesh((size, size), gc.node_mesh(ranks, 2), code="gray")
    _, _, norms = solve(layout, 6, comm)
    if not speaks:
        return
    print("cycle  residual  factor")
    for k, norm in enumerate(norms):
        print(f"{k:5}  {norm:8.2e}" + (f"  {norms[k - 1] / norm:6.1f}" if k else ""))
    lay = {c: gc.Layout.mesh((16, 16), (16, 16), code=c) for c in ("binary", "gray")}
    counts = [count for found in map(hops, lay.values()) for count in zip(*found, strict=True)]
    print("\n16 x 16 points on as many nodes: hops of an exchange, one port")
    print("grid     binary  in place    gray  in place")
    for k, row in enumerate(zip(*counts, strict=True)):
        print(f"{16 >> k:2} x {16 >> k:2}" + "".join(f"{c:9.0f}" for c in row))
    for name, at in lay.items():
        for how, phases in (("in place", program(at)), ("on own grids", own_grids(16))):
            layouts = {name: at}
            advice = gc.advise(phases, machine=one_port(at), size=(16, 16), layouts=layouts)
            print(f"a cycle {how}, {name}: {advice.cost:.0f} hops")


if __name__ == "__main__":
    from mpi4py import MPI

    main(MPI.COMM_WORLD if MPI.COMM_WORLD.size > 1 else None)
