"""An array of JAX in blocks that carry their layout."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import jax

from graycube.array import CubeArray
from graycube.array.moving import of_kind
from graycube.array.ranks import nodes_here
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap
from graycube.jax.arithmetic import Arithmetic
from graycube.jax.blocks import from_slots, relaid, to_slots
from graycube.jax.convert import on_devices as spread_out, on_host
from graycube.jax.cube import MeshCube, cube_of
from graycube.jax.lines import index_along
from graycube.jax.names import Block, Dtype, Mesh, P, Sharding
from graycube.jax.over import over, there
from graycube.jax.reshard import require_same_mesh
from graycube.jax.rounds import executed
from graycube.jax.shardings import layout as layout_of, on_mesh, placed, source_of
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits
from graycube.layout.required import require_axis, require_single
from graycube.schedule import Task

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from graycube.planning import Plan


@dataclass(frozen=True, eq=False, repr=False)
class Array(Arithmetic):
    """Blocks of all devices, ``blocks[node, slot]``, and the layout that says what is where.

    A pytree whose leaf is the blocks: it goes through ``jit``, ``grad`` and ``jax.checkpoint``.
    ``sharding`` is where the array comes from, and goes back to. Arithmetic works on arrays of
    one layout, and with numbers; ``map`` takes any other elementwise function.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.arange(64.0), jax.NamedSharding(mesh, P("x")))
    >>> a = Array.from_array(x, Layout.cyclic(6, 3, nodes="gray"))
    >>> a
    <gc.jax.Array (64,) float32 on 8 devices: (b5 b4 b3 || b2 g1 g0)>
    >>> bool(((2 * a - a).to_array() == x).all())
    True
    """

    blocks: Block
    layout: Layout
    sharding: Sharding

    @classmethod
    def from_array(
        cls,
        x: Block,
        layout: Layout | None = None,
        source: Sharding = None,
    ) -> "Array":
        """The blocks of a sharded array, in the layout of its sharding or in another one.

        >>> mesh = jax.make_mesh((2, 4), ("x", "y"))
        >>> x = jax.device_put(jnp.ones((4, 4)), jax.NamedSharding(mesh, P("x", "y")))
        >>> Array.from_array(x).blocks.shape
        (8, 2)
        """
        found = source_of(x, source)
        given = layout_of(found, x.shape)
        whole = placed(found, x.shape, "source")
        every = cube_of(found.mesh)
        specs = whole.partition, P(every.names)
        blocks = over(found.mesh, _block_of, *specs, whole.local_bits)(x)
        made = cls(blocks, given, jax.sharding.NamedSharding(found.mesh, whole.partition))
        return made if layout is None else made.relayout(layout)

    def to_array(self, sharding: Sharding = None) -> Block:
        """The array as JAX has it, with the sharding it came with or with another one.

        >>> mesh = jax.make_mesh((2, 4), ("x", "y"))
        >>> x = jax.device_put(jnp.ones((4, 4)), jax.NamedSharding(mesh, P("x", "y")))
        >>> y = Array.from_array(x).to_array(jax.NamedSharding(mesh, P("y", "x")))
        >>> y.sharding.spec == P("y", "x")
        True
        """
        if isinstance(sharding, Layout):
            raise InvalidTypeError(
                f"sharding is the layout {sharding}",
                "an array of JAX has a NamedSharding, or a PartitionSpec on the mesh",
                "call a.relayout(layout), which gives a gc.jax.Array",
            )
        target = self.sharding if sharding is None else on_mesh(self.sharding.mesh, sharding)
        natural = layout_of(target, self.layout.shape)
        for k, (own, other) in enumerate(zip(self.layout.axes, natural.axes, strict=True)):
            if own != other:
                raise InvalidValueError(
                    f"axis {k} has its factor {own.extent} above bit {own.low} of its index",
                    f"in an array of JAX it is above bit {other.low}, and only bits move",
                    'use a.to_cube().to_numpy(), or transform with order="natural", or back',
                )
        require_same_mesh(self.sharding.mesh, target.mesh)
        whole = placed(target, self.layout.shape, "sharding")
        given = whole.local_bits, tuple(axis.extent for axis in natural.axes)
        blocks = self.relayout(natural).on_devices()
        return over(self.mesh, _part_of, P(self.cube.names), whole.partition, *given)(blocks)

    @classmethod
    def from_cube(
        cls, u: CubeArray, sharding: Sharding, *, copy: bool | None = None
    ) -> "Array":
        """A CubeArray on the devices of a mesh: node k is device k, with the layout in bits.

        ``sharding`` is the one that :meth:`to_array` goes to. Devices that are the host share
        the memory of the blocks if they can, so do not write to these, or say ``copy=True``;
        ``copy=False`` refuses to copy.

        >>> from graycube.array import CubeArray
        >>> u = CubeArray.from_numpy(range(64), Layout.cyclic(6, 3)).astype("float32")
        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> a = Array.from_cube(u, jax.NamedSharding(mesh, P("x")))
        >>> a.layout == u.layout, a.to_array().tolist()[:4]
        (True, [0.0, 1.0, 2.0, 3.0])
        """
        if not isinstance(u, CubeArray):
            raise InvalidTypeError(
                f"got a {type(u).__name__}",
                "from_cube takes a CubeArray",
                "use gc.jax.Array.from_array for an array of JAX",
            )
        layout = in_bits(u.layout, "a gc.jax.Array")
        require_single(layout, "a gc.jax.Array")
        u = of_kind(u, layout)
        require_same_nodes(layout, layout_of(sharding, u.layout.shape))
        spec, mesh = placed(sharding, u.layout.shape, "sharding").partition, sharding.mesh
        every = jax.sharding.NamedSharding(mesh, P(cube_of(mesh).names))
        blocks = spread_out(u.blocks, u.nodes, every, copy=copy)
        return cls(blocks, layout, jax.sharding.NamedSharding(mesh, spec))

    def to_cube(
        self, comm: "Intracomm | None" = None, *, copy: bool | None = None
    ) -> CubeArray:
        """The blocks as a CubeArray: those of all nodes, or of this rank of a communicator.

        The blocks of several devices come side by side, which is a copy on the host; a single
        one is shared, and cannot be written. What is on other devices than the host needs
        ``copy=True``; ``copy=False`` refuses to copy.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.arange(64), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x, Layout.cyclic(6, 3)).to_cube().to_numpy()[:4].tolist()
        [0, 1, 2, 3]
        """
        nodes = nodes_here(self.layout, comm)
        return CubeArray(on_host(self.on_devices(), nodes, copy=copy), self.layout, comm)

    def relayout(self, target: Layout, plan: "Plan | None" = None) -> "Array":
        """The array in another layout of the same nodes: no device receives more than a block.

        Everything is sent at once, or with a plan from this layout to the other in its rounds.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x).relayout(Layout.nodes(3, "gray")).blocks.ravel().tolist()
        [0, 1, 3, 2, 7, 6, 4, 5]
        """
        target, blocks = in_bits(target, "a gc.jax.Array"), self.require_blocks()
        move = self.layout.conversion(target)
        if plan is not None:
            body = executed(plan, self.cube, blocks.shape[1:])
            _require_task(plan.task, self.layout, target)
            return self.computed(body, target)
        if move == AffineMap.identity(target.p):
            return replace(self, layout=target)
        return self.computed(_relaid, target, move, self.cube)

    def computed(self, body: Callable[..., Block], layout: Layout, *given: object) -> "Array":
        """What devices make of their blocks, and what is given, within ``shard_map``.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, P("x")))
        >>> a = Array.from_array(x)
        >>> a.computed(jnp.negative, a.layout).blocks.ravel().tolist()
        [0, -1, -2, -3, -4, -5, -6, -7]
        """
        names = P(self.cube.names)
        blocks = over(self.mesh, body, names, names, *given)(self.on_devices())
        return replace(self, blocks=blocks, layout=layout)

    def on_devices(self) -> Block:
        """The blocks, each on its device, wherever the leaf of the pytree came from.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, P("x")))
        >>> jax.device_get(Array.from_array(x)).on_devices().sharding.spec == P("x", None)
        True
        """
        blocks, mesh = self.require_blocks(), self.mesh
        spec = P(self.cube.names, *(None,) * (blocks.ndim - 1))
        if isinstance(blocks, jax.core.Tracer):
            return there(blocks, mesh, spec)
        return jax.device_put(blocks, jax.sharding.NamedSharding(mesh, spec))

    def coordinate(self, axis: int) -> "Array":
        """The index along an axis of every element, counted on the devices: no table is made.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(16), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x, Layout.cyclic(4, 3)).coordinate(0).blocks.tolist()[1]
        [1, 9]
        """
        given = self.layout, require_axis(axis, len(self.layout.axes)), self.cube
        made = over(self.mesh, _coordinate, (), P(self.cube.names), *given)()
        return replace(self, blocks=made)

    def _meeting(self, other: object, axes: int) -> Block:
        if isinstance(other, Array):
            here, there = self.sharding.mesh, other.sharding.mesh
            if not (_is_same(here, there) or _is_alike(here, there)):
                raise InvalidValueError(
                    f"arrays on the meshes {here} and {there} meet",
                    "elementwise arithmetic needs one mesh: its devices in one order, and axes "
                    "of one kind",
                    "bring one to the other: gc.jax.Array.from_array("
                    "jax.device_put(b.to_array(), a.sharding), a.layout)",
                )
        return super()._meeting(other, axes)

    def block_until_ready(self) -> "Array":
        """The array, when the devices have it.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x).block_until_ready()
        <gc.jax.Array (8,) float32 on 8 devices: (|| b2 b1 b0)>
        """
        self.blocks.block_until_ready()
        return self

    @property
    def mesh(self) -> Mesh:
        """The mesh of devices.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x).mesh == mesh
        True
        """
        known = self.sharding.mesh
        if isinstance(self.blocks, jax.core.Tracer):
            return known
        return getattr(getattr(self.blocks, "sharding", None), "mesh", known)

    @property
    def cube(self) -> MeshCube:
        """The bits of the node number, by axes of the mesh.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x).cube
        MeshCube(names=('x',), bits=(3,))
        """
        return cube_of(self.sharding.mesh)

    @property
    def dtype(self) -> Dtype:
        """The type of the elements.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x).dtype
        dtype('float32')
        """
        return self.blocks.dtype

    def __repr__(self) -> str:
        devices = 1 << self.layout.n
        kind = getattr(self.blocks, "dtype", type(self.blocks).__name__)
        return f"<gc.jax.Array {self.shape} {kind} on {devices} devices: {self.layout}>"


@dataclass(frozen=True, eq=False)
class _Kept:
    """What the pytree knows beside its leaf.

    Within ``jit`` explicit axes show a mesh that does not say which devices. It is the same as
    the one that says it, for else a loop would not give back what it was given.
    """

    layout: Layout
    sharding: Sharding
    payload: tuple[int, ...]

    def _but_for_the_mesh(self) -> tuple[object, ...]:
        return self.layout, self.sharding.spec, self.payload

    def __hash__(self) -> int:
        return hash((self.sharding.mesh.abstract_mesh, *self._but_for_the_mesh()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Kept):
            return NotImplemented
        same = self._but_for_the_mesh() == other._but_for_the_mesh()
        return same and _is_same(self.sharding.mesh, other.sharding.mesh)


def _is_same(here: Mesh, there: Mesh) -> bool:
    """Whether two meshes are one, as far as both say which devices."""
    if any(isinstance(mesh, jax.sharding.AbstractMesh) for mesh in (here, there)):
        here, there = here.abstract_mesh, there.abstract_mesh
    return bool(here == there)


def _is_alike(here: Mesh, there: Mesh) -> bool:
    """Whether two meshes are the same devices, and JAX does not compare their axes."""
    shown = jax.sharding.AxisType.Explicit in {*here.axis_types, *there.axis_types}
    if shown or any(isinstance(mesh, jax.sharding.AbstractMesh) for mesh in (here, there)):
        return False
    return [*here.devices.flat] == [*there.devices.flat]


def _flattened(a: Array) -> Any:  # noqa: ANN401 - as JAX wants it
    kept = _Kept(a.layout, a.sharding, a.payload)
    return ((jax.tree_util.GetAttrKey("blocks"), a.blocks),), kept


def _unflattened(kept: _Kept, leaves: Sequence[Block]) -> Array:
    """The array with other leaves, which are not looked at: JAX puts anything there."""
    made, (blocks,) = object.__new__(Array), leaves
    values = {**vars(kept), "sharding": _on_mesh_of(blocks, kept.sharding), "blocks": blocks}
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _on_mesh_of(blocks: Block, sharding: Sharding) -> Sharding:
    """The sharding, on the devices of the blocks where it does not say which."""
    own = None if isinstance(blocks, jax.core.Tracer) else getattr(blocks, "sharding", None)
    mesh = getattr(own, "mesh", None)
    if isinstance(mesh, jax.sharding.Mesh) and sharding.mesh == mesh.abstract_mesh:
        return jax.sharding.NamedSharding(mesh, sharding.spec)
    return sharding


jax.tree_util.register_pytree_with_keys(Array, _flattened, _unflattened)


def require_same_nodes(layout: Layout, other: Layout) -> None:
    """Refuse a layout on another number of devices.

    >>> require_same_nodes(Layout.nodes(2), Layout.nodes(2, "gray"))
    """
    if layout.n != other.n:
        raise InvalidValueError(
            f"the layout has {1 << layout.n} nodes",
            f"the mesh has {1 << other.n} devices",
            "use a mesh of as many devices, or relayout the array",
        )


def _require_task(task: Task, source: Layout, target: Layout) -> None:
    """Refuse a plan of something else."""
    for what, planned, given in (("from", task.source, source), ("to", task.target, target)):
        if planned != given:
            raise InvalidValueError(
                f"the array goes {what} {given}",
                f"the plan goes {what} {planned}",
                "plan with graycube.plan(a.layout, target, block)",
            )


def _block_of(x: Block, bits: tuple[int, ...]) -> Block:
    """From a device's part of an array to its block."""
    slots = to_slots(x, bits)
    return slots.reshape(1, -1, *slots.shape[len(bits) + 1 :])


def _part_of(block: Block, bits: tuple[int, ...], extents: tuple[int, ...]) -> Block:
    """The inverse."""
    return from_slots(block.reshape(-1, *extents, *block.shape[2:]), bits)


def _relaid(block: Block, move: AffineMap, cube: MeshCube) -> Block:
    """A device's block after a map of addresses."""
    return relaid(block[0], move, cube)[None]


def _coordinate(layout: Layout, axis: int, cube: MeshCube) -> Block:
    """The index along an axis of what is in each slot."""
    return index_along(layout, axis, cube).reshape(1, -1)
