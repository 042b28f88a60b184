"""Arrays over 2^n nodes that carry their layout: in one process, or over MPI.

``held`` is what is here of an array: blocks and their layout. ``ranks`` says which nodes that
are and makes all ranks go on together, ``moving`` takes data from place to place, ``local`` is
the piece of a process, ``grids`` are coarser and finer ones. What NumPy does too is in
``elementwise`` (``aligning`` makes operands ready), ``payload`` and the rooms ``indexed``,
``reducing``, ``scanning`` and ``ordering``; ``functions`` is the table of it, and ``methods``
has the names on arrays; ``halo`` and ``disk`` are rooms, too. ``cube_array`` is the array.
"""

from graycube.array.cube_array import CubeArray
from graycube.array.disk.checkpoint import Checkpoint
from graycube.array.elementwise import where
from graycube.array.grids import coarsen, refine
from graycube.array.halo.window import Window
from graycube.array.indexed.permute import permute
from graycube.array.ordering.different import unique
from graycube.array.ordering.quantiles import quantile
from graycube.array.ordering.sorting import argsort, sort
from graycube.array.payload import stack
from graycube.array.reducing.statistics import assert_allclose
from graycube.array.scanning.scans import cumprod, cumsum, scan
from graycube.array.scanning.tridiagonal import solve_tridiagonal

__all__ = [
    "Checkpoint",
    "CubeArray",
    "Window",
    "argsort",
    "assert_allclose",
    "coarsen",
    "cumprod",
    "cumsum",
    "permute",
    "quantile",
    "refine",
    "scan",
    "solve_tridiagonal",
    "sort",
    "stack",
    "unique",
    "where",
]
