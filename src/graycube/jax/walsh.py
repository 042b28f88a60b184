"""Walsh-Hadamard transforms of sharded arrays.

Rules.

1. The stages do not depend on their order, so those in memory come first. Of several axes all
   stages are one network; an array of JAX comes home by one move, which puts the output in its
   order as well.
2. In memory as many bits at once as a product with a small matrix takes: XLA would make one
   loop of a long chain of sums and differences, in which each doubles the work. Integers are
   added and subtracted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, get_args

import jax
import jax.numpy as jnp
import numpy as np

from graycube.butterflies.groups import StageGroup, groups, reached
from graycube.butterflies.walsh import HadamardOrder, matrix_of, memory_first, words_of
from graycube.errors import InvalidTypeError
from graycube.gf2 import require_ints
from graycube.jax.applied import applied
from graycube.jax.cube import MeshCube
from graycube.jax.names import Block, Dtype, Sharding
from graycube.jax.networks import DeviceNetwork
from graycube.layout import Layout
from graycube.layout.required import require_axis, require_bits, require_word

_RADIX = 5  # bits of one product


def hadamard(
    a: Block,
    axes: int | Sequence[int] | None = None,
    order: HadamardOrder = "natural",
    norm: Literal["ortho"] | None = None,
    *,
    source: Sharding = None,
) -> Block:
    """The Walsh-Hadamard transform along some axes of 2^k elements, by default along all.

    ``order`` and ``norm`` are those of :func:`graycube.hadamard`: in "natural" order it is the
    product with ``scipy.linalg.hadamard``. The order of a ``gc.jax.Array`` costs nothing: it is
    part of the layout. Real numbers stay real, of single precision at least. Integers and truth
    values become the default integers of JAX, and wrap around as its sums do; with a norm they
    become floats.

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.array([5, 1, 2, 0]), jax.NamedSharding(mesh, jax.P("x")))
    >>> hadamard(x).tolist(), hadamard(x, order="sequency").tolist()
    ([8, 6, 4, 2], [8, 4, 2, 6])
    """
    require_word(order, get_args(HadamardOrder), "order")
    require_word(norm, (None, "ortho"), "norm")

    def body_of(layout: Layout, cube: MeshCube, home: Layout | None) -> tuple["Walsh", Layout]:
        d = len(layout.axes)
        given = range(d) if axes is None else require_ints(axes, "axes")
        chosen = tuple(dict.fromkeys(require_axis(k, d) for k in given))
        for k in chosen:
            require_bits(layout, k)
        dtype = _dtype(a.dtype, norm)
        stages = memory_first(layout, chosen)
        made = groups(layout, stages)
        words = words_of(layout, chosen, order)
        result = reached(layout, made) @ words if home is None else home
        network = DeviceNetwork(layout, cube, made, result.map @ words.inverse())
        factor = 2.0 ** (-len(stages) / 2) if norm == "ortho" else 1.0
        return Walsh(network, dtype, factor), result

    return applied(a, source, body_of)


def _dtype(given: Dtype, norm: str | None) -> Dtype:
    """The dtype of the result."""
    if jnp.issubdtype(given, jnp.inexact):
        return jnp.promote_types(given, jnp.float32)
    if given != jnp.bool_ and not jnp.issubdtype(given, jnp.integer):
        raise InvalidTypeError(
            f"the array has dtype {given}", "numbers are needed", "convert it with astype"
        )
    return jax.dtypes.canonicalize_dtype(np.int64 if norm is None else np.float64)


@dataclass(frozen=True)
class Walsh:
    """What a device does with its block."""

    network: DeviceNetwork
    dtype: Dtype
    factor: float

    def __call__(self, block: Block) -> Block:
        """The transformed block, scaled."""
        found = self.network.run(block.astype(self.dtype), _on_group, _on_pairs)
        return found if self.factor == 1 else found * self.factor


def _on_pairs(low: Block, high: Block, _bit: int, _group: StageGroup) -> tuple[Block, Block]:
    return low + high, low - high


def _on_group(block: Block, group: StageGroup) -> Block:
    bits = len(group.bits)
    lines = block.reshape(block.shape[0] >> group.slot + bits, 1 << bits, -1)
    return in_memory(lines).reshape(block.shape)


def in_memory(lines: Block) -> Block:
    """The transforms along axis 1 of three, in natural order.

    >>> in_memory(jnp.array([[[5.0], [1.0], [2.0], [0.0]]])).ravel().tolist()
    [8.0, 6.0, 4.0, 2.0]
    """
    above, size, below = lines.shape
    if jnp.issubdtype(lines.dtype, jnp.complexfloating):
        return jax.lax.complex(in_memory(lines.real), in_memory(lines.imag))
    if jnp.issubdtype(lines.dtype, jnp.integer):
        return reduce(_added, range(size.bit_length() - 1), lines)
    left = size.bit_length() - 1
    while left:  # the digits go around: each product puts one behind the others
        bits = min(_RADIX, left)
        split = lines.reshape(above, 1 << bits, -1)
        matrix = jnp.asarray(matrix_of(1 << bits, "d"), lines.dtype)
        lines = jnp.einsum("arm,rs->ams", split, matrix, precision="highest")
        left -= bits
    return lines.reshape(above, below, size).swapaxes(1, 2)


def _added(lines: Block, bit: int) -> Block:
    """Sums and differences of one bit."""
    pairs = lines.reshape(lines.shape[0], -1, 2, lines.shape[2] << bit)
    low, high = (jax.lax.index_in_dim(pairs, k, 2, keepdims=False) for k in (0, 1))
    return jnp.stack([low + high, low - high], 2).reshape(lines.shape)
