"""The binary-reflected Gray code of integers and integer arrays (TR-764 Definition 1).

Bit m of the code is i_m ^ i_(m+1), so the code is ``i ^ i >> 1``; bit m of the inverse is the
parity of the code's bits m and above (TR-20-91 Lemma 1), a prefix sum by doubling.
"""

from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import compiled
from graycube.gf2.arrays import CHUNK, IntArray, in_chunks, require_integers
from graycube.gf2.matrix import Matrix

_Array = TypeVar("_Array", bound=NDArray[np.integer[Any]])


@overload
def gray(x: int) -> int: ...
@overload
def gray(x: _Array) -> _Array: ...
def gray(x: int | IntArray) -> int | IntArray:
    """Gray code of x: consecutive integers get codes that differ in one bit.

    Integers of any size, or arrays of any NumPy integer dtype, which is kept.

    >>> gray(5)
    7
    >>> gray(np.arange(8, dtype=np.uint8))
    array([0, 1, 3, 2, 6, 7, 5, 4], dtype=uint8)
    """
    if isinstance(x, int):
        return _require_natural(x) ^ x >> 1
    return _map_chunks(x, _gray_chunk, compiled.gray_kernel)


@overload
def gray_inverse(x: int) -> int: ...
@overload
def gray_inverse(x: _Array) -> _Array: ...
def gray_inverse(x: int | IntArray) -> int | IntArray:
    """The integer whose Gray code is x: ``gray_inverse(gray(i)) == i``.

    >>> gray_inverse(7)
    5
    >>> gray_inverse(np.array([[0, 1], [3, 2]]))
    array([[0, 1],
           [2, 3]])
    """
    if isinstance(x, int):
        shift, bits = 1, _require_natural(x).bit_length()
        while shift < bits:
            x ^= x >> shift
            shift *= 2
        return x
    return _map_chunks(x, _gray_inverse_chunk, compiled.gray_inverse_kernel)


def gray_matrix(width: int) -> Matrix:
    """The Gray code of ``width`` bits as a matrix: ones on the diagonal and just above.

    >>> print(gray_matrix(3))
    1 1 .
    . 1 1
    . . 1
    """
    return Matrix(tuple(gray(1 << j) for j in range(width)), width)


def _gray_chunk(source: IntArray, result: IntArray) -> None:
    np.right_shift(source, 1, out=result)
    np.bitwise_xor(source, result, out=result)


def _gray_inverse_chunk(source: IntArray, result: IntArray) -> None:
    bits = int(source.max()).bit_length()
    result[...] = source
    scratch = np.empty_like(result)
    shift = 1
    while shift < bits:  # small values need fewer doublings
        np.right_shift(result, shift, out=scratch)
        np.bitwise_xor(result, scratch, out=result)
        shift *= 2


def _map_chunks(
    x: object, numpy_kernel: compiled.Kernel, compiled_kernel: compiled.Maker
) -> IntArray:
    array = require_integers(x)
    native = array.dtype.newbyteorder("=")
    compiles = array.size >= CHUNK and compiled.available()  # compiling takes a moment
    kernel = compiled_kernel(8 * native.itemsize) if compiles else numpy_kernel

    def checked(source: IntArray, result: IntArray) -> None:
        if native.kind == "i":
            _require_natural(int(source.min()))  # while the chunk is in cache
        kernel(source, result)

    result = in_chunks(array, native, checked).astype(array.dtype, copy=False)
    return result if isinstance(x, np.ndarray) else result[()]  # a scalar for a scalar


def _require_natural(x: int) -> int:
    if x < 0:
        raise InvalidValueError(
            f"the smallest value is {x}",
            "a Gray code is defined for integers >= 0",
            "shift or mask the values first",
        )
    return x
