"""What the neighbours of a block have, beside it: permutations around the axes of the mesh."""

import math
from typing import Any

import jax
import jax.numpy as jnp

from graycube.array.halo.ends import Fills, Rings, closed, ends_of
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax.array import Array
from graycube.jax.blocks import permuted
from graycube.jax.names import Block, Sharding
from graycube.jax.over import over
from graycube.jax.shardings import placed, source_of
from graycube.stencil import ReachLike
from graycube.stencil.exchange import asked

Ends = tuple[Any, Any] | None
"""What is beyond the first element of an axis and the last, a mirror or a number; or a ring."""


def halo(
    x: Block,
    reach: ReachLike,
    *,
    periodic: Rings | None = None,
    fill: Fills | None = None,
    source: Sharding = None,
) -> Block:
    """The blocks of an array with what is around them, side by side.

    A block of b elements along an axis becomes one of before + b + after; the array keeps its
    sharding. ``reach``, ``periodic`` and ``fill`` are for all axes, or have an entry for each.
    All axes are periodic if you say nothing. Beyond the ends of those that are not is ``fill``:
    a number, 0 if left out, or what is within, by "edge", "reflect", "symmetric" or
    "antisymmetric", as in :meth:`graycube.CubeArray.halo`.

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
    counts = tuple(map(given.cube.count, given.spec))
    pairs, ends = around(x, reach, periodic, fill)
    for k, (pair, count, end) in enumerate(zip(pairs, counts, ends, strict=True)):
        require_near(k, pair, x.shape[k] // count, end)
    parts = given.partition, given.partition
    return over(given.mesh, _on_all_sides, *parts, pairs, given.spec, counts, ends)(x)


def around(
    x: Block,
    reach: ReachLike,
    periodic: Rings | None,
    fill: Fills | None,
) -> tuple[tuple[tuple[int, int], ...], tuple[Ends, ...]]:
    """How far before and after along each axis, and what is beyond its ends, if they are open.

    >>> around(jnp.ones((2, 2)), [0, (2, 1)], (True, False), 5)
    (((0, 0), (2, 1)), (None, (5.0, 5.0)))
    """
    given = closed(periodic, fill)
    pairs, rings, *_ = asked(x.ndim, reach, given, corners=False, itemsize=1, stride=1)
    found = ends_of(fill, rings, x.dtype)
    return pairs, tuple(pair and (_plain(pair[0]), _plain(pair[1])) for pair in found)


def _plain(end: Any) -> Any:  # noqa: ANN401 - a mirror, or a number of any kind
    """What can be compared: there is one NaN only, which equals itself."""
    if isinstance(end, str):
        return end
    value = end.item()
    return math.nan if value != value else value  # noqa: PLR0124


def require_near(k: int, pair: tuple[int, int], length: int, ends: Ends = None) -> None:
    """Refuse a reach along axis k beyond the next device, or mirrors that show the next one.

    >>> require_near(0, (1, 2), 2)
    """
    if max(pair) > length:
        raise InvalidValueError(
            f"the reach along axis {k} is {max(pair)}",
            f"a device has {length} elements there, and only next neighbours are asked",
            "use fewer devices along this axis",
        )
    for end, amount in zip(ends or (), pair, strict=False):
        if isinstance(end, str) and end == "reflect" and amount == length:
            raise InvalidValueError(
                f"fill is 'reflect' and the reach along axis {k} is {amount}",
                f"a device has {length} elements there, and the first of them is not shown",
                "use fewer devices along this axis",
            )


def _on_all_sides(
    block: Block,
    reach: tuple[tuple[int, int], ...],
    names: tuple[tuple[str, ...], ...],
    counts: tuple[int, ...],
    ends: tuple[Ends, ...],
) -> Block:
    """A device's block widened along one axis after the other: so corners come too."""
    for k, given in enumerate(zip(reach, names, counts, ends, strict=True)):
        block = widened(block, k, *given)
    return block


def widened(  # noqa: PLR0913, PLR0917
    block: Block,
    axis: int,
    reach: tuple[int, int],
    names: tuple[str, ...],
    count: int,
    ends: Ends,
) -> Block:
    """A device's block with what is before and after it along an axis, of ``count`` devices.

    Without ``ends`` the axis is periodic.

    >>> widened(jnp.arange(4), 0, (1, 2), (), 1, (7, "reflect")).tolist()
    [7, 0, 1, 2, 3, 2, 1]
    """
    length = block.shape[axis]
    parts = [block]
    for k, (amount, step) in enumerate(zip(reach, (1, -1), strict=True)):
        if amount:
            start = length - amount if step == 1 else 0
            edge = jax.lax.slice_in_dim(block, start, start + amount, axis=axis)
            if ends is None:
                came = edge if count == 1 else permuted(edge, names, _ring(count, step))
            else:
                beyond = _beyond(block, axis, amount, step, ends[k])
                came = _from_next(edge, names, count, step, beyond)
            parts = [came, *parts] if step == 1 else [*parts, came]
    return jnp.concatenate(parts, axis)


def _ring(count: int, step: int) -> list[tuple[int, int]]:
    return [(k, (k + step) % count) for k in range(count)]


def _beyond(block: Block, axis: int, amount: int, step: int, end: Any) -> Any:  # noqa: ANN401
    """So many rows before the block (step 1) or after it (step -1), or the number there."""
    if not isinstance(end, str):
        return end
    length, skipped = block.shape[axis], int(end == "reflect")
    shown = 1 if end == "edge" else amount
    start = skipped if step == 1 else length - skipped - shown
    rows = jax.lax.slice_in_dim(block, start, start + shown, axis=axis)
    return -jnp.flip(rows, axis) if end == "antisymmetric" else jnp.flip(rows, axis)


def _from_next(
    edge: Block,
    names: tuple[str, ...],
    count: int,
    step: int,
    beyond: Any,  # noqa: ANN401 - rows or a number
) -> Block:
    """What the device before (step 1) or after (step -1) has, or else what is beyond."""
    if count == 1:
        return jnp.full_like(edge, beyond)
    came = permuted(edge, names, [(k, to) for k, to in _ring(count, step) if to == k + step])
    if isinstance(beyond, int | float | complex) and not beyond:
        return came  # a device to which nothing is sent has zeros
    first = jax.lax.axis_index(names) == (0 if step == 1 else count - 1)
    return jnp.where(first, jnp.full_like(edge, beyond), came)
