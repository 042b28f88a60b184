"""The general butterfly on sharded arrays: stages of the user's on all pairs of one bit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import jax
import jax.numpy as jnp

from graycube.butterflies.butterfly import Order, Stage, require_pair, require_stage
from graycube.butterflies.groups import StageGroup, groups, reached
from graycube.jax.applied import applied, require_carried
from graycube.jax.cube import MeshCube
from graycube.jax.lines import Words, require_counted
from graycube.jax.names import Block, Sharding
from graycube.jax.networks import DeviceNetwork
from graycube.jax.over import is_lasting, settled
from graycube.layout import Layout
from graycube.layout.required import require_axis, require_bits, require_word


def butterfly(  # noqa: PLR0913
    a: Block,
    stage: Stage,
    axis: int = -1,
    bits: Sequence[int] | None = None,
    order: Order | None = None,
    *,
    source: Sharding = None,
) -> Block:
    """The array after stages on the pairs of elements whose indices differ in one bit.

    ``stage(low, high, bit, index)`` is that of :func:`graycube.butterfly`, with arrays of JAX:
    those whose index has a 0 in this bit, and those that have a 1. ``index`` is that of the low
    ones along the axis; it broadcasts with them. They come back with their shape and dtype. The
    payload is their last axes. Other axes, and the slots of a device, are before it, in any
    order.

    The stages are those of ``bits``, in this order; by default all, from the highest down. A
    ``gc.jax.Array`` comes back in the layout that costs least, unless ``order`` is "natural".
    What a stage knows from outside is whole on every device.

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.array([3, 1, 4, 1]), jax.NamedSharding(mesh, jax.P("x")))
    >>> def exchange(low, high, bit, index):
    ...     return jnp.minimum(low, high), jnp.maximum(low, high)
    >>> butterfly(x, exchange, bits=[0]).tolist()
    [1, 3, 1, 4]
    """
    require_carried(a, order)
    require_stage(stage)
    if order is not None:
        require_word(order, get_args(Order), "order")

    def body_of(
        layout: Layout, cube: MeshCube, home: Layout | None
    ) -> tuple["DeviceButterfly", Layout]:
        k = require_axis(axis, len(layout.axes))
        require_counted(layout.axes[k].length, k)
        stages = require_bits(layout, k, bits)
        words = [layout.word_bits(k).start + bit for bit in stages]
        made = groups(layout, words)
        result = layout if home is not None or order == "natural" else reached(layout, made)
        network = DeviceNetwork(layout, cube, made, result.map)
        return DeviceButterfly(network, k, tuple(words), settled(stage)), result

    return applied(a, source, body_of)


@dataclass(frozen=True)
class DeviceButterfly:
    """What a device does: a network along an axis, and the words' bits in their order."""

    network: DeviceNetwork
    axis: int
    words: tuple[int, ...]
    stage: Stage

    @property
    def lasting(self) -> bool:
        """Whether this is the same whenever its stage is."""
        return is_lasting(self.stage)

    def __call__(self, block: Block) -> Block:
        """The block after all stages."""
        return self.network.run(block, self._on_group, self._on_partners)

    def _on_group(self, block: Block, group: StageGroup) -> Block:
        for bit in self.words:
            if bit in group.bits:
                slot = group.slot + group.bits.index(bit)
                pairs = block.reshape(-1, 2, 1 << slot, *block.shape[1:])
                low, high = (jax.lax.index_in_dim(pairs, k, 1, keepdims=False) for k in (0, 1))
                made = self._on_pairs(low, high, bit, group, (1, slot))
                block = jnp.stack(made, 1).reshape(block.shape)
        return block

    def _on_partners(
        self, low: Block, high: Block, bit: int, group: StageGroup
    ) -> tuple[Block, Block]:
        first, second = self._on_pairs(low[None], high[None], bit, group, (0, 0))
        return first[0], second[0]

    def _on_pairs(
        self, low: Block, high: Block, bit: int, group: StageGroup, sizes: tuple[int, int]
    ) -> tuple[Any, Any]:
        """The stage on halves of two axes of slots; the sizes are those of ``Words``."""
        network = self.network
        layout, ones = network.layout, [1] * (low.ndim - 2)
        place = layout.map if group.copied else group.place
        words = Words(place.inverse(), layout, network.cube, sizes, low.ndim + 1)
        along = words.bits(self.axis, 0, layout.axes[self.axis].bits)
        whole = low.shape[0], 1 << sizes[0], low.shape[1], *ones
        along = jax.lax.index_in_dim(jnp.broadcast_to(along, whole), 0, 1, keepdims=False)
        own = bit - layout.word_bits(self.axis).start
        made = self.stage(low, high, own, along & ~(1 << own))
        return require_pair(made, low, own, jnp.asarray)
