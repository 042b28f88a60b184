"""What one node sends or receives, as exact sets of elements.

Rule: a message along an axis brings some coordinates of that axis and, of every other axis,
all that the sender has: its own coordinates. With corners, axes are exchanged in turn, and of
the axes before, the sender also has what it received. Sender and receiver are alike in all
other axes, so it is the same set for both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from graycube.gf2.arrays import IntArray
from graycube.stencil.reading import Reading


@dataclass(frozen=True, slots=True, eq=False)
class HaloMessage:
    """Elements that ``source`` sends to ``target``: every combination of the coordinates.

    ``step`` is how many runs of neighbours they are away from the receiver's along ``axis``,
    negative below.

    >>> from graycube.stencil import halo
    >>> from graycube.layout import Layout
    >>> exchange = halo(Layout.mesh((8, 6), nodes=(4, 2), code="gray"), reach=(1, 0))
    >>> for message in exchange.messages(0):
    ...     print(message, [c.tolist() for c in message.coordinates])
    3 elements from node 0 to 2 along axis 0, step -1 [[1], [0, 1, 2]]
    3 elements from node 0 to 4 along axis 0, step +1 [[0], [0, 1, 2]]
    """

    axis: int
    step: int
    source: int
    target: int
    coordinates: tuple[IntArray, ...]

    @property
    def size(self) -> int:
        """Number of elements.

        >>> from graycube.stencil import halo
        >>> from graycube.layout import Layout
        >>> [m.size for m in halo(Layout.mesh((1000,), nodes=(8,)), reach=(3,)).received(0)]
        [3, 3]
        """
        return prod(len(along) for along in self.coordinates)

    def __str__(self) -> str:
        ends = f"from node {self.source} to {self.target}"
        count = f"{self.size} element{'s' * (self.size != 1)}"
        return f"{count} {ends} along axis {self.axis}, step {self.step:+d}"


def messages(
    readings: Sequence[Reading], node: int, constant: int, *, corners: bool, sent: bool
) -> Iterator[HaloMessage]:
    """What a node sends, or what it receives; the layout adds ``constant`` to node numbers."""
    held = [_held(reading, node ^ constant) for reading in readings]
    for axis, reading in enumerate(readings):
        here = reading.strip.component(node ^ constant)
        for found in reading.needs():
            ends = (found.source, found.target)
            this, that = ends if sent else ends[::-1]
            for partner in np.unique(that[this == here]).tolist():
                runs = found.run[(this == here) & (that == partner)]
                other = node ^ reading.strip.spread(here ^ partner)
                source, target = (node, other) if sent else (other, node)
                coordinates = [own for own, _ in held]
                if corners:
                    coordinates[:axis] = [everything for _, everything in held[:axis]]
                coordinates[axis] = reading.coordinates(found.step, runs)
                yield HaloMessage(axis, found.step, source, target, tuple(coordinates))


def _held(reading: Reading, node: int) -> tuple[IntArray, IntArray]:
    """The coordinates that a node has before its axis is exchanged, and after it."""
    own = reading.own(reading.strip.component(node))
    return own, np.union1d(own, reading.received(reading.strip.component(node)))
