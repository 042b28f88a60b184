"""Sorts of sharded arrays: each device keeps exactly a block.

Rules.

1. Lines that fit in the memory of a device are brought there whole, by one exchange, and back.
2. Longer lines take Leighton's columnsort, where the stretches of the devices are columns: four
   sorts in memory, two exchanges, and half a stretch to each neighbour and back. It sorts r
   points on each of s devices if s divides r, and r >= 2 (s - 1)^2.
3. Shorter stretches take merge-splits along the cube, in n (n + 1) / 2 rounds
   (``graycube.array.ordering.splits``).
4. All of these send the same for all keys, which JAX needs: its shapes are known beforehand. A
   sort by splitters sends to a device as many keys as there happen to be.
5. Equal keys stay in the order of their indices, which go along as second keys, if it shows.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

from graycube.array.ordering.splits import rounds
from graycube.butterflies.groups import brought
from graycube.errors import InvalidTypeError
from graycube.jax.applied import applied
from graycube.jax.cube import MeshCube
from graycube.jax.lines import require_counted
from graycube.jax.names import Block, Sharding
from graycube.jax.rows import AlongLines, DeviceRow, row_of
from graycube.layout import Layout
from graycube.layout.required import require_axis

_Operands = tuple[Block, ...]


def sort(a: Block, axis: int = -1, *, source: Sharding = None) -> Block:
    """The lines of an axis sorted, NaN last, where the array is.

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.array([3, 1, 4, 1]), jax.NamedSharding(mesh, jax.P("x")))
    >>> sort(x).tolist()
    [1, 1, 3, 4]
    """
    return _along(a, axis, source, _Sorted(indices=False))


def argsort(a: Block, axis: int = -1, *, source: Sharding = None) -> Block:
    """The indices that sort the lines of an axis, equal ones in their order.

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.array([7, 5, 7, 5]), jax.NamedSharding(mesh, jax.P("x")))
    >>> argsort(x).tolist()
    [1, 3, 0, 2]
    """
    return _along(a, axis, source, _Sorted(indices=True))


def _along(a: Block, axis: int, source: Sharding, work: "_Sorted") -> Block:
    if axis is None:
        raise InvalidTypeError("axis is None", "lines of one axis are sorted", "name it")

    def body_of(
        layout: Layout, cube: MeshCube, _home: Layout | None
    ) -> tuple[AlongLines, Layout]:
        d = len(layout.axes)
        k = require_axis(axis, len(a.shape))
        if work.indices:
            require_counted(a.shape[k], k)
        if k >= d:
            return AlongLines(work, None, layout, cube, k - d), layout
        return AlongLines(work, row_of(_whole(layout, k), k, cube), layout, cube), layout

    return applied(a, source, body_of)


@lru_cache(maxsize=64)
def _whole(layout: Layout, axis: int) -> Layout:
    """The layout with an axis in memory, if other bits can take its devices."""
    if layout.axes[axis].bits > layout.p - layout.n:
        return layout
    group = [*layout.word_bits(axis)]
    place, _ = brought(layout.map, layout.n, group, group)
    return replace(layout, map=place)


@dataclass(frozen=True)
class _Sorted:
    """Lines sorted, or the indices that sort them."""

    indices: bool

    def __call__(self, lines: Block, row: DeviceRow | None) -> Block:
        start = lines.shape[1] * (0 if row is None else row.here())
        found = _ordered((lines, _numbered(lines, start)) if self.indices else (lines,), keys=1)
        if row is not None and row.count > 1:
            columns = is_for_columns(row.count, lines.shape[1])
            found = (_by_columns if columns else _by_splits)(found, row)
        return found[-1]


def is_for_columns(count: int, points: int) -> bool:
    """Whether columnsort sorts so many points on each of so many devices.

    >>> is_for_columns(8, 96), is_for_columns(8, 104)
    (False, True)
    """
    return points % count == 0 and points >= 2 * (count - 1) ** 2


def _numbered(lines: Block, start: Block) -> Block:
    """The index of every point."""
    kind = jax.dtypes.canonicalize_dtype(np.int64)
    return jax.lax.broadcasted_iota(kind, lines.shape, 1) + jnp.asarray(start, kind)


def _ordered(given: _Operands, keys: int | None = None) -> _Operands:
    """The lines of a device sorted by some operands, or by all; NaN last.

    Sorts are stable: operands that are in order among equal keys need not be keys. Cards have a
    quick sort, for one key along a last axis only.
    """
    last = tuple(jnp.moveaxis(x, 1, -1) for x in given)
    if keys == 1 or len(last) == 1:
        found = jax.lax.sort(last, num_keys=1)
    else:
        ways = dict.fromkeys(("cuda", "rocm"), _by_one_key_each)
        found = jax.lax.platform_dependent(*last, default=_by_all_keys, **ways)
    return tuple(jnp.moveaxis(x, -1, 1) for x in found)


def _by_all_keys(*operands: Block) -> _Operands:
    return tuple(jax.lax.sort(operands, num_keys=len(operands)))


def _by_one_key_each(*operands: Block) -> _Operands:
    """The same by a stable sort for each key, the last one first."""
    for _ in operands:
        *before, key = operands
        operands = tuple(jax.lax.sort((key, *before), num_keys=1))
    return operands


def _by_columns(columns: _Operands, row: DeviceRow) -> _Operands:
    """Leighton's steps 2 to 8 on sorted columns.

    Devices deal out stretches of rising indices, so that equal keys stay in order until step 4.
    """
    columns = _ordered(tuple(_dealt(x, row, step=row.count) for x in columns), keys=1)
    columns = _ordered(tuple(_dealt(x, row, step=1) for x in columns))
    halves = [_halves(x) for x in columns]
    onward = [(q, q + 1) for q in range(row.count - 1)]
    came = [row.sent(high, onward) for _, high in halves]
    pairs = [jnp.concatenate([x, low], 1) for x, (low, _) in zip(came, halves, strict=True)]
    first, last = row.here() == 0, row.here() == row.count - 1
    found = []
    merged = map(_halves, _ordered((*pairs,)))
    for (lower, upper), (low, high) in zip(merged, halves, strict=True):
        back = row.sent(lower, [(b, a) for a, b in onward])
        kept = jnp.where(first, low, upper), jnp.where(last, high, back)
        found.append(jnp.concatenate(kept, 1))
    return tuple(found)


def _dealt(column: Block, row: DeviceRow, *, step: int) -> Block:
    """A column dealt out to all: every ``step``-th point to a device, or with 1 a run."""
    above, points, *rest = column.shape
    count = row.count
    shape = (points // count, count) if step > 1 else (count, points // count)
    chunks = jnp.moveaxis(column.reshape(above, *shape, *rest), 2 if step > 1 else 1, 0)
    return jnp.moveaxis(row.exchanged(chunks), 0, 1).reshape(column.shape)


def _halves(column: Block) -> tuple[Block, Block]:
    half = column.shape[1] // 2
    first = jax.lax.slice_in_dim(column, 0, half, axis=1)
    return first, jax.lax.slice_in_dim(column, half, None, axis=1)


def _by_splits(parts: _Operands, row: DeviceRow) -> _Operands:
    """Sorted parts after all merge-splits."""
    n = len(row.dims)
    gray = any(column & column - 1 for column in row.place.matrix.columns)
    for change, bit, turned in rounds(n, gray=gray):
        pairs = [(q, q ^ change) for q in range(row.count)]
        low = row.bit(bit) == (row.bit(turned) if turned < n else 0)
        merged = _ordered(tuple(_both(x, row.sent(x, pairs), low) for x in parts))
        parts = tuple(jnp.where(low, *_halves(x)) for x in merged)
    return parts


def _both(own: Block, other: Block, low: Block) -> Block:
    """Two parts, in the same order on both devices: of equal keys none is lost."""
    return jnp.concatenate([jnp.where(low, own, other), jnp.where(low, other, own)], 1)
