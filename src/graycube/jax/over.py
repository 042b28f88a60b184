"""A function of blocks on all devices of a mesh."""

from collections.abc import Callable
from functools import lru_cache

import jax

from graycube.jax.names import Block, Mesh, Spec

KEPT = 256
"""So many functions are remembered with what was compiled of them."""


@lru_cache(maxsize=KEPT)
def over(
    mesh: Mesh, function: Callable[..., Block], before: Spec, after: Spec
) -> Callable[..., Block]:
    """``function`` of what each device has, under ``jit``; the two specs say what that is.

    Functions that are equal are compiled once: pass frozen dataclasses that can be called.

    >>> from graycube.jax.names import P
    >>> mesh = jax.make_mesh((1,), ("x",))
    >>> over(mesh, abs, P("x"), P("x")) is over(mesh, abs, P("x"), P("x"))
    True
    """
    spread = jax.shard_map(
        function, mesh=mesh, in_specs=before, out_specs=after, check_vma=False
    )
    made: Callable[..., Block] = jax.jit(spread)
    return made
