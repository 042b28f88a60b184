"""The devices that a line is spread over, in the order of its index, and what they send.

Each device has one stretch of every line. Its place in the row is an affine map of the bits of
its number, in Gray code as well.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import jax
import jax.numpy as jnp

from graycube.array.scanning.stretches import met_in_turn, stretches
from graycube.gf2 import AffineMap, Matrix, bit_indices
from graycube.jax.blocks import arranged, carried, parity_of, permuted, relaid
from graycube.jax.cube import MeshCube
from graycube.jax.names import Block
from graycube.layout import Layout
from graycube.layout.layout import require_cube


@dataclass(frozen=True)
class DeviceRow:
    """Devices with stretches of the lines of an axis, in a layout where each has one.

    ``dims`` are the node bits that tell them apart, ``place`` maps these bits to the place in
    the row. A block splits into ``shape``, whose axes ``along`` are a line. ``turns`` are the
    changes of the node number in the rounds in which totals meet.

    >>> row = row_of(Layout.consecutive(5, 2, nodes="gray"), 0, MeshCube(("x",), (2,)))
    >>> row.dims, [row.place(v) for v in range(4)], row.turns
    ((0, 1), [0, 1, 3, 2], (1, 2))
    """

    layout: Layout
    cube: MeshCube
    shape: tuple[int, ...]
    along: tuple[int, ...]
    dims: tuple[int, ...]
    place: AffineMap
    turns: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many devices there are."""
        return 1 << len(self.dims)

    @property
    def names(self) -> tuple[str, ...]:
        """The axes of the mesh that the row is, if it is whole ones, else none."""
        found = self.cube.named(self.dims)
        return found if self.cube.count(found) == self.count else ()

    def bit(self, k: int) -> Block:
        """A bit of the place of this device, within ``shard_map``."""
        row = self.place.matrix.rows[k]
        mask = sum(1 << self.dims[j] for j in bit_indices(row))
        return parity_of(self.cube.node(), mask) ^ (self.place.constant >> k & 1)

    def here(self) -> Block:
        """The place of this device."""
        return sum((self.bit(k) << k for k in range(len(self.dims))), jnp.int32(0))

    def lines(self, block: Block) -> Block:
        """A block as lines: others, points, others, payload."""
        payload = block.shape[1:]
        split = jnp.moveaxis(block.reshape(*self.shape, *payload), self.along, (1, 2, 3))
        above, *rest = split.shape
        behind = rest[3 : len(rest) - len(payload)]
        return split.reshape(above, prod(rest[:3]), prod(behind), *payload)

    def block(self, lines: Block) -> Block:
        """The inverse of :meth:`lines`."""
        payload = lines.shape[3:]
        ends = [k for k in range(1, len(self.shape)) if k not in self.along]
        order = 0, *self.along, *ends
        split = lines.reshape(*(self.shape[k] for k in order), *payload)
        split = jnp.moveaxis(split, (1, 2, 3), self.along)
        return split.reshape(prod(self.shape), *payload)

    def sent(self, block: Block, pairs: Iterable[tuple[int, int]]) -> Block:
        """What another device has, by pairs of places: of source and target."""
        at = [self._bits(self.place.inverse()(q)) for q in range(self.count)]
        others = {v & ~self._bits(self.count - 1) for v in range(1 << self.cube.n)}
        every = [(at[a] | v, at[b] | v) for v in sorted(others) for a, b in pairs]
        return permuted(block, self.cube.names, every)

    def exchanged(self, chunks: Block) -> Block:
        """Chunk k of every device at the one in place k, in the order of their places."""
        n, r, back = self.cube.n, len(self.dims), self.place.inverse()
        rows, constant = [1 << v for v in range(n)], self.place.constant << n
        for j, d in enumerate(self.dims):
            rows[d] = back.matrix.rows[j] << n
            constant |= (back.constant >> j & 1) << d
        rows += [self._bits(row) for row in self.place.matrix.rows]
        return carried(chunks, AffineMap(Matrix.from_rows(rows, n + r), constant), self.cube)

    def gathered(self, x: Block) -> Block:
        """What all have, in the order of their places; the row is whole axes of the mesh."""
        every = jax.lax.all_gather(x, self.names)
        return arranged(every, self.place, MeshCube((), ()))

    def _bits(self, number: int) -> int:
        """The node bits of a number that has a bit for each of the ``dims``."""
        return sum(1 << self.dims[j] for j in bit_indices(number))


@lru_cache(maxsize=256)
def row_of(layout: Layout, axis: int, cube: MeshCube) -> DeviceRow:
    """The devices along an axis, in the nearest layout in which each has a stretch."""
    where = stretches(layout, axis, range(1))
    found = require_cube(where.layout, "stretches")
    n, bits = found.n, found.word_bits(axis)
    mask = sum(1 << b for b in bits)
    dims = [d for d, row in enumerate(found.map.matrix.rows[:n]) if row & mask]
    inverse, high = found.inverse_map, [*bits][len(bits) - len(dims) :]
    rows = [
        sum(1 << j for j, d in enumerate(dims) if inverse.matrix.rows[b] >> d & 1) for b in high
    ]
    constant = sum((inverse.constant >> b & 1) << k for k, b in enumerate(high))
    place = AffineMap(Matrix.from_rows(rows, len(dims)), constant)
    shape, along = where.shape[1:], tuple(k - 1 for k in where.along)
    return DeviceRow(found, cube, shape, along, (*dims,), place, (*met_in_turn(found, axis),))


@dataclass(frozen=True)
class AlongLines:
    """What a device makes of the lines of an axis; of one of the payload there is no row.

    ``work`` gets lines, as (others, points, others, payload), and the row that they are over;
    or (others, points, payload) if there is none.

    >>> one = MeshCube((), ())
    >>> turned = AlongLines(lambda lines, row: lines[:, ::-1], None, Layout.nodes(0), one)
    >>> turned(jnp.array([[1, 2]])).tolist()
    [[2, 1]]
    """

    work: Callable[[Block, DeviceRow | None], Block]
    row: DeviceRow | None
    layout: Layout
    cube: MeshCube
    axis: int = 0

    @property
    def lasting(self) -> bool:
        """Whether this is the same whenever the work is."""
        return getattr(self.work, "lasting", True)

    def __call__(self, block: Block) -> Block:
        """The block with its lines made anew."""
        row = self.row
        if row is None:
            lines = jnp.moveaxis(block, 1 + self.axis, 1)
            return jnp.moveaxis(self.work(lines, None), 1, 1 + self.axis)
        there = self.layout.conversion(row.layout)
        made = row.block(self.work(row.lines(relaid(block, there, self.cube)), row))
        return relaid(made, there.inverse(), self.cube)
