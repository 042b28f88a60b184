"""How an affine map takes an array to another one, tile by tile.

Rules.

1. A *run* is what a tile has next to each other: 2^t elements. A tile is spanned by the t low
   bits of the source and by what the map takes to the t low bits of the target. So it is read
   in whole runs, and written in whole runs, and has at most 2^2t elements; both are as large as
   the cache allows.
2. In between a tile is in a buffer, where it lies as in the target, run by run. Everything is
   affine: the place of an element in the buffer is the XOR of what its run says and what its
   place in the run says, and so is where the next tile is. Tiles follow each other that are
   in the same pages of memory, of the source and of the target in turn.
3. Runs of the target that are a power of two apart would meet in the same places of the cache.
   So in each row of the buffer the lines trade places, by an XOR with all bits of its number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.affine import AffineMap
from graycube.gf2.arrays import sums
from graycube.gf2.matrix import Matrix
from graycube.gf2.span import Span, reduced_basis

_Table = NDArray[np.int64]
KEPT = 32
"""The tables of so many maps are remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class Tiling:
    """The tables of a map; all numbers count elements.

    Tile 0 has element 0 of the source. Tiles in Gray order differ by one of ``steps``, in the
    source and in the target. Run a of a tile is read at ``runs[a, 0]`` and written at
    ``runs[a, 1]``; its element k is put into the buffer at ``rows[a] ^ columns[k]``, and line l
    of row a is there at ``l ^ twists[a]``.
    """

    steps: _Table
    runs: _Table
    rows: _Table
    columns: _Table
    twists: _Table

    @property
    def count(self) -> int:
        """How many tiles there are.

        >>> tiles(AffineMap(Matrix.permutation([3, 2, 1, 0])), 2, 1).count
        4
        """
        return 1 << len(self.steps)

    @property
    def size(self) -> int:
        """The elements of a tile.

        >>> tiles(AffineMap(Matrix.permutation([3, 2, 1, 0])), 2, 1).size
        4
        """
        return len(self.rows) * len(self.columns)


@lru_cache(maxsize=KEPT)
def tiles(move: AffineMap, most: int, line: int) -> Tiling:
    """The tiles of a map, of at most 2^most elements, where 2^line of them are a cache line.

    A run has at least a line, whatever ``most`` is.

    >>> reversal = tiles(AffineMap(Matrix.permutation([3, 2, 1, 0])), most=2, line=0)
    >>> reversal.runs.tolist()  # two runs of two, eight elements apart
    [[0, 0], [8, 8]]
    """
    there, back = move.matrix, move.matrix.inverse()
    t = _bits(there, back, most, line)
    low = (1 << t) - 1
    spanned = sorted(reduced_basis([*_units(0, t), *map(back, _units(0, t))]))
    reads = [v & ~low for v in spanned if v >> t]
    writes = [v & ~low for v in sorted(reduced_basis(map(there, spanned))) if v >> t]
    lines = max(t - line, 0)

    def place(v: int) -> int:
        """Where an element is in the buffer, by where it is in a tile of the source."""
        w = there(v)
        row = sum((w >> b.bit_length() - 1 & 1) << k for k, b in enumerate(writes))
        return row << t | w & low ^ _twist(row, lines) << line

    near = (v for bit in _units(t, move.width) for v in (bit, back(bit)))
    known = Span(spanned)
    steps = [v & ~low for v in near if known.add(v)]  # with what a tile spans, everything
    return Tiling(
        np.array([(v, there(v)) for v in steps], np.int64).reshape(-1, 2),
        np.stack([sums(reads), sums(writes)], axis=1),
        sums(map(place, reads)),
        sums(map(place, _units(0, t))),
        sums(_twist(1 << k, lines) for k in range(len(writes))),
    )


def _bits(there: Matrix, back: Matrix, most: int, line: int) -> int:
    """The bits of a run: as many as fit."""
    t = line
    while t < there.width:
        units = [*_units(0, t + 1)]
        if len(Span([*units, *map(back, units)])) > most:
            break
        t += 1
    return t


def _twist(row: int, bits: int) -> int:
    """What is XORed to the numbers of the lines of a row: all of its own bits, folded."""
    found = 0
    while row and bits:
        found ^= row
        row >>= bits
    return found & (1 << bits) - 1


def _units(first: int, stop: int) -> Iterator[int]:
    return (1 << j for j in range(first, stop))
