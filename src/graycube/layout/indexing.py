"""The arithmetic between true indices, logical words and machine addresses.

Written once for Python integers of any size and for integer arrays: the operators are the
same, which is what ``Number`` stands for. Arrays are int64 while every index fits, uint64
above.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap
from graycube.gf2.arrays import require_integers, require_range
from graycube.layout.axis import Axis, divide

Number: TypeAlias = Any


def locate(
    address: AffineMap, n: int, axes: tuple[Axis, ...], index: Sequence[Number]
) -> tuple[Number, Number]:
    """Node and slot of a flat index or of one coordinate per axis."""
    shape = tuple(axis.length for axis in axes)
    if len(index) == 1:
        hint = f"check the shape {shape}"
        (flat,) = _checked([(index[0], prod(shape), "index", hint)], prod(shape))
        coordinates = unravel(axes, flat)
    elif len(index) == len(axes):
        limits = [
            (i, length, f"the coordinate on axis {k}", f"check the shape {shape}")
            for k, (i, length) in enumerate(zip(index, shape, strict=True))
        ]
        coordinates = _checked(limits, prod(shape))
    else:
        raise InvalidValueError(
            f"{len(index)} coordinates meet {len(axes)} axes",
            f"locate takes one flat index or {len(axes)} coordinates",
            "pass the index in C order, or one coordinate per axis",
        )
    word, rest = 0, 0
    for axis, i in zip(axes, coordinates, strict=True):
        bits, within = axis.split(i)
        word = word << axis.bits | bits
        rest = rest * axis.extent + within
    a = _like(word, address(word))
    extent = prod(axis.extent for axis in axes)
    return a & ((1 << n) - 1), (a >> n) * extent + rest


def coordinates(
    logical: AffineMap, n: int, axes: tuple[Axis, ...], node: Number, slot: Number
) -> tuple[Number, ...]:
    """One coordinate per axis of what is in a slot of a node."""
    size = prod(axis.length for axis in axes)
    node, slot = _checked(
        [
            (node, 1 << n, "node", f"there are {1 << n} nodes"),
            (slot, size >> n, "slot", f"a block has {size >> n} elements"),
        ],
        size,
    )
    extent = prod(axis.extent for axis in axes)
    high, rest = divide(slot, extent)
    word = _like(slot, logical(high << n | node))
    backwards = []
    for axis in reversed(axes):
        bits = word & ((1 << axis.bits) - 1)
        rest, digit = divide(rest, axis.extent)
        backwards.append(axis.join(bits, digit))
        word = word >> axis.bits
    return tuple(reversed(backwards))


def ravel(axes: tuple[Axis, ...], coordinates: Sequence[Number]) -> Number:
    """The flat index, in C order."""
    flat = 0
    for axis, i in zip(axes, coordinates, strict=True):
        flat = flat * axis.length + i
    return flat


def unravel(axes: tuple[Axis, ...], flat: Number) -> list[Number]:
    """One coordinate per axis of a flat index."""
    backwards = []
    for axis in reversed(axes[1:]):
        flat, coordinate = divide(flat, axis.length)
        backwards.append(coordinate)
    return [flat, *backwards[::-1]]


def _like(model: Number, value: Number) -> Number:
    """The value in the dtype of the model, if they are arrays."""
    return value.astype(model.dtype, copy=False) if isinstance(model, np.ndarray) else value


def _checked(values: Sequence[tuple[Number, int, str, str]], size: int) -> list[Number]:
    """Values within their limits: all Python integers, or all arrays of one dtype and shape."""
    if not any(np.ndim(value) for value, *_ in values):
        return [_checked_int(*entry) for entry in values]
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
