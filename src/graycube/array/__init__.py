"""Arrays over 2^n nodes that carry their layout: in one process, or over MPI.

``cube_array`` is the array, ``ranks`` says which nodes are here and makes all of them go on
together, ``moving`` takes data from place to place, ``window`` is an array with its halo,
``elementwise`` and ``reductions`` are what NumPy does too, and ``files`` are arrays on disk.
"""

from graycube.array.cube_array import CubeArray
from graycube.array.elementwise import where
from graycube.array.window import Window

__all__ = ["CubeArray", "Window", "where"]
