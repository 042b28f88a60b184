"""What the neighbours of a block have, beside it: permutations around the axes of the mesh."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import require_int
from graycube.jax.array import Array
from graycube.jax.blocks import permuted
from graycube.jax.names import Block, Sharding
from graycube.jax.over import over
from graycube.jax.shardings import placed, source_of

Reach = int | Sequence[int | tuple[int, int]]
"""How far: for all axes, or for each, or before and after for each."""


def halo(x: Block, reach: Reach, *, periodic: bool = True, source: Sharding = None) -> Block:
    """The blocks of an array with what is around them, side by side.

    A block of b elements along an axis becomes one of before + b + after; the array keeps its
    sharding. Beyond the ends of an array that is not ``periodic`` are zeros.

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
    pairs, parts = sides(reach, x.ndim), (given.partition, given.partition)
    for k, (pair, count) in enumerate(zip(pairs, counts, strict=True)):
        require_near(k, pair, x.shape[k] // count)
    return over(given.mesh, _on_all_sides, *parts, pairs, given.spec, counts, periodic)(x)


def sides(reach: Reach, d: int) -> tuple[tuple[int, int], ...]:
    """The reach before and after along each of d axes.

    >>> sides(1, 2), sides([0, (2, 1)], 2)
    (((1, 1), (1, 1)), ((0, 0), (2, 1)))
    """
    entries = list(reach) if isinstance(reach, Sequence) else [reach] * d
    if len(entries) != d:
        raise InvalidValueError(
            f"reach has {len(entries)} entries", f"the array has {d} axes", "give one for each"
        )
    pairs = [entry if isinstance(entry, Sequence) else (entry, entry) for entry in entries]
    if any(len(pair) != 2 for pair in pairs):
        raise InvalidValueError(
            f"reach is {reach!r}", "an axis has two sides", "give (before, after)"
        )
    return tuple((require_int(a, "reach", 0), require_int(b, "reach", 0)) for a, b in pairs)


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
    periodic: bool,  # noqa: FBT001
) -> Block:
    """A device's block widened along one axis after the other: so corners come too."""
    for k, (pair, own, count) in enumerate(zip(reach, names, counts, strict=True)):
        block = widened(block, k, pair, own, count, periodic=periodic)
    return block


def widened(  # noqa: PLR0913
    block: Block,
    axis: int,
    reach: tuple[int, int],
    names: tuple[str, ...],
    count: int,
    *,
    periodic: bool,
) -> Block:
    """A device's block with what is before and after it along an axis, of ``count`` devices.

    >>> widened(jnp.arange(4), 0, (1, 2), (), 1, periodic=False).tolist()
    [0, 0, 1, 2, 3, 0, 0]
    """
    length = block.shape[axis]
    parts = [block]
    for amount, step in zip(reach, (1, -1), strict=True):
        if amount:
            start = length - amount if step == 1 else 0
            edge = jax.lax.slice_in_dim(block, start, start + amount, axis=axis)
            edge = _from_next(edge, names, count, step, periodic=periodic)
            parts = [edge, *parts] if step == 1 else [*parts, edge]
    return jnp.concatenate(parts, axis)


def _from_next(
    edge: Block, names: tuple[str, ...], count: int, step: int, *, periodic: bool
) -> Block:
    """What the device before (step 1) or after (step -1) has; zeros, if there is none."""
    if count == 1:
        return edge if periodic else jnp.zeros_like(edge)
    pairs = [(k, (k + step) % count) for k in range(count)]
    if not periodic:
        pairs = [(k, to) for k, to in pairs if to == k + step]
    return permuted(edge, names, pairs)
