"""From one sharding to another with at most one block moved, where XLA gathers.

Rules.

1. Mesh axes that neither sharding uses have copies before and after: each moves on its own.
2. Where only the source has copies, each device takes its part of them, for nothing. What it
   takes is what the target needs there, if it can.
3. Where only the target has copies, they are gathered last, over these axes alone.
4. What remains is a permutation of address bits in between: see ``moves``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import jax
import jax.numpy as jnp

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.jax.blocks import carried, from_slots, parity_of, to_slots, transposed
from graycube.jax.cube import MeshCube, cube_of
from graycube.jax.names import Block, Mesh, Sharding
from graycube.jax.over import over
from graycube.jax.shardings import Placing, on_mesh, placed, source_of


def reshard(x: Block, target: Sharding, source: Sharding = None) -> Block:
    """The array with another NamedSharding of the same mesh; a PartitionSpec is enough.

    No device receives more than its block of the result. Within ``jit``, where a mesh of
    automatic axes does not show shardings, ``source`` says what the array has.

    >>> mesh = jax.make_mesh((2, 4), ("x", "y"))
    >>> x = jnp.arange(64.0).reshape(8, 8)
    >>> x = jax.device_put(x, jax.NamedSharding(mesh, jax.P("x", "y")))
    >>> y = reshard(x, jax.P("y", "x"))
    >>> y.sharding.spec == jax.P("y", "x"), y.tolist() == x.tolist()
    (True, True)
    """
    found = source_of(x, source)
    before = placed(found, x.shape, "source")
    target = on_mesh(found.mesh, target)
    after = placed(target, x.shape, "target")
    require_same_mesh(before.mesh, after.mesh)
    after = replace(after, mesh=before.mesh if source is not None else after.mesh)
    body = _body(before, after)
    if body is None:  # fewer elements than devices
        return _by_jax(x, target)
    return over(after.mesh, body, before.partition, after.partition)(x)


def require_same_mesh(before: Mesh, after: Mesh) -> None:
    """Refuse meshes of other axes, or of other devices, where the devices are known."""
    here, there = (dict(mesh.shape) for mesh in (before, after))
    if list(here.items()) != list(there.items()):
        raise InvalidValueError(
            f"the source is on a mesh of {here}, the target on one of {there}",
            "elements move within one mesh",
            "make one mesh of all its axes; a NamedSharding may join them: P(('x', 'y'))",
        )
    devices = [m.devices for m in (before, after) if isinstance(m, jax.sharding.Mesh)]
    if len(devices) == 2 and not (devices[0] == devices[1]).all():
        raise InvalidValueError(
            "the meshes of source and target have their devices in other orders",
            "one program runs on one order of devices",
            "keep the order, and use a Layout in Gray code instead: gc.jax.Array.relayout",
        )


@dataclass(frozen=True)
class _Body:
    """What each device does: take, move, gather."""

    cube: MeshCube
    bits_before: tuple[int, ...]
    taken: tuple[tuple[int, int], ...]
    """Pairs of a slot bit and the node bit that chooses, in the order of taking."""
    move: AffineMap
    gathered: tuple[str, ...]
    places: tuple[int, ...]
    bits_after: tuple[int, ...]

    def __call__(self, x: Block) -> Block:
        block = to_slots(x, self.bits_before)
        for slot, dim in self.taken:
            halves = block.reshape(-1, 2, 1 << slot, *block.shape[1:])
            chosen = parity_of(self.cube.node(), 1 << dim) == 1
            half = jax.lax.select(
                jnp.broadcast_to(chosen, halves[:, 0].shape), halves[:, 1], halves[:, 0]
            )
            block = half.reshape(-1, *block.shape[1:])
        block = carried(block, self.move, self.cube)
        if self.gathered:
            block = jax.lax.all_gather(block, self.gathered)
            block = block.reshape(-1, *block.shape[2:])
        return from_slots(transposed(block, self.places), self.bits_after)


@lru_cache(maxsize=256)
def _body(before: Placing, after: Placing) -> _Body | None:
    """The body; none if there are not enough address bits to tell the devices apart."""
    used = {*before.cube.names, *after.cube.names}
    cube = cube_of(before.mesh, used)
    source, target = _words(before, cube), _words(after, cube)
    p = before.layout.p
    filled = _filled(source, target, p), _filled(target, source, p)
    if None in (*filled[0], *filled[1]):
        return None
    (nodes, slots), (new_nodes, new_slots) = (_rest(words, p) for words in filled)
    held = _rest(source, p)[1]
    taken = list[tuple[int, int]]()
    for dim in range(cube.n):
        if source[dim] is None:
            taken.append((held.index(nodes[dim]), dim))
            held.remove(nodes[dim])
    words = Matrix.permutation([*nodes, *slots])
    move = Matrix.permutation([*new_nodes, *new_slots]).inverse() @ words
    gathered = [d for d in range(cube.n) if target[d] is None]
    end = [*new_slots, *(new_nodes[d] for d in gathered)]
    return _Body(
        cube,
        before.local_bits,
        tuple(taken),
        AffineMap(move),
        cube.named(gathered),
        tuple(sorted(end).index(word) for word in end),
        after.local_bits,
    )


def _words(given: Placing, cube: MeshCube) -> list[int | None]:
    """The bit of the word that each node bit is; none where there are copies."""
    rows = given.layout.map.matrix.rows
    words: list[int | None] = [None] * cube.n
    for name in given.cube.names:
        for ours, theirs in zip(cube.dims(name), given.cube.dims(name), strict=True):
            words[ours] = rows[theirs].bit_length() - 1
    return words


def _filled(
    words: Sequence[int | None], others: Sequence[int | None], p: int
) -> list[int | None]:
    """The same with parts of the copies: what the other one has there, or else any bits."""
    made = list(words)
    for dim, word in enumerate(others):
        if made[dim] is None and word not in made:
            made[dim] = word
    free = [word for word in range(p) if word not in made]
    for dim, word in enumerate(made):
        if word is None and free:
            made[dim] = free.pop()
    return made


def _rest(words: Sequence[int | None], p: int) -> tuple[list[int], list[int]]:
    """The bits of the word on the nodes, and those in memory."""
    nodes = [word for word in words if word is not None]
    return nodes, [word for word in range(p) if word not in nodes]


def _by_jax(x: Block, target: Sharding) -> Block:
    if isinstance(x, jax.core.Tracer):
        return jax.lax.with_sharding_constraint(x, target)
    return jax.device_put(x, target)
