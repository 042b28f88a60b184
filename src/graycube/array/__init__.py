"""Arrays over 2^n nodes that carry their layout: in one process, or over MPI.

``held`` is what is here of an array: blocks and their layout. ``ranks`` says which nodes that
are and makes all ranks go on together, ``moving`` takes data from place to place, ``local`` is
the piece of a process, ``window`` an array with its halo, ``grids`` are coarser and finer ones,
``files`` and ``archive`` are arrays on disk, and ``checkpoint`` has several of them.
What NumPy does too is in ``elementwise`` (``aligning`` makes operands ready), ``reductions``,
with ``statistics`` and ``sums`` made of them, ``scans`` of ``stretches``,
``sorting`` and ``quantiles`` by ``merging`` what is ``in_order`` (``loops`` are compiled),
``payload`` and ``rolling``; ``functions`` is the table of it, and ``methods`` has the names on
arrays. ``cube_array`` is the array itself.
"""

from graycube.array.checkpoint import Checkpoint
from graycube.array.cube_array import CubeArray
from graycube.array.elementwise import where
from graycube.array.grids import coarsen, refine
from graycube.array.payload import stack
from graycube.array.permute import permute
from graycube.array.quantiles import quantile, unique
from graycube.array.scans import cumprod, cumsum, scan
from graycube.array.sorting import argsort, sort
from graycube.array.statistics import assert_allclose
from graycube.array.tridiagonal import solve_tridiagonal
from graycube.array.window import Window

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
