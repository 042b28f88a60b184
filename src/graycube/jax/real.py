"""Transforms of real arrays, which keep half of the spectrum; of arrays of JAX only.

Rule: the last axis has L // 2 + 1 values in its spectrum, seldom a number that devices divide.
So it is not sharded, and each device transforms its lines. The other axes are transformed as
those of complex arrays are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.transform import Norm, require_axes, require_norm
from graycube.jax.array import Array
from graycube.jax.names import Block, Sharding
from graycube.jax.over import over
from graycube.jax.shardings import Placing, placed, source_of
from graycube.jax.transform import complex_of, fftn, ifftn


def rfft(
    x: Block, axis: int = -1, norm: Norm | None = None, *, source: Sharding = None
) -> Block:
    """The transform of a real array along an axis that is not sharded.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((8, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> rfft(x).shape
    (8, 4)
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


def rfftn(
    x: Block,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    source: Sharding = None,
) -> Block:
    """The transform of a real array along several axes, the last of which is not sharded.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((64, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(rfftn(x), jnp.fft.rfftn(x), atol=1e-4))
    True
    """
    given, others, last = _axes(x, axes, norm, source)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        raise InvalidTypeError(
            f"the array has dtype {x.dtype}",
            "half of the spectrum is enough for real numbers only",
            "use fftn, or drop the imaginary part",
        )
    half = over(given.mesh, _Half(last, norm), given.partition, given.partition)(x)
    return fftn(half, others, norm, source=_sharding(given)) if others else half


def irfftn(
    x: Block,
    n: int | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    source: Sharding = None,
) -> Block:
    """The real array, of ``n`` points along the last one of several axes, with that spectrum.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((64, 6)), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(irfftn(rfftn(x)), x, atol=1e-5))
    True
    """
    given, others, last = _axes(x, axes, norm, source)
    even = 2 * (x.shape[last] - 1)
    points = even if n is None else n
    if points < 1 or points // 2 + 1 != x.shape[last]:
        raise InvalidValueError(
            f"n is {points}",
            f"a spectrum of {x.shape[last]} values is that of {even} or {even + 1} points",
            "nothing is padded or cut: pass such an n",
        )
    if others:
        x = ifftn(x, others, norm, source=_sharding(given))
    whole = _RealLines(last, norm, points)
    return over(given.mesh, whole, given.partition, given.partition)(x)


def _axes(
    x: Block, axes: Sequence[int] | None, norm: Norm | None, source: Sharding
) -> tuple[Placing, list[int], int]:
    """The array as it is placed, the axes of complex transforms, and that of the real one."""
    require_norm(norm)
    if isinstance(x, Array):
        raise InvalidTypeError(
            "got a gc.jax.Array",
            "half spectra are those of arrays of JAX",
            "take x.to_array(), or use fftn",
        )
    given = placed(source_of(x, source), x.shape, "source")
    chosen = require_axes(given.layout, axes)
    if not chosen:
        raise InvalidValueError("axes is empty", "the last one is real", "name at least one")
    *others, last = chosen
    if given.spec[last]:
        raise InvalidValueError(
            f"axis {last} is over the mesh axes {given.spec[last]}",
            "an axis that is real, or has half a spectrum, is not sharded",
            "take another one as the last axis, reshard first, or use fftn",
        )
    if last in others:
        raise InvalidValueError(
            f"axis {last} is in axes={axes} more than once",
            "the last axis has half a spectrum after its transform",
            "name it once",
        )
    return given, others, last


def _sharding(given: Placing) -> Sharding:
    return jax.sharding.NamedSharding(given.mesh, given.partition)


@dataclass(frozen=True)
class _Half:
    axis: int
    norm: Norm | None

    def __call__(self, x: Block) -> Block:
        real = jnp.finfo(complex_of(x.dtype)).dtype
        return jnp.fft.rfft(x.astype(real), axis=self.axis, norm=self.norm)


@dataclass(frozen=True)
class _RealLines:
    axis: int
    norm: Norm | None
    points: int

    def __call__(self, x: Block) -> Block:
        x = x.astype(complex_of(x.dtype))
        return jnp.fft.irfft(x, self.points, axis=self.axis, norm=self.norm)
