"""The arithmetic between true indices, logical words and machine addresses.

Written once for Python integers of any size and for integer arrays: the operators are the
same, which is what ``Number`` stands for. Arrays are int64 while every index fits, uint64
above, and are worked on in pieces that stay in cache.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any, TypeAlias

import numpy as np

from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap, Matrix
from graycube.gf2.arrays import CHUNK, MAX_ARRAY_BITS, require_integers, require_range
from graycube.layout.axis import Axis, divide

Number: TypeAlias = Any


@lru_cache(maxsize=64)
def row_of(p: int, n: int) -> AffineMap:
    """The map from an address to its row, where the blocks of all nodes are one array.

    >>> [row_of(3, 1)(address) for address in range(8)]
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    return AffineMap(Matrix.permutation([*range(p - n, p), *range(p - n)]))


def locate(
    address: AffineMap, n: int, axes: tuple[Axis, ...], index: Sequence[Number]
) -> tuple[Number, Number]:
    """Node and slot of a flat index or of one coordinate per axis."""
    flat, given = _given(axes, index)
    shape = [axis.length for axis in axes]
    extent = prod(axis.extent for axis in axes)

    def place(*numbers: Number) -> tuple[Number, Number]:
        word, rest = 0, 0
        for axis, i in zip(axes, unravel(shape, *numbers) if flat else numbers, strict=True):
            bits, within = axis.split(i)
            word = word << axis.bits | bits
            rest = rest * axis.extent + within
        a = _like(word, address(word))
        return a & ((1 << n) - 1), (a >> n) * extent + rest

    node, slot = _piecewise(place, given, results=2)
    return node, slot


def coordinates_of(axes: Sequence[Any], index: Sequence[Number]) -> list[Number]:
    """One coordinate for each axis that has a length, of a flat index or of coordinates.

    >>> coordinates_of([Axis(1), Axis(2)], [6])
    [1, 2]
    """
    flat, given = _given(axes, index)
    return unravel([axis.length for axis in axes], *given) if flat else given


def _given(axes: Sequence[Any], index: Sequence[Number]) -> tuple[bool, list[Number]]:
    """Whether it is a flat index, and what was given, within its limits."""
    shape = tuple(axis.length for axis in axes)
    if len(index) not in (1, len(axes)):
        raise InvalidValueError(
            f"{len(index)} coordinates meet {len(axes)} axes",
            f"locate takes one flat index or {len(axes)} coordinates",
            "pass the index in C order, or one coordinate per axis",
        )
    flat = len(index) == 1
    if flat and len(axes) > 1 and isinstance(index[0], (tuple, list)):
        raise InvalidValueError(
            f"got {index[0]!r} for {len(axes)} axes",
            "a tuple or list may mean coordinates or flat indices",
            "pass coordinates apart, locate(x, y), and flat indices as an array",
        )
    names = ["index"] if flat else [f"the coordinate on axis {k}" for k in range(len(axes))]
    limits = [prod(shape)] if flat else shape
    hints = [f"check the shape {shape}"] * len(index)
    return flat, checked(list(zip(index, limits, names, hints, strict=True)), prod(shape))


def coordinates(
    logical: AffineMap, n: int, axes: tuple[Axis, ...], node: Number, slot: Number
) -> tuple[Number, ...]:
    """One coordinate per axis of what is in a slot of a node."""
    extent = prod(axis.extent for axis in axes)
    size = extent << logical.width  # with all copies
    given = checked(
        [
            (node, 1 << n, "node", f"there are {1 << n} nodes"),
            (slot, size >> n, "slot", f"a block has {size >> n} elements"),
        ],
        size,
    )

    def find(node: Number, slot: Number) -> tuple[Number, ...]:
        high, rest = divide(slot, extent)
        word = _like(slot, logical(high << n | node))
        backwards = []
        for axis in reversed(axes):
            bits = word & ((1 << axis.bits) - 1)
            rest, digit = divide(rest, axis.extent)
            backwards.append(axis.join(bits, digit))
            word = word >> axis.bits
        return tuple(reversed(backwards))

    return _piecewise(find, given, results=len(axes))


def _piecewise(
    function: Callable[..., tuple[Number, ...]], numbers: Sequence[Number], results: int
) -> tuple[Number, ...]:
    """``function(*numbers)``; large arrays go through it in pieces."""
    first = numbers[0]
    if not isinstance(first, np.ndarray) or first.size <= CHUNK:
        return function(*numbers)
    flat = [number.reshape(-1) for number in numbers]
    out = tuple(np.empty(first.size, dtype=first.dtype) for _ in range(results))
    for start in range(0, first.size, CHUNK):
        piece = slice(start, start + CHUNK)
        for whole, part in zip(out, function(*(f[piece] for f in flat)), strict=True):
            whole[piece] = part
    return tuple(whole.reshape(first.shape) for whole in out)


def ravel(shape: Sequence[int], coordinates: Sequence[Number]) -> Number:
    """The flat index, in C order."""
    flat = 0
    for length, i in zip(shape, coordinates, strict=True):
        flat = flat * length + i
    return flat


def unravel(shape: Sequence[int], flat: Number) -> list[Number]:
    """One coordinate per axis of a flat index."""
    backwards = []
    for length in reversed(shape[1:]):
        flat, coordinate = divide(flat, length)
        backwards.append(coordinate)
    return [flat, *backwards[::-1]]


def _like(model: Number, value: Number) -> Number:
    """The value in the dtype of the model, if they are arrays."""
    return value.astype(model.dtype, copy=False) if isinstance(model, np.ndarray) else value


def checked(values: Sequence[tuple[Number, int, str, str]], size: int) -> list[Number]:
    """Values within their limits: all Python integers, or all arrays of one dtype and shape.

    >>> checked([(3, 8, "node", "there are 8 nodes")], 8)
    [3]
    """
    if not any(np.ndim(value) for value, *_ in values):
        return [_checked_int(*entry) for entry in values]
    if size > 1 << MAX_ARRAY_BITS:
        raise InvalidValueError(
            f"an array meets a layout of {size} elements",
            f"arrays reach 2^{MAX_ARRAY_BITS}",
            "pass Python integers one by one",
        )
    dtype = np.int64 if size <= 1 << 63 else np.uint64
    arrays = [
        require_range(require_integers(value), limit, what, hint).astype(dtype, copy=False)
        for value, limit, what, hint in values
    ]
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        raise InvalidValueError(
            f"the arrays have shapes {[a.shape for a in arrays]}",
            "they must broadcast against each other",
            "index them with np.newaxis, or make them equally long",
        ) from None


def _checked_int(value: Number, limit: int, what: str, hint: str) -> int:
    number = value if isinstance(value, int) else int(require_integers(value))
    if not 0 <= number < limit:
        raise OutOfRangeError(f"{what} is {number}", f"it must lie in 0..{limit - 1}", hint)
    return number
