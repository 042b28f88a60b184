"""Transforms of real arrays, which keep half of the spectrum, as NumPy's do.

Rules.

1. A real axis of L points has L // 2 + 1 values in its spectrum. That is in general no power of
   two times a number of nodes, so the axis is in memory: no node bit depends on its bits.
2. The node bits stay as they are, so nothing is exchanged. A node puts its memory in C order,
   which brings the axis together, transforms many lines at once, and keeps that order: the
   layout of the result has the new axis in the place of the old one.
3. The transforms along other axes are those of complex arrays, and each of their exchanges
   moves half as much. Half a spectrum seldom has bits to trade for those of the nodes, so bits
   of other axes are traded. Those of a lone consecutive axis have to come back: twice as many
   exchanges as a whole spectrum needs. Cyclic data, or a third axis, avoid that.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.array.moving import moved
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.owned import owned_real, owned_real_inverse
from graycube.fourier.passes import brought
from graycube.fourier.transform import (
    Norm,
    Order,
    all_agree,
    complex_dtype,
    fftn,
    ifftn,
    require_axes,
    require_norm,
    scale,
)
from graycube.gf2 import AffineMap, Matrix, require_int
from graycube.layout import Axis, Layout, Ownership
from graycube.layout.layout import require_axis

_Lines = NDArray[Any]


def rfft(a: CubeArray, axis: int = -1, norm: Norm | None = None) -> CubeArray:
    """The transform of a real array along an axis in memory: its first L // 2 + 1 values.

    >>> x = np.arange(24.0).reshape(4, 6)
    >>> y = rfft(CubeArray.from_numpy(x, Layout.mesh((4, 6), nodes=(4, 1), code="gray")))
    >>> np.allclose(y.to_numpy(), np.fft.rfft(x))
    True
    >>> y
    <CubeArray (4, 4) complex128 on 4 nodes: (b1:1 b1:0 || b0:1 g0:0)>
    """

    def check() -> tuple[int, np.dtype[np.generic]]:
        along = require_axis(axis, len(a.layout.axes))
        way = ", take one in memory as the last axis, or use fft"
        _require_in_memory(a.layout, along, way)
        require_norm(norm)
        return along, _real_dtype(a.dtype)

    axis, dtype = all_agree(a, "rfft", check, axis=axis, norm=norm)
    points = a.layout.shape[axis]
    if isinstance(a.layout, Ownership):
        return owned_real(a, axis, dtype, partial(scale, norm=norm, inverse=False))
    lines = _lines(a, axis, dtype)
    return _of_lines(_half(lines, points, norm), a, axis, points // 2 + 1)


def irfft(
    a: CubeArray, n: int | None = None, axis: int = -1, norm: Norm | None = None
) -> CubeArray:
    """The real array of ``n`` points along an axis in memory with that spectrum.

    A spectrum of m values is that of 2 (m - 1) points, the default, or of one point more.

    >>> layout = Layout.mesh((4, 7), nodes=(4, 1), code="gray")
    >>> x = CubeArray.from_numpy(np.arange(28.0).reshape(4, 7), layout)
    >>> y = irfft(rfft(x), n=7)
    >>> np.allclose(y.to_numpy(), x.to_numpy()), y.layout == layout
    (True, True)
    """

    def check() -> tuple[int, int]:
        along = require_axis(axis, len(a.layout.axes))
        _require_in_memory(a.layout, along)
        require_norm(norm)
        complex_dtype(a.dtype)
        return along, _points(a.layout.shape[along], n)

    axis, points = all_agree(a, "irfft", check, axis=axis, norm=norm, n=n)
    return _inverse(a, points, axis, norm)


def rfft2(
    a: CubeArray,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order = "any",
) -> CubeArray:
    """The transform of a real array along two axes; the last one of them is in memory.

    >>> x = np.arange(24.0).reshape(8, 3)
    >>> a = CubeArray.from_numpy(x, Layout.mesh((8, 3), nodes=(4, 1)))
    >>> np.allclose(rfft2(a).to_numpy(), np.fft.rfft2(x))
    True
    """
    return rfftn(a, axes, norm, order=order)


def irfft2(
    a: CubeArray,
    n: int | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order = "any",
) -> CubeArray:
    """The real array, of ``n`` points along the last one of two axes, with that spectrum.

    >>> x = np.arange(24.0).reshape(8, 3)
    >>> a = CubeArray.from_numpy(x, Layout.mesh((8, 3), nodes=(4, 1)))
    >>> np.allclose(irfft2(rfft2(a), n=3).to_numpy(), x)
    True
    """
    return irfftn(a, n, axes, norm, order=order)


def rfftn(
    a: CubeArray,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order = "any",
) -> CubeArray:
    """The transform of a real array along several axes: :func:`rfft` along the last, then fftn.

    The last axis is in memory. The others are over nodes in any way, and ``order`` is theirs.

    >>> x = np.random.default_rng(0).standard_normal((20, 12, 2))  # the last axis is payload
    >>> a = CubeArray.from_numpy(x, Layout.mesh((20, 12), nodes=(4, 1), code="gray"))
    >>> np.allclose(rfftn(a).to_numpy(), np.fft.rfftn(x, axes=(0, 1)))
    True
    """

    def check() -> tuple[list[int], int]:
        _real_dtype(a.dtype)
        return _others_and_last(a, axes)

    others, last = all_agree(a, "rfftn", check, axes=axes)
    return fftn(rfft(a, last, norm), others, norm, order=order)


def irfftn(
    a: CubeArray,
    n: int | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order = "any",
) -> CubeArray:
    """The real array, of ``n`` points along the last one of several axes, with that spectrum.

    :func:`ifftn` along the others, then :func:`irfft`. What the others have moved from the last
    axis onto nodes is first brought back to memory.

    >>> x = np.random.default_rng(0).standard_normal((20, 12))
    >>> a = CubeArray.from_numpy(x, Layout.mesh((20, 12), nodes=(4, 1), code="gray"))
    >>> np.allclose(irfftn(rfftn(a)).to_numpy(), x)
    True
    """

    def check() -> tuple[list[int], int, int]:
        others, last = _others_and_last(a, axes)
        # Memory may have no room for what is to come back.
        cube = not isinstance(a.layout, Ownership)
        if cube and a.layout.axes[last].bits > a.layout.p - a.layout.n:
            _require_in_memory(a.layout, last)
        return others, last, _points(a.layout.shape[last], n)

    others, last, points = all_agree(a, "irfftn", check, axes=axes, n=n)
    return _inverse(ifftn(a, others, norm, order=order), points, last, norm)


def _half(lines: _Lines, points: int, norm: Norm | None) -> _Lines:
    """The spectra of real lines."""
    from scipy import fft  # noqa: PLC0415 - importing it takes longer than most transforms

    return scale(fft.rfft(lines, axis=1), points, norm, inverse=False)


def _inverse(a: CubeArray, points: int, axis: int, norm: Norm | None) -> CubeArray:
    """The real array; the axis is brought to memory, if it is not there."""
    from scipy import fft  # noqa: PLC0415 - importing it takes longer than most transforms

    dtype = complex_dtype(a.dtype)
    if isinstance(a.layout, Ownership):
        scaled = partial(scale, norm=norm, inverse=True)
        return owned_real_inverse(a, axis, points, dtype, scaled)
    lines = _lines(a, axis, dtype)
    lines = fft.irfft(lines, points, axis=1, norm="forward")
    return _of_lines(scale(lines, points, norm, inverse=True), a, axis, points)


def _lines(a: CubeArray, axis: int, dtype: "np.dtype[np.generic]") -> _Lines:
    """All elements, with the axis as axis 1, in memory and in natural order."""
    layout = _in_memory(a.layout, axis, a.layout.axes[axis])
    blocks = moved(a.blocks, layout, a.layout.map, layout.map, a.comm).astype(dtype, copy=False)
    above, _, _, below, before, _ = shape = _shape(layout, axis, len(a.nodes))
    digits = np.moveaxis(blocks.reshape(*shape, -1), 5, 2)  # between its high and low bits
    return digits.reshape(above, layout.shape[axis], below, before, -1)


def _of_lines(lines: _Lines, a: CubeArray, axis: int, length: int) -> CubeArray:
    """The array with such lines of a new length, where ``a`` has its own."""
    two = length & -length
    layout = _in_memory(a.layout, axis, Axis(two.bit_length() - 1, length // two))
    above, high, low, below, before, extent = _shape(layout, axis, len(a.nodes))
    digits = lines.reshape(above, high, extent, low, below, before, -1)
    shape = (len(a.nodes), layout.block_size, *a.blocks.shape[2:])
    return CubeArray(np.moveaxis(digits, 2, 5).reshape(shape), layout, a.comm)


def _shape(layout: Layout, axis: int, nodes: int) -> tuple[int, int, int, int, int, int]:
    """What blocks of :func:`_in_memory` are, before the extents after the axis and payload.

    That is: rows above the axis, its high and its low bits, rows below it; the extents before
    its own, and its own.
    """
    along = layout.axes[axis]
    last = 1 << layout.word_bits(axis).start
    below = sum(row < last for row in layout.map.matrix.rows[layout.n :])
    before = prod(other.extent for other in layout.axes[:axis])
    above = layout.p - layout.n - along.bits - below
    high = along.bits - along.low
    return nodes << above, 1 << high, 1 << along.low, 1 << below, before, along.extent


def _in_memory(layout: Layout, axis: int, new: Axis) -> Layout:
    """The layout with a new axis, in memory, in place of one; memory is in C order.

    Node bits that depend on the old axis are exchanged for others, the rest stay as they are.
    """
    group = layout.word_bits(axis)
    old, offset = len(group), group.start
    place, _ = brought(layout.map, layout.n, group, group)
    low = (1 << offset) - 1
    rows = [row >> offset + old << offset + new.bits | row & low for row in place.matrix.rows]
    # Memory now has single bits of the word, and nothing of the old axis is left in them.
    memory = [row for row in rows[layout.n :] if row]
    memory += [1 << offset + b for b in range(new.bits)]
    matrix = Matrix.from_rows([*rows[: layout.n], *sorted(memory)], layout.p - old + new.bits)
    axes = (*layout.axes[:axis], new, *layout.axes[axis + 1 :])
    return replace(layout, map=AffineMap(matrix, place.constant), axes=axes)


def _require_in_memory(layout: Layout, axis: int, other_ways: str = "") -> None:
    if isinstance(layout, Ownership):
        return  # axes are traded there
    changes = tuple(layout.node_change(1 << bit) for bit in layout.word_bits(axis))
    dims = Matrix(changes, layout.n).rank()
    if dims:
        raise InvalidValueError(
            f"axis {axis} is over {1 << dims} nodes",
            "an axis that is real, or has half a spectrum, must be in memory",
            f"relayout with nodes=1 along it and other axes over the nodes{other_ways}",
        )


def _real_dtype(dtype: "np.dtype[np.generic]") -> "np.dtype[np.generic]":
    """The dtype in which real numbers are transformed."""
    if dtype.kind == "c":
        raise InvalidTypeError(
            f"the array has dtype {dtype}",
            "half of the spectrum is enough for real numbers only",
            "use fft, or drop the imaginary part",
        )
    return np.empty(0, complex_dtype(dtype)).real.dtype


def _others_and_last(a: CubeArray, axes: Sequence[int] | None) -> tuple[list[int], int]:
    """The axes of complex transforms, and the one of the real transform."""
    chosen = require_axes(a.layout, axes)
    if not chosen:
        raise InvalidValueError("axes is empty", "the last one is real", "name at least one")
    *others, last = chosen
    if last in others:
        raise InvalidValueError(
            f"axis {last} is in axes={axes} more than once",
            "the last axis has half a spectrum after its transform",
            "name it once",
        )
    return others, last


def _points(values: int, n: int | None) -> int:
    """The number of real points of a spectrum of so many values."""
    even = 2 * (values - 1)
    points = even if n is None else require_int(n, "n")
    if points < 1 or points // 2 + 1 != values:
        known = f"{even} or {even + 1} points" if even else "1 point"
        raise InvalidValueError(
            f"n is {points}",
            f"a spectrum of {values} values is that of {known}",
            "nothing is padded or cut: pass such an n",
        )
    return points
