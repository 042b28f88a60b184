"""A plan carried out on the devices of a mesh, in its own rounds."""

from typing import TYPE_CHECKING

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax.array import Array
from graycube.jax.cube import MeshCube, cube_of
from graycube.jax.names import Block, P, Sharding
from graycube.jax.over import on_block, over
from graycube.jax.rounds import executed
from graycube.jax.shardings import source_of, spec_of

if TYPE_CHECKING:
    from graycube.planning import Plan


def execute(plan: "Plan", blocks: Block, source: Sharding = None) -> Block:
    """The blocks of all devices after a plan, whose messages are permutes; as ``plan.apply``.

    The first axis of the blocks is the node, and over all devices; what follows the elements of
    a block is payload. Each round sends what the plan says and waits for it, so on a machine
    whose links are those of the plan no link has two messages at a time. Where no such thing is
    known, ``gc.jax.reshard`` and ``Array.relayout`` send all at once, and are quicker.

    >>> import graycube as gc
    >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    >>> plan = gc.plan(gray, binary, block=1, itemsize=4, machine=gc.Machine(dims=3))
    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> blocks = jax.device_put(gray.scatter(range(8)), jax.NamedSharding(mesh, jax.P("x")))
    >>> blocks.ravel().tolist(), execute(plan, blocks).ravel().tolist()
    ([0, 1, 3, 2, 7, 6, 4, 5], [0, 1, 2, 3, 4, 5, 6, 7])
    """
    if isinstance(blocks, Array):
        raise InvalidTypeError(
            "got a gc.jax.Array",
            "its layout changes with the plan",
            "call a.relayout(target, plan)",
        )
    found = source_of(blocks, source)
    first, *others = spec_of(found, blocks.ndim, "source") or ((),)
    if any(others):
        raise InvalidValueError(
            f"the sharding of the blocks is {found.spec}",
            "their first axis is the node, and no other one is over devices",
            "shard them as P(mesh.axis_names)",
        )
    cube = cube_of(found.mesh, first)
    bits = tuple(len(cube.dims(name)) for name in first)
    body = executed(plan, MeshCube(first, bits), blocks.shape[1:])
    if blocks.shape[0] != 1 << body.cube.n:
        raise InvalidValueError(
            f"the blocks have shape {blocks.shape}",
            f"there is one for each of {1 << body.cube.n} devices",
            "stack the blocks of all nodes",
        )
    spec = P(first or None)
    return over(found.mesh, on_block, spec, spec, body)(blocks)
