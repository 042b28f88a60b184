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

from graycube.array import CubeArray
from graycube.fourier import engine
from graycube.fourier.arguments import (
    Norm,
    Order,
    Wanted,
    complex_dtype,
    delivered,
    points_of,
    require_real,
    scale,
    wanted,
)
from graycube.fourier.calls import called
from graycube.fourier.lines import evened, nodes_along
from graycube.fourier.lone_real import from_half, half_spectrum
from graycube.fourier.owned import on_lines
from graycube.fourier.transform import fftn, ifftn


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

    >>> from graycube.layout import Layout
    >>> import numpy as np
    >>> x = np.arange(24.0).reshape(4, 6)
    >>> y = rfft(CubeArray.from_numpy(x, Layout.mesh((4, 6), nodes=(4, 1), code="gray")))
    >>> np.allclose(y.to_numpy(), np.fft.rfft(x))
    True
    >>> y
    <CubeArray (4, 4) complex128 on 4 nodes: (4 on 4 gray, 4)>
    >>> rfft(CubeArray.from_numpy(x, Layout.mesh((4, 6), nodes=(2, 2))))
    <CubeArray (4, 4) complex128 on 4 nodes: (4 on 4, 4)>
    """
    return _forward("rfft", a, (axis,), norm, "any", points_of(n), out)


def irfft(
    a: CubeArray,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    n: int | None = None,
    out: CubeArray | None = None,
) -> CubeArray:
    """The real array of ``n`` points along an axis with that spectrum.

    A spectrum of m values is that of 2 (m - 1) points, the default, or of one point more. For
    any other ``n`` it is cut, or zeros follow it.

    >>> from graycube.layout import Layout
    >>> import numpy as np
    >>> layout = Layout.mesh((4, 7), nodes=(4, 1), code="gray")
    >>> x = CubeArray.from_numpy(np.arange(28.0).reshape(4, 7), layout)
    >>> y = irfft(rfft(x), n=7)
    >>> np.allclose(y.to_numpy(), x.to_numpy()), y.layout == layout
    (True, True)
    """
    return _back("irfft", a, (axis,), norm, "any", points_of(n), out)


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

    >>> from graycube.layout import Layout
    >>> import numpy as np
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

    >>> from graycube.layout import Layout
    >>> import numpy as np
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

    >>> from graycube.layout import Layout
    >>> import numpy as np
    >>> x = np.random.default_rng(0).standard_normal((20, 12, 2))  # the last axis is payload
    >>> a = CubeArray.from_numpy(x, Layout.mesh((20, 12), nodes=(4, 1), code="gray"))
    >>> np.allclose(rfftn(a).to_numpy(), np.fft.rfftn(x, axes=(0, 1)))
    True
    """
    return _forward("rfftn", a, axes, norm, order, s, out)


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

    >>> from graycube.layout import Layout
    >>> import numpy as np
    >>> x = np.random.default_rng(0).standard_normal((20, 12))
    >>> a = CubeArray.from_numpy(x, Layout.mesh((20, 12), nodes=(4, 1), code="gray"))
    >>> np.allclose(irfftn(rfftn(a)).to_numpy(), x)
    True
    """
    return _back("irfftn", a, axes, norm, order, s, out)


def _forward(  # noqa: PLR0913, PLR0917
    what: str,
    a: CubeArray,
    axes: Sequence[int] | None,
    norm: Norm | None,
    order: Order,
    s: Sequence[int] | None,
    out: CubeArray | None,
) -> CubeArray:
    """Half of the spectrum along the last axis, and what becomes of it along the others."""

    def check() -> Wanted:
        return wanted(a, axes, norm, order, s, out, real=True)

    def without_legs(asked: Wanted) -> CubeArray:
        *others, last = zip(asked.axes, asked.points, strict=True)
        if others:
            half = _forward("rfft", a, last[:1], norm, "any", last[1:], None)
            some, points = zip(*others, strict=True)
            return fftn(half, some, norm, s=points, order=order, out=out)
        axis, size = last
        values, dtype = size // 2 + 1, require_real(a.dtype)
        alone = partial(half_spectrum, points=size)
        made = on_lines(a, axis, dtype, size, values, engine.half_spectrum, alone)
        return delivered(made.with_blocks(scale(made.blocks, size, asked.scaling)), out)

    return called(a, what, (axes, norm, order, s), check, out, without_legs)


def _back(  # noqa: PLR0913, PLR0917
    what: str,
    a: CubeArray,
    axes: Sequence[int] | None,
    norm: Norm | None,
    order: Order,
    s: Sequence[int] | None,
    out: CubeArray | None,
) -> CubeArray:
    """The way back: along the others, and then along the last axis."""

    def check() -> Wanted:
        return wanted(a, axes, norm, order, s, out, inverse=True, real=True)

    def without_legs(asked: Wanted) -> CubeArray:
        *others, last = zip(asked.axes, asked.points, strict=True)
        if others:
            some, points = zip(*others, strict=True)
            half = ifftn(a, some, norm, s=points, order=order)
            return _back("irfft", half, last[:1], norm, "any", last[1:], out)
        axis, size = last
        values, dtype = size // 2 + 1, complex_dtype(a.dtype)
        lines, alone = (partial(work, points=size) for work in (engine.from_half, from_half))
        made = on_lines(a, axis, dtype, values, size, lines, alone)
        made = made.with_blocks(scale(made.blocks, size, asked.scaling))
        stays = nodes_along(made.layout, axis) > 1  # else no array in equal blocks came here
        return delivered(evened(made) if stays else made, out)

    return called(a, what, (axes, norm, order, s), check, out, without_legs)
