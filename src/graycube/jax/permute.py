"""Elements in another order: the new index is an affine map of the bits of the old one."""

from dataclasses import replace

from graycube.array.indexed.permute import order_of
from graycube.gf2 import AffineMap, Matrix
from graycube.jax.array import Array
from graycube.jax.blocks import carried, from_slots, to_slots
from graycube.jax.cube import MeshCube
from graycube.jax.names import Block, Sharding
from graycube.jax.over import over
from graycube.jax.shardings import placed, source_of


def permute(x: Block, map: AffineMap | Matrix, source: Sharding = None) -> Block:  # noqa: A002
    """``y`` with ``y[map(i)] == x[i]``, i being the index in C order: bit reversal, Gray code.

    An array of JAX keeps its sharding, and a device receives one block at most. A
    ``gc.jax.Array`` gets another layout instead, and nothing moves.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.arange(16), jax.NamedSharding(mesh, jax.P("x")))
    >>> permute(x, Matrix.permutation([3, 2, 1, 0])).tolist()
    [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]
    """
    if isinstance(x, Array):
        x.require_blocks()
        order = order_of(x.layout, map)
        return replace(x, layout=x.layout @ order.inverse())
    given = placed(source_of(x, source), x.shape, "source")
    place = given.layout.map
    move = place @ order_of(given.layout, map) @ place.inverse()
    parts = given.partition, given.partition
    return over(given.mesh, _permuted, *parts, given.cube, move, given.local_bits)(x)


def _permuted(x: Block, cube: MeshCube, move: AffineMap, bits: tuple[int, ...]) -> Block:
    return from_slots(carried(to_slots(x, bits), move, cube), bits)
