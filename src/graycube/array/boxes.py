"""Elements that go between any two layouts: boxes of what one node has and another needs.

Rules.

1. What a node has is a product: some coordinates along each axis. So is what it needs, and what
   of both is the same. So all of it is worked out axis by axis, from the sum of the lengths.
2. Along an axis, coordinates whose elements belong to one node are a group. A choice of a group
   along every axis is a message, in C order of where it goes.
3. Of nodes with copies the one sends whose number is nearest: the number that is left of both
   by "exclusive or" is least. So a node that has a copy is sent none, and nearby nodes share
   out the work.
4. All messages are under way at once, as letters of a :mod:`graycube.run.post`.
5. Where ranks share memory, the whole array lies there in C order. Each writes what it has (of
   copies the lowest node), and once all have met, each reads what it needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.arrays import IntArray
from graycube.layout.chosen import Chosen
from graycube.layout.indices import Some, as_array, evenly
from graycube.layout.pieces import Piece
from graycube.layout.placement import Placement
from graycube.run import no_way_back
from graycube.run.agreement import Told, different, told_again
from graycube.run.mpi import Comm
from graycube.run.post import Mailing, Post, Sizes, post
from graycube.run.windows import windows

_Blocks = NDArray[Any]
_KEPT = 32  # layouts and targets
_TRADES = 8
_LINE = 64  # bytes of the cache
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
    layout: Placement | Chosen, target: Placement | Chosen, node: int, shift: tuple[int, ...]
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


def _nearest(holder: Placement | Chosen, node: int, peer: int) -> int:
    """Of the nodes that have the same as one, the nearest to another (rule 3)."""
    return min(holder.nodes_like(node), key=peer.__xor__)


def _boxes(
    along: Sequence[IntArray],
    holder: Placement | Chosen,
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
        yield node, places_of(those)


def places_of(places: Sequence[Some | IntArray]) -> Places:
    """Places along each axis, as slices wherever they are evenly spaced.

    NumPy is quick with slices, and with one array beside them; several arrays broadcast.

    >>> places_of([np.array([1, 3, 5])]), places_of([np.array([5, 1]), np.array([4, 0, 1])])
    ((slice(1, 6, 2),), (slice(5, 0, -4), array([4, 0, 1])))
    """
    found = tuple(map(evenly, places))
    several = sum(not isinstance(along, slice) for along in found) > 1
    return np.ix_(*map(as_array, places)) if several else found


def carried(
    blocks: _Blocks,
    layout: Placement | Chosen,
    target: Placement | Chosen,
    comm: Comm,
    shift: tuple[int, ...] = (),
) -> _Blocks:
    """The block of this rank after all elements went where they belong; collective.

    With a ``shift`` along each axis, that is so much farther, and around the end of the axis.

    >>> def program(comm, u, target):
    ...     return carried(u.blocks, u.layout, target, comm)
    """
    shift = shift or (0,) * len(layout.shape)
    facts = told_again(redistribution="of boxes", layout=layout, target=target, shift=shift)
    found = in_memory([(blocks, layout)], comm, facts, shift)
    if found is None:
        return _by_letters(blocks, layout, target, comm, shift)
    needed, source = places_read(target, range(comm.rank, comm.rank + 1))
    with no_way_back(lambda: "a redistribution"):
        rows = needed.block(np.array(found[0][source], order="C"))
    return rows[np.newaxis]


def in_memory(
    arrays: Sequence[tuple[_Blocks, Placement | Chosen]],
    comm: Comm,
    told: Told,
    shift: tuple[int, ...] = (),
) -> list[_Blocks] | None:
    """Whole arrays in the memory that all ranks share, until these meet again; collective.

    None where there is no such memory, or not so much.

    >>> def program(comm, u, v):
    ...     return in_memory([(u.blocks, u.layout), (v.blocks, v.layout)], comm, Told())
    """
    shared = windows(comm)
    shapes = [(*layout.shape, *blocks.shape[2:]) for blocks, layout in arrays]
    sizes = [x.itemsize * prod(shape) for (x, _), shape in zip(arrays, shapes, strict=True)]
    ends = [*accumulate(-(-size // _LINE) * _LINE for size in sizes)]
    if shared is None or not shared.reserve(ends[-1]):
        return None
    buffer, wholes = shared.buffers[shared.turn], list[_Blocks]()
    with no_way_back(lambda: "a redistribution"):
        parts = zip(arrays, shapes, sizes, [0, *ends[:-1]], strict=True)
        for (blocks, layout), shape, size, start in parts:
            whole = buffer[start : start + size].view(blocks.dtype).reshape(shape)
            own, goal = _places_written(layout, comm.rank, shift or (0,) * len(layout.shape))
            if goal is not None:
                whole[goal] = own.of(blocks)
            wholes.append(whole)
    if not shared.meet((0, *told.digest)):
        raise different(shared.comm, told)
    return wholes


@lru_cache(maxsize=_TRADES)
def _places_written(
    layout: Placement | Chosen, node: int, shift: tuple[int, ...]
) -> tuple[Piece, Places | None]:
    """What a node has, and where that goes in the whole array; of copies the lowest node's."""
    own = layout.piece(range(node, node + 1))
    if layout.nodes_like(node)[0] != node:
        return own, None
    triples = zip(own.coordinates, shift, layout.shape, strict=True)
    return own, places_of([(c + step) % n for c, step, n in triples])


@lru_cache(maxsize=_TRADES)
def places_read(target: Placement | Chosen, nodes: range) -> tuple[Piece, Places]:
    """What nodes need, and where that is in the whole array.

    >>> from graycube.layout import Layout
    >>> places_read(Layout.mesh(8, 2, allocation="cyclic"), range(1, 2))[1]
    (slice(1, 8, 2),)
    """
    needed = target.piece(nodes)
    return needed, places_of(needed.coordinates)


@lru_cache(maxsize=_KEPT)
def places_here(some: Chosen, nodes: range) -> Places:
    """Where some elements are in the piece that nodes have.

    >>> from graycube.layout import Layout
    >>> places_here(Chosen(Layout.mesh((8,), nodes=(2,)), (range(0, 8, 2),)), range(1, 2))
    (slice(0, 3, 2),)
    """
    return places_of(some.places(nodes))


def _by_letters(
    blocks: _Blocks,
    layout: Placement | Chosen,
    target: Placement | Chosen,
    comm: Comm,
    shift: tuple[int, ...],
) -> _Blocks:
    """The same by messages."""
    nodes, payload, own = range(comm.rank, comm.rank + 1), blocks.shape[2:], post(comm)
    needed, have = target.piece(nodes), layout.piece(nodes).of(blocks)
    made = np.empty((*needed.shape, *payload), blocks.dtype)
    with no_way_back(lambda: "a redistribution"):
        found = traffic(layout, target, comm.rank, shift)
        own.reserve(max(_room(found.sent, have), _room(found.received, made)))
        mail = letters(found, have, made, own)
        mail.pack(have, made)
        mail.send(made)
    return needed.block(made)[np.newaxis]


@dataclass(frozen=True, slots=True, eq=False)
class BoxLetters:
    """Boxes of a piece as the letters of a post, and what stays: where it goes, and is.

    >>> BoxLetters.__slots__
    ('going', 'coming', 'kept', 'mailing')
    """

    going: list[tuple[Places, _Blocks]]
    coming: list[tuple[Places, _Blocks]]
    kept: list[tuple[Places, Places]]
    mailing: Mailing

    def pack(self, have: _Blocks, made: _Blocks) -> None:
        """Write the letters, and take what stays from one piece to the other."""
        for places, letter in self.going:
            letter[...] = have[places]
        for goal, source in self.kept:
            made[goal] = have[source]

    def send(self, made: _Blocks) -> None:
        """Send the letters, and put those that come into the piece; collective."""
        self.mailing.send()
        for places, letter in self.coming:
            made[places] = letter


def letters(found: BoxTraffic, have: _Blocks, made: _Blocks, post: Post) -> BoxLetters:
    """What brings boxes from pieces like one to pieces like the other.

    >>> def program(comm, found, have, made):  # on all ranks
    ...     own = post(comm)
    ...     own.reserve(max(have.nbytes, made.nbytes))
    ...     mail = letters(found, have, made, own)
    ...     mail.pack(have, made)
    ...     mail.send(made)
    """
    node = post.comm.rank
    going, sizes = _cut(found.sent, have, post.leaving, node)
    coming, others = _cut(found.received, made, post.arrived, node)
    own = ([at for peer, at in each if peer == node] for each in (found.received, found.sent))
    return BoxLetters(going, coming, [*zip(*own, strict=True)], post.mailing(sizes, others))


def _room(parcels: Sequence[Parcel], piece: _Blocks) -> int:
    """The bytes of all these boxes; where nodes have copies an element is in several."""
    return piece.itemsize * sum(prod(_shape(piece, places)) for _, places in parcels)


def _cut(
    parcels: Sequence[Parcel], piece: _Blocks, buffer: _Blocks, node: int
) -> tuple[list[tuple[Places, _Blocks]], Sizes]:
    """Each box that is a letter, with its place in a buffer, and the sizes of letters."""
    found, sizes, start = [], [], 0
    for peer, places in parcels:
        if peer != node:
            shape = _shape(piece, places)
            end = start + prod(shape) * piece.itemsize
            found.append((places, buffer[start:end].view(piece.dtype).reshape(shape)))
            sizes.append((peer, end - start))
            start = end
    return found, tuple(sizes)


def _shape(piece: _Blocks, places: Places) -> tuple[int, ...]:
    """The shape of a box, with its payload."""
    payload = piece.shape[len(places) :]
    if any(isinstance(part, slice) or part.ndim == 1 for part in places):
        pairs = zip(places, piece.shape, strict=False)
        lengths = (len(range(n)[k] if isinstance(k, slice) else k) for k, n in pairs)
        return (*lengths, *payload)
    return (*np.broadcast_shapes(*(along.shape for along in places)), *payload)
