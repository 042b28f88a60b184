"""For use within a ``shard_map`` of your own: what a device does with its block.

A block is what ``gc.jax.Array.blocks`` has for a node, without the axis of the nodes: slots,
then payload. ``names`` are the axes of the mesh that number the nodes, the first one highest.
"""

from collections.abc import Sequence
from math import prod

import jax

from graycube.array.halo.ends import Fills, Rings
from graycube.errors import InvalidValueError
from graycube.fourier.arguments import Norm
from graycube.jax.blocks import relaid
from graycube.jax.cube import MeshCube
from graycube.jax.halo import around, require_near, widened
from graycube.jax.legs import Asked
from graycube.jax.names import Block
from graycube.jax.shardings import axes_of, names_of
from graycube.jax.transform import transform_of
from graycube.layout import Layout
from graycube.stencil import ReachLike


def relayout(block: Block, source: Layout, target: Layout, names: str | Sequence[str]) -> Block:
    """The block of this device in another layout.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, jax.P("x")))
    >>> binary, gray = Layout.nodes(3), Layout.nodes(3, "gray")
    >>> turned = jax.shard_map(lambda block: relayout(block, binary, gray, "x"), mesh=mesh,
    ...                        in_specs=jax.P("x"), out_specs=jax.P("x"))
    >>> jax.jit(turned)(x).tolist()
    [0, 1, 3, 2, 7, 6, 4, 5]
    """
    cube = _cube(names, source, block)
    return relaid(block, source.conversion(target), cube)


def halo(
    block: Block,
    reach: ReachLike,
    names: str | Sequence[str | Sequence[str] | None],
    *,
    periodic: Rings | None = None,
    fill: Fills | None = None,
) -> Block:
    """The part of a sharded array that a device has, with what its neighbours have around it.

    ``names`` are the mesh axes of each axis, as in a PartitionSpec: axes that it leaves out
    are not sharded. ``periodic`` and ``fill`` are as in :func:`graycube.jax.halo`.

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, jax.P("x")))
    >>> sums = jax.shard_map(lambda part: halo(part, [(1, 0)], ["x"])[:-1] + part, mesh=mesh,
    ...                      in_specs=jax.P("x"), out_specs=jax.P("x"))
    >>> jax.jit(sums)(x).tolist()
    [7, 1, 3, 5, 7, 9, 11, 13]
    """
    axes = axes_of([names] if isinstance(names, str) else names, block.ndim, "names")
    pairs, ends = around(block, reach, periodic, fill)
    for k, (pair, entry, end) in enumerate(zip(pairs, axes, ends, strict=True)):
        require_near(k, pair, block.shape[k], end)
        count = prod(_sizes(entry))
        block = widened(block, k, pair, entry, count, end)
    return block


def fft(
    block: Block,
    layout: Layout,
    names: str | Sequence[str],
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
) -> tuple[Block, Layout]:
    """The transform of the array that the blocks are, and the layout that it is in then.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones(64), jax.NamedSharding(mesh, jax.P("x")))
    >>> layout = Layout.consecutive(6, 3)
    >>> energy = jax.shard_map(
    ...     lambda block: jax.lax.psum(abs(fft(block, layout, "x")[0]).sum(), "x"), mesh=mesh,
    ...     in_specs=jax.P("x"), out_specs=jax.P())
    >>> float(jax.jit(energy)(x))
    64.0
    """
    return _transformed(block, layout, names, Asked(axes, norm))


def ifft(
    block: Block,
    layout: Layout,
    names: str | Sequence[str],
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
) -> tuple[Block, Layout]:
    """The inverse transform.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones(64), jax.NamedSharding(mesh, jax.P("x")))
    >>> back = jax.shard_map(
    ...     lambda block: ifft(*fft(block, Layout.consecutive(6, 3), "x"), "x")[0].real,
    ...     mesh=mesh, in_specs=jax.P("x"), out_specs=jax.P("x"))
    >>> bool(jnp.allclose(jax.jit(back)(x), 1))
    True
    """
    return _transformed(block, layout, names, Asked(axes, norm, inverse=True))


def _transformed(
    block: Block, layout: Layout, names: str | Sequence[str], asked: Asked
) -> tuple[Block, Layout]:
    body, result = transform_of(layout, _cube(names, layout, block), None, asked)
    return body(block), result


def _sizes(names: Sequence[str]) -> list[int]:
    """The numbers of devices of mesh axes, which JAX knows within ``shard_map``."""
    try:
        return [jax.lax.psum(1, name) for name in names]
    except NameError:
        raise InvalidValueError(
            f"the mesh axes are {(*names,)}",
            "one of them is none of a shard_map around this call",
            "call it within jax.shard_map, of a mesh with these axes",
        ) from None


def _cube(names: str | Sequence[str], layout: Layout, block: Block) -> MeshCube:
    """The cube of some axes, if the layout and the block are those of its nodes."""
    axes = names_of(names)
    sizes = _sizes(axes)
    cube = MeshCube(axes, tuple(size.bit_length() - 1 for size in sizes))
    if [1 << bits for bits in cube.bits] != sizes or cube.n != layout.n:
        raise InvalidValueError(
            f"the mesh axes {axes} have {tuple(sizes)} devices",
            f"the layout has {1 << layout.n} nodes",
            "name the axes that number these nodes",
        )
    if block.shape[:1] != (layout.block_size,):
        raise InvalidValueError(
            f"the block has shape {block.shape}",
            f"a device has {layout.block_size} elements in this layout",
            "put the slots first, and leave out the axis of the nodes",
        )
    return cube
