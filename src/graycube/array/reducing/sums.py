"""Sums that are the same to the last bit in every layout, on any number of nodes.

Rules.

1. The elements are scaled by a power of two, so that the largest is below one.
2. Each is cut into parts that are multiples of one unit, the coarsest part first. The unit is
   so coarse that no sum of all parts needs more bits than a float has. These sums are exact, so
   it does not matter in which order they are made.
3. After three parts what is left is below the last bit of the result of a plain sum. The three
   sums are added, the smallest first.
"""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array.elementwise import element_by_element
from graycube.array.held import Held
from graycube.array.ranks import facts_of, together
from graycube.array.reducing.over import Axes, Over, over_axes
from graycube.array.reducing.reductions import reduced
from graycube.run.agreement import Facts

_PARTS = 3
_Array = NDArray[Any]


def reproducible_sum(  # noqa: PLR0913
    a: Held,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    *,
    keepdims: bool = False,
    initial: object = None,
    where: object = None,
) -> Any:  # noqa: ANN401 - an array of the kind of the first one, or a plain one
    """The sum along some axes; what is not finite is summed up as ever.

    >>> from graycube.layout import Layout
    >>> x = np.array([[1e100, 1.0], [-1e100, 1.0]])
    >>> reproducible_sum(Held(x, Layout.mesh((4,), nodes=(2,))))
    np.float64(0.0)
    """

    def prepare() -> tuple[tuple[Over, np.dtype[Any], Held], Facts]:
        over, kind = over_axes(a, axis), np.dtype(dtype or a.dtype)
        facts = {
            **facts_of("reproducible sum", a.layout, a.blocks),
            "axis": over.counted(len(a.layout.shape)),
            "to": kind,
        }
        taken = a
        if where is not None:
            taken = element_by_element(np.where, [where, a, a.dtype.type(0)], {})
        if kind.kind in "fc":  # narrow floats have no bits to spare
            taken = taken.astype(np.result_type(kind, np.float64))
        return (over, kind, taken), facts

    over, kind, taken = together(a.comm, prepare)
    if kind.kind not in "fc":
        return reduced(taken, np.add, axis, dtype=dtype, keepdims=keepdims, initial=initial)
    given, wide = taken.blocks, taken.dtype
    if wide.kind == "c":
        parts = (_real_sum(a.with_blocks(part), over) for part in (given.real, given.imag))
        found: Held = element_by_element(_complex, [*parts], {})
    else:
        found = _real_sum(a.with_blocks(given), over)
    found = found.astype(kind)
    if initial is not None:
        found = found.with_blocks(found.blocks + initial)
    return found if keepdims else _without(found, over)


def _real_sum(a: Held, over: Over) -> Held:
    """The sum of real numbers, all axes kept."""
    axes = over.counted(len(a.layout.shape))
    bits = prod(a.shape[k] for k in axes).bit_length()
    finite = np.isfinite(a.blocks)
    blocks = np.where(finite, a.blocks, 0)
    most = reduced(a.with_blocks(abs(blocks)), np.maximum, axes, keepdims=True)
    power = most.with_blocks(np.frexp(most.blocks)[1])
    half = -power.blocks // 2  # 2^1074 is no float, and its root is one
    factors = [
        most.with_blocks(np.ldexp(a.dtype.type(1), e)) for e in (half, -power.blocks - half)
    ]
    rest = element_by_element(_scaled, [a.with_blocks(blocks), *factors], {}).blocks
    parts = np.empty((1 + _PARTS, *a.blocks.shape), a.dtype)
    parts[0] = np.where(finite, 0, a.blocks)
    high, mantissa = 0, np.finfo(a.dtype).nmant
    for part in parts[1:]:  # what is left is at most 2^high
        top = high + bits + 2
        coarse = a.dtype.type(1.5) * np.ldexp(a.dtype.type(1), top)
        np.add(coarse, rest, out=part)
        np.subtract(part, coarse, out=part)
        rest -= part
        high = top - mantissa - 1
    stacked = a.with_blocks(np.moveaxis(parts, 0, -1))
    sums: _Array = reduced(stacked, np.add, axes, keepdims=True).blocks
    total = (sums[..., 3] + sums[..., 2]) + sums[..., 1]
    return a.with_blocks(np.ldexp(total, power.blocks) + sums[..., 0], power.layout)


def _without(a: Held, over: Over) -> Any:  # noqa: ANN401
    """The array without the axes of length 1 that are left of others."""
    blocks = a.blocks.squeeze(tuple(2 + k for k in over.payload))
    if not over.layout:
        return a.with_blocks(blocks)
    if len(over.layout) == len(a.layout.shape):
        return blocks[0, 0]
    return a.with_blocks(blocks, a.layout.without_axes(over.layout))


def _scaled(x: _Array, one: _Array, other: _Array) -> _Array:
    """The numbers times two powers of two."""
    found: _Array = x * one
    found *= other
    return found


def _complex(real: _Array, imag: _Array) -> _Array:
    found = np.empty(real.shape, np.result_type(real, 1j))
    found.real, found.imag = real, imag
    return found
