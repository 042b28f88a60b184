"""Convolutions of arrays over nodes: of whole numbers exactly, of others by transforms."""

from math import isqrt
from typing import Any, Literal, get_args

import numpy as np

from graycube.array import CubeArray
from graycube.array.held import require_array
from graycube.array.moving import of_kind
from graycube.array.ranks import facts_of, spread, together
from graycube.errors import InvalidValueError
from graycube.fourier.arguments import complex_dtype
from graycube.fourier.lines import evened, nodes_along, resized
from graycube.fourier.real import irfft, rfft
from graycube.fourier.residues import MOST_BITS, joined, primes_for, product_modulo
from graycube.fourier.transform import fft, ifft
from graycube.layout import Ownership
from graycube.layout.in_bits import bits_of, in_bits
from graycube.layout.required import require_axis, require_word

Mode = Literal["full", "periodic"]
_ROUNDED = 2.0**-46  # what transforms of N points add, in log2(N) norms of both
_SAFE = 1 << 44  # norms times log2(N), below which that is less than 1/4


def convolve(a: CubeArray, v: CubeArray, axis: int = -1, mode: Mode = "full") -> CubeArray:
    """The convolution of two arrays along an axis of the layout; collective.

    They have the same nodes, and the same shape but for the axis. "full" is that of
    ``numpy.convolve``, with all points in which they overlap; for "periodic" both have the same
    length, and what is beyond the end comes back at the beginning. "full" leaves the result
    where it comes about; "periodic" has the layout of ``a``.

    Whole numbers and truth values give int64 and are exact, by transforms modulo primes, or in
    layouts that have no bits, by those of small parts; what does not fit is refused. Others are
    transformed, and real ones stay real.

    >>> from graycube.layout import Layout
    >>> layout = Layout.nodes(2, "gray")
    >>> x, y = (CubeArray.from_numpy(u, layout) for u in ([1, 2, 3, 4], [1, 0, -1, 0]))
    >>> convolve(x, y).to_numpy().tolist(), convolve(x, y, mode="periodic").to_numpy().tolist()
    ([1, 2, 2, 2, -3, -4, 0], [-2, -2, 2, 2])
    """
    require_array(a, "a convolution")
    require_array(v, "a convolution")
    both = (a, v)

    def prepare() -> tuple[int, dict[str, object]]:
        require_word(mode, get_args(Mode), "mode")
        k = require_axis(axis, len(a.layout.shape))
        _require_alike(a, v, k, mode)
        for each in both:
            complex_dtype(each.dtype)  # raises where there are no numbers
        facts = {f"v, {name}": fact for name, fact in facts_of("v", v.layout, v.blocks).items()}
        facts |= {"axis": k, "mode": mode}
        return k, {**facts_of("convolution", a.layout, a.blocks), **facts}

    k = together(a.comm, prepare)
    points = a.shape[k] + (v.shape[k] - 1) * (mode == "full")
    exact = all(each.dtype.kind in "biu" for each in both)
    made = _exact(a, v, k, points) if exact else _transformed(a, v, k, points)
    if mode == "full":
        return resized(made, k, points)
    if exact:
        made = _wrapped(made, k, points)
    return made.relayout(a.layout)


def _require_alike(a: CubeArray, v: CubeArray, axis: int, mode: str) -> None:
    """Refuse arrays that cannot be convolved."""
    shapes = [[*each.shape] for each in (a, v)]
    if mode == "full" and len(shapes[0]) == len(shapes[1]):
        shapes[1][axis] = shapes[0][axis]
    same = a.layout.node_count == v.layout.node_count
    if spread(a.comm) != spread(v.comm):
        raise InvalidValueError(
            "the arrays are on different communicators",
            "both are on the same",
            "spread both with the same comm=",
        )
    if shapes[0] != shapes[1] or len(a.payload) != len(v.payload) or not same:
        raise InvalidValueError(
            f"the arrays have shapes {a.shape} and {v.shape}, on {a.layout.node_count} and "
            f"{v.layout.node_count} nodes",
            f"they have the same nodes and, but for axis {axis} of a full convolution, the "
            "same shape",
            "spread both over the same nodes",
        )


def _transformed(a: CubeArray, v: CubeArray, axis: int, points: int) -> CubeArray:
    """By Fourier transforms, of so many points or a few more."""
    from scipy.fft import next_fast_len  # noqa: PLC0415 - importing it takes longer than most transforms

    count = points
    if points > a.shape[axis]:
        nodes = nodes_along(a.layout, axis)
        count = nodes * next_fast_len(-(-points // nodes))
    dtype = np.result_type(a.dtype, v.dtype)
    a, v = (each.astype(dtype, copy=False) for each in (a, v))
    real = dtype.kind != "c"
    one, other = ((rfft if real else fft)(each, axis, n=count) for each in (a, v))
    product = one * other.relayout(one.layout)
    return irfft(product, axis, n=count) if real else ifft(product, axis)


def _exact(a: CubeArray, v: CubeArray, axis: int, wanted: int) -> CubeArray:
    """All points in which they overlap, and zeros, up to a power of two; some are wanted."""
    points = a.shape[axis] + v.shape[axis] - 1
    bits = max((points - 1).bit_length(), (nodes_along(a.layout, axis) - 1).bit_length())
    most = _largest(a) * _largest(v) * min(a.shape[axis], v.shape[axis])
    if most >> 63 and bits <= MOST_BITS:  # it may be less
        x, y = a.astype(float), v.astype(float)
        most = max(_reached(x, y, axis, count) for count in {points, wanted})
    if most >> 63 or bits > MOST_BITS:
        raise InvalidValueError(
            f"a convolution to {points} points may have numbers as large as {most}",
            f"they are below 2^63, and points are up to 2^{MOST_BITS}",
            "convert an array with astype(float)",
        )
    one, other = (evened(resized(each, axis, 1 << bits)) for each in (a, v))
    if isinstance(one.layout, Ownership) and bits_of(one.layout) is None:
        return _rounded(a.astype(np.int64), v.astype(np.int64), axis)
    one = of_kind(one, in_bits(one.layout, "a convolution of whole numbers"))
    other = other.relayout(one.layout)
    found = [product_modulo(one, other, axis, k) for k in range(primes_for(most))]
    return found[0].with_blocks(joined([each.blocks for each in found]))


def _reached(a: CubeArray, v: CubeArray, axis: int, points: int) -> int:
    """What no number of the convolution is above, by transforms, which round as below."""
    made = abs(_transformed(a, v, axis, points)).max()
    norms = np.linalg.norm(a) * np.linalg.norm(v)
    return int(made + _ROUNDED * points.bit_length() * norms) + 1


def _rounded(a: CubeArray, v: CubeArray, axis: int) -> CubeArray:
    """The same for layouts that have no bits: in parts so small that rounding is exact.

    Transforms of N points add less than ``_ROUNDED`` log2(N) norms of both to each point.
    """
    most, other, points = _largest(a), _largest(v), a.shape[axis] + v.shape[axis]
    norms = most * other * (isqrt(a.shape[axis] * v.shape[axis]) + 1)
    if norms * points.bit_length() < _SAFE:
        made = _transformed(a.astype(float), v.astype(float), axis, points)
        return made.with_blocks(np.rint(made.blocks).astype(np.int64))
    half = max(most, other).bit_length() // 2
    if most >= other:
        high, low = (_rounded(part, v, axis) for part in (a >> half, a & (1 << half) - 1))
    else:
        high, low = (_rounded(a, part, axis) for part in (v >> half, v & (1 << half) - 1))
    found: CubeArray = high * (1 << half) + low
    return found


def _largest(a: CubeArray) -> int:
    if not a.size:
        return 0
    return max(abs(int(a.max())), abs(int(a.min())))


def _wrapped(made: CubeArray, axis: int, points: int) -> CubeArray:
    """The first points, and those that come after them added to the first ones."""
    if made.shape[axis] < 2 * points:  # there is one, and nothing after it
        return made
    back: Any = np.roll(made, -points, axis)
    first = resized(made, axis, points)
    found: CubeArray = first + resized(back, axis, points).relayout(first.layout)
    return found
