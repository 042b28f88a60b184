"""The Taylor-Green vortex: the Navier-Stokes equations in a periodic box, by spectra.

``python taylor_green.py``, or ``mpiexec -n 4 python taylor_green.py``.
"""

from typing import Any

import numpy as np

import graycube as gc

VISCOSITY, STEP = 0.000625, 0.01
STAGES = ((1 / 6, 1 / 2), (1 / 3, 1 / 2), (1 / 3, 1), (1 / 6, 0))  # Runge and Kutta's


def solve(layout: gc.Layout, steps: int = 10, comm: Any = None) -> gc.CubeArray:
    points = layout.shape[0]

    def vortex(*index: Any) -> tuple[Any, ...]:
        x, y, z = (2 * np.pi * i / points for i in index)
        return np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x

    u = gc.CubeArray.from_function(vortex, layout, comm)
    v, curl = gc.rfftn(u), u.copy()
    k = gc.stack(v.frequencies(1 / points, s=layout.shape))
    squares = (k * k).sum(axis=-1)
    along = k / np.where(squares == 0, 1, squares)
    kept = (abs(k) < points / 3).all(axis=-1)

    def slope(v: gc.CubeArray) -> Any:
        gc.irfftn(v, s=layout.shape, out=u)
        gc.irfftn(1j * np.cross(k, v), s=layout.shape, out=curl)
        force = gc.rfftn(np.cross(u, curl)) * kept
        return force - along * (k * force).sum(axis=-1) - VISCOSITY * squares * v

    for _ in range(steps):
        stage = before = v
        for share, ahead in STAGES:
            change = STEP * slope(stage)
            v, stage = v + share * change, before + ahead * change
    return gc.irfftn(v, s=layout.shape, out=u)


if __name__ == "__main__":
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    u = solve(gc.Layout.mesh((32, 32, 32), nodes=(comm.size, 1, 1)), 10, comm)
    energy = (u * u).mean() * 3 / 2
    if comm.rank == 0:
        print(f"energy {energy:.12f}")
