"""Affine maps over GF(2) applied to integer arrays of any shape.

A matrix is a sum of *diagonals*: entry (j + s, j) moves bit j up by s. So M x is the XOR, over
the shifts s that occur, of ``(x & mask_s) << s``. The maps of layouts have few diagonals (Gray
code has two, a bit permutation of runs has one per run), which makes this as fast as memory
allows. A map with many diagonals goes through one table lookup per byte of x instead.

Arrays are worked on in chunks that stay in cache. Up to 63 bits the result is int64, ready to
be used as an index; at 64 bits it is uint64, because int64 cannot hold it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2.bits import bit_indices
from graycube.host import host_array

IntArray = NDArray[np.integer[Any]]
"""An array of any NumPy integer dtype, signed or unsigned."""

MAX_ARRAY_BITS = 64
CHUNK = 1 << 16  # elements: 512 KiB of uint64; smaller chunks pay NumPy's overhead per call
_DIAGONALS_PER_LOOKUP = 3  # one lookup costs about as much as three diagonals


def require_integers(x: object) -> IntArray:
    """``x`` as an integer array, or an error that says what it is instead.

    >>> require_integers([3, 1]).dtype
    dtype('int64')
    """
    array = host_array(x)
    if not array.size and not isinstance(x, np.ndarray):
        array = array.astype(np.int64)  # an empty list has no dtype of its own
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"got dtype {array.dtype}",
            "integers are needed",
            "convert with .astype(np.int64) if the values are whole",
        )
    return array


def require_range(x: IntArray, limit: int, what: str, hint: str) -> IntArray:
    """``x`` as int64 (uint64 above 2^63), after checking that 0 <= x < limit.

    >>> require_range(np.array([7, 8]), 8, "index", "drop the last one")
    Traceback (most recent call last):
    ...
    graycube.errors.OutOfRangeError: index is 8: it must lie in 0..7; drop the last one
    """
    if limit > 1 << MAX_ARRAY_BITS:
        raise InvalidValueError(
            f"an array meets a range of {limit} values",
            f"arrays reach 2^{MAX_ARRAY_BITS}",
            "pass Python integers one by one",
        )
    if x.size:
        for extreme in (int(x.min()), int(x.max())):
            if not 0 <= extreme < limit:
                raise OutOfRangeError(
                    f"{what} is {extreme}", f"it must lie in 0..{limit - 1}", hint
                )
    return x.astype(np.int64 if limit <= 1 << 63 else np.uint64, copy=False)


def in_chunks(
    x: IntArray, dtype: np.dtype[Any], kernel: Callable[[IntArray, IntArray], None]
) -> IntArray:
    """A new array of x's shape, filled by ``kernel(source, result)`` on cache-sized pieces.

    >>> in_chunks(np.arange(3), np.dtype(np.int64), lambda a, b: np.add(a, 1, out=b))
    array([1, 2, 3])
    """
    pieces = np.nditer(
        [x, None],
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_flags=[["readonly"], ["writeonly", "allocate"]],
        op_dtypes=[x.dtype.newbyteorder("="), dtype],
        buffersize=CHUNK,
    )
    with pieces:
        for source, result in pieces:
            kernel(source, result)
        out: IntArray = pieces.operands[1]
    return out


def apply_columns(columns: Sequence[int], constant: int, height: int, x: IntArray) -> IntArray:
    """``M x ^ constant`` for every element; ``columns`` are the columns of M.

    >>> apply_columns((0b11, 0b10), 0b01, 2, np.arange(4, dtype=np.uint8))
    array([1, 2, 3, 0])
    """
    width = len(columns)
    if max(width, height) > MAX_ARRAY_BITS:
        raise InvalidValueError(
            f"a map of {width} to {height} bits meets an array",
            f"arrays hold at most {MAX_ARRAY_BITS} bits",
            "pass Python integers one by one",
        )
    source = require_range(
        require_integers(x), 1 << width, "a value", "mask the values to the width of the map"
    )
    wide = np.dtype(np.int64 if height < MAX_ARRAY_BITS else np.uint64)
    return in_chunks(source, wide, _chunk_kernel(columns, constant))


def _chunk_kernel(
    columns: Sequence[int], constant: int
) -> Callable[[IntArray, IntArray], None]:
    diagonals = _diagonals(columns)
    lookups = (len(columns) + 7) // 8
    if len(diagonals) <= _DIAGONALS_PER_LOOKUP * lookups:
        terms = _diagonal_terms(diagonals)
    else:
        terms = _lookup_terms(columns)

    def kernel(source: IntArray, result: IntArray) -> None:
        bits, total = source.view(np.uint64), result.view(np.uint64)
        total[...] = np.uint64(constant)
        for term in terms(bits):
            total ^= term

    return kernel


def _diagonals(columns: Sequence[int]) -> dict[int, int]:
    """For each shift that occurs, the mask of the input bits it moves."""
    masks: dict[int, int] = {}
    for j, column in enumerate(columns):
        for i in bit_indices(column):
            masks[i - j] = masks.get(i - j, 0) | 1 << j
    return masks


_Terms = Callable[[NDArray[np.uint64]], Iterator[NDArray[np.uint64]]]


def _diagonal_terms(diagonals: dict[int, int]) -> _Terms:
    def terms(bits: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
        scratch = np.empty_like(bits)
        for shift, mask in diagonals.items():
            np.bitwise_and(bits, np.uint64(mask), out=scratch)
            if shift > 0:
                np.left_shift(scratch, np.uint64(shift), out=scratch)
            elif shift < 0:
                np.right_shift(scratch, np.uint64(-shift), out=scratch)
            yield scratch

    return terms


def _lookup_terms(columns: Sequence[int]) -> _Terms:
    every = range(0, len(columns), 8)
    tables = [sums(columns[low : low + 8], dtype=np.uint64) for low in every]  # of each byte

    def terms(bits: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
        for k, table in enumerate(tables):
            yield table[(bits >> np.uint64(8 * k)).astype(np.uint8)]

    return terms


def sums(vectors: Iterable[int], first: int = 0, dtype: type = np.int64) -> NDArray[Any]:
    """For every k, ``first`` plus the vectors at the ones of k.

    >>> sums([1, 6]), sums([1, 6], first=8)
    (array([0, 1, 6, 7]), array([ 8,  9, 14, 15]))
    """
    found: NDArray[Any] = np.array([first], dtype)
    for vector in vectors:
        found = np.concatenate([found, found ^ dtype(vector)])
    return found
