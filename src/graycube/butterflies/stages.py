"""The stages of a butterfly, on the blocks of the nodes that are here.

Rules.

1. What a group needs is brought to memory first, all at once. There the pairs of a bit are two
   halves of the blocks, and a stage gets all of them in one call.
2. Nodes without memory bits trade whole blocks with their partners instead, one bit after the
   other. Both compute the pair, and each keeps its own.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.moving import addresses, moved
from graycube.array.ranks import spread
from graycube.array.sharing import swapped
from graycube.butterflies.groups import StageGroup
from graycube.gf2 import AffineMap
from graycube.gf2.arrays import IntArray
from graycube.layout import Layout
from graycube.run.mpi import Comm

Blocks = NDArray[Any]
Pair = tuple[Blocks, Blocks]
OnPairs = Callable[[Blocks, Blocks, int, IntArray], Pair]
"""What is done with pairs: their halves, the bit of the word, the words of the low half."""
OnGroup = Callable[[Blocks, StageGroup], Blocks]
"""What is done with blocks in which a group is in memory: it gives new blocks."""
KEPT = 4  # groups whose words are remembered: they take as much memory as the array


def carried_out(  # noqa: PLR0913, PLR0917
    blocks: Blocks,
    layout: Layout,
    groups: Sequence[StageGroup],
    comm: Comm | None,
    on_pairs: OnPairs,
    on_group: OnGroup,
) -> Blocks:
    """The blocks after the stages of all groups; collective.

    >>> from graycube.butterflies.groups import groups
    >>> def sums(low, high, bit, words):
    ...     return low + high, low - high
    >>> one = Layout.nodes(1)
    >>> carried_out(np.array([[5], [3]]), one, groups(one, [0]), None, sums, None).tolist()
    [[8], [2]]
    """
    place = layout.map
    for group in groups:
        if group.copied:
            (bit,) = group.bits
            blocks = _with_partners(blocks, layout, bit, comm, on_pairs)
        else:
            blocks = moved(blocks, layout, place, group.place, comm)
            blocks, place = on_group(blocks, group), group.place
    return blocks


def in_pairs(stages: Sequence[int], layout: Layout, nodes: range, on_pairs: OnPairs) -> OnGroup:
    """What does the stages of each group one by one, in the order in which they are given.

    >>> layout = Layout.cyclic(2, 1)
    >>> swap = in_pairs([1], layout, range(2), lambda low, high, bit, words: (high, low))
    >>> swap(np.array([[0, 2], [1, 3]]), StageGroup((1,), layout.map, 0)).tolist()
    [[2, 0], [3, 1]]
    """
    rest = prod(axis.extent for axis in layout.axes)

    def on_group(blocks: Blocks, group: StageGroup) -> Blocks:
        words = _words(group.place, layout, nodes)
        payload = blocks.shape[2:]
        for bit in stages:
            if bit not in group.bits:
                continue
            below = 1 << group.slot + group.bits.index(bit)
            shape = (len(words) // (2 * below), 2, below)
            pairs = blocks.reshape(*shape, rest, *payload)
            low = words.reshape(shape)[:, 0].reshape(shape[0], below, 1, *(1 for _ in payload))
            made = np.empty(pairs.shape, pairs.dtype)
            made[:, 0], made[:, 1] = on_pairs(pairs[:, 0], pairs[:, 1], bit, low)
            blocks = made.reshape(blocks.shape)
        return blocks

    return on_group


@lru_cache(maxsize=KEPT)
def _words(place: AffineMap, layout: Layout, nodes: range) -> IntArray:
    """The word at every address of some nodes."""
    return place.inverse()(addresses(layout, nodes))


def _with_partners(
    blocks: Blocks, layout: Layout, bit: int, comm: Comm | None, on_pairs: OnPairs
) -> Blocks:
    """The stage of one bit on nodes that have one value of it each."""
    over, change = spread(comm), layout.node_change(1 << bit)
    lead = (1, *(1 for _ in blocks.shape[1:]))
    if over is None:
        nodes = np.arange(1 << layout.n)
        words = layout.inverse_map(nodes)
        low = nodes[words >> bit & 1 == 0]
        made = on_pairs(
            blocks[low], blocks[low ^ change], bit, words[low].reshape(-1, *lead[1:])
        )
        result = np.empty_like(blocks)
        result[low], result[low ^ change] = made
        return result
    other = swapped(blocks, over.rank ^ change, over, "a butterfly")
    word = layout.inverse_map(over.rank)
    upper = word >> bit & 1
    pair = (other, blocks) if upper else (blocks, other)
    words = np.array(word & ~(1 << bit)).reshape(lead)
    # a stage may give what it was given, which it has to read only
    return np.require(on_pairs(*pair, bit, words)[upper], requirements=["C", "W"])
