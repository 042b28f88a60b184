"""Arrays whose index bits are mapped: bit reversal, Gray order, transposes, any affine map.

Rules.

1. If each index bit goes to one place, and few axes do, the result is a strided view of the
   source, and is copied as NumPy copies views.
2. Else, and where the rows of that view are short, large arrays go tile by tile through the
   cache (:mod:`graycube.gf2.tiles`). This takes a compiled loop, which the extra ``fast``
   brings; it is compiled when it is first used, in some seconds, and kept on disk.
3. Without it, or for small arrays, rows are taken by a list of their places, a piece at a time.
4. As many threads work as ``scipy.fft.set_workers`` says: one, if nobody says anything.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import compiled
from graycube.gf2.affine import AffineMap
from graycube.gf2.matrix import Matrix
from graycube.gf2.strides import MOST_AXES, axes_of, strided
from graycube.gf2.tiles import tiles
from graycube.host import host_array, threads

_Rows = NDArray[Any]
COMPILES = 1 << 22
"""Bytes from which on an array is worth a compiled loop."""
_PAST_CACHES = 1 << 24  # bytes that no cache keeps for the next one to read
_TILE = 1 << 17  # bytes: two of them stay in the second cache of a processor
_PLACES = 1 << 16  # words in a tile at most: the list of their places stays there, too
_AHEAD = 1 << 13  # bytes that are asked for before they are read
_LONG = 1 << 10  # bytes: rows that are copied as fast one by one
_WORDS = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}
_PIECE = 1 << 14  # rows whose places are listed at a time


def permuted(
    x: ArrayLike,
    map: AffineMap | Matrix,  # noqa: A002
    out: _Rows | None = None,
) -> _Rows:
    """``y`` with ``y[map(i)] == x[i]``; i counts the rows of the first axes, in C order.

    >>> permuted([10, 11, 12, 13], Matrix((1, 3), 2)).tolist()
    [10, 11, 13, 12]
    """
    array, move = host_array(x), require_map(map)
    axes = _index_axes(array, move)
    target = np.empty(array.shape, array.dtype) if out is None else _require_out(out, array)
    shape = (1 << move.width, *array.shape[axes:])
    source = np.ascontiguousarray(array).reshape(shape)
    if target.flags.c_contiguous:
        carry(source, target.reshape(shape), move)
    else:
        made = np.empty(shape, array.dtype)
        carry(source, made, move)
        target[...] = made.reshape(array.shape)
    return target


def require_map(map: object) -> AffineMap:  # noqa: A002
    """The map, if it is one and loses nothing.

    >>> require_map(Matrix((1, 2), 2)).width
    2
    """
    move = AffineMap(map) if isinstance(map, Matrix) else map
    if not isinstance(move, AffineMap):
        raise InvalidTypeError(
            f"got {map!r:.80}",
            "the new order is an affine map of the bits of the index",
            "pass a graycube.gf2.AffineMap or Matrix",
        )
    if move.width != move.height:
        raise InvalidValueError(
            f"the map takes {move.width} bits to {move.height}",
            "the index has as many bits before as after",
            "give a square map",
        )
    _inverse(move)  # raises where two elements would be in one place
    return move


def carry(source: _Rows, target: _Rows, move: AffineMap) -> None:
    """``target[move(i)] = source[i]`` for all rows; both are contiguous, and do not overlap.

    >>> source, target = np.arange(4), np.empty(4, int)
    >>> carry(source, target, AffineMap(Matrix.identity(2), 3))
    >>> target.tolist()
    [3, 2, 1, 0]
    """
    if not source.size:
        return
    back, width = _inverse(move), source.nbytes >> move.width
    strides = _strides(back)
    large = source.nbytes >= COMPILES and width < _LONG and not source.dtype.hasobject
    if strides is not None:
        axes = axes_of(strides)
        run = axes[-1][1] * width if axes and axes[-1][2] == 1 else width
        if len(axes) <= MOST_AXES and (run >= _LONG or not (large and compiled.available())):
            seen = strided(source, back.constant, strides)
            _shared(_copies(seen, target.reshape(seen.shape)), len(seen) if axes else 1)
            return
    if large and compiled.available():
        _through_tiles(source, target, move, width)
    else:
        _by_places(source, target, back)


def _index_axes(array: _Rows, move: AffineMap) -> int:
    """How many of the first axes the index counts."""
    for axes in range(array.ndim + 1):
        if prod(array.shape[:axes]) == 1 << move.width:
            return axes
    raise InvalidValueError(
        f"the array has shape {array.shape}",
        f"a map of {move.width} bits needs {1 << move.width} rows in the first axes together",
        "reshape the array, or give a map of the bits of its index",
    )


def _require_out(out: object, array: _Rows) -> _Rows:
    if not isinstance(out, np.ndarray):
        raise InvalidTypeError(
            f"out is {out!r:.80}", "it must be an array", "pass one, or call it without out="
        )
    if (out.shape, out.dtype) != (array.shape, array.dtype):
        raise InvalidValueError(
            f"out has shape {out.shape} and dtype {out.dtype}",
            f"the array has {array.shape} and {array.dtype}",
            "pass an array like it",
        )
    if not out.flags.writeable:
        raise InvalidValueError("out is read-only", "it is written to", "pass a copy of it")
    if np.may_share_memory(out, array):
        raise InvalidValueError(
            "out shares memory with the array",
            "it is written before all is read",
            "pass another array, or none",
        )
    return out


@lru_cache(maxsize=64)
def _inverse(move: AffineMap) -> AffineMap:
    return move.inverse()


def _strides(back: AffineMap) -> list[int] | None:
    """How far on a row is found for each bit of the index, if each is one bit there."""
    if any(column.bit_count() != 1 for column in back.matrix.columns):
        return None
    return [-c if c & back.constant else c for c in back.matrix.columns]


def _shared(work: Callable[[int, int], object], count: int) -> None:
    """Let threads do stretches of ``range(count)``."""
    number = min(threads(), count)
    if number < 2:
        work(0, count)
        return
    ends = [count * k // number for k in range(number + 1)]
    with ThreadPoolExecutor(number) as pool:
        list(pool.map(work, ends[:-1], ends[1:]))


def _copies(seen: _Rows, target: _Rows) -> Callable[[int, int], object]:
    if not seen.ndim:
        return lambda _start, _stop: np.copyto(target, seen)
    return lambda start, stop: np.copyto(target[start:stop], seen[start:stop])


def _by_places(source: _Rows, target: _Rows, back: AffineMap) -> None:
    piece = min(_PIECE, len(source))
    places = _places(back.matrix, piece)

    def take(start: int, stop: int) -> None:
        for first in range(start * piece, stop * piece, piece):
            # "clip" spares a copy; the places are in range
            here, rows = target[first : first + piece], places ^ back(first)
            np.take(source, rows, axis=0, out=here, mode="clip")

    _shared(take, len(source) // piece)


@lru_cache(maxsize=64)
def _places(back: Matrix, count: int) -> NDArray[np.intp]:
    return AffineMap(back)(np.arange(count)).astype(np.intp)


def _through_tiles(source: _Rows, target: _Rows, move: AffineMap, width: int) -> None:
    even = width & -width
    size = min(even, max(_WORDS))
    low = (even // size).bit_length() - 1  # bits of a row that the map leaves alone
    wide, words = _widened(move, low), width // even
    most = min(_TILE // (size * words), _PLACES).bit_length() - 1
    table = tiles(wide, most, (compiled.LINE // size).bit_length() - 1)
    here, there = (x.reshape(-1).view(np.uint8).view(_WORDS[size]) for x in (source, target))
    run = len(table.columns) * size * words
    ahead = min(-(-_AHEAD // run), len(table.rows))
    past = target.nbytes >= _PAST_CACHES and target.ctypes.data % max(_WORDS) == 0
    from graycube.gf2 import streamed  # noqa: PLC0415 - it needs Numba

    loop = streamed.carrier(single=words == 1, past_caches=past)

    def work(start: int, stop: int) -> None:
        buffers = _aligned(2 * table.size * size * words).view(here.dtype).reshape(2, -1)
        loop(
            *(here, there, buffers, words, wide.constant, start, stop),
            *(table.steps, table.runs, table.rows, table.columns, table.twists),
            ahead,
        )

    _shared(work, table.count)


@lru_cache(maxsize=64)
def _widened(move: AffineMap, low: int) -> AffineMap:
    """The map on words, so many bits of whose index it leaves alone."""
    if not low:
        return move
    matrix = Matrix.block_diagonal([Matrix.identity(low), move.matrix])
    return AffineMap(matrix, move.constant << low)


def _aligned(nbytes: int) -> NDArray[np.uint8]:
    raw = np.empty(nbytes + compiled.LINE, np.uint8)
    start = -raw.ctypes.data % compiled.LINE
    return raw[start : start + nbytes]
