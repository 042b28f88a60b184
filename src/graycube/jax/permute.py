"""Elements in another order: the new index is an affine map of the bits of the old one."""

from dataclasses import dataclass, replace

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.jax.array import Array
from graycube.jax.blocks import carried, from_slots, to_slots
from graycube.jax.cube import MeshCube
from graycube.jax.names import Block, Sharding
from graycube.jax.over import over
from graycube.jax.shardings import placed, source_of
from graycube.layout import Layout


def permute(x: Block, map: AffineMap | Matrix, source: Sharding = None) -> Block:  # noqa: A002
    """``y`` with ``y[map(i)] == x[i]``, i being the index in C order: bit reversal, Gray code.

    An array of JAX keeps its sharding, and a device receives one block at most. A
    ``gc.jax.Array`` gets another layout instead, and nothing moves.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.arange(16), jax.NamedSharding(mesh, jax.P("x")))
    >>> permute(x, Matrix.permutation([3, 2, 1, 0])).tolist()
    [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]
    """
    if isinstance(x, Array):
        order = _order(x.layout, map)
        return replace(x, layout=x.layout @ order.inverse())
    given = placed(source_of(x, source), x.shape, "source")
    place = given.layout.map
    move = place @ _order(given.layout, map) @ place.inverse()
    body = _Permute(given.cube, move, given.local_bits)
    return over(given.mesh, body, given.partition, given.partition)(x)


def _order(layout: Layout, map: AffineMap | Matrix) -> AffineMap:  # noqa: A002
    """The map, if it is one of the indices of the layout."""
    if isinstance(map, Matrix):
        map = AffineMap(map)  # noqa: A001
    if not isinstance(map, AffineMap):
        raise InvalidTypeError(
            f"got {map!r}",
            "the new order is an affine map of the bits of the index",
            "pass a graycube.gf2.AffineMap or Matrix",
        )
    for k, axis in enumerate(layout.axes):
        if axis.extent > 1:
            raise InvalidValueError(
                f"axis {k} has {axis.length} = {axis.extent} * 2^{axis.bits} elements",
                "only powers of two have bits of the index alone",
                "pad the axis",
            )
    if (map.width, map.height) != (layout.p, layout.p):
        raise InvalidValueError(
            f"the map takes {map.width} bits to {map.height}",
            f"an index of {layout.shape} has {layout.p} bits",
            "give a map of these",
        )
    map.inverse()  # raises where two elements would be in one place
    return map


@dataclass(frozen=True)
class _Permute:
    cube: MeshCube
    move: AffineMap
    bits: tuple[int, ...]

    def __call__(self, x: Block) -> Block:
        return from_slots(carried(to_slots(x, self.bits), self.move, self.cube), self.bits)
