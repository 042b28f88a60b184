"""A function of blocks on all devices of a mesh."""

from collections.abc import Callable
from functools import lru_cache

import jax

from graycube.jax.names import Block, Mesh, Spec

KEPT = 256
"""So many functions are remembered with what was compiled of them."""


@lru_cache(maxsize=KEPT)
def over(
    mesh: Mesh, function: Callable[..., Block], before: Spec, after: Spec, *given: object
) -> Callable[..., Block]:
    """``function`` of what each device has and of what is ``given`` to all, under ``jit``.

    The two specs say what a device has. A function that is given the same is compiled once.

    >>> from graycube.jax.names import P
    >>> mesh = jax.make_mesh((1,), ("x",))
    >>> over(mesh, pow, P("x"), P("x"), 2) is over(mesh, pow, P("x"), P("x"), 2)
    True
    """

    def work(*blocks: Block) -> Block:
        return function(*blocks, *given)

    spread = jax.shard_map(work, mesh=mesh, in_specs=before, out_specs=after, check_vma=False)
    made: Callable[..., Block] = jax.jit(spread)
    return made
