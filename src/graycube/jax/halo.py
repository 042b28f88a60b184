"""What the neighbours of a block have, beside it: permutations around the axes of the mesh."""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp

from graycube.array.halo.window import Fill, is_edge, require_fill
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax.array import Array
from graycube.jax.blocks import permuted
from graycube.jax.names import Block, Sharding
from graycube.jax.over import over
from graycube.jax.shardings import placed, source_of
from graycube.stencil import ReachLike
from graycube.stencil.exchange import asked


def halo(
    x: Block,
    reach: ReachLike,
    *,
    periodic: bool | Sequence[bool] = True,
    fill: Fill = 0,
    source: Sharding = None,
) -> Block:
    """The blocks of an array with what is around them, side by side.

    A block of b elements along an axis becomes one of before + b + after; the array keeps its
    sharding. ``reach`` and ``periodic`` are for all axes, or have an entry for each. Beyond the
    ends of axes that are not ``periodic`` is ``fill``, or what is nearest, for "edge".

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, jax.P("x")))
    >>> halo(x, 1).tolist()
    [7, 0, 1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6, 7, 0]
    """
    if isinstance(x, Array):
        raise InvalidTypeError(
            "got a gc.jax.Array",
            "neighbours are next to each other in natural order",
            "take x.to_array()",
        )
    given = placed(source_of(x, source), x.shape, "source")
    counts = tuple(
        1 << sum(len(given.cube.dims(name)) for name in names) for names in given.spec
    )
    pairs, fills = around(x, reach, periodic, fill)
    for k, (pair, count) in enumerate(zip(pairs, counts, strict=True)):
        require_near(k, pair, x.shape[k] // count)
    parts = given.partition, given.partition
    return over(given.mesh, _on_all_sides, *parts, pairs, given.spec, counts, fills)(x)


def around(
    x: Block,
    reach: ReachLike,
    periodic: bool | Sequence[bool],  # noqa: FBT001
    fill: Fill,
) -> tuple[tuple[tuple[int, int], ...], tuple[Fill | None, ...]]:
    """How far before and after along each axis, and what is beyond its ends, if they are open.

    >>> around(jnp.ones((2, 2)), [0, (2, 1)], (True, False), 5)
    (((0, 0), (2, 1)), (None, 5.0))
    """
    pairs, rings, *_ = asked(x.ndim, reach, periodic, corners=False, itemsize=1, stride=1)
    value: Fill = require_fill(fill, x.dtype).item()
    value = math.nan if value != value else value  # noqa: PLR0124 - one NaN, equal to itself
    value = "edge" if is_edge(fill) else value
    return pairs, tuple(None if ring else value for ring in rings)


def require_near(k: int, pair: tuple[int, int], length: int) -> None:
    """Refuse a reach along axis k beyond the next device.

    >>> require_near(0, (1, 2), 2)
    """
    if max(pair) > length:
        raise InvalidValueError(
            f"the reach along axis {k} is {max(pair)}",
            f"a device has {length} elements there, and only next neighbours are asked",
            "use fewer devices along this axis",
        )


def _on_all_sides(
    block: Block,
    reach: tuple[tuple[int, int], ...],
    names: tuple[tuple[str, ...], ...],
    counts: tuple[int, ...],
    fills: tuple[Fill | None, ...],
) -> Block:
    """A device's block widened along one axis after the other: so corners come too."""
    for k, given in enumerate(zip(reach, names, counts, fills, strict=True)):
        block = widened(block, k, *given)
    return block


def widened(  # noqa: PLR0913, PLR0917
    block: Block,
    axis: int,
    reach: tuple[int, int],
    names: tuple[str, ...],
    count: int,
    fill: Fill | None,
) -> Block:
    """A device's block with what is before and after it along an axis, of ``count`` devices.

    Without a ``fill`` the axis is periodic.

    >>> widened(jnp.arange(4), 0, (1, 2), (), 1, 7).tolist()
    [7, 0, 1, 2, 3, 7, 7]
    """
    length = block.shape[axis]
    parts = [block]
    for amount, step in zip(reach, (1, -1), strict=True):
        if amount:
            start, end = (length - amount, 0) if step == 1 else (0, length - 1)
            edge = jax.lax.slice_in_dim(block, start, start + amount, axis=axis)
            nearest = jax.lax.slice_in_dim(block, end, end + 1, axis=axis)
            edge = _from_next(edge, names, count, step, fill, nearest)
            parts = [edge, *parts] if step == 1 else [*parts, edge]
    return jnp.concatenate(parts, axis)


def _from_next(  # noqa: PLR0913, PLR0917
    edge: Block,
    names: tuple[str, ...],
    count: int,
    step: int,
    fill: Fill | None,
    nearest: Block,
) -> Block:
    """What the device before (step 1) or after (step -1) has; the fill, if there is none."""
    beyond = nearest if isinstance(fill, str) else fill
    if count == 1:
        return edge if beyond is None else jnp.full_like(edge, beyond)
    pairs = [(k, (k + step) % count) for k in range(count)]
    if beyond is None:
        return permuted(edge, names, pairs)
    came = permuted(edge, names, [(k, to) for k, to in pairs if to == k + step])
    if not isinstance(fill, str) and not fill:  # a device to which nothing is sent has zeros
        return came
    first = jax.lax.axis_index(names) == (0 if step == 1 else count - 1)
    return jnp.where(first, jnp.full_like(edge, beyond), came)
