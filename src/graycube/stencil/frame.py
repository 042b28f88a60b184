"""The block of a node as a small mesh with a frame around it, and what comes into the frame.

Rules.

1. Along an axis a node has some coordinates, and its frame has all that are within reach of one
   of them: unwrapped, so that what lies beyond the ends of a ring has a place of its own.
2. What the node has itself fills the frame wherever it is within reach, around a ring too; the
   rest comes in messages, axis by axis.

It is all index arithmetic of one node: no data, and no other node is asked.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.arrays import IntArray
from graycube.stencil.exchange import Halo, readings
from graycube.stencil.messages import Message

_Index = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Along:
    """One axis of a node: its coordinates, those of the frame, and the length of the axis.

    >>> along = Along(np.array([0, 1]), np.array([-1, 0, 1, 2]), 8, periodic=True)
    >>> along.places(np.array([7])), along.shifted(1)
    ((array([0]), array([0])), slice(2, 4, None))
    """

    own: IntArray
    frame: IntArray
    length: int
    periodic: bool

    def places(self, coordinates: IntArray) -> tuple[IntArray, IntArray]:
        """Where coordinates are in the frame, each perhaps twice, and which ones."""
        true = self.frame % self.length if self.periodic else self.frame
        order = np.argsort(coordinates)
        found = np.searchsorted(coordinates, true, sorter=order)
        which = order[np.minimum(found, len(order) - 1)]
        there = np.flatnonzero(coordinates[which] == true)
        return there, which[there]

    def shifted(self, step: int) -> Any:  # noqa: ANN401 - a slice, if that is enough
        """The places in the frame of the own coordinates, each with a step added."""
        return _sliced(np.searchsorted(self.frame, self.own + step))


def _sliced(places: IntArray) -> Any:  # noqa: ANN401
    if len(places) and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


@dataclass(frozen=True, eq=False)
class Frame:
    """The mesh of a node within its frame.

    >>> from graycube.layout import Layout
    >>> from graycube.stencil import halo
    >>> layout = Layout.mesh((8, 6), nodes=(4, 2), code="gray")
    >>> frame = Frame(halo(layout, reach=(1, 2)), node=0)
    >>> frame.shape, [along.own.tolist() for along in frame.axes]
    ((4, 7), [[0, 1], [0, 1, 2]])
    """

    halo: Halo
    node: int

    @cached_property
    def axes(self) -> tuple[Along, ...]:
        """The axes of the mesh."""
        layout = self.halo.layout
        constant = layout.map.constant & ((1 << layout.n) - 1)
        found = []
        for reading in readings(self.halo):
            own = reading.own(reading.strip.component(self.node ^ constant))
            below, above = reading.reach
            frame = np.unique(np.add.outer(own, np.arange(-below, above + 1)))
            found.append(Along(own, frame, reading.strip.length, reading.periodic))
        return tuple(found)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the mesh with its frame."""
        return tuple(len(along.frame) for along in self.axes)

    @cached_property
    def order(self) -> NDArray[np.intp] | None:
        """The slot of every place of the node's own mesh in C order; None: the same."""
        layout = self.halo.layout
        where = layout.coordinates(self.node, np.arange(layout.block_size))
        sizes = [len(along.own) for along in self.axes]
        place = np.zeros(layout.block_size, dtype=np.intp)
        for along, coordinate, size in zip(self.axes, where, sizes, strict=True):
            place = place * size + np.searchsorted(along.own, coordinate)
        order = np.argsort(place)
        return None if np.array_equal(order, np.arange(prod(sizes))) else order

    @cached_property
    def fill(self) -> tuple[_Index, _Index]:
        """Where the frame has what the node has itself: places there, and in its own mesh."""
        pairs = [along.places(along.own) for along in self.axes]
        return np.ix_(*(there for there, _ in pairs)), np.ix_(*(own for _, own in pairs))

    def sent(self, message: Message) -> _Index:
        """The places in the frame of what a message takes away."""
        found = []
        for along, coordinates in zip(self.axes, message.coordinates, strict=True):
            there, which = along.places(coordinates)
            first = np.full(len(coordinates), -1)
            first[which[::-1]] = there[::-1]
            found.append(first)
        return np.ix_(*found)

    def received(self, message: Message) -> tuple[_Index, _Index]:
        """The places in the frame of what a message brings, and in the message."""
        pairs = [
            along.places(coordinates)
            for along, coordinates in zip(self.axes, message.coordinates, strict=True)
        ]
        return np.ix_(*(there for there, _ in pairs)), np.ix_(*(of for _, of in pairs))

    def inner(self, steps: tuple[int, ...]) -> _Index:
        """The node's own mesh within the frame, with a step along every axis."""
        found = [along.shifted(step) for along, step in zip(self.axes, steps, strict=True)]
        if all(isinstance(index, slice) for index in found):
            return tuple(found)
        full = [
            np.arange(len(along.frame))[index]
            for along, index in zip(self.axes, found, strict=True)
        ]
        return np.ix_(*full)
