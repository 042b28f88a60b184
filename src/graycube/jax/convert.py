"""Blocks in the memory of this process as blocks on devices, and back.

Rules.

1. Both are one block for each node. A device that is the host itself uses the memory of NumPy
   where that begins at a multiple of 64 bytes: nothing is copied then.
2. ``copy`` is as NumPy has it: True always copies, False never does and refuses where it would
   have to, None copies if there is no other way.
3. What lies on other devices is brought to the host only if ``copy`` is True.
4. A process gives the blocks of its own devices, whatever others have.
"""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax.names import Block, Dtype, Sharding

_HOST = "cpu"


def on_devices(
    blocks: NDArray[Any], nodes: Sequence[int], sharding: Sharding, *, copy: bool | None = None
) -> Block:
    """The blocks of some nodes, those of this process, as part of an array over a mesh.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> over = jax.NamedSharding(mesh, jax.P("x"))
    >>> on_devices(np.arange(8).astype("int32")[:, None], range(8), over).shape
    (8, 1)
    """
    require_known(blocks.dtype)
    devices = sharding.mesh.devices.ravel()
    ours = [k for k, device in enumerate(devices) if device in sharding.addressable_devices]
    if ours != [*nodes]:
        raise InvalidValueError(
            f"the blocks of nodes {[*nodes]} are in this process",
            f"it has devices {ours} of the mesh",
            "give each process the blocks of its own devices: one rank with one device each, "
            "or all in one",
        )
    parts = [
        jax.device_put(np.array(block[None], copy=copy or None), devices[node])
        for node, block in zip(nodes, blocks, strict=True)
    ]
    if copy is False:
        require_shared(parts, blocks)
    shape = (len(devices), *blocks.shape[1:])
    return jax.make_array_from_single_device_arrays(shape, sharding, parts)


def on_host(blocks: Block, nodes: Sequence[int], *, copy: bool | None = None) -> NDArray[Any]:
    """The blocks of some nodes in one array of NumPy, which cannot be written if it is shared.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(np.arange(8), jax.NamedSharding(mesh, jax.P("x")))
    >>> on_host(x, range(2, 4)).tolist()
    [2, 3]
    """
    if isinstance(blocks, jax.core.Tracer):
        raise InvalidTypeError(
            f"the blocks are a {type(blocks).__name__}",
            "within jit and its relatives there are no values",
            "convert what the function returns",
        )
    found = {shard.index[0].start or 0: shard.data for shard in blocks.addressable_shards}
    missing = [node for node in nodes if node not in found]
    if missing:
        raise InvalidValueError(
            f"the blocks of nodes {missing} are on devices of other processes",
            f"here are those of {sorted(found)}",
            "pass comm=, with one rank and one device in each process",
        )
    kinds = {device.platform for device in blocks.devices()}
    if kinds != {_HOST} and copy is not True:
        raise InvalidValueError(
            f"the blocks are on {', '.join(sorted(kinds))}",
            f"{len(nodes)} blocks of {found[nodes[0]].nbytes} bytes would go to the host",
            "say so: to_cube(copy=True)",
        )
    if len(nodes) == 1:
        return np.array(found[nodes[0]], copy=copy)
    if copy is False:
        raise InvalidValueError(
            f"{len(nodes)} devices have a block each, in memory of its own",
            "a CubeArray has the blocks of a process side by side",
            "allow a copy, or use one device in each process and comm=",
        )
    return np.concatenate([np.asarray(found[node]) for node in nodes])


def require_known(dtype: Dtype) -> None:
    """Refuse numbers that JAX would make narrower without a word.

    >>> require_known(np.dtype("float32"))
    """
    given, kept = np.dtype(dtype), jax.dtypes.canonicalize_dtype(dtype)
    if given != kept:
        raise InvalidTypeError(
            f"the array has dtype {given}",
            f"JAX would make it {kept}",
            f'convert it with astype("{kept}"), or jax.config.update("jax_enable_x64", True)',
        )


def require_shared(parts: Sequence[Block], blocks: NDArray[Any]) -> None:
    """Refuse parts that are copies of blocks.

    >>> require_shared([], np.zeros(3))
    """
    if not all(
        part.devices().pop().platform == _HOST and np.shares_memory(np.asarray(part), blocks)
        for part in parts
    ):
        raise InvalidValueError(
            f"the blocks of {blocks[0].nbytes} bytes cannot be shared with the devices",
            "that takes devices that are the host, and memory at multiples of 64 bytes",
            "allow a copy",
        )
