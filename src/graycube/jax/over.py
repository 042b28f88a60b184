"""A function of blocks on all devices of a mesh."""

from collections.abc import Callable
from functools import lru_cache
from types import FunctionType

import jax
import jax.numpy as jnp

from graycube.jax.blocks import from_slots, to_slots
from graycube.jax.names import Block, Mesh, Spec

KEPT = 256
"""So many functions are remembered with what was compiled of them."""


def over(
    mesh: Mesh, function: Callable[..., Block], before: Spec, after: Spec, *given: object
) -> Callable[..., Block]:
    """``function`` of what each device has and of what is ``given`` to all, under ``jit``.

    The two specs say what a device has. A function that is given the same is compiled once.
    What is not ``lasting`` is never the same.

    >>> from graycube.jax.names import P
    >>> mesh = jax.make_mesh((1,), ("x",))
    >>> over(mesh, pow, P("x"), P("x"), 2) is over(mesh, pow, P("x"), P("x"), 2)
    True
    """
    lasting = all(getattr(each, "lasting", True) for each in given)
    return (_kept if lasting else _made)(mesh, function, before, after, *given)


def _made(
    mesh: Mesh, function: Callable[..., Block], before: Spec, after: Spec, *given: object
) -> Callable[..., Block]:
    def work(*blocks: Block) -> Block:
        return function(*blocks, *given)

    spread = jax.shard_map(work, mesh=mesh, in_specs=before, out_specs=after, check_vma=False)
    made: Callable[..., Block] = jax.jit(spread)
    return made


_kept = lru_cache(maxsize=KEPT)(_made)


def is_lasting(function: object) -> bool:
    """Whether a function of the user's stays what it is: it has no values of its own.

    What it has may change, or be a tracer.

    >>> scale = 2
    >>> is_lasting(jnp.add), is_lasting(lambda x: x), is_lasting([].append)
    (True, True, False)
    """
    if isinstance(function, FunctionType):
        own = function.__closure__, function.__defaults__, function.__kwdefaults__
        return not any(own)
    return isinstance(function, jnp.ufunc)


def on_block(block: Block, body: Callable[[Block], Block]) -> Block:
    """What a body makes of the block of a ``gc.jax.Array`` that a device has.

    >>> on_block(jnp.ones((1, 2)), jnp.negative).tolist()
    [[-1.0, -1.0]]
    """
    return body(block[0])[None]


def on_part(
    x: Block,
    body: Callable[[Block], Block],
    before: tuple[int, ...],
    after: tuple[int, ...],
    extents: tuple[int, ...],
) -> Block:
    """What it makes of the part of an array of JAX: the bits of its axes, and then extents.

    >>> on_part(jnp.arange(4), jnp.negative, (2,), (1,), (2,)).tolist()
    [0, -1, -2, -3]
    """
    return from_slots(body(to_slots(x, before).ravel()).reshape(-1, *extents), after)
