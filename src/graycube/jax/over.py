"""A function of blocks on all devices of a mesh."""

from collections.abc import Callable
from dis import get_instructions
from functools import cache, lru_cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import jax
import jax.numpy as jnp

from graycube.jax.blocks import from_slots, to_slots
from graycube.jax.names import Block, Mesh, P, Spec

KEPT = 256
"""So many functions are remembered with what was compiled of them."""

_ALONE = "__alone__"
_FIXED = {"jax", "numpy", "math", "cmath", "operator"}
_PLAIN = {bool, int, float, complex, str, type(None)}
_SIGNED = {float, complex}  # 0.0 is -0.0, but for what they look like
_JITTED = type(jax.jit(abs))
_NEW_NAMES = {"IMPORT_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"}
_AROUND = {"globals", "eval", "exec", "__import__"}
_NEW_CELLS = {"STORE_DEREF", "DELETE_DEREF"}


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
    """A function of the user's, the same one for all that are alike and know the same.

    So what is written in place, as in a loop, is compiled once. It may know numbers, texts,
    modules of JAX, NumPy and Python, and functions that know no more. Within ``jit`` here, one
    that is under ``jit`` itself is taken as it was written.

    >>> settled(lambda x: x)(2), settled(jnp.add) is jnp.add
    (2, True)
    >>> [settled(f) is settled(jax.jit(f)) for f in [lambda x: jnp.sin(x)]]
    [True]
    """
    made: Callable[..., Any] = _settled(function, {})
    return made


def _settled(function: Any, found: dict[FunctionType, Any]) -> Any:  # noqa: ANN401
    """The same, of which ``found`` has what functions were made: each is looked at once."""
    inner = function
    while isinstance(inner, _JITTED):
        inner = inner.__wrapped__
    if is_lasting(inner):
        return inner
    if not isinstance(inner, FunctionType) or inner.__dict__:  # attributes may change
        return function
    if inner not in found:
        found[inner] = function  # should it call itself
        found[inner] = _from_known(function, inner, found)
    return found[inner]


def _from_known(function: Any, inner: FunctionType, found: dict[FunctionType, Any]) -> Any:  # noqa: ANN401
    names = _names(inner.__code__)
    cells = inner.__closure__ or ()
    if names is None or any(cell == CellType() for cell in cells):  # one is still empty
        return function
    around = {name: inner.__globals__[name] for name in sorted(names & {*inner.__globals__})}
    options = inner.__kwdefaults__ or {}
    values = *around.values(), *(cell.cell_contents for cell in cells), *options.values()
    values += inner.__defaults__ or ()
    known = tuple(_fixed(value, found) for value in values)
    if None in known:
        return function
    return _alone(inner.__code__, (*around,), (*options,), known)


def is_lasting(function: object) -> bool:
    """Whether a function stays what it is: it is of JAX or the like, or ``settled`` and alone.

    What another one knows may change, or be a tracer: arrays, lists, classes, what it imports.

    >>> scale, table = 2, [2]
    >>> [is_lasting(settled(f)) for f in (jnp.add, jax.lax.add, lambda x: jnp.sin(scale * x))]
    [True, True, True]
    >>> [is_lasting(settled(f)) for f in ([].append, lambda x: table[0] * x)]
    [False, False]
    """
    if isinstance(function, FunctionType):
        around = function.__globals__
        own = not function.__closure__ and _is_fixed(around.get("__name__", ""))
        return own or _ALONE in around
    return isinstance(function, jnp.ufunc)


def _fixed(value: object, seen: dict[FunctionType, Any]) -> tuple[object, str, object] | None:
    """A value that stays what it is, and what tells it from its equals, as 1.0 from 1."""
    if type(value) in _PLAIN:
        return type(value), repr(value) if type(value) in _SIGNED else "", value
    if isinstance(value, ModuleType):
        return (ModuleType, "", value) if _is_fixed(value.__name__) else None
    found = _settled(value, seen)
    return (FunctionType, "", found) if is_lasting(found) else None


def _is_fixed(module: str) -> bool:
    return module.partition(".")[0] in _FIXED


@lru_cache(maxsize=KEPT)
def _names(code: CodeType) -> frozenset[str] | None:
    """The names in a code and those within it; none if it brings, changes or looks up some."""
    if _AROUND.intersection(code.co_names):
        return None
    for step in get_instructions(code):
        if step.opname in _NEW_NAMES or (
            step.opname in _NEW_CELLS and step.argval in code.co_freevars
        ):
            return None
    inside = [_names(value) for value in code.co_consts if isinstance(value, CodeType)]
    if None in inside:
        return None
    return frozenset(code.co_names).union(*(names for names in inside if names))


@lru_cache(maxsize=KEPT)
def _alone(
    code: CodeType,
    names: tuple[str, ...],
    options: tuple[str, ...],
    known: tuple[tuple[object, str, object], ...],
) -> FunctionType:
    """A function that sees what it knows, in this order, and nothing that changes."""
    values = iter([value for *_, value in known])
    around = {**{name: next(values) for name in names}, _ALONE: None}
    cells = tuple(CellType(next(values)) for _ in code.co_freevars)
    made = FunctionType(code, around, closure=cells)
    made.__kwdefaults__ = {name: next(values) for name in options}
    made.__defaults__ = tuple(values)
    return made


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
