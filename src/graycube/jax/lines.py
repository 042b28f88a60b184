"""The transform of the digits of a step on a device's block, and the twiddle factors after it.

Twiddle factors come from the device's number and from counting, so a program has no tables.
Their angles are at most an eighth of a turn: the rest is exact.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import jax
import jax.numpy as jnp
import numpy as np

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.places import Waves
from graycube.gf2 import AffineMap, bit_indices
from graycube.jax.blocks import relaid
from graycube.jax.cube import MeshCube
from graycube.jax.legs import AxisLeg
from graycube.jax.names import Block, Dtype
from graycube.jax.steps import Digits, Step, WholeLines
from graycube.layout import Layout


def transformed(block: Block, taken: Sequence[Step], cube: MeshCube) -> Block:
    """The block after all steps, scaled as ``norm="backward"``; slots and extents, payload.

    >>> from graycube.jax.legs import AxisLeg
    >>> from graycube.jax.steps import steps
    >>> taken, _ = steps(Layout.consecutive(3, 0), ((0, AxisLeg("fft", 8, 8, 8)),))
    >>> transformed(jnp.ones(8), taken, MeshCube((), ())).real.tolist()
    [8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    for step in taken:
        block = relaid(block, step.move, cube)
        if isinstance(step, WholeLines):
            block = _of_lines(block, step)
        elif isinstance(step, Digits):
            block = _of_digits(block, step, cube)
        elif step.bits:
            block = _resized(block, int(len(block) * 2.0**step.bits), 0)
    return block


def _of_digits(block: Block, step: Digits, cube: MeshCube) -> Block:
    """The transform of the digits of an axis, and the twiddle factors after it."""
    layout, inverse = step.layout, step.inverse
    extents = (axis.extent for axis in layout.axes)
    size = 1 << step.high - step.low
    complexes = block.astype(complex_of(block.dtype))
    split = complexes.reshape(-1, size, 1 << step.slot, *extents, *block.shape[1:])
    extent = 3 + step.axis
    fft = jnp.fft.ifft if inverse else jnp.fft.fft
    made = fft(split, axis=1 if step.low < step.high else extent)
    if step.words is not None:
        sizes = (step.high - step.low, step.slot)
        words = Words(step.words, layout, cube, sizes, split.ndim)
        made *= _factors(layout, step, words, made.dtype, inverse=inverse)
    return made.reshape(block.shape)


def _of_lines(block: Block, step: WholeLines) -> Block:
    """Whole lines made anew: the bits and the extent of each axis are together meanwhile."""
    where, payload = step.in_order(), block.shape[1:]
    shape, order = _digits(step.before, where)
    behind = range(len(shape), len(shape) + len(payload))
    digits = block.reshape(*shape, *payload).transpose(*order, *behind)
    sizes, end = digits.shape, 4 * len(where)
    lines = [n for k in range(0, end, 4) for n in (sizes[k], prod(sizes[k + 1 : k + 4]))]
    made = _made(digits.reshape(*lines, *sizes[end:]), [leg for _, leg, _ in where])
    shape, order = _digits(step.after, where)
    split = made.reshape(*(shape[k] for k in order), *payload)
    return split.transpose(*np.argsort(order), *behind).reshape(-1, *payload)


def _digits(
    layout: Layout, where: Sequence[tuple[int, AxisLeg, int]]
) -> tuple[list[int], list[int]]:
    """Slots around the bits of some axes, then all extents; and the order that joins these.

    It has for each axis the slots above it, its high bits, its extent and its low bits.
    """
    shape, order = list[int](), list[int]()
    last = 3 * len(where)  # the slots below all axes
    top = layout.p - layout.n - sum(layout.axes[k].bits for k, _, _ in where)
    for k, _, below in where:
        along, at = layout.axes[k], len(shape)
        shape += [1 << top - below, 1 << along.bits - along.low, 1 << along.low]
        order += [at, at + 1, last + 1 + k, at + 2]
        top = below
    shape += [1 << top, *(axis.extent for axis in layout.axes)]
    return shape, order + [k for k in range(len(shape)) if k not in order]


def _made(lines: Block, legs: Sequence[AxisLeg]) -> Block:
    """What legs make of lines along axes 1, 3 and 5: a real one is last going and coming."""
    half = sorted(enumerate(legs), key=lambda pair: pair[1].kind in {"rfft", "irfft"})
    axes = [1 + 2 * k for k, _ in half]
    kinds = {leg.kind for leg in legs}
    for axis, (_, leg) in zip(axes, half, strict=True):
        lines = jax.lax.slice_in_dim(lines, 0, leg.values, axis=axis)
        if leg.waves is not None and kinds & {"ifft", "irfft"}:
            lines = _moved(lines, leg.waves)
    if kinds != {None}:
        kind = next(kind for kind in ("rfft", "irfft", "ifft", "fft") if kind in kinds)
        dtype = complex_of(lines.dtype)
        lines = lines.astype(jnp.finfo(dtype).dtype if kind == "rfft" else dtype)
        points = [leg.points for _, leg in half]
        lines = getattr(jnp.fft, f"{kind}n")(lines, points, axes)
    for axis, (_, leg) in zip(axes, half, strict=True):
        if leg.waves is not None and kinds & {"fft", "rfft"}:
            lines = _moved(lines, leg.waves)
        lines = _resized(lines, leg.kept, axis)
    return lines


def _moved(lines: Block, waves: Waves) -> Block:
    """Waves at their places among others: zeros in the middle of a spectrum, or a cut."""
    first, last = waves.last + 1, 0 if waves.half else waves.last
    front, back = lines[:, :first], lines[:, waves.old - last :]
    return jnp.concatenate([_resized(front, waves.new - last, 1), back], 1)


def _resized(lines: Block, length: int, axis: int) -> Block:
    """Lines cut, or followed by zeros."""
    here = lines.shape[axis]
    if here >= length:
        return jax.lax.slice_in_dim(lines, 0, length, axis=axis)
    widths = [(0, 0)] * lines.ndim
    widths[axis] = 0, length - here
    return jnp.pad(lines, widths)


def complex_of(dtype: Dtype) -> Dtype:
    """The dtype of a transform: double for double numbers, else single.

    >>> complex_of(jnp.bfloat16), complex_of(jnp.int32)
    (dtype('complex64'), dtype('complex64'))
    """
    if not jnp.issubdtype(dtype, jnp.number) and dtype != jnp.bool_:
        raise InvalidTypeError(
            f"the array has dtype {dtype}", "numbers are needed", "convert it with astype"
        )
    wide = dtype in {jnp.dtype("float64"), jnp.dtype("complex128")}
    return jnp.dtype("complex128" if wide else "complex64")


def _factors(
    layout: Layout, step: Digits, words: "Words", dtype: Dtype, *, inverse: bool
) -> Block:
    """w^(k r): k the output digit, r the index below it, w the root of all points of both."""
    along, extent = layout.axes[step.axis], 3 + step.axis
    group = step.high - step.low
    digit, low = words.counted(extent, along.extent), words.bits(step.axis, 0, step.low)
    if not group:
        return root(low * digit, along.length >> along.bits - step.low, dtype, inverse=inverse)
    points, below = 1 << step.high, low
    if step.low >= along.low:  # the extent is still to come
        below = along.join(low, digit)
        points *= along.extent
    return root(below * words.counted(1, 1 << group), points, dtype, inverse=inverse)


class Words:
    """The bits of words as integers that broadcast against a device's block.

    ``sizes`` are the numbers of slot bits of its axes 1 and 2; axis 0 has those above.
    """

    def __init__(
        self,
        words: AffineMap,
        layout: Layout,
        cube: MeshCube,
        sizes: tuple[int, int],
        ndim: int,
    ) -> None:
        self._words, self._layout, self._ndim = words, layout, ndim
        n, p = layout.n, layout.p
        middle, last = sizes
        self._ends = (0, n, n + last, n + last + middle, p)
        counted = [
            self.counted(axis, 1 << top - end)
            for axis, (end, top) in zip((2, 1, 0), pairwise(self._ends[1:]), strict=True)
        ]
        self._sources = [cube.node().astype(jnp.int32), *counted]

    def counted(self, axis: int, length: int) -> Block:
        """0, 1, ... along one axis of the block."""
        shape = [length if k == axis else 1 for k in range(self._ndim)]
        return jax.lax.broadcasted_iota(jnp.int32, shape, axis)

    def bits(self, axis: int, low: int, high: int) -> Block:
        """The bits of an axis from ``low`` on and below ``high``, as a number.

        Bits that go as far are shifted together, so a program is as long as the map is wild.
        """
        start, map_ = self._layout.word_bits(axis).start + low, self._words
        total = jnp.int32(map_.constant >> start & (1 << high - low) - 1)
        for source, (end, top) in zip(self._sources, pairwise(self._ends), strict=True):
            masks = dict[int, int]()
            for b in range(high - low):
                for k in bit_indices(map_.matrix.rows[start + b] >> end & (1 << top - end) - 1):
                    masks[b - k] = masks.get(b - k, 0) | 1 << k
            for way, mask in masks.items():
                part = source & mask
                total ^= part << way if way > 0 else part >> -way
        return total


def require_counted(length: int, axis: int) -> None:
    """Refuse an axis with more indices than a device can count.

    >>> require_counted(1 << 31, 0)
    """
    if length > 1 << 31:
        raise InvalidValueError(
            f"axis {axis} has {length} elements",
            f"devices count in 32 bits, and so up to {1 << 31} elements of an axis",
            "make two axes of it: x.reshape(2, -1)",
        )


def index_along(layout: Layout, axis: int, cube: MeshCube) -> Block:
    """The index along an axis of what is in every slot and extent of a device.

    >>> layout = Layout.mesh((2, 3), nodes=(1, 1), ownership=False)
    >>> index_along(layout, 1, MeshCube((), ()))[1].tolist()
    [[0, 1, 2]]
    """
    along, d = layout.axes[axis], len(layout.axes)
    require_counted(along.length, axis)
    words = Words(layout.inverse_map, layout, cube, (0, 0), d + 3)
    word, digit = words.bits(axis, 0, along.bits), words.counted(3 + axis, along.extent)
    index = along.join(word, digit)
    extents = [other.extent for other in layout.axes]
    shape = (1 << layout.p - layout.n, 1, 1, *extents)
    return jnp.broadcast_to(index, shape).reshape(-1, *extents)


def root(number: Block, points: int, dtype: Dtype, *, inverse: bool) -> Block:
    """exp(-2 pi i number / points), or with a plus; the numbers are at least 0, below points.

    >>> root(jnp.arange(4), 4, jnp.complex64, inverse=False).tolist() == [1, -1j, -1, 1j]
    True
    """
    real = jnp.finfo(dtype).dtype
    number = number.astype(jnp.uint32)
    quarter = (4 * number + points // 2) // points
    rest = (4 * number).astype(jnp.int32) - (quarter * points).astype(jnp.int32)
    angle = rest.astype(real) * real.type(jnp.pi / 2 / points)
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    odd, minus = quarter & 1 == 1, real.type(-1)
    x, y = jnp.where(odd, -sin, cos), jnp.where(odd, cos, sin)
    sign = jnp.where(quarter & 2 == 2, minus, real.type(1))
    return jax.lax.complex(x * sign, y * sign if inverse else -y * sign)
