"""The heat equation in a periodic rectangle, exact in time: there, and back.

``python heat.py``, or ``mpiexec -n 4 python heat.py``.
"""

from typing import Any

import numpy as np

import graycube as gc


def solve(layout: gc.Layout, time: float, comm: Any = None) -> gc.CubeArray:
    a, b = (2 * np.pi / points for points in layout.shape)
    u = gc.CubeArray.from_function(lambda i, j: np.exp(np.sin(a * i) + b * j), layout, comm)
    v = gc.rfftn(u)
    x, y = (2 * np.pi * k for k in v.frequencies((a, b), s=u.shape))
    return gc.irfftn(v * np.exp(-time * (x * x + y * y)), s=u.shape, out=u)


if __name__ == "__main__":
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    u = solve(gc.Layout.mesh((64, 128), nodes=(comm.size, 1)), 0.1, comm)
    if (mean := u.mean()) and comm.rank == 0:
        print(f"mean {mean:.12f}")
