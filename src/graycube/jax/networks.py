"""Butterfly networks on a device's block: groups of stages, and a move before each.

The groups are those of ``graycube.butterflies``. A device that has one element of a line has no
memory bits: in each stage it gets its partner's, and keeps one of what comes of the two.
"""

from collections.abc import Callable
from dataclasses import dataclass

import jax.numpy as jnp

from graycube.butterflies.groups import StageGroup
from graycube.gf2 import AffineMap
from graycube.jax.blocks import carried, parity_of, permuted
from graycube.jax.cube import MeshCube
from graycube.jax.names import Block
from graycube.layout import Layout

OnPairs = Callable[[Block, Block, int, StageGroup], tuple[Block, Block]]
"""What is done with pairs: their halves, the bit of the word, and the group that it is in."""


@dataclass(frozen=True)
class DeviceNetwork:
    """Groups of stages of a layout, and the map from words to addresses in the end.

    Blocks have shape ``(2^m, *extents, *payload)``.
    """

    layout: Layout
    cube: MeshCube
    groups: tuple[StageGroup, ...]
    end: AffineMap

    def run(
        self, block: Block, on_group: Callable[[Block, StageGroup], Block], on_pairs: OnPairs
    ) -> Block:
        """The block after all stages: of groups in memory, or of pairs.

        >>> from graycube.butterflies.groups import groups
        >>> layout = Layout.consecutive(2, 0)
        >>> network = DeviceNetwork(layout, MeshCube((), ()), groups(layout, [0]), layout.map)
        >>> network.run(jnp.arange(4), lambda block, group: -block, None).tolist()
        [0, -1, -2, -3]
        """
        shape, place = block.shape, self.layout.map
        extents = [axis.extent for axis in self.layout.axes]
        block = block.reshape(1 << place.width - self.cube.n, *extents, *shape[1:])
        for group in self.groups:
            if group.copied:
                block = self._with_partners(block, group, on_pairs)
            else:
                block = carried(block, group.place @ place.inverse(), self.cube)
                block, place = on_group(block, group), group.place
        return carried(block, self.end @ place.inverse(), self.cube).reshape(shape)

    def _with_partners(self, block: Block, group: StageGroup, on_pairs: OnPairs) -> Block:
        """The stage of one bit on devices that have one value of it each."""
        (bit,), layout = group.bits, self.layout
        change = layout.node_change(1 << bit)
        pairs = [(node, node ^ change) for node in range(1 << layout.n)]
        other = permuted(block, self.cube.names, pairs)
        inverse = layout.inverse_map
        upper = parity_of(self.cube.node(), inverse.matrix.rows[bit])
        upper = upper ^ (inverse.constant >> bit & 1) == 1
        low, high = jnp.where(upper, other, block), jnp.where(upper, block, other)
        first, second = on_pairs(low, high, bit, group)
        return jnp.where(upper, second, first)
