"""The block of a node as a small mesh with a frame around it, and what comes into the frame.

Rules.

1. Along an axis a node has some coordinates, and its frame has all that are within reach of one
   of them: unwrapped, so that what lies beyond the ends of a ring has a place of its own. Steps
   and reach count strides.
2. The frame is filled axis by axis: what the node has itself, around a ring, is copied; the
   rest comes in messages. For a star each axis is filled beside the node's own mesh only; for a
   box also beside what came along the axes before.

It is all index arithmetic of one node: no data, and no other node is asked. Places that are
equally far apart are slices, also in cyclic layouts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.arrays import IntArray
from graycube.stencil.messages import HaloMessage

if TYPE_CHECKING:
    from graycube.stencil.exchange import Halo
    from graycube.stencil.owned import OwnedHalo

MOST_PIECES = 16
"""Places in more pieces are picked one by one."""
Index = tuple[Any, ...]
"""What picks the same from arrays of any contents: a slice, or an array of places, per axis."""


@dataclass(frozen=True, eq=False)
class AxisFrame:
    """One axis of a node: its coordinates, those of the frame, and the length of the axis.

    >>> along = AxisFrame(np.array([0, 1]), np.array([-1, 0, 1, 2]), 8, periodic=True)
    >>> along.places(np.array([7])), along.shifted(1).tolist()
    ((array([0]), array([0])), [2, 3])
    """

    own: IntArray
    frame: IntArray
    length: int
    periodic: bool
    stride: int = 1

    @cached_property
    def true(self) -> IntArray:
        """The coordinates of the frame, wrapped around the ring."""
        return self.frame % self.length if self.periodic else self.frame

    def places(self, coordinates: IntArray) -> tuple[IntArray, IntArray]:
        """Where coordinates are in the frame, each perhaps twice, and which ones."""
        order = np.argsort(coordinates)
        if not len(order):
            return order, order
        found = np.searchsorted(coordinates, self.true, sorter=order)
        which = order[np.minimum(found, len(order) - 1)]
        there = np.flatnonzero(coordinates[which] == self.true)
        return there, which[there]

    def shifted(self, step: int) -> IntArray:
        """The places in the frame of what is so many strides on from the own coordinates."""
        return np.searchsorted(self.frame, self.own + step * self.stride)

    @cached_property
    def wrapped(self) -> tuple[IntArray, IntArray]:
        """Places around a ring that have coordinates of the node, and where these are."""
        inside = self.shifted(0)
        there, which = self.places(self.own)
        ghost = np.setdiff1d(there, inside, assume_unique=True)
        return ghost, inside[which[np.searchsorted(there, ghost)]]

    @cached_property
    def beyond(self) -> tuple[IntArray, IntArray]:
        """The places before the first element of the axis, and those behind the last.

        >>> AxisFrame(np.arange(4), np.arange(-2, 6), 4, periodic=False).beyond
        (array([0, 1]), array([6, 7]))
        """
        outside = self.frame < 0, self.frame >= self.length
        before, behind = (np.flatnonzero(places & (not self.periodic)) for places in outside)
        return before, behind

    def mirrored(self, there: IntArray, kind: str) -> tuple[IntArray, NDArray[np.bool_]]:
        """Places within that places beyond an end show, and whether odd mirrors show them.

        It is counted in strides, so elements of other strides are not seen. ``kind`` is what
        ``numpy.pad`` calls its mode: "edge", "reflect", and all else is "symmetric".

        >>> along = AxisFrame(np.arange(4), np.arange(-2, 6), 4, periodic=False)
        >>> kinds = "edge", "reflect", "symmetric"
        >>> [along.mirrored(np.array([0, 1]), kind)[0] - 2 for kind in kinds]
        [array([0, 0]), array([2, 1]), array([1, 0])]
        """
        away, rest = np.divmod(self.frame[there], self.stride)
        last = (self.length - 1 - rest) // self.stride
        if kind == "edge":
            inside, odd = np.clip(away, 0, last), np.zeros(len(there), bool)
        else:
            again = np.maximum(2 * last, 1) if kind == "reflect" else 2 * last + 2
            phase = away % again
            odd = phase > last
            inside = np.where(odd, again - (kind != "reflect") - phase, phase)
        return np.searchsorted(self.frame, inside * self.stride + rest), odd


def within(own: IntArray, below: int, above: int, stride: int = 1) -> IntArray:
    """All coordinates within reach of ascending ones, which cost as much as there are of them.

    >>> within(np.array([0, 1, 9]), below=1, above=2).tolist()
    [-1, 0, 1, 2, 3, 8, 9, 10, 11]
    >>> within(np.array([0, 1, 9]), below=1, above=2, stride=4).tolist()
    [-4, -3, 0, 1, 4, 5, 8, 9, 13, 17]
    """
    if not len(own):
        return own
    if stride > 1:  # what is a stride apart is put side by side, and all else far away
        turn, ring = np.divmod(own, stride)
        room = int(turn[-1]) + 2 * (below + above + 1)
        beside = within(np.sort(ring * room + turn + below), below, above)
        return np.sort((beside % room - below) * stride + beside // room)
    first, last = own - below, own + above + 1
    apart = np.flatnonzero(first[1:] > last[:-1])
    starts, stops = first[np.append(0, apart + 1)], last[np.append(apart, len(own) - 1)]
    ends = np.cumsum(stops - starts)
    found: IntArray = np.arange(ends[-1]) + np.repeat(stops - ends, stops - starts)
    return found


def even(places: IntArray) -> slice | IntArray:
    """Places that are equally far apart, up or down, as a slice; all others as they are.

    >>> even(np.array([3, 4])), even(np.array([3, 0])), even(np.array([0, 0]))
    (slice(3, 5, None), slice(3, None, -3), array([0, 0]))
    """
    steps = np.diff(places)
    if not len(places) or (steps != steps[:1]).any() or not steps[:1].all():
        return places
    first, last, step = int(places[0]), int(places[-1]), int(steps[0]) if len(steps) else 1
    if step == 1:
        return slice(first, last + 1)
    end = last + 1 if step > 0 else last - 1 if last else None
    return slice(first, end, step)


def _index(*places: IntArray) -> Index:
    """The places along each axis, as slices if all of them can be."""
    every = tuple(map(even, places))
    return every if all(isinstance(some, slice) for some in every) else np.ix_(*places)


@dataclass(frozen=True, eq=False)
class Frame:
    """The mesh of a node within its frame.

    >>> from graycube.layout import Layout
    >>> from graycube.stencil import halo
    >>> layout = Layout.mesh((8, 6), nodes=(4, 2), code="gray")
    >>> frame = Frame(halo(layout, reach=(1, 2)), node=0)
    >>> frame.shape, frame.inner((0, 0))
    ((4, 7), (slice(1, 3, None), slice(2, 5, None)))
    >>> message = frame.halo.received(0)[0]  # along axis 0, from below
    >>> frame.received(message)[0], [*frame.around(1)]  # no ring is within one node
    ((slice(0, 1, None), slice(2, 5, None)), [])
    >>> frame.sent(frame.halo.messages(0)[0])
    (slice(2, 3, None), slice(2, 5, None))
    """

    halo: "Halo | OwnedHalo"
    node: int

    @cached_property
    def axes(self) -> tuple[AxisFrame, ...]:
        """The axes of the mesh."""
        halo, own = self.halo, self.halo.own(self.node)
        facts = halo.reach, halo.stride, halo.layout.shape, halo.periodic
        return tuple(
            AxisFrame(own, within(own, *reach, stride), length, periodic, stride)
            for own, reach, stride, length, periodic in zip(own, *facts, strict=True)
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the mesh with its frame."""
        return tuple(len(along.frame) for along in self.axes)

    @cached_property
    def order(self) -> NDArray[np.intp] | None:
        """The slot of every place of the node's own mesh, in C order; None: the same."""
        return self.halo.layout.piece(range(self.node, self.node + 1)).rows

    def inner(self, steps: tuple[int, ...]) -> Index:
        """The node's own mesh within the frame, so many strides on along every axis."""
        if steps not in self._inner:
            pairs = zip(self.axes, steps, strict=True)
            self._inner[steps] = _index(*(along.shifted(step) for along, step in pairs))
        return self._inner[steps]

    @cached_property
    def _inner(self) -> dict[tuple[int, ...], Index]:
        """What was asked for."""
        return {}

    def around(self, axis: int) -> Iterator[tuple[Index, Index]]:
        """Places along an axis that have what the node has itself, and where it is."""
        ghost, of = self.axes[axis].wrapped
        cuts = np.flatnonzero((np.diff(ghost) != 1) | (np.diff(of) != 1)) + 1
        if len(cuts) > MOST_PIECES:
            cuts = cuts[:0]
        for run in zip(np.split(ghost, cuts), np.split(of, cuts), strict=True):
            if len(run[0]):
                there, here = (self._with(axis, places) for places in run)
                yield there, here

    def _with(self, axis: int, places: IntArray) -> Index:
        """Places along an axis, beside all that is filled with them."""
        beside = [self._beside(axis, k) for k in range(len(self.axes))]
        beside[axis] = places
        return _index(*beside)

    def sent(self, message: HaloMessage) -> Index:
        """The places of what a message takes away."""
        found = []
        for along, coordinates in zip(self.axes, message.coordinates, strict=True):
            there, which = along.places(coordinates)
            inside = np.isin(there, along.shifted(0))
            place = np.empty(len(coordinates), dtype=np.int64)
            place[which] = there
            place[which[inside]] = there[inside]  # what is the node's own is there already
            found.append(place)
        return _index(*found)

    def received(self, message: HaloMessage) -> tuple[Index, Index]:
        """The places of what a message brings, and which part of the message goes there."""
        places, parts = [], []
        for k, (along, coordinates) in enumerate(
            zip(self.axes, message.coordinates, strict=True)
        ):
            there, which = along.places(coordinates)
            if k != message.axis:
                wanted = np.isin(there, self._beside(message.axis, k))
                there, which = there[wanted], which[wanted]
            places.append(there)
            parts.append(which)
        return _index(*places), _index(*parts)

    def _beside(self, axis: int, k: int) -> IntArray:
        """Which places along axis k are filled while it is the turn of an axis."""
        if self.halo.corners and k < axis:
            return np.arange(len(self.axes[k].frame))
        return self.axes[k].shifted(0)
