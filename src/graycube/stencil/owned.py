"""The halo exchange of a stencil on a layout by ownership.

Rule: what a node needs along an axis is all within reach of its own coordinates that it does
not have, and it comes from whoever has it. So halos pass over nodes that have nothing, and a
reach may be longer than what a neighbour has. The step of a message counts nodes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from graycube.gf2.arrays import IntArray
from graycube.layout import Ownership
from graycube.layout.layout import require_cube
from graycube.layout.placement import Placement
from graycube.layout.share import SharedAxis
from graycube.stencil.exchange import Halo, ReachLike, about, asked, halo
from graycube.stencil.frame import within
from graycube.stencil.line import Reach
from graycube.stencil.messages import HaloMessage


@dataclass(frozen=True, slots=True)
class OwnedHalo:
    """What nodes send each other for a stencil; :func:`halo_of` makes one.

    >>> from graycube.layout import Layout
    >>> exchange = halo_of(Layout.mesh((9,), nodes=(8,)), reach=1)
    >>> for message in exchange.received(0):
    ...     print(message, message.coordinates[0])
    1 element from node 1 to 0 along axis 0, step +1 [2]
    1 element from node 4 to 0 along axis 0, step +4 [8]
    """

    layout: Ownership
    reach: tuple[Reach, ...]
    periodic: tuple[bool, ...]
    corners: bool
    itemsize: int
    stride: tuple[int, ...]

    def own(self, node: int) -> list[IntArray]:
        """The coordinates that a node has along each axis."""
        return [*self.layout.piece(range(node, node + 1)).coordinates]

    def received(self, node: int) -> tuple[HaloMessage, ...]:
        """What a node receives."""
        return tuple(self._received(node))

    def messages(self, node: int) -> tuple[HaloMessage, ...]:
        """What a node sends, in the order in which it arrives."""
        return tuple(
            message
            for k, axis in enumerate(self.layout.axes)
            for other in Ownership.group(node, [(axis.stride, axis.parts)])
            for message in self._received(other)
            if message.axis == k and message.source == node
        )

    def _received(self, node: int) -> Iterator[HaloMessage]:
        beside = self.own(node)
        for k, (axis, own) in enumerate(zip(self.layout.axes, self.own(node), strict=True)):
            part = node // axis.stride % axis.parts
            asked_for = self.reach[k], self.periodic[k], self.stride[k]
            wanted = _needed(axis, part * axis.stride, *asked_for)
            sources = node - part * axis.stride + axis.place(wanted)
            for source in np.unique(sources).tolist():
                coordinates = [*beside]
                coordinates[k] = wanted[sources == source]
                away = (source - node) // axis.stride
                yield HaloMessage(k, away, source, node, tuple(coordinates))
            if self.corners:
                beside[k] = np.union1d(own, wanted)

    def __repr__(self) -> str:
        return f"<Halo of {about(self)}>"


@lru_cache(maxsize=1024)
def _needed(
    axis: SharedAxis,
    node: int,
    reach: Reach,
    periodic: bool,  # noqa: FBT001 - it is one of the keys
    stride: int,
) -> IntArray:
    """The coordinates within reach of those of a node that it does not have."""
    mine = axis.own(node)
    own = np.arange(mine.start, mine.stop, mine.step)
    frame = within(own, *reach, stride)
    inside = frame % axis.length if periodic else frame[(frame >= 0) & (frame < axis.length)]
    return np.setdiff1d(inside, own)


def halo_of(  # noqa: PLR0913 - a stencil
    layout: Placement,
    reach: ReachLike,
    *,
    periodic: bool | Sequence[bool] = True,
    corners: bool = False,
    itemsize: int = 1,
    stride: int | Sequence[int] = 1,
) -> Halo | OwnedHalo:
    """The halo exchange in a layout of either kind; the arguments are those of ``halo``.

    >>> from graycube.layout import Layout
    >>> halo_of(Layout.mesh((9, 4), nodes=(3, 2)), reach=(1, (0, 2)), corners=True)
    <Halo of (9, 4) on 6 nodes: reach 1 0-2, corners>
    """
    if not isinstance(layout, Ownership):
        cube = require_cube(layout, "a halo")
        return halo(
            cube, reach, periodic=periodic, corners=corners, itemsize=itemsize, stride=stride
        )
    return OwnedHalo(
        layout, *asked(len(layout.shape), reach, periodic, corners, itemsize, stride)
    )
