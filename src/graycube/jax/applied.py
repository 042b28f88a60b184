"""A function of an array for both kinds of arrays.

A ``gc.jax.Array`` comes back in the layout that the function says; an array of JAX with its
sharding.
"""

from collections.abc import Callable

from graycube.errors import InvalidValueError
from graycube.jax.array import Array
from graycube.jax.cube import MeshCube
from graycube.jax.names import Block, Sharding
from graycube.jax.over import on_block, on_part, over
from graycube.jax.shardings import Placing, placed, source_of
from graycube.layout import Layout

Body = Callable[[Block], Block]
"""What a device makes of its block, within ``shard_map``: slots with extents, then payload."""


def applied(
    a: Block,
    source: Sharding,
    body_of: Callable[[Layout, MeshCube, Layout | None], tuple[Body, Layout]],
    home_of: Callable[[Placing], Placing] = lambda given: given,
) -> Block:
    """The array after a body, of its layout, its devices, and the layout that it goes home to.

    ``body_of`` gives the layout of the result as well. An array of JAX has to go home: to where
    it came from, or in the same sharding to the place of an array of another shape.

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, jax.P("x")))
    >>> applied(x, None, lambda layout, cube, home: (jnp.negative, home)).tolist()
    [0, -1, -2, -3, -4, -5, -6, -7]
    """
    if isinstance(a, Array):
        body, result = body_of(a.layout, a.cube, None)
        return a.computed(on_block, result, body)
    given = placed(source_of(a, source), a.shape, "source")
    if not a.shape:
        raise InvalidValueError(
            "the array has no axes", "there is nothing to go along", "reshape it to (1,)"
        )
    home = home_of(given)
    body, _ = body_of(given.layout, given.cube, home.layout)
    bits, parts = (given.local_bits, home.local_bits), (given.partition, home.partition)
    extents = tuple(axis.extent for axis in home.layout.axes)
    return over(given.mesh, on_part, *parts, body, *bits, extents)(a)


def require_carried(a: Block, order: object) -> None:
    """Refuse any order for what has no layout.

    >>> require_carried(jnp.ones(2), "natural")
    """
    if order == "any" and not isinstance(a, Array):
        raise InvalidValueError(
            'order is "any"',
            "an array of JAX has no layout to say what came where",
            "pass gc.jax.Array.from_array(x), which carries one",
        )
