"""Transforms of real arrays, which keep half of the spectrum, and the 3/2 rule.

Rules.

1. The last axis has L // 2 + 1 values in its spectrum, and each device transforms whole lines
   of it. The other axes are transformed as those of complex arrays are.
2. An array of JAX keeps its sharding. Devices seldom divide half a spectrum, so its last axis
   is not sharded then. A ``gc.jax.Array`` brings that axis to memory.
"""

from collections.abc import Sequence

import jax.numpy as jnp

from graycube.errors import InvalidTypeError
from graycube.fourier.arguments import Norm, Order, points_of
from graycube.jax.legs import Asked
from graycube.jax.names import Block, Sharding
from graycube.jax.transform import transform


def rfft(
    x: Block,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    source: Sharding = None,
) -> Block:
    """The transform of ``n`` real points along an axis: its first n // 2 + 1 values.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((8, 8)), jax.NamedSharding(mesh, jax.P("x")))
    >>> rfft(x).shape
    (8, 5)
    >>> from graycube.jax import Array
    >>> rfft(Array.from_array(x), axis=0)
    <gc.jax.Array (5, 8) complex64 on 8 devices: (|| b1:2 b1:1 b1:0) x 5 on axis 0>
    """
    return rfftn(x, points_of(n), (axis,), norm, source=source)


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
    return irfftn(x, points_of(n), (axis,), norm, source=source)


def rfft2(  # noqa: PLR0913 - NumPy's, and two more
    x: Block,
    s: Sequence[int] | None = None,
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
    return rfftn(x, s, axes, norm, order=order, source=source)


def irfft2(  # noqa: PLR0913 - NumPy's, and two more
    x: Block,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The real array, of ``s`` points along two axes, with that spectrum.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((64, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(irfft2(rfft2(x)), x, atol=1e-5))
    True
    """
    return irfftn(x, s, axes, norm, order=order, source=source)


def rfftn(  # noqa: PLR0913 - NumPy's, and two more
    x: Block,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The transform of a real array along several axes: half of the spectrum of the last one.

    ``s`` are the points that are transformed: axes are cut, or padded.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((64, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(rfftn(x), jnp.fft.rfftn(x), atol=1e-4))
    True
    """
    return _forward(x, Asked(axes, norm, order, real=True, s=s), source)


def irfftn(  # noqa: PLR0913 - NumPy's, and two more
    x: Block,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The real array, of ``s`` points along several axes, with that spectrum.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((64, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(irfftn(rfftn(x)), x, atol=1e-5))
    True
    """
    return transform(x, Asked(axes, norm, order, inverse=True, real=True, s=s), source)


def to_points(  # noqa: PLR0913
    spectrum: Block,
    points: Sequence[int],
    s: Sequence[int],
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    real: bool = True,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The array on ``s`` points with the waves of a spectrum that was made of other ``points``.

    As ``gc.fourier.to_points``: the spectrum is one of ``rfftn``, or with ``real=False`` one
    of ``fftn``. With ``norm="forward"`` everywhere its numbers are amplitudes.

    >>> copies = jax.NamedSharding(jax.make_mesh((8,), ("x",)), jax.P())
    >>> x = jax.device_put(jnp.cos(jnp.pi * jnp.arange(8) / 4), copies)
    >>> fine = to_points(rfft(x, norm="forward"), (8,), (12,), norm="forward")
    >>> bool(jnp.allclose(fine, jnp.cos(jnp.pi * jnp.arange(12) / 6), atol=1e-6))
    True
    """
    given = Asked(axes, norm, order, inverse=True, real=real, s=s, waves=points)
    return transform(spectrum, given, source)


def to_waves(  # noqa: PLR0913
    a: Block,
    points: Sequence[int],
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    real: bool = True,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The spectrum of so many ``points`` with those waves of an array that they have.

    So a product by the 3/2 rule is ``to_waves(to_points(u, n, m) * to_points(v, n, m), n)``.

    >>> copies = jax.NamedSharding(jax.make_mesh((8,), ("x",)), jax.P())
    >>> x = jax.device_put(jnp.cos(jnp.pi * jnp.arange(8) / 4), copies)
    >>> u = rfft(x, norm="forward")
    >>> fine = to_points(u, (8,), (12,), norm="forward")
    >>> abs(to_waves(fine**2, (8,), norm="forward")).round(3).tolist()
    [0.5, 0.0, 0.25, 0.0, 0.0]
    """
    return _forward(a, Asked(axes, norm, order, real=real, waves=points), source)


def _forward(x: Block, asked: Asked, source: Sharding) -> Block:
    dtype = getattr(x, "dtype", None)  # what is no array is refused later
    if asked.real and jnp.issubdtype(dtype, jnp.complexfloating):
        raise InvalidTypeError(
            f"the array has dtype {dtype}",
            "half of the spectrum is enough for real numbers only",
            "use fftn, or drop the imaginary part",
        )
    return transform(x, asked, source)
