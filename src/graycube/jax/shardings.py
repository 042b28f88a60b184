"""Shardings of JAX as layouts, and layouts as shardings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

from graycube.array import CubeArray
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import require_ints
from graycube.jax.arithmetic import Arithmetic
from graycube.jax.cube import MeshCube, cube_of
from graycube.jax.names import Block, Mesh, P, Sharding
from graycube.layout import Layout
from graycube.layout.layout import require_cube


@dataclass(frozen=True)
class Placing:
    """An array over the axes of a mesh that its sharding uses; the others have copies."""

    mesh: Mesh
    spec: tuple[tuple[str, ...], ...]
    cube: MeshCube
    layout: Layout

    @property
    def partition(self) -> Sharding:
        """The PartitionSpec, with every axis named."""
        return P(*(names or None for names in self.spec))

    @property
    def local_bits(self) -> tuple[int, ...]:
        """How many address bits of each axis are within a device."""
        used = [sum(len(self.cube.dims(name)) for name in names) for names in self.spec]
        pairs = zip(self.layout.axes, used, strict=False)  # a layout has one axis at least
        return tuple(axis.bits - b for axis, b in pairs)


def layout(sharding: Sharding, shape: int | Sequence[int]) -> Layout:
    """The layout of an array of this shape with a NamedSharding: device i is node i.

    Every axis of the mesh has to be used: a layout has one place for each element.

    >>> mesh = jax.make_mesh((1, 1), ("x", "y"))
    >>> print(layout(jax.sharding.NamedSharding(mesh, P("x", "y")), (4, 2)))
    (b0:1 b0:0 b1:0 ||)
    """
    found = placed(sharding, require_ints(shape, "shape"), "sharding")
    every = dict(found.mesh.shape)
    unused = [name for name, size in every.items() if size > 1 and name not in found.cube.names]
    if unused:
        raise InvalidValueError(
            f"the mesh axis {unused[0]!r} is not in {sharding.spec}",
            f"there are {every[unused[0]]} copies of each element, and a layout has one place",
            "name it in the PartitionSpec; reshard and the transforms take copies as they are",
        )
    return found.layout


def sharding(layout: Layout, devices: Sequence[object] | None = None) -> Sharding:
    """The sharding of the blocks of a layout: on a mesh of binary axes, device i is node i.

    The first axis of the blocks is the node. The devices are the first 2^n by default.

    >>> made = sharding(Layout.nodes(3, "gray"))
    >>> made.mesh.axis_names, made.spec == P(("b2", "b1", "b0"))
    (('b2', 'b1', 'b0'), True)
    """
    layout = require_cube(layout, "a sharding")
    count = 1 << layout.n
    those = list(jax.devices()[:count] if devices is None else devices)
    if len(those) != count:
        raise InvalidValueError(
            f"there are {len(those)} devices",
            f"the layout has {count} nodes",
            f"pass {count} devices, or use a layout of fewer nodes",
        )
    names = tuple(f"b{i}" for i in reversed(range(layout.n)))
    array = np.array(those, dtype=object).reshape((2,) * layout.n)
    return jax.sharding.NamedSharding(jax.sharding.Mesh(array, names), P(names or None))


def placed(sharding: Sharding, shape: Sequence[int], what: str) -> Placing:
    """An array with a NamedSharding as a layout over the axes that are used."""
    spec = spec_of(sharding, len(shape), what)  # it looks at what kind of sharding this is
    return _placed(sharding.mesh, spec, tuple(shape), what)


@lru_cache(maxsize=256)
def _placed(
    mesh: Mesh, spec: tuple[tuple[str, ...], ...], shape: tuple[int, ...], what: str
) -> Placing:
    cube = cube_of(mesh, {name for names in spec for name in names})
    for k, (length, names) in enumerate(zip(shape, spec, strict=True)):
        devices = cube.count(names)
        if length % devices:
            raise InvalidValueError(
                f"axis {k} of {what} has {length} elements on {devices} devices",
                "each device needs equally many",
                f"pad the axis to {length + -length % devices}, or shard it over fewer devices",
            )
    dims = [[d for name in names for d in cube.dims(name)] for names in spec]
    if not shape:
        return Placing(mesh, (), cube, Layout.nodes(0))
    made = Layout.mesh(shape, [1 << len(d) for d in dims], dims=dims)
    return Placing(mesh, spec, cube, made)


def spec_of(sharding: Sharding, d: int, what: str) -> tuple[tuple[str, ...], ...]:
    """The mesh axes of each axis of an array of d axes."""
    if not isinstance(sharding, jax.sharding.NamedSharding):
        raise InvalidTypeError(
            f"{what} is a {type(sharding).__name__}",
            "a NamedSharding says which axes of a mesh an array is over",
            "put the array on a mesh with jax.device_put(x, NamedSharding(mesh, P(...)))",
        )
    return axes_of(sharding.spec, d, what)


def axes_of(
    spec: Iterable[str | Iterable[str] | None], d: int, what: str
) -> tuple[tuple[str, ...], ...]:
    """The mesh axes of each of d axes; those that a PartitionSpec leaves out have none.

    >>> axes_of(P("x"), 2, "source")
    (('x',), ())
    """
    entries = list(spec)
    if len(entries) > d:
        raise InvalidValueError(
            f"{what} has {len(entries)} entries, {spec}",
            f"the array has {d} axes",
            "name mesh axes for these only",
        )
    if P.UNCONSTRAINED in entries:
        raise InvalidValueError(
            f"axis {entries.index(P.UNCONSTRAINED)} of {what} is unconstrained",
            "where the elements are has to be known",
            "name its mesh axes, or None",
        )
    named = [names_of(entry) for entry in entries]
    return (*named, *((),) * (d - len(named)))


def on_mesh(mesh: Mesh, target: Sharding) -> Sharding:
    """The target as a NamedSharding: a PartitionSpec is about axes of the mesh that is there.

    >>> on_mesh(jax.make_mesh((1,), ("x",)), P("x")).spec == P("x")
    True
    """
    if not isinstance(target, P):
        return target
    names = [
        name for entry in target if entry is not P.UNCONSTRAINED for name in names_of(entry)
    ]
    for name in names:
        if name not in mesh.axis_names or names.count(name) > 1:
            raise InvalidValueError(
                f"{target} has {name!r}",
                f"the axes of the mesh are {', '.join(map(repr, mesh.axis_names))}, each for "
                "one axis of the array",
                "name each of them once at most",
            )
    return jax.sharding.NamedSharding(mesh, target)


def names_of(entry: str | Iterable[str] | None) -> tuple[str, ...]:
    """The mesh axes of an entry of a PartitionSpec.

    >>> names_of(None), names_of("x"), names_of(["x", "y"])
    ((), ('x',), ('x', 'y'))
    """
    if entry is None:
        return ()
    return (entry,) if isinstance(entry, str) else tuple(entry)


def source_of(x: Block, source: Sharding) -> Sharding:
    """The sharding of an array, or of a tracer if its type or the caller says it."""
    if jnp.issubdtype(getattr(x, "dtype", None), jax.dtypes.extended):
        raise InvalidTypeError(
            f"the array has dtype {x.dtype}",
            "numbers are moved and transformed",
            "take jax.random.key_data(x), and wrap what comes of it with wrap_key_data",
        )
    kinds = jax.sharding.get_abstract_mesh().axis_types
    if isinstance(x, jax.core.Tracer) and jax.sharding.AxisType.Manual in kinds:
        raise InvalidTypeError(
            f"got the part of an array that a device has, of shape {x.shape}",
            "within shard_map there is no more of it",
            "use the functions of gc.jax.local, or call this one outside",
        )
    if isinstance(source, P):
        raise InvalidTypeError(
            f"source is {source}",
            "it says axes of a mesh, and not of which one",
            f"say source=jax.NamedSharding(mesh, jax.P{(*source,)})",
        )
    if isinstance(x, Arithmetic):
        raise InvalidTypeError(
            "got a gc.jax.Array",
            "this function takes an array of JAX",
            "call a.to_array(sharding), or a.relayout(layout)",
        )
    if not isinstance(x, jax.core.Tracer):
        if isinstance(x, CubeArray):
            raise InvalidTypeError(
                "got a CubeArray",
                "its blocks are in the memory of this process",
                "take them to devices with gc.jax.Array.from_cube(x, sharding)",
            )
        if not isinstance(x, jax.Array if source is None else jax.Array | np.ndarray):
            raise InvalidTypeError(
                f"got a {type(x).__name__}",
                "arrays of JAX are taken, on the devices of a mesh",
                "put it there with jax.device_put(x, NamedSharding(mesh, P(...)))",
            )
        return x.sharding if source is None else source
    if source is not None:
        return source
    found = jax.typeof(x).sharding
    explicit = jax.sharding.AxisType.Explicit
    if found.mesh.empty or any(kind != explicit for kind in found.mesh.axis_types):
        raise InvalidValueError(
            f"the sharding of a traced array of shape {x.shape} is not known",
            "within jit, automatic mesh axes do not show it, and an array may be on one device",
            "say source=NamedSharding(mesh, P(...)), or use a mesh of explicit axes; "
            "spread an array by jax.device_put(x, sharding)",
        )
    return found
