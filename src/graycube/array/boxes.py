"""Elements that go between any two layouts: boxes of what one node has and another needs.

Rules.

1. What a node has is a product: some coordinates along each axis. So is what it needs, and what
   of both is the same. So all of it is worked out axis by axis, from the sum of the lengths.
2. Along an axis, coordinates whose elements belong to one node are a group. A choice of a group
   along every axis is a message, in C order of where it goes.
3. Of nodes with copies the one sends whose number is nearest: the number that is left of both
   by "exclusive or" is least. So a node that has a copy is sent none, and nearby nodes share
   out the work.
4. All messages are under way at once. Buffers and requests are kept for the next time.
5. Where ranks share memory, the whole array lies there in C order. Each writes what it has (of
   copies the lowest node), and
   once all have met, each reads what it needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.sharing import as_bytes
from graycube.gf2.arrays import IntArray
from graycube.layout.grids import Thinned
from graycube.layout.placement import Placement
from graycube.run import freed_with, mpi, no_way_back, private
from graycube.run.agreement import different, digest_of
from graycube.run.mpi import Comm
from graycube.run.windows import Windows, windows

_Blocks = NDArray[Any]
_KEPT = 32  # layouts and targets
_TRADES = 8  # of which each has buffers for a block that goes and one that comes
Places = tuple[Any, ...]
"""What picks a box of a piece: a slice along each axis, or arrays of places."""
Parcel = tuple[int, Places]
"""A node, and a box that goes to it or comes from it."""


@dataclass(frozen=True, slots=True, eq=False)
class BoxTraffic:
    """What a node sends of the piece that it has, and receives into the one that it needs."""

    sent: tuple[Parcel, ...]
    received: tuple[Parcel, ...]


@lru_cache(maxsize=_KEPT)
def traffic(
    layout: Placement | Thinned, target: Placement | Thinned, node: int, shift: tuple[int, ...]
) -> BoxTraffic:
    """What a node sends and receives, where elements also go so much farther along each axis.

    >>> from graycube.layout import Layout
    >>> found = traffic(Layout.mesh(5, 2), Layout.mesh(5, 2, allocation="cyclic"), 0, (0,))
    >>> found.sent
    ((0, (slice(0, 3, 2),)), (1, (slice(1, 2, None),)))
    >>> found.received
    ((0, (slice(0, 2, None),)), (1, (slice(2, 3, None),)))
    """
    nodes = range(node, node + 1)
    pairs = [*zip(shift, layout.shape, strict=True)]
    own, needed = layout.piece(nodes), target.piece(nodes)
    there = [(c + s) % n for c, (s, n) in zip(own.coordinates, pairs, strict=True)]
    sent = (
        (peer, places)
        for lowest, places in _boxes(there, target)
        for peer in target.nodes_like(lowest)
        if _nearest(layout, node, peer) == node
    )
    here = [(c - s) % n for c, (s, n) in zip(needed.coordinates, pairs, strict=True)]
    # Both ends take the coordinates of a message in the order of where it goes.
    received = (
        (_nearest(layout, lowest, node), places)
        for lowest, places in _boxes(here, layout, order=needed.coordinates)
    )
    return BoxTraffic(tuple(sent), tuple(received))


def _nearest(holder: Placement | Thinned, node: int, peer: int) -> int:
    """Of the nodes that have the same as one, the nearest to another (rule 3)."""
    return min(holder.nodes_like(node), key=peer.__xor__)


def _boxes(
    along: Sequence[IntArray],
    holder: Placement | Thinned,
    order: Sequence[IntArray] | None = None,
) -> Iterator[Parcel]:
    """The nodes that hold coordinates of a product, and where in the product these are."""
    if not all(map(len, along)):
        return
    first = [coordinates[:1] for coordinates in along]
    groups: list[list[NDArray[np.intp]]] = []
    for k, coordinates in enumerate(along):
        nodes = holder.node_of(*first[:k], coordinates, *first[k + 1 :])
        by = np.argsort(coordinates if order is None else order[k], kind="stable")
        by = by[np.argsort(nodes[by], kind="stable")]
        ends = np.flatnonzero(np.diff(nodes[by])) + 1
        groups.append(np.split(by, ends))
    one_of_each = (
        np.array([coordinates[group[0]] for group in those])
        for coordinates, those in zip(along, groups, strict=True)
    )
    grid = holder.node_of(*np.ix_(*one_of_each))
    for node, those in zip(np.ravel(grid).tolist(), product(*groups), strict=True):
        yield node, _index(those)


def _index(places: Sequence[IntArray]) -> Places:
    """Places along each axis, as slices if all of them are."""
    found = []
    for along in places:
        if not len(along):
            found.append(slice(0, 0))
            continue
        first, step = int(along[0]), int(along[1] - along[0]) if len(along) > 1 else 1
        last = int(along[-1])
        if step < 1 or not np.array_equal(along, np.arange(first, last + 1, step)):
            return np.ix_(*places)
        found.append(slice(first, last + 1, step if step > 1 else None))
    return tuple(found)


def carried(
    blocks: _Blocks,
    layout: Placement | Thinned,
    target: Placement | Thinned,
    comm: Comm,
    shift: tuple[int, ...],
) -> _Blocks:
    """The block of this rank after all elements went where they belong; collective.

    >>> def program(comm, u, target):
    ...     return carried(u.blocks, u.layout, target, comm, (0,) * len(target.shape))
    """
    key = layout, target, shift, blocks.shape[2:], blocks.dtype

    def made() -> "_Trade | _InMemory":
        shared, width = windows(comm), blocks.dtype.itemsize * prod(blocks.shape[2:])
        if shared is not None and shared.reserve(prod(layout.shape) * width):
            return _InMemory(shared, layout, target, shift)
        return _Trade(*key, comm)

    return private(comm).remembered(key, made, _TRADES, "trades").run(blocks)


class _AtNode:
    """The piece that a node has, and the one that it needs."""

    def __init__(
        self, layout: Placement | Thinned, target: Placement | Thinned, node: int
    ) -> None:
        nodes = range(node, node + 1)
        self.own, self.needed = layout.piece(nodes), target.piece(nodes)
        self._held = target.held_shape(nodes)

    def taken(self, blocks: _Blocks) -> _Blocks:
        """The piece that is in a block."""
        rows = blocks.reshape(prod(blocks.shape[:2]), *blocks.shape[2:])
        if self.own.rows is not None:
            rows = rows[self.own.rows]
        return rows.reshape(*self.own.shape, *blocks.shape[2:])

    def given(self, piece: _Blocks) -> _Blocks:
        """The block that has a piece."""
        payload = piece.shape[len(self.needed.shape) :]
        rows = piece.reshape(prod(self.needed.shape), *payload)
        if self.needed.rows is not None:
            out = np.empty_like(rows)
            out[self.needed.rows] = rows
            rows = out
        return rows.reshape(*self._held, *payload)


class _InMemory:
    """What a node writes of the whole array in shared memory, and what it reads."""

    def __init__(
        self,
        shared: Windows,
        layout: Placement | Thinned,
        target: Placement | Thinned,
        shift: tuple[int, ...],
    ) -> None:
        node = shared.comm.rank
        self._shared, self._shape, self._ends = (
            shared,
            layout.shape,
            _AtNode(layout, target, node),
        )
        triples = zip(self._ends.own.coordinates, shift, layout.shape, strict=True)
        self._goal = _index([(c + step) % n for c, step, n in triples])
        self._source = _index(self._ends.needed.coordinates)
        self._writes = layout.nodes_like(node)[0] == node
        self._facts = {"redistribution": f"from {layout} to {target}", "shift": shift}
        self._words = (0, *digest_of(self._facts))

    def run(self, blocks: _Blocks) -> _Blocks:
        """The block of this rank afterwards; collective."""
        shared, shape = self._shared, (*self._shape, *blocks.shape[2:])
        buffer = shared.buffers[shared.turn][: prod(shape) * blocks.itemsize]
        whole = buffer.view(blocks.dtype).reshape(shape)
        with no_way_back(lambda: "a redistribution"):
            if self._writes:
                whole[self._goal] = self._ends.taken(blocks)
        if not shared.meet(self._words):
            raise different(shared.comm, self._facts)
        with no_way_back(lambda: "a redistribution"):
            return self._ends.given(np.array(whole[self._source], order="C"))


class _Trade:
    """What a node sends and receives again and again: buffers, and requests that are theirs."""

    def __init__(  # noqa: PLR0913, PLR0917 - from where to where, and what
        self,
        layout: Placement | Thinned,
        target: Placement | Thinned,
        shift: tuple[int, ...],
        payload: tuple[int, ...],
        dtype: "np.dtype[Any]",
        comm: Comm,
    ) -> None:
        known = private(comm)
        found = traffic(layout, target, comm.rank, shift)
        self._ends = _AtNode(layout, target, comm.rank)
        self._kept = [
            [places for node, places in parcels if node == comm.rank]
            for parcels in (found.received, found.sent)
        ]
        self._arriving, self._leaving = (
            [
                (node, places, np.empty((*shape_of(piece.shape, places), *payload), dtype))
                for node, places in parcels
                if node != comm.rank
            ]
            for piece, parcels in (
                (self._ends.needed, found.received),
                (self._ends.own, found.sent),
            )
        )
        with no_way_back(lambda: "a redistribution"):
            coming = [known.comm.Recv_init(as_bytes(x), node) for node, _, x in self._arriving]
            going = [known.comm.Send_init(as_bytes(x), node) for node, _, x in self._leaving]
        self._requests = [*coming, *going]
        freed_with(self, self._requests, known)

    def run(self, blocks: _Blocks) -> _Blocks:
        """The block of this rank afterwards; collective."""
        have = self._ends.taken(blocks)
        made = np.empty((*self._ends.needed.shape, *blocks.shape[2:]), blocks.dtype)
        with no_way_back(lambda: "a redistribution"):
            for _, places, buffer in self._leaving:
                buffer[...] = have[places]
            mpi().Prequest.Startall(self._requests)
            for goal, source in zip(*self._kept, strict=True):
                made[goal] = have[source]
            mpi().Prequest.Waitall(self._requests)
            for _, places, buffer in self._arriving:
                made[places] = buffer
        return self._ends.given(made)


def shape_of(shape: Sequence[int], places: Places) -> tuple[int, ...]:
    """The shape of a box of a piece that has a shape.

    >>> shape_of((9, 5), (slice(0, 9, 2), slice(1, 3)))
    (5, 2)
    """
    if isinstance(places[0], slice):
        lengths = zip(places, shape, strict=True)
        return tuple(len(range(*part.indices(length))) for part, length in lengths)
    return np.broadcast_shapes(*(along.shape for along in places))
