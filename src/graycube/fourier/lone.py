"""The transform along an axis that stays spread over nodes: in blocks, of any length.

Rules.

1. n points are a matrix of ``high`` rows and ``wide`` columns, in C order. Each node takes some
   columns, transforms them and turns them; takes some rows instead, and transforms these. That
   leaves value k1 + high k2 in row k1 and column k2: the matrix of the result, transposed.
2. Where no two factors are at least as many as the nodes, the transform is a convolution with a
   chirp (Bluestein), of so many points that there are such factors. The spectrum of the chirp
   is kept: all ranks of the communicator make it, or none.
3. What is given may be shorter than the points, and is zero beyond. What is wanted may be
   shorter too. Each has blocks of its own size.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.fourier.engine import transformed
from graycube.fourier.team import Blocked, Team
from graycube.gf2.arrays import IntArray
from graycube.run import private
from graycube.run.butterflies import unit_roots

_Lines = NDArray[Any]
FEW = 128
"""So many complex points are transformed on one node."""
_ALONE = 512  # or so many, where the other way is a convolution
_KEPT = 4  # spectra of chirps and roots of unity, for a block each


@dataclass(frozen=True, slots=True, eq=False)
class Rectangle:
    """Points as rows and columns, over the nodes of a team."""

    high: int
    wide: int
    team: Team

    def columns(self, lines: _Lines, given: Blocked) -> _Lines:
        """The columns of this node, of elements that are in blocks; zero beyond."""
        team, mine, cuts = self.team, given.own(self.team.me), self._cuts()
        own, every = cuts[team.me], range(len(cuts))
        made = np.zeros((self.high, len(own), *lines.shape[1:]), lines.dtype)
        sent = [_in_stretch(lines, mine, self.wide, cut) for cut in cuts]
        places = [_in_columns(made, own, given.own(k), self.wide) for k in every]
        team.filled(sent, places, lines, given.block)
        return made

    def blocks(self, columns: _Lines, wanted: Blocked) -> _Lines:
        """Back: the block of this node of the first elements."""
        team, mine, cuts = self.team, wanted.own(self.team.me), self._cuts()
        own, every = cuts[team.me], range(len(cuts))
        made = np.empty((len(mine), *columns.shape[2:]), columns.dtype)
        sent = [_in_columns(columns, own, wanted.own(k), self.wide) for k in every]
        places = [_in_stretch(made, mine, self.wide, cut) for cut in cuts]
        team.filled(sent, places, made, self.high * len(cuts[0]))
        return made

    def _cuts(self) -> list[range]:
        """The columns of each node."""
        return [self.team.share(self.wide, k) for k in range(len(self.team.nodes))]

    def turned(self, lines: _Lines, *, rows: bool) -> _Lines:
        """Columns of this node become its rows, or the other way round."""
        team = self.team
        every = range(len(team.nodes))
        cuts = [(team.share(self.high, k), team.share(self.wide, k)) for k in every]
        below, beside = cuts[team.me]
        rest = lines.shape[2:]
        if rows:
            sent = [lines[down.start : down.stop] for down, _ in cuts]
            shapes = [(len(below), len(across), *rest) for _, across in cuts]
        else:
            sent = [lines[:, across.start : across.stop] for _, across in cuts]
            shapes = [(len(down), len(beside), *rest) for down, _ in cuts]
        most = max(self.high * len(cuts[0][1]), self.wide * len(cuts[0][0]))
        return np.concatenate(team.exchanged(sent, shapes, most), axis=1 if rows else 0)

    def factors(self, columns: _Lines, *, inverse: bool) -> _Lines:
        """What turns the columns of this node between the two transforms."""
        own = self.team.share(self.wide, self.team.me)
        roots = _factors(self.high, self.wide, own, columns.dtype, inverse=inverse)
        return across(roots, columns)

    def forward(self, columns: _Lines, *, inverse: bool = False) -> _Lines:
        """The transform of what is in columns, as rows: k1 + high k2 in row k1, column k2."""
        made = transformed(columns, 0, inverse=inverse)
        made *= self.factors(made, inverse=inverse)
        return transformed(self.turned(made, rows=True), 1, inverse=inverse)

    def back(self, rows: _Lines) -> _Lines:
        """The inverse of :meth:`forward`."""
        made = self.turned(transformed(rows, 1, inverse=True), rows=False)
        made *= self.factors(made, inverse=True)
        made = transformed(made, 0, inverse=True)
        made /= made.real.dtype.type(self.high * self.wide)
        return made


def over_nodes(lines: _Lines, points: int, team: Team, *, inverse: bool) -> _Lines:
    """The unscaled transform of whole lines along axis 0, of which each node has a block.

    >>> def program(comm, x):  # 7 points, 2 or 3 on each of three ranks
    ...     return over_nodes(x, 7, Team([0, 1, 2], comm.rank, comm, width=1), inverse=False)
    """
    blocks = team.blocks(points)
    return lone(lines, blocks, points, blocks, team, inverse=inverse)


def lone(  # noqa: PLR0913
    lines: _Lines, given: Blocked, points: int, wanted: Blocked, team: Team, *, inverse: bool
) -> _Lines:
    """The same of points that are given up to some, of which values are wanted up to some.

    >>> def program(comm, team, x):  # 5 of 7 points on three ranks, and 4 values of 7
    ...     return lone(x, Blocked(5, 2), 7, Blocked(4, 2), team, inverse=False)
    """
    low = _factor(points, len(team.nodes))
    if low is None:
        return _chirped(lines, given, points, wanted, team, inverse=inverse)
    matrix = Rectangle(points // low, low, team)
    made = matrix.forward(matrix.columns(lines, given), inverse=inverse)
    return Rectangle(low, points // low, team).blocks(np.swapaxes(made, 0, 1), wanted)


def _factor(points: int, least: int) -> int | None:
    """The factor next to the root, if it and the other one are at least so large.

    Few points are one column: one node transforms them, better than a convolution does.
    """
    if points <= FEW:
        return 1
    for low in range(isqrt(points), max(least, 2) - 1, -1):
        if points % low == 0:
            return low
    return 1 if points <= _ALONE else None


def _chirped(  # noqa: PLR0913
    lines: _Lines, given: Blocked, points: int, wanted: Blocked, team: Team, *, inverse: bool
) -> _Lines:
    """The transform as a convolution: n k is (n^2 + k^2 - (n - k)^2) / 2."""
    from scipy import fft  # noqa: PLC0415 - importing it takes longer than most transforms

    least = given.length + max(given.length, wanted.length) - 1
    low = fft.next_fast_len(max(isqrt(least), len(team.nodes)))
    matrix = Rectangle(fft.next_fast_len(max(-(-least // low), len(team.nodes))), low, team)
    dtype, own = lines.dtype, team.share(low, team.me)

    chirp = partial(_chirp, points=points, inverse=inverse)

    def turned(values: _Lines, blocks: Blocked) -> _Lines:
        factors = _own_chirp(blocks.own(team.me), points, dtype, inverse=inverse)
        return values * across(factors, values)

    def spectrum_of_chirp() -> _Lines:  # it is made once, so it may take longer and be exact
        size, wide = matrix.high * low, np.result_type(dtype, np.clongdouble)
        index = np.add.outer(np.arange(matrix.high) * low, np.arange(own.start, own.stop))
        kernel = np.zeros(index.shape, wide)
        for near, reach in ((index, wanted.length), (size - index, given.length)):
            kernel[near < reach] = chirp(near[near < reach], dtype=wide).conj()
        return matrix.forward(kernel).astype(dtype)

    key = (given.length, points, wanted.length, dtype, inverse, *team.nodes)
    remembered = private(team.comm).remembered
    spectrum = remembered(key, spectrum_of_chirp, _KEPT, "spectra of chirps")
    made = matrix.forward(matrix.columns(turned(lines, given), given))
    made *= across(spectrum, made)
    return turned(matrix.blocks(matrix.back(made), wanted), wanted)


def across(values: _Lines | IntArray, lines: _Lines) -> _Lines:
    """Values along the first axes, beside lines.

    >>> across(np.arange(2), np.ones((2, 3, 4))).shape
    (2, 1, 1)
    """
    return values.reshape(*values.shape, *(1,) * (lines.ndim - values.ndim))


@lru_cache(maxsize=_KEPT)
def _factors(
    high: int, wide: int, own: range, dtype: "np.dtype[Any]", *, inverse: bool
) -> _Lines:
    powers = np.multiply.outer(np.arange(high), np.arange(own.start, own.stop))
    return unit_roots(powers, high * wide, dtype, inverse=inverse)


@lru_cache(maxsize=_KEPT)
def _own_chirp(own: range, points: int, dtype: "np.dtype[Any]", *, inverse: bool) -> _Lines:
    return _chirp(np.arange(own.start, own.stop), points, dtype, inverse=inverse)


def _chirp(index: IntArray, points: int, dtype: "np.dtype[Any]", *, inverse: bool) -> _Lines:
    square = index.astype(np.int64) ** 2 % (2 * points)
    return unit_roots(square, 2 * points, dtype, inverse=inverse)


def _stretch(flat: range, wide: int) -> Iterator[tuple[range, range]]:
    """The end of a row, whole rows and the beginning of a row that make a stretch."""
    first, last = -(-flat.start // wide), flat.stop // wide
    if first > last:
        yield range(last, first), range(flat.start - last * wide, flat.stop - last * wide)
        return
    yield range(first - 1, first), range(flat.start - (first - 1) * wide, wide)
    yield range(first, last), range(wide)
    yield range(last, last + 1), range(flat.stop - last * wide)


def _boxes(flat: range, wide: int, columns: range) -> Iterator[tuple[range, range]]:
    """A stretch of a matrix in C order, cut by columns: the rows and the columns of boxes."""
    for rows, across in _stretch(flat, wide):
        both = range(max(across.start, columns.start), min(across.stop, columns.stop))
        if rows and both:
            yield rows, both


def _in_columns(lines: _Lines, own: range, flat: range, wide: int) -> list[_Lines]:
    """What a stretch has of the columns of a node: views of these."""
    return [
        lines[rows.start : rows.stop, across.start - own.start : across.stop - own.start]
        for rows, across in _boxes(flat, wide, own)
    ]


def _in_stretch(lines: _Lines, flat: range, wide: int, columns: range) -> list[_Lines]:
    """What a stretch has of some columns: views of it."""
    found = []
    for rows, across in _boxes(flat, wide, columns):
        start = rows.start * wide - flat.start
        if len(rows) == 1:
            found.append(lines[None, start + across.start : start + across.stop])
            continue
        whole = lines[start : start + len(rows) * wide]
        matrix = whole.reshape(len(rows), wide, *lines.shape[1:])
        found.append(matrix[:, across.start : across.stop])
    return found
