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

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.stencil.line import MAX_COUNTED, Reach, Strip
from graycube.stencil.needs import Needs, needs
from graycube.stencil.routes import summed
from graycube.texts import counted


@dataclass(frozen=True, slots=True)
class Reading:
    """A strip, how far the stencil reads along it, and whether its ends are neighbours.

    >>> from graycube.stencil.line import strips
    >>> from graycube.layout import Layout
    >>> (strip,) = strips(Layout.mesh((12,), nodes=(4,), code="gray", ownership=False))
    >>> reading = Reading(strip, reach=(1, 2), periodic=False)
    >>> reading.own(3), reading.received(3), reading.surplus()
    (array([6, 7, 8]), array([ 5,  9, 10]), array([2, 3, 1, 3]))
    """

    strip: Strip
    reach: Reach
    periodic: bool

    @classmethod
    def strided(cls, strip: Strip, reach: Reach, periodic: bool, stride: int) -> "Reading":  # noqa: FBT001
        """How a stencil reads whose neighbours are a stride apart.

        Of a run that is as long as the stride or longer, it reads all within reach of the last
        stride: as without a stride.

        >>> from graycube.stencil.line import strips
        >>> from graycube.layout import Layout
        >>> (strip,) = strips(Layout.mesh((12,), nodes=(4,), code="gray", ownership=False))
        >>> Reading.strided(strip, (1, 1), False, stride=2).received(0)
        array([3, 4])
        >>> Reading.strided(strip, (1, 1), False, stride=4).received(0)
        array([4, 5, 6])
        """
        if stride > strip.run:
            return cls(strip.with_stride(stride), reach, periodic)
        return cls(strip, (reach[0] * stride, reach[1] * stride), periodic)

    def needs(self) -> Iterator[Needs]:
        """What nodes need of the runs at every step."""
        for farthest in self.strip.steps(self.reach):
            yield from needs(self.strip.line, farthest, periodic=self.periodic)

    def coordinates(self, step: int, runs: IntArray) -> IntArray:
        """The elements within reach of the runs at a step: their first ones, or last ones."""
        amount = self.strip.amount(step, self.reach)
        start = 0 if step > 0 else self.strip.run - amount
        return _elements(runs * self.strip.run + start, amount)

    def own(self, node: int) -> IntArray:
        """The coordinates that a node has."""
        if max(self.strip.own, self.strip.line.runs.length) > MAX_COUNTED:
            raise InvalidValueError(
                f"an axis has {self.strip.length} elements, {self.strip.own} on a node",
                f"no more than {MAX_COUNTED} are listed one by one",
                "ask for elements, rounds or time, which only count",
            )
        runs = np.flatnonzero(self.strip.line.nodes() == node)
        return _elements(runs * self.strip.run, self.strip.run)

    def received(self, node: int) -> IntArray:
        """The coordinates that a node gets, from one side or both."""
        parts = [
            self.coordinates(found.step, found.run[found.target == node])
            for found in self.needs()
        ]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *parts]))

    def surplus(self) -> IntArray:
        """How many coordinates each node gets; those that come from both sides count once."""
        runs, run = self.strip.line.runs.length, self.strip.run
        got = np.zeros(1 << len(self.strip.dims), dtype=np.int64)
        keys, amounts = [got[:0]], [got[:0]]
        for found in self.needs():
            keys.append(found.target * runs + found.run)
            amounts.append(np.full(len(found.run), self.strip.amount(found.step, self.reach)))
        pair, amount = summed(np.concatenate(keys), np.concatenate(amounts))
        np.add.at(got, pair // runs, np.minimum(amount, min(run, sum(self.reach))))
        return got


def _elements(starts: IntArray, amount: int) -> IntArray:
    """``amount`` coordinates from each start."""
    return (starts[:, None] + np.arange(amount)).reshape(-1)


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
        count = counted(self.size, "element")
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
