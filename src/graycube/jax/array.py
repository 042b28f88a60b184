"""An array of JAX in blocks that carry their layout."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap
from graycube.jax.blocks import carried, from_slots, to_slots
from graycube.jax.cube import MeshCube, cube_of
from graycube.jax.lines import index_along
from graycube.jax.names import Block, Dtype, Mesh, P, Sharding
from graycube.jax.over import over
from graycube.jax.reshard import require_same_mesh
from graycube.jax.rounds import executed
from graycube.jax.shardings import layout, placed, source_of
from graycube.layout import Layout
from graycube.layout.layout import require_axis
from graycube.schedule import Task

if TYPE_CHECKING:
    from graycube.planning import Plan


@dataclass(frozen=True, eq=False, repr=False)
class Array:
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
        body = _Blocks(whole.local_bits)
        blocks = over(found.mesh, body, whole.partition, P(every.names))(x)
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
        target = self.sharding if sharding is None else sharding
        if isinstance(target, P):
            target = jax.sharding.NamedSharding(self.sharding.mesh, target)
        natural = layout_of(target, self.shape)
        require_same_mesh(self.sharding.mesh, target.mesh)
        whole = placed(target, self.shape, "sharding")
        body = _Whole(whole.local_bits, tuple(axis.extent for axis in natural.axes))
        blocks = self.relayout(natural).blocks
        return over(self.mesh, body, P(self.cube.names), whole.partition)(blocks)

    def relayout(self, target: Layout, plan: "Plan | None" = None) -> "Array":
        """The array in another layout of the same nodes: no device receives more than a block.

        Everything is sent at once, or with a plan from this layout to the other in its rounds.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x).relayout(Layout.nodes(3, "gray")).blocks.ravel().tolist()
        [0, 1, 3, 2, 7, 6, 4, 5]
        """
        move = self.layout.conversion(target)
        if plan is not None:
            body = executed(plan, self.cube, self.blocks.shape[1:])
            _require_task(plan.task, self.layout, target)
            return self.computed(body, target)
        if move == AffineMap.identity(target.p):
            return replace(self, layout=target)
        return self.computed(_Relayout(self.cube, move, 1 << target.p - target.n), target)

    def computed(self, body: Callable[[Block], Block], layout: Layout) -> "Array":
        """What devices make of their blocks, within ``shard_map``, in a layout.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, P("x")))
        >>> a = Array.from_array(x)
        >>> a.computed(jnp.negative, a.layout).blocks.ravel().tolist()
        [0, -1, -2, -3, -4, -5, -6, -7]
        """
        names = P(self.cube.names)
        return replace(
            self, blocks=over(self.mesh, body, names, names)(self.blocks), layout=layout
        )

    def coordinate(self, axis: int) -> "Array":
        """The index along an axis of every element, counted on the devices: no table is made.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(16), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x, Layout.cyclic(4, 3)).coordinate(0).blocks.tolist()[1]
        [1, 9]
        """
        body = _Coordinate(self.cube, self.layout, require_axis(axis, len(self.layout.axes)))
        made = over(self.mesh, body, (), P(self.cube.names))()
        return replace(self, blocks=made)

    def map(self, function: Callable[[Block], Block]) -> "Array":
        """An elementwise function of the array, such as ``jnp.sin``.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, P("x")))
        >>> float(Array.from_array(x).map(jnp.log).blocks.sum())
        0.0
        """
        return replace(self, blocks=function(self.blocks))

    @property
    def mesh(self) -> Mesh:
        """The mesh of devices.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, P("x")))
        >>> Array.from_array(x).mesh == mesh
        True
        """
        if isinstance(self.blocks, jax.core.Tracer):
            return self.sharding.mesh
        return getattr(self.blocks.sharding, "mesh", self.sharding.mesh)

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
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes.

        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones((3, 8)), jax.NamedSharding(mesh, P(None, "x")))
        >>> Array.from_array(x).shape
        (3, 8)
        """
        return self.layout.shape

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

    def _with(self, other: object, how: Callable[[Block, Block], Block]) -> "Array":
        if isinstance(other, Array):
            if other.layout != self.layout:
                raise InvalidValueError(
                    f"arrays of layouts {self.layout} and {other.layout} meet",
                    "elementwise arithmetic needs one layout",
                    "bring one to the other: b.relayout(a.layout)",
                )
            return replace(self, blocks=how(self.blocks, other.blocks))
        if jnp.ndim(other):
            raise InvalidTypeError(
                f"a gc.jax.Array meets an array of shape {jnp.shape(other)}",
                "what it has in which place is not known",
                "make it one, with gc.jax.Array.from_array(x, a.layout)",
            )
        return replace(self, blocks=how(self.blocks, other))

    def _after(self, other: object, how: Callable[[Block, Block], Block]) -> "Array":
        return self._with(other, lambda mine, theirs: how(theirs, mine))

    def __add__(self, other: object) -> "Array":
        return self._with(other, operator.add)

    def __radd__(self, other: object) -> "Array":
        return self._after(other, operator.add)

    def __sub__(self, other: object) -> "Array":
        return self._with(other, operator.sub)

    def __rsub__(self, other: object) -> "Array":
        return self._after(other, operator.sub)

    def __mul__(self, other: object) -> "Array":
        return self._with(other, operator.mul)

    def __rmul__(self, other: object) -> "Array":
        return self._after(other, operator.mul)

    def __truediv__(self, other: object) -> "Array":
        return self._with(other, operator.truediv)

    def __rtruediv__(self, other: object) -> "Array":
        return self._after(other, operator.truediv)

    def __pow__(self, other: object) -> "Array":
        return self._with(other, operator.pow)

    def __neg__(self) -> "Array":
        return self.map(operator.neg)

    def __abs__(self) -> "Array":
        return self.map(abs)


jax.tree_util.register_dataclass(Array, ["blocks"], ["layout", "sharding"])


def _require_task(task: Task, source: Layout, target: Layout) -> None:
    """Refuse a plan of something else."""
    for what, planned, given in (("from", task.source, source), ("to", task.target, target)):
        if planned != given:
            raise InvalidValueError(
                f"the array goes {what} {given}",
                f"the plan goes {what} {planned}",
                "plan with graycube.plan(a.layout, target, block)",
            )


layout_of = layout  # the methods have an argument of that name


@dataclass(frozen=True)
class _Blocks:
    """From a device's part of an array to its block."""

    bits: tuple[int, ...]

    def __call__(self, x: Block) -> Block:
        d = len(self.bits)
        slots = to_slots(x, self.bits)
        return slots.reshape(1, -1, *slots.shape[d + 1 :])


@dataclass(frozen=True)
class _Whole:
    """The inverse."""

    bits: tuple[int, ...]
    extents: tuple[int, ...]

    def __call__(self, block: Block) -> Block:
        return from_slots(block.reshape(-1, *self.extents, *block.shape[2:]), self.bits)


@dataclass(frozen=True)
class _Relayout:
    """A map of addresses on a device's block."""

    cube: MeshCube
    move: AffineMap
    slots: int

    def __call__(self, block: Block) -> Block:
        split = block.reshape(self.slots, -1, *block.shape[2:])
        return carried(split, self.move, self.cube).reshape(block.shape)


@dataclass(frozen=True)
class _Coordinate:
    """The index along an axis of what is in each slot."""

    cube: MeshCube
    layout: Layout
    axis: int

    def __call__(self) -> Block:
        return index_along(self.layout, self.axis, self.cube).reshape(1, -1)
