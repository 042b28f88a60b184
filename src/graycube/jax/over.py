"""A function of blocks on all devices of a mesh."""

from collections.abc import Callable
from dis import get_instructions
from functools import cache, lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import jax
import jax.numpy as jnp

from graycube.jax.blocks import from_slots, to_slots
from graycube.jax.names import Block, Mesh, P, Spec

KEPT = 256
"""So many functions are remembered with what was compiled of them."""

_ALONE = "__alone__"
_FIXED = {"jax", "numpy", "math", "cmath", "operator"}
_NEW_NAMES = {"IMPORT_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"}


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
    @cache
    def over_axes(_axes: frozenset[str]) -> Callable[..., Block]:
        def work(*blocks: Block) -> Block:
            return function(*blocks, *given)

        spread = jax.shard_map(
            work, mesh=mesh, in_specs=before, out_specs=after, check_vma=False
        )
        made: Callable[..., Block] = jax.jit(spread)
        return made

    shown = jax.sharding.AxisType.Explicit in mesh.axis_types
    every = frozenset(mesh.axis_names)

    def called(*blocks: Block) -> Block:
        traced = not blocks or any(isinstance(each, jax.core.Tracer) for each in blocks)
        axes = axes_here(mesh) if shown and traced else every
        return over_axes(axes)(*(there(each, mesh, before) for each in blocks))

    return called


def there(block: Block, mesh: Mesh, spec: Spec) -> Block:
    """The block where a function takes it: explicit axes do not bring it there themselves.

    >>> mesh = jax.make_mesh((1,), ("x",))
    >>> there(jnp.ones(1), mesh, jax.P("x")).sharding.mesh == mesh
    True
    """
    if {*mesh.axis_types} != {jax.sharding.AxisType.Explicit}:
        return block
    wanted = P(*spec, *(None,) * (block.ndim - len(spec)))
    if jax.typeof(block).sharding.spec == wanted:
        return block
    sharding = jax.sharding.NamedSharding(mesh, wanted)
    traced = isinstance(block, jax.core.Tracer)
    return (jax.sharding.reshard if traced else jax.device_put)(block, sharding)


def axes_here(mesh: Mesh) -> frozenset[str]:
    """The axes of a mesh that ``shard_map`` goes over here: not those of a batch of ``vmap``.

    What JAX traced where there was no batch, it does not know from what it needs where there
    is one, nor the other way around.

    >>> axes_here(jax.make_mesh((1,), ("x",)))
    frozenset({'x'})
    """
    found = list[tuple[str, Any]]()

    def look() -> tuple[()]:
        here = jax.sharding.get_abstract_mesh()
        found.extend(zip(here.axis_names, here.axis_types, strict=True))
        return ()

    jax.eval_shape(jax.shard_map(look, mesh=mesh, in_specs=(), out_specs=()))
    return frozenset(name for name, kind in found if kind == jax.sharding.AxisType.Manual)


_kept = lru_cache(maxsize=KEPT)(_made)


def settled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the user's, the same one for all that are alike and know nothing else.

    So what is written in place, as in a loop, is compiled once. Within ``jit`` here, one that
    is under ``jit`` itself is taken as it was written.

    >>> settled(lambda x: x)(2), settled(jnp.add) is jnp.add
    (2, True)
    >>> [settled(f) is settled(jax.jit(f)) for f in [lambda x: jnp.sin(x)]]
    [True]
    """
    inner: Any = function
    while isinstance(inner, jax.stages.Wrapped):
        inner = inner.__wrapped__
    plain: Callable[..., Any] = inner
    if isinstance(inner, jnp.ufunc):
        return plain
    known = _known(inner)
    return function if known is None else _alone(inner.__code__, known)


def is_lasting(function: object) -> bool:
    """Whether a function stays what it is: it is a ufunc, or ``settled`` and alone.

    What another one knows may change, or be a tracer: its closure and defaults, what it
    imports, and what it finds around it, unless that is a module of JAX, NumPy or Python.

    >>> scale = 2
    >>> [is_lasting(settled(f)) for f in (jnp.add, lambda x: x + 1, lambda x: jnp.sin(x))]
    [True, True, True]
    >>> [is_lasting(settled(f)) for f in ([].append, lambda x, k=2: k * x, lambda x: scale * x)]
    [False, False, False]
    """
    if isinstance(function, FunctionType):
        return _ALONE in function.__globals__
    return isinstance(function, jnp.ufunc)


def _known(function: object) -> tuple[tuple[str, ModuleType], ...] | None:
    """The modules that a function names, if it knows nothing else."""
    if not isinstance(function, FunctionType):
        return None
    own = function.__closure__, function.__defaults__, function.__kwdefaults__
    names = _names(function.__code__)
    if any(own) or names is None:
        return None
    found = [(name, function.__globals__[name]) for name in names & {*function.__globals__}]
    if not all(isinstance(value, ModuleType) and _is_fixed(value) for _, value in found):
        return None
    return tuple(sorted(found))


def _is_fixed(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] in _FIXED


@lru_cache(maxsize=KEPT)
def _names(code: CodeType) -> frozenset[str] | None:
    """The names in a code and those within it; none if it brings or changes some."""
    if any(step.opname in _NEW_NAMES for step in get_instructions(code)):
        return None
    inside = [_names(value) for value in code.co_consts if isinstance(value, CodeType)]
    if None in inside:
        return None
    return frozenset(code.co_names).union(*(names for names in inside if names))


@lru_cache(maxsize=KEPT)
def _alone(code: CodeType, known: tuple[tuple[str, ModuleType], ...]) -> FunctionType:
    """A function that sees these modules, and nothing that changes."""
    return FunctionType(code, {**dict(known), _ALONE: None})


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
