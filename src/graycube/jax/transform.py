"""Fast Fourier transforms of sharded arrays, with NumPy's signs, norms and names.

Rule: every function takes a ``gc.jax.Array``, or an array of JAX with a NamedSharding. The
first comes back in whatever layout costs least, unless ``order="natural"`` brings it back to
its own; the second always comes back with its sharding. Where mesh axes are not used, each copy
is transformed on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import get_args

import jax

from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.fourier.arguments import Norm, Order, points_of
from graycube.jax.applied import applied, require_carried
from graycube.jax.array import Array
from graycube.jax.cube import MeshCube
from graycube.jax.legs import Asked, legs_of
from graycube.jax.lines import transformed
from graycube.jax.names import Block, Sharding
from graycube.jax.shardings import Placing, placed
from graycube.jax.spare import resized
from graycube.jax.steps import COPIES, Step, fits, require_bits, steps
from graycube.layout import Layout
from graycube.layout.required import require_word


def fft(  # noqa: PLR0913 - NumPy's, and two more
    a: Block,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The discrete Fourier transform along one axis, of ``n`` points: it is cut, or padded.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.arange(64.0), jax.NamedSharding(mesh, jax.P("x")))
    >>> bool(jnp.allclose(fft(x), jnp.fft.fft(x), atol=1e-3))
    True
    """
    return transform(a, Asked((axis,), norm, order, s=points_of(n)), source)


def ifft(  # noqa: PLR0913 - NumPy's, and two more
    a: Block,
    n: int | None = None,
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
    return transform(a, Asked((axis,), norm, order, inverse=True, s=points_of(n)), source)


def fft2(  # noqa: PLR0913 - NumPy's, and two more
    a: Block,
    s: Sequence[int] | None = None,
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
    return transform(a, Asked(axes, norm, order, s=s), source)


def ifft2(  # noqa: PLR0913 - NumPy's, and two more
    a: Block,
    s: Sequence[int] | None = None,
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
    return transform(a, Asked(axes, norm, order, inverse=True, s=s), source)


def fftn(  # noqa: PLR0913 - NumPy's, and two more
    a: Block,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order | None = None,
    source: Sharding = None,
) -> Block:
    """The transform along several axes, by default along all of them, of ``s`` points.

    >>> mesh = jax.make_mesh((2, 4), ("x", "y"))
    >>> x = jax.device_put(jnp.ones((8, 8, 6)), jax.NamedSharding(mesh, jax.P("x", "y")))
    >>> y = fftn(Array.from_array(x))
    >>> print(y.layout)
    (b1:2 b1:1 b1:0 b0:0 || b2:0 b0:2 b0:1) x 3 on axis 2
    """
    return transform(a, Asked(axes, norm, order, s=s), source)


def ifftn(  # noqa: PLR0913 - NumPy's, and two more
    a: Block,
    s: Sequence[int] | None = None,
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
    return transform(a, Asked(axes, norm, order, inverse=True, s=s), source)


def transform(a: Block, asked: Asked, source: Sharding = None) -> Block:
    """Any transform of an array.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones((8, 8)), jax.NamedSharding(mesh, jax.P("x")))
    >>> transform(x, Asked((1,), None, s=(12,))).shape
    (8, 12)
    """
    require_carried(a, asked.order)
    if isinstance(a, Array):
        require_no_payload(a, asked)
    body_of = partial(transform_of, asked=asked)
    return applied(a, source, body_of, home_of=partial(_home, asked=asked))


def require_no_payload(a: Array, asked: Asked) -> None:
    """Refuse axes that have no layout: a device has all of these.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, jax.P("x")))
    >>> require_no_payload(Array.from_array(x), Asked((0,), None))
    """
    d = len(a.layout.axes)
    for axis in asked.axes if isinstance(asked.axes, Sequence) else ():
        if axis in range(d, len(a.shape)):
            name = "ifft" if asked.inverse else "fft"
            raise OutOfRangeError(
                f"axis is {axis}, which is payload",
                f"the axes of the layout are 0..{d - 1}, and the last of them is -1",
                f"call jnp.fft.{'i' * asked.inverse}rfft(a.to_array(), axis={axis})"
                if asked.real
                else f"write a.map(lambda v: jnp.fft.{name}(v, axis={2 + axis - d}))",
            )


def _home(given: Placing, asked: Asked) -> Placing:
    """Where the result is: sharded as what was given."""
    shape, legs = list(given.layout.shape), legs_of(given.layout, asked)
    for axis, leg in legs:
        shape[axis] = leg.kept
        count = given.cube.count(given.spec[axis])
        if leg.kept % count:
            every = prod(given.mesh.shape.values()) == 1 << given.cube.n and len(shape) > 1
            carried = every and fits(given.layout, legs)
            raise InvalidValueError(
                f"axis {axis} of the result has {leg.kept} elements on {count} devices, "
                f"over the mesh axes {given.spec[axis]}",
                "each device needs equally many",
                "pass gc.jax.Array.from_array(x), or reshard first so that this axis is in "
                "memory"
                if carried
                else COPIES,
            )
    sharding = jax.sharding.NamedSharding(given.mesh, given.partition)
    return placed(sharding, shape, "the result")


def transform_of(
    layout: Layout, cube: MeshCube, home: Layout | None, asked: Asked
) -> tuple["Transform", Layout]:
    """What each device does in a transform, and the layout of its result: perhaps its home.

    >>> asked = Asked(None, None)
    >>> body, result = transform_of(Layout.cyclic(4, 0), MeshCube((), ()), None, asked)
    >>> body(jnp.ones(16)).real.tolist()[:2]
    [16.0, 0.0]
    """
    if asked.order is not None:
        require_word(asked.order, get_args(Order), "order")
    legs = legs_of(layout, asked)
    if home is None and asked.order == "natural":
        require_bits(layout, legs)
        home = resized(layout, {axis: leg.kept for axis, leg in legs})
    taken, result = steps(layout, tuple(legs), home)
    return Transform(taken, cube, asked.factor(prod(leg.points for _, leg in legs))), result


@dataclass(frozen=True)
class Transform:
    """A transform on a device, of its block: slots with their extents, and payload."""

    taken: tuple[Step, ...]
    cube: MeshCube
    factor: float

    def __call__(self, block: Block) -> Block:
        """The transformed block, scaled."""
        made = transformed(block, self.taken, self.cube)
        return made if self.factor == 1 else made * self.factor
