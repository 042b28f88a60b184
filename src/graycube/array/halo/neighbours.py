"""Halo exchanges, worked out once: over MPI with persistent requests, or all in one process.

What is where depends on the layout and the stencil alone, so windows of many arrays share it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.run import freed_with, mpi, no_way_back, private
from graycube.run.agreement import Reduction, Told, refuse
from graycube.run.mpi import Comm
from graycube.run.rounds import Copy, Item, Mailed
from graycube.run.windows import windows_of
from graycube.stencil import Frame, Halo
from graycube.stencil.frame import Index
from graycube.stencil.owned import OwnedHalo

_Mesh = NDArray[Any]
_Request = TypeVar("_Request")
_KEPT = 16  # stencils on layouts, the latest ones
_STENCILS = 64


@lru_cache(maxsize=_STENCILS)
def told(exchange: Halo | OwnedHalo, dtype: np.dtype[Any], operation: str = "exchange") -> Told:
    """What all ranks must have alike whenever they exchange, or do another operation.

    >>> from graycube.layout import Layout
    >>> from graycube.stencil import halo
    >>> told(halo(Layout.mesh((8,), nodes=(4,)), reach=1), np.dtype(float))["periodic"]
    (True,)
    """
    facts = {"operation": operation, "exchange": exchange, "layout": exchange.layout}
    return Told(facts, periodic=exchange.periodic, dtype=dtype)


class AllHere:
    """The exchange of all nodes in one process: what is copied from which mesh to which."""

    def __init__(self, frames: tuple[Frame, ...], meshes: Sequence[_Mesh]) -> None:
        self._meshes, self._copies = meshes, _copies(frames)

    def update(self, take: Callable[[], None], error: Exception | None) -> None:
        """Take in other values, and exchange, if there is no ``error``."""
        if error is not None:
            raise error
        take()
        self.exchange()

    def exchange(self) -> None:
        """Copy everything."""
        for source, taken, of, target, there in self._copies:
            self._meshes[target][there] = self._meshes[source][taken][of]


@lru_cache(maxsize=_KEPT)
def frames_of(exchange: Halo | OwnedHalo, nodes: range) -> tuple[Frame, ...]:
    """The frames of some nodes, the same ones every time.

    >>> from graycube.layout import Layout
    >>> from graycube.stencil import halo
    >>> exchange = halo(Layout.mesh((8,), nodes=(4,)), reach=1)
    >>> [frame.shape for frame in frames_of(exchange, range(4))]
    [(4,), (4,), (4,), (4,)]
    """
    return tuple(Frame(exchange, node) for node in nodes)


_Copy = tuple[int, Index, Index, int, Index]
"""Places of a mesh, those ``of`` what is taken there, and the places of a mesh they go to."""


@lru_cache(maxsize=_KEPT)
def _copies(frames: tuple[Frame, ...]) -> tuple[_Copy, ...]:
    """What all nodes copy, axis by axis."""
    return tuple(c for axis in range(len(frames[0].axes)) for c in _copies_along(frames, axis))


def _copies_along(frames: Sequence[Frame], axis: int) -> Iterator[_Copy]:
    for node, frame in enumerate(frames):
        yield from ((node, here, (), node, there) for there, here in frame.around(axis))
        for message in frame.halo.received(node):
            if message.axis == axis:
                taken = frames[message.source].sent(message)
                there, of = frame.received(message)
                yield message.source, taken, of, node, there


@dataclass(frozen=True, slots=True, eq=False)
class Exchanged:
    """What a node sends (shape, places, target) and receives (shape, places, of, source)."""

    axes: tuple[int, ...]
    around: tuple[tuple[Index, Index], ...]
    out: tuple[tuple[list[int], Index, int], ...]
    back: tuple[tuple[list[int], Index, Index, int], ...]


@lru_cache(maxsize=_KEPT)
def traffic(frame: Frame) -> tuple[Exchanged, ...]:
    """The messages of a node, phase by phase: along all axes at once, or one after another."""
    every, halo = range(len(frame.axes)), frame.halo
    phases = [(axis,) for axis in every] if halo.corners else [(*every,)]
    out = [([*map(len, m.coordinates)], m) for m in halo.messages(frame.node)]
    back = [([*map(len, m.coordinates)], m) for m in halo.received(frame.node)]
    return tuple(
        Exchanged(
            axes,
            tuple(pair for axis in axes for pair in frame.around(axis)),
            tuple((n, frame.sent(m), m.target) for n, m in out if m.axis in axes),
            tuple((n, *frame.received(m), m.source) for n, m in back if m.axis in axes),
        )
        for axes in phases
    )


class Neighbours:
    """The exchange of one rank: ``mesh`` is its frame, filled in place."""

    def __init__(self, frame: Frame, mesh: _Mesh, comm: Comm) -> None:
        known = private(comm)
        self._mesh, self._comm, self._known = mesh, known.comm, known
        self._shared, self._facts = windows_of(known), told(frame.halo, mesh.dtype)
        self._phases = [*map(self._phase, traffic(frame))]
        requests = (q for messages, _ in self._phases for q in messages.requests)
        self._requests = freed_with(self, requests, known)

    def update(self, take: Callable[[], None], error: Exception | None) -> None:
        """Take in other values, and exchange, if no rank has an ``error``; collective.

        Ranks are asked while they take values in, and answer before they send: a rank that
        calls something else sends nothing.
        """
        self._require_alive()
        failed, words = error is not None, self._facts.digest
        answer = (
            Reduction(self._known, words, failed=failed).alike
            if self._shared is None
            else partial(self._shared.meet, (failed, *words))
        )
        if error is None:
            take()
        if not answer() or failed:
            refuse(self._comm, self._facts, error)
        self.exchange()

    def exchange(self) -> None:
        """Send and receive everything; collective."""
        self._require_alive()
        with no_way_back(lambda: "a halo exchange"):
            self._known.roll.begin()
            for messages, around in self._phases:
                messages.gather()
                messages.start()
                for copy in around:
                    copy()
                messages.finish()

    def _require_alive(self) -> None:
        if not self._requests.alive:
            raise InvalidValueError(
                "the communicator of this window was freed",
                "the messages of the window went with it",
                "make the array on a communicator that stays",
            )

    def _phase(self, known: Exchanged) -> tuple[Mailed, list[Copy]]:
        """The messages along some axes, and the copies within the mesh."""
        mesh = self._mesh
        going = [self._item(peer, shape, places) for shape, places, peer in known.out]
        coming = [self._item(peer, shape, places, of) for shape, places, of, peer in known.back]
        around = [copied(mesh, there, mesh, of) for there, of in known.around]
        return Mailed(self._known, going, coming), around

    def _item(
        self, peer: int, shape: list[int], places: Index, of: Index | None = None
    ) -> Item:
        """A message: what is at some places of the mesh, or some ``of`` it that goes there."""
        mesh, seen = self._mesh, self._mesh[places]
        whole = (*shape, *mesh.shape[len(shape) :])

        def copy(room: NDArray[np.uint8]) -> Copy:
            message = room.view(mesh.dtype).reshape(whole)
            if of is None:
                return copied(message, (), mesh, places)
            return copied(mesh, places, message, of)

        alone = _is_all(of, shape) and seen.flags.c_contiguous
        stretch = alone and np.may_share_memory(seen, mesh)
        raw = seen.reshape(-1).view(np.uint8) if stretch else None
        return Item(peer, prod(whole) * mesh.itemsize, copy, raw)


def copied(target: _Mesh, places: Index, source: _Mesh, of: Index) -> Copy:
    """What copies from places to places; what are views of arrays are made once.

    >>> x = np.zeros(3)
    >>> copied(x, (slice(1, 3),), np.ones(2), ())()
    >>> x
    array([0., 1., 1.])
    """
    there, here = target[places], source[of]
    if np.may_share_memory(there, target) and np.may_share_memory(here, source):
        return partial(np.copyto, there, here)
    return lambda: target.__setitem__(places, source[of])


def add_back(frames: Sequence[Frame], meshes: Sequence[_Mesh], comm: Comm | None) -> None:
    """The reverse of an exchange: what is in a frame is added where it comes from; collective.

    It goes from the last axis to the first, and the frame is zero afterwards. Beyond the ends
    of axes everything stays.

    >>> from graycube.layout import Layout
    >>> from graycube.stencil import halo
    >>> frames = frames_of(halo(Layout.mesh((4,), nodes=(2,)), reach=1), range(2))
    >>> meshes = [np.array([1, 0, 2, 4]), np.array([8, 0, 0, 16])]
    >>> add_back(frames, meshes, None)
    >>> meshes
    [array([ 0, 16, 10,  0]), array([0, 4, 1, 0])]
    """
    if comm is None:
        for source, taken, of, target, there in reversed(_copies(tuple(frames))):
            _add(
                meshes[source],
                taken,
                _taken(meshes[source][taken].shape, of, meshes[target], there),
            )
        return
    (frame,), (mesh,), own = frames, meshes, private(comm).comm
    payload = mesh.shape[len(frame.axes) :]
    for known in reversed(traffic(frame)):
        going = [
            _taken((*shape, *payload), of, mesh, there) for shape, there, of, _ in known.back
        ]
        coming = [np.empty((*shape, *payload), mesh.dtype) for shape, *_ in known.out]
        requests = [
            *_bound(own.Irecv, coming, [m[-1] for m in known.out]),
            *_bound(own.Isend, going, [m[-1] for m in known.back]),
        ]
        for there, here in known.around:
            _add(mesh, here, _taken(mesh[there].shape, (), mesh, there))
        with no_way_back(lambda: "a halo exchange in reverse"):
            mpi().Request.Waitall(requests)
        for found, (_, places, _) in zip(coming, known.out, strict=True):
            _add(mesh, places, found)


def _taken(shape: Sequence[int], of: Index, mesh: _Mesh, there: Index) -> _Mesh:
    """What is taken out of a frame, as the message that would have come."""
    made = np.zeros(shape, mesh.dtype)
    _add(made, of, mesh[there])
    mesh[there] = 0
    return made


def _add(mesh: _Mesh, places: Index, values: _Mesh) -> None:
    """Add to places, some of which may come again."""
    if all(isinstance(along, slice) for along in places):
        mesh[places] += values
    else:
        np.add.at(mesh, places, values)


def _is_all(of: Index | None, shape: Sequence[int]) -> bool:
    """Whether what is put into the mesh is all of a message, in its order.

    >>> _is_all((slice(0, 5),), [5]), _is_all((slice(0, 5, 2),), [5])
    (True, False)
    """
    return of is None or all(
        isinstance(some, slice) and some == slice(0, length)
        for some, length in zip(of, shape, strict=True)
    )


def _bound(
    init: Callable[..., _Request], buffers: Sequence[_Mesh], peers: Sequence[int]
) -> Iterator[_Request]:
    """Requests; messages of one pair have tags in their order, the same at both ends."""
    for k, (buffer, peer) in enumerate(zip(buffers, peers, strict=True)):
        raw = [buffer.reshape(-1).view(np.uint8), mpi().BYTE]
        yield init(raw, peer, tag=peers[:k].count(peer))
