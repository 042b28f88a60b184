"""Transforms of real arrays, which keep half of the spectrum, as NumPy's do.

Rules.

1. A real axis of L points has L // 2 + 1 values in its spectrum. That is in general no power of
   two times a number of nodes, so lines are brought to memory: other axes are over the nodes.
2. An axis in memory needs no exchange, and the layout of the result has the new axis in the
   place of the old one. An axis over nodes changes places with others: that is one exchange.
   Where these cannot take its nodes, it stays over them, by ownership.
3. The transforms along other axes are those of complex arrays, and each of their exchanges
   moves half as much. Half a spectrum seldom has bits to trade for those of the nodes, so bits
   of other axes are traded. Those of a lone consecutive axis have to come back: twice as many
   exchanges as a whole spectrum needs. Cyclic data, or a third axis, avoid that.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.arguments import complex_dtype, delivered, require_lengths, require_out
from graycube.fourier.calls import Wanted, called
from graycube.fourier.engine import from_half, half_spectrum
from graycube.fourier.lines import (
    cut_or_filled,
    evened,
    lines_of,
    nodes_along,
    of_lines,
    resized,
    with_room,
)
from graycube.fourier.owned import owned_real, owned_real_inverse
from graycube.fourier.transform import (
    Norm,
    Order,
    all_agree,
    fftn,
    ifftn,
    require_axes,
    require_norm,
    scale,
)
from graycube.layout import Layout, Ownership
from graycube.layout.required import require_word

_Lines = NDArray[Any]


def rfft(
    a: CubeArray,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    n: int | None = None,
    out: CubeArray | None = None,
) -> CubeArray:
    """The transform of a real array along an axis: its first L // 2 + 1 values.

    An axis over nodes changes places with others. With ``n`` points instead of L, it is cut,
    or zeros follow it. With ``out`` the result goes there.

    >>> x = np.arange(24.0).reshape(4, 6)
    >>> y = rfft(CubeArray.from_numpy(x, Layout.mesh((4, 6), nodes=(4, 1), code="gray")))
    >>> np.allclose(y.to_numpy(), np.fft.rfft(x))
    True
    >>> y
    <CubeArray (4, 4) complex128 on 4 nodes: (4 on 4 gray, 4)>
    >>> rfft(CubeArray.from_numpy(x, Layout.mesh((4, 6), nodes=(2, 2))))
    <CubeArray (4, 4) complex128 on 4 nodes: (4 on 4, 4)>
    """

    def check() -> tuple[int, int, np.dtype[np.generic]]:
        (along,) = require_axes(a.layout, (axis,))
        points = require_lengths(a.layout, [along], None if n is None else (n,))[along]
        require_norm(norm)
        real = require_real(a.dtype)
        shape = _with_length(a, along, points // 2 + 1)
        require_out(out, a, shape, complex_dtype(a.dtype))
        return along, points, real

    def asked() -> Wanted:
        along, points, _ = check()
        return Wanted((along,), (points,), norm, real=True)

    found = called(a, "rfft", (axis, norm, n), asked, out)
    if found is not None:
        return found
    along, points, dtype = all_agree(a, "rfft", check, out=out, axis=axis, norm=norm, n=n)
    a = with_room(a, along)
    if isinstance(a.layout, Ownership):
        scaled = partial(scale, norm=norm, inverse=False)
        return delivered(owned_real(resized(a, along, points), along, dtype, scaled), out)
    made = half_spectrum(cut_or_filled(lines_of(a, along, dtype), 1, points), 1)
    return delivered(of_lines(scale(made, points, norm, inverse=False), a, along), out)


def irfft(
    a: CubeArray,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    out: CubeArray | None = None,
) -> CubeArray:
    """The real array of ``n`` points along an axis with that spectrum.

    A spectrum of m values is that of 2 (m - 1) points, the default, or of one point more. For
    any other ``n`` it is cut, or zeros follow it.

    >>> layout = Layout.mesh((4, 7), nodes=(4, 1), code="gray")
    >>> x = CubeArray.from_numpy(np.arange(28.0).reshape(4, 7), layout)
    >>> y = irfft(rfft(x), n=7)
    >>> np.allclose(y.to_numpy(), x.to_numpy()), y.layout == layout
    (True, True)
    """

    def check() -> tuple[int, int]:
        (along,) = require_axes(a.layout, (axis,))
        require_norm(norm)
        real = complex_dtype(a.dtype).type(0).real.dtype
        points = _points(a.layout, along, -1 if n is None else n)
        require_out(out, a, _with_length(a, along, points), real)
        return along, points

    def asked() -> Wanted:
        along, points = check()
        return Wanted((along,), (points,), norm, inverse=True, real=True)

    found = called(a, "irfft", (n, axis, norm), asked, out)
    if found is not None:
        return found
    along, points = all_agree(a, "irfft", check, out=out, axis=axis, norm=norm, n=n)
    return delivered(_inverse(a, points, along, norm), out)


def rfft2(  # noqa: PLR0913 - NumPy's, and one more
    a: CubeArray,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The transform of a real array along two axes: half of the spectrum of the last one.

    >>> x = np.arange(24.0).reshape(8, 3)
    >>> a = CubeArray.from_numpy(x, Layout.mesh((8, 3), nodes=(4, 1)))
    >>> np.allclose(rfft2(a).to_numpy(), np.fft.rfft2(x))
    True
    """
    return rfftn(a, axes, norm, s=s, order=order, out=out)


def irfft2(  # noqa: PLR0913 - NumPy's, and one more
    a: CubeArray,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The real array with that spectrum, along two axes; ``s`` has its numbers of points.

    >>> x = np.arange(24.0).reshape(8, 3)
    >>> a = CubeArray.from_numpy(x, Layout.mesh((8, 3), nodes=(4, 1)))
    >>> np.allclose(irfft2(rfft2(a), s=(8, 3)).to_numpy(), x)
    True
    """
    return irfftn(a, axes, norm, s=s, order=order, out=out)


def rfftn(  # noqa: PLR0913 - NumPy's, and one more
    a: CubeArray,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The transform of a real array along several axes: :func:`rfft` along the last, then fftn.

    ``order`` is that of the other axes. Each axis is cut, or followed by zeros, to its number
    of points in ``s``.

    >>> x = np.random.default_rng(0).standard_normal((20, 12, 2))  # the last axis is payload
    >>> a = CubeArray.from_numpy(x, Layout.mesh((20, 12), nodes=(4, 1), code="gray"))
    >>> np.allclose(rfftn(a).to_numpy(), np.fft.rfftn(x, axes=(0, 1)))
    True
    """

    def check() -> tuple[list[int], int, dict[int, int]]:
        require_real(a.dtype)
        others, last = _others_and_last(a, axes)
        lengths = require_lengths(a.layout, [*others, last], s)
        halves = {**lengths, last: lengths[last] // 2 + 1}
        require_out(out, a, _with_lengths(a, halves), complex_dtype(a.dtype))
        return others, last, lengths

    def asked() -> Wanted:
        others, last, lengths = check()
        require_norm(norm)
        require_word(order, get_args(Order), "order")
        axes, back = (*others, last), order == "natural" and out is None
        return Wanted(axes, tuple(lengths[k] for k in axes), norm, real=True, back=back)

    found = called(a, "rfftn", (axes, norm, s, order), asked, out)
    if found is not None:
        return found
    others, last, lengths = all_agree(a, "rfftn", check, out=out, axes=axes, s=s)
    half = rfft(a, last, norm, n=lengths[last])
    some = None if s is None else [lengths[k] for k in others]
    return fftn(half, others, norm, s=some, order=order, out=out)


def irfftn(  # noqa: PLR0913 - NumPy's, and one more
    a: CubeArray,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The real array with that spectrum, along several axes; ``s`` has its numbers of points.

    :func:`ifftn` along the others, then :func:`irfft`. The last number of points is by default
    2 (m - 1), for m values.

    >>> x = np.random.default_rng(0).standard_normal((20, 12))
    >>> a = CubeArray.from_numpy(x, Layout.mesh((20, 12), nodes=(4, 1), code="gray"))
    >>> np.allclose(irfftn(rfftn(a)).to_numpy(), x)
    True
    """

    def check() -> tuple[list[int], int, dict[int, int]]:
        others, last = _others_and_last(a, axes)
        require_norm(norm)
        lengths = require_lengths(a.layout, [*others, last], s)
        lengths[last] = _points(a.layout, last, -1 if s is None else s[-1])
        real = complex_dtype(a.dtype).type(0).real.dtype
        require_out(out, a, _with_lengths(a, lengths), real)
        return others, last, lengths

    def asked() -> Wanted:
        others, last, lengths = check()
        require_word(order, get_args(Order), "order")
        axes, back = (*others, last), order == "natural"
        points = tuple(lengths[k] for k in axes)
        return Wanted(axes, points, norm, inverse=True, real=True, back=back)

    found = called(a, "irfftn", (axes, norm, s, order), asked, out)
    if found is not None:
        return found
    others, last, lengths = all_agree(a, "irfftn", check, out=out, axes=axes, s=s)
    some = None if s is None else [lengths[k] for k in others]
    return irfft(
        ifftn(a, others, norm, s=some, order=order), lengths[last], last, norm, out=out
    )


def _inverse(a: CubeArray, points: int, axis: int, norm: Norm | None) -> CubeArray:
    """The real array; the axis is brought to memory, if it is not there and can be."""
    dtype = complex_dtype(a.dtype)
    a = with_room(a, axis)
    if isinstance(a.layout, Ownership):
        scaled = partial(scale, norm=norm, inverse=True)
        half = resized(a, axis, points // 2 + 1)
        found = owned_real_inverse(half, axis, points, dtype, scaled)
        stays = nodes_along(found.layout, axis) > 1  # else no array in equal blocks came here
        return evened(found) if stays else found
    lines = cut_or_filled(lines_of(a, axis, dtype), 1, points // 2 + 1)
    made = scale(from_half(lines, 1, points), points, norm, inverse=True)
    return of_lines(made, a, axis)


def _with_length(a: CubeArray, axis: int, length: int) -> tuple[int, ...]:
    return _with_lengths(a, {axis: length})


def _with_lengths(a: CubeArray, lengths: dict[int, int]) -> tuple[int, ...]:
    """The shape of an array with some lengths, payload included."""
    return tuple(lengths.get(k, length) for k, length in enumerate(a.shape))


def require_real(dtype: "np.dtype[np.generic]") -> "np.dtype[np.generic]":
    """The dtype in which real numbers are transformed; complex ones are refused.

    >>> require_real(np.dtype("int8"))
    dtype('float64')
    """
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
        raise InvalidValueError(
            "axes is empty", "a real transform needs a last axis", "name at least one axis"
        )
    *others, last = chosen
    if last in others:
        raise InvalidValueError(
            f"axis {last} is in axes={axes} more than once",
            "the last axis has half a spectrum after its transform",
            "name it once",
        )
    return others, last


def _points(layout: Layout, axis: int, given: int) -> int:
    """The number of real points that are wanted of a spectrum."""
    values = layout.shape[axis]
    if values == 1 and given == -1:
        raise InvalidValueError(
            f"axis {axis} has a spectrum of 1 value",
            "twice one less is no number of points",
            "say how many points there are: n=1",
        )
    points = require_lengths(layout, [axis], (given,))[axis]
    return 2 * (values - 1) if given == -1 else points
