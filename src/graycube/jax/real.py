"""Transforms of real arrays, which keep half of the spectrum.

Rules.

1. The last axis has L // 2 + 1 values in its spectrum, seldom a number that devices divide. So
   each device transforms whole lines of it.
2. An array of JAX keeps its sharding, so its last axis is not sharded. A ``gc.jax.Array``
   brings that axis to memory, if other axes can take its devices.
3. The other axes are transformed as those of complex arrays are.
"""

from collections.abc import Callable, Sequence

import jax.numpy as jnp

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.lines import axis_of, has_room, in_memory, lines_shape
from graycube.fourier.transform import Norm, Order, require_axes, require_norm
from graycube.jax.array import Array
from graycube.jax.names import Block, Sharding
from graycube.jax.over import over
from graycube.jax.shardings import placed, source_of
from graycube.jax.transform import complex_of, fftn, ifftn

_Lines = Callable[..., Block]


def rfft(
    x: Block, axis: int = -1, norm: Norm | None = None, *, source: Sharding = None
) -> Block:
    """The transform of a real array along an axis: its first L // 2 + 1 values.

    An array of JAX must not be sharded along that axis.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((8, 8)), jax.NamedSharding(mesh, jax.P("x")))
    >>> rfft(x).shape
    (8, 5)
    >>> rfft(Array.from_array(x), axis=0)
    <gc.jax.Array (5, 8) complex64 on 8 devices: (|| b1:2 b1:1 b1:0) x 5 on axis 0>
    """
    return rfftn(x, (axis,), norm, source=source)


def irfft(
    x: Block,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    source: Sharding = None,
) -> Block:
    """The real array of ``n`` points, by default an even number, with that spectrum.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((8, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(irfft(rfft(x)), x))
    True
    """
    return irfftn(x, n, (axis,), norm, source=source)


def rfft2(
    x: Block,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The transform of a real array along two axes: half of the spectrum of the last one.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((64, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(rfft2(x), jnp.fft.rfft2(x), atol=1e-4))
    True
    """
    return rfftn(x, axes, norm, order=order, source=source)


def irfft2(  # noqa: PLR0913 - NumPy's, and two more
    x: Block,
    n: int | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The real array, of ``n`` points along the last of two axes, with that spectrum.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((64, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(irfft2(rfft2(x)), x, atol=1e-5))
    True
    """
    return irfftn(x, n, axes, norm, order=order, source=source)


def rfftn(
    x: Block,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The transform of a real array along several axes: half of the spectrum of the last one.

    ``order`` is that of the other axes.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((64, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(rfftn(x), jnp.fft.rfftn(x), atol=1e-4))
    True
    """
    others, last = _axes(x, axes, norm, source)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        raise InvalidTypeError(
            f"the array has dtype {x.dtype}",
            "half of the spectrum is enough for real numbers only",
            "use fftn, or drop the imaginary part",
        )
    half = _along(x, last, x.shape[last] // 2 + 1, source, _half, norm)
    return fftn(half, others, norm, order=order, source=source)


def irfftn(  # noqa: PLR0913 - NumPy's, and two more
    x: Block,
    n: int | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The real array, of ``n`` points along the last one of several axes, with that spectrum.

    ``order`` is that of the other axes.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((64, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(irfftn(rfftn(x)), x, atol=1e-5))
    True
    """
    others, last = _axes(x, axes, norm, source)
    even = 2 * (x.shape[last] - 1)
    points = even if n is None else n
    if points < 1 or points // 2 + 1 != x.shape[last]:
        raise InvalidValueError(
            f"n is {points}",
            f"a spectrum of {x.shape[last]} values is that of {even} or {even + 1} points",
            "nothing is padded or cut: pass such an n",
        )
    x = ifftn(x, others, norm, order=order, source=source)
    return _along(x, last, points, source, _real_lines, norm, points)


def _axes(
    x: Block, axes: Sequence[int] | None, norm: Norm | None, source: Sharding
) -> tuple[list[int], int]:
    """The axes of complex transforms, and that of the real one, which can be in memory."""
    require_norm(norm)
    given = None if isinstance(x, Array) else placed(source_of(x, source), x.shape, "source")
    layout = x.layout if given is None else given.layout
    chosen = require_axes(layout, axes)
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
    if given is not None and given.spec[last]:
        raise InvalidValueError(
            f"axis {last} is over the mesh axes {given.spec[last]}",
            "an axis that is real, or has half a spectrum, is not sharded",
            "take another one as the last axis, reshard first, pass a gc.jax.Array, "
            "or use fftn",
        )
    if not has_room(layout, last):
        raise InvalidValueError(
            f"axis {last} has {layout.shape[last]} points, spread over the devices",
            "half a spectrum has whole lines on a device, and no other axes take its devices",
            "use fft, whose spectrum is whole",
        )
    return others, last


def _along(
    x: Block, axis: int, points: int, source: Sharding, lines: _Lines, *given: object
) -> Block:
    """The array with lines made anew along an axis, of so many points."""
    if not isinstance(x, Array):
        place = placed(source_of(x, source), x.shape, "source")
        parts = place.partition, place.partition
        return over(place.mesh, _on_axis, *parts, axis, lines, *given)(x)
    ends = [in_memory(x.layout, axis, new) for new in (x.layout.axes[axis], axis_of(points))]
    shapes = (lines_shape(layout, axis, nodes=1) for layout in ends)
    before, after = ends
    return x.relayout(before).computed(_on_slots, after, *shapes, lines, *given)


def _half(lines: Block, norm: Norm | None) -> Block:
    """From real lines, along axis 1, to half of their spectra."""
    real = jnp.finfo(complex_of(lines.dtype)).dtype
    return jnp.fft.rfft(lines.astype(real), axis=1, norm=norm)


def _real_lines(lines: Block, norm: Norm | None, points: int) -> Block:
    """From half of their spectra to real lines, along axis 1."""
    return jnp.fft.irfft(lines.astype(complex_of(lines.dtype)), points, axis=1, norm=norm)


def _on_axis(x: Block, axis: int, lines: _Lines, *given: object) -> Block:
    """Lines along an axis of a device's part of an array."""
    made = lines(jnp.moveaxis(x[None], axis + 1, 1), *given)
    return jnp.moveaxis(made, 1, axis + 1)[0]


def _on_slots(
    block: Block, before: tuple[int, ...], after: tuple[int, ...], lines: _Lines, *given: object
) -> Block:
    """Lines in a device's block, which has these shapes before and after: see lines_shape."""
    digits = jnp.moveaxis(block.reshape(*before, -1), 5, 2)
    above, high, extent, low, *rest = digits.shape
    made = lines(digits.reshape(above, high * extent * low, *rest), *given)
    above, high, low, below, inside, extent = after
    digits = made.reshape(above, high, extent, low, below, inside, -1)
    return jnp.moveaxis(digits, 2, 5).reshape(1, -1, *block.shape[2:])
