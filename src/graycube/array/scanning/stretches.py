"""Where a scan is done: each node has one stretch of an axis, and the nodes are in a row.

Rules.

1. A node's elements of a line are neighbours, and all lines of a node have the same stretch. A
   layout in which this is not so is taken to one where it is, with the other axes as they are.
2. Nodes meet in rounds, the lowest bit of their position first. In each a node meets one of the
   other half of its group, whichever is nearest: all of that half know the same total. In Gray
   code this is a neighbour, where butterflies have to go two links.
3. Where their number is no power of two, the last ones have nobody to meet in some rounds. What
   they would hear is never needed: nobody is behind them.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.arrays import IntArray
from graycube.layout import Layout, Ownership
from graycube.layout.layout import require_cube
from graycube.layout.lines import local_bits, stretched
from graycube.layout.placement import Placement
from graycube.layout.share import SharedAxis

_KEPT = 32  # layouts and axes
_Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Encounter:
    """Whom each node here meets, itself if nobody, and whether it is behind the other one."""

    peers: IntArray
    behind: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """The layout of a scan along an axis, whose blocks split into ``shape``, and its rounds.

    ``along`` are the axes of this shape that are the line: high bits, the extent, low bits.

    >>> made = stretches(Layout.consecutive(5, 2, nodes="gray"), 0, range(4))
    >>> made.shape, [r.peers.tolist() for r in made.rounds]
    ((4, 1, 8, 1, 1, 1, 1, 1), [[1, 0, 3, 2], [2, 3, 0, 1]])
    """

    layout: Placement
    shape: tuple[int, ...]
    along: tuple[int, ...]
    rounds: tuple[Encounter, ...]

    def lines(self, blocks: _Array) -> _Array:
        """Blocks with the points of the lines as axis 2, and what is behind them as axis 3."""
        payload = blocks.shape[2:]
        split = blocks.reshape(*self.shape, *payload)
        split = np.moveaxis(split, self.along, range(2, 2 + len(self.along)))
        nodes, above, *rest = split.shape
        points = prod(rest[: len(self.along)])
        after = prod(rest[len(self.along) : len(rest) - len(payload)])
        return split.reshape(nodes, above, points, after, *payload)

    def blocks(self, lines: _Array) -> _Array:
        """The blocks that have these lines."""
        payload = lines.shape[4:]
        ends = [k for k in range(2, len(self.shape)) if k not in self.along]
        order = (0, 1, *self.along, *ends)
        split = lines.reshape(*(self.shape[k] for k in order), *payload)
        split = np.moveaxis(split, range(2, 2 + len(self.along)), self.along)
        slots = prod(self.shape[1:])
        return np.ascontiguousarray(split).reshape(self.shape[0], slots, *payload)


@lru_cache(maxsize=_KEPT)
def stretches(
    layout: Placement, axis: int, nodes: range, *, reverse: bool = False
) -> Stretches:
    """What a scan along an axis needs on these nodes; in ``reverse`` the last one is first."""
    if isinstance(layout, Ownership):
        return _owned(layout, axis, nodes, reverse=reverse)
    return _of_cube(require_cube(layout, "a scan"), axis, nodes, reverse=reverse)


def _owned(layout: Ownership, axis: int, nodes: range, *, reverse: bool) -> Stretches:
    """Blocks one after the other on the nodes along the axis; here are all nodes or one."""
    layout = layout.with_axis(axis, replace(layout.axes[axis], cyclic=False))
    share, box = layout.axes[axis], layout.boxes(nodes)[2:]
    shape = (1, prod(box[:axis]), box[axis], prod(box[axis + 1 :]))
    if len(nodes) == layout.node_count:
        return Stretches(layout, shape, (2,), ())
    row = _in_a_row(layout, share, nodes.start)[:: -1 if reverse else 1]
    if nodes.start not in row:
        return Stretches(layout, shape, (2,), ())
    own = row.index(nodes.start)
    rounds = []
    for bit in range((len(row) - 1).bit_length()):
        other = own ^ 1 << bit
        peer = row[other] if other < len(row) else nodes.start
        rounds.append(Encounter(np.array([peer]), np.array([bool(own >> bit & 1)])))
    return Stretches(layout, shape, (2,), tuple(rounds))


def _in_a_row(layout: Ownership, share: SharedAxis, node: int) -> list[int]:
    """The nodes that have something of the lines of a node, in the order of the index."""
    group = layout.group(node, [(share.stride, share.parts)])
    return sorted((q for q in group if share.own(q)), key=lambda q: share.own(q).start)


def _of_cube(layout: Layout, axis: int, nodes: range, *, reverse: bool) -> Stretches:
    layout = stretched(layout, axis)
    along, bits = layout.axes[axis], layout.word_bits(axis)
    held = bits[: local_bits(layout, axis)]
    memory = [row.bit_length() - 1 for row in layout.map.matrix.rows[layout.n :]]
    below = sum(bit < bits.start for bit in memory)
    above = len(memory) - below - len(held)
    low = along.low if along.extent > 1 else 0
    extents = [other.extent for other in layout.axes]
    lead = (len(nodes), 1 << above, 1 << len(held) - low, 1 << low, 1 << below)
    shape = (*lead, prod(extents[:axis]), along.extent, prod(extents[axis + 1 :]))
    each = np.arange(nodes.start, nodes.stop)
    position = layout.inverse_map(each) >> bits.start + len(held) & (
        (1 << len(bits) - len(held)) - 1
    )
    rounds = tuple(
        Encounter(each ^ change, (position >> k & 1) != reverse)
        for k, change in enumerate(met_in_turn(layout, axis))
    )
    return Stretches(layout, shape, (2, 6, 3), rounds)


def met_in_turn(layout: Layout, axis: int) -> list[int]:
    """Which other node is met in each round: the nearest that differs in it and lower bits.

    >>> [met_in_turn(Layout.nodes(3, code), 0) for code in ("binary", "gray")]
    [[1, 2, 4], [1, 2, 4]]
    """
    found: list[int] = []
    for bit in layout.word_bits(axis)[local_bits(layout, axis) :]:
        change = layout.node_change(1 << bit)
        for lower in reversed(found):
            change = min(change, change ^ lower, key=int.bit_count)
        found.append(change)
    return found
