"""Fast Fourier transforms of sharded arrays, with NumPy's signs, norms and names.

Rule: every function takes a ``gc.jax.Array``, or an array of JAX with a NamedSharding. The
first comes back in whatever layout costs least, unless ``order="natural"`` brings it back to
its own; the second always comes back with its sharding. Where mesh axes are not used, each copy
is transformed on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt

import jax.numpy as jnp

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.transform import Norm, Order, require_axes, require_norm
from graycube.gf2 import AffineMap
from graycube.jax.array import Array
from graycube.jax.blocks import carried, from_slots, to_slots
from graycube.jax.cube import MeshCube
from graycube.jax.lines import transformed
from graycube.jax.names import Block, Dtype, Sharding
from graycube.jax.over import over
from graycube.jax.shardings import placed, source_of
from graycube.jax.steps import LineStep, steps, way_back
from graycube.layout import Layout


@dataclass(frozen=True)
class Asked:
    """Which transform: what a caller says of it, but for where the array is.

    >>> Asked(None, "forward").factor(8), Asked(None, None, inverse=True).in_order("any").order
    (0.125, 'any')
    """

    axes: Sequence[int] | None
    norm: Norm | None
    order: Order | None = None
    inverse: bool = False

    def in_order(self, order: Order) -> "Asked":
        """The same; in this order if the caller says nothing of it."""
        return replace(self, order=self.order or order)

    def factor(self, points: int) -> float:
        """What the result for so many points is multiplied with."""
        if self.norm == "ortho":
            return 1 / sqrt(points)
        return 1 / points if ((self.norm or "backward") == "backward") == self.inverse else 1.0


def fft(
    a: Block,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The discrete Fourier transform along one axis.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.arange(64.0), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(fft(x), jnp.fft.fft(x), atol=1e-3))
    True
    """
    return _transform(a, Asked((axis,), norm, order), source)


def ifft(
    a: Block,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The inverse transform along one axis.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.arange(64.0), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(ifft(fft(x)), x, atol=1e-4))
    True
    """
    return _transform(a, Asked((axis,), norm, order, inverse=True), source)


def fft2(
    a: Block,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The transform along two axes.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.eye(8), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(fft2(x), jnp.fft.fft2(x), atol=1e-4))
    True
    """
    return _transform(a, Asked(axes, norm, order), source)


def ifft2(
    a: Block,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The inverse transform along two axes.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.eye(8), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(ifft2(fft2(x)), x, atol=1e-4))
    True
    """
    return _transform(a, Asked(axes, norm, order, inverse=True), source)


def fftn(
    a: Block,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The transform along several axes, by default along all of them.

    >>> mesh = jax.make_mesh((2, 4), ("x", "y"))
    >>> x = jax.device_put(jnp.ones((8, 8, 6)), jax.NamedSharding(mesh, jax.P("x", "y")))
    >>> y = fftn(Array.from_array(x))
    >>> print(y.layout)
    (b1:2 b1:1 b1:0 b0:0 || b2:0 b0:2 b0:1) x 3 on axis 2
    """
    return _transform(a, Asked(axes, norm, order), source)


def ifftn(
    a: Block,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The inverse transform along several axes.

    >>> mesh = jax.make_mesh((2, 4), ("x", "y"))
    >>> x = jax.device_put(jnp.ones((8, 8, 6)), jax.NamedSharding(mesh, jax.P("x", "y")))
    >>> bool(jnp.allclose(ifftn(fftn(Array.from_array(x))).to_array(), x))
    True
    """
    return _transform(a, Asked(axes, norm, order, inverse=True), source)


def _transform(a: Block, asked: Asked, source: Sharding) -> Block:
    if isinstance(a, Array):
        body, result = transform_of(a.layout, a.cube, asked.in_order("any"))
        return a.computed(_on_block, result, body)
    if asked.order == "any":
        raise InvalidValueError(
            'order is "any"',
            "an array of JAX has no layout to say what came where",
            "transform gc.jax.Array.from_array(x), which carries one",
        )
    given = placed(source_of(a, source), a.shape, "source")
    body, _ = transform_of(given.layout, given.cube, asked.in_order("natural"))
    parts = given.partition, given.partition
    return over(given.mesh, _on_part, *parts, body, given.local_bits)(a)


def transform_of(layout: Layout, cube: MeshCube, asked: Asked) -> tuple["Transform", Layout]:
    """What each device does in a transform, and the layout of its result.

    >>> asked = Asked(None, None, "any")
    >>> body, result = transform_of(Layout.cyclic(4, 0), MeshCube((), ()), asked)
    >>> body.of_blocks(jnp.ones(16)).real.tolist()[:2]
    [16.0, 0.0]
    """
    require_norm(asked.norm)
    if asked.order not in {"any", "natural"}:
        raise InvalidValueError(
            f"order is {asked.order!r}", "the known ones are 'any', 'natural'", "choose one"
        )
    axes = tuple(require_axes(layout, asked.axes))
    taken, result = steps(layout, axes)
    back = None
    if asked.order == "natural":
        back, result = way_back(layout, result), layout
    factor = asked.factor(prod(layout.shape[axis] for axis in axes))
    return Transform(layout, taken, cube, back, factor, asked.inverse), result


@dataclass(frozen=True)
class Transform:
    """A transform on a device; ``of_slots`` has slots, an axis of each extent, and payload."""

    layout: Layout
    taken: tuple[LineStep, ...]
    cube: MeshCube
    back: AffineMap | None
    factor: float
    inverse: bool

    def of_slots(self, slots: Block) -> Block:
        """The transformed slots, scaled and in the order that was asked for."""
        slots = slots.astype(complex_of(slots.dtype))
        slots = transformed(slots, self.layout, self.taken, self.cube, inverse=self.inverse)
        if self.back is not None:
            slots = carried(slots, self.back, self.cube)
        return slots if self.factor == 1 else slots * self.factor

    def of_blocks(self, block: Block) -> Block:
        """The transformed block: slots with their extents, and payload."""
        layout = self.layout
        extents = (axis.extent for axis in layout.axes)
        slots = block.reshape(1 << layout.p - layout.n, *extents, *block.shape[1:])
        return self.of_slots(slots).reshape(block.shape)


def _on_block(block: Block, body: Transform) -> Block:
    return body.of_blocks(block[0])[None]


def _on_part(x: Block, body: Transform, bits: tuple[int, ...]) -> Block:
    return from_slots(body.of_slots(to_slots(x, bits)), bits)


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
