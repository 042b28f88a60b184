"""Halo exchanges of ranks that share memory: borders are laid out there, and read from there.

Rules.

1. Each rank has a stretch of a buffer for what it sends, one message after the other. All know
   the messages of all, and so where theirs begin.
2. That is two copies. MPI can do with one, from mesh to mesh, which counts where messages are
   too large for the caches. If they are stretches of memory in all meshes, such messages are
   sent, and the ranks only meet here.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import count
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.halo.neighbours import Exchanged, Neighbours, copied, told, traffic
from graycube.errors import InvalidValueError
from graycube.layout import Ownership
from graycube.run import no_way_back
from graycube.run.agreement import refuse
from graycube.run.channels import LARGE
from graycube.run.mpi import Comm
from graycube.run.rounds import Copy
from graycube.run.windows import Windows, windows
from graycube.stencil import Frame, Halo

_Mesh = NDArray[Any]
_Laid = tuple[list[Copy], list[Copy]]  # the copies before the ranks meet, and those after
_KEPT = 64
_no_way_back = no_way_back(lambda: "a halo exchange")


@lru_cache(maxsize=_KEPT)
def _starts(exchange: Halo, node: int, axes: tuple[int, ...]) -> dict[int, list[int]]:
    """Where the messages of a node begin along some axes, by their targets, and the end."""
    found, start = defaultdict[int, list[int]](list), 0
    for message in exchange.messages(node):
        if message.axis in axes:
            found[message.target].append(start)
            start += message.size
    return {**found, -1: [start]}


@lru_cache(maxsize=_KEPT)
def _longest(exchange: Halo, axes: tuple[int, ...]) -> int:
    """The elements of the stretch that every rank has."""
    nodes = range(1 << exchange.layout.n)
    return max(_starts(exchange, node, axes)[-1][0] for node in nodes)


@lru_cache(maxsize=_KEPT)
def _shortest(exchange: Halo) -> int:
    """The elements of the shortest message, or 0 where some are not stretches of all meshes."""
    if any(reach != (0, 0) for reach in exchange.reach[1:]):
        return 0
    nodes = range(1 << exchange.layout.n)
    every = [message for node in nodes for message in exchange.messages(node)]
    lines = (message.coordinates[0] for message in every)
    follow = all((np.diff(line) == 1).all() for line in lines)
    return min((message.size for message in every), default=0) if follow else 0


def borders(frame: Frame, mesh: _Mesh, comm: Comm) -> "Borders | Neighbours":
    """The exchange of one rank, through memory if the ranks share any.

    >>> def program(frame, mesh, comm):  # on all ranks, once they are agreed
    ...     borders(frame, mesh, comm).exchange()
    """
    shared = windows(comm)
    by_messages = partial(Neighbours, frame, mesh, comm)
    if shared is None or isinstance(frame.halo.layout, Ownership) or not mesh.size:
        return by_messages()
    return Borders(frame, mesh, shared, by_messages)


class Borders:
    """The exchange of one rank: ``mesh`` is its frame, filled in place.

    Where the buffers cannot be as large as that takes, neighbours send messages.
    """

    def __init__(
        self,
        frame: Frame,
        mesh: _Mesh,
        shared: Windows,
        by_messages: Callable[[], Neighbours],
    ) -> None:
        self._mesh, self._shared, self._traffic = mesh, shared, traffic(frame)
        exchange = self._exchange = frame.halo
        self._facts = told(exchange, mesh.dtype)
        self._payload = prod(mesh.shape[len(frame.axes) :])
        most = max(_longest(exchange, known.axes) for known in self._traffic)
        self._stretch = most * self._payload * mesh.itemsize
        self._by_messages = by_messages
        self._instead: Neighbours | None = None
        self._large = _shortest(exchange) * self._payload * mesh.itemsize >= LARGE
        self._grown, self._phases = -1, dict[tuple[int, int], _Laid]()

    def update(self, take: Callable[[], None], error: Exception | None) -> None:
        """Take in other values, and exchange, if no rank has an ``error``; collective."""
        if error is None:
            take()
        self.exchange(error)

    def exchange(self, error: Exception | None = None) -> None:
        """Lay out and read everything; collective."""
        shared, words = self._shared, (error is not None, *self._facts.digest)
        if not shared.alive:
            raise InvalidValueError(
                "the communicator of this window was freed",
                "the memory of the window went with it",
                "make the array on a communicator that stays",
            )
        if self._grown != shared.grown:
            if self._large or not shared.reserve(shared.comm.size * self._stretch):
                if not shared.meet(words) or error is not None:
                    refuse(shared.comm, self._facts, error)
                self._instead = self._instead or self._by_messages()
                self._instead.exchange()
                return
            self._grown, self._phases = shared.grown, {}
        alike = True
        with _no_way_back:
            for k in range(len(self._traffic)):
                before, after = self._phase(k, shared.turn)
                for copy in before:
                    copy()
                if not (alike := shared.meet(words) and error is None):
                    break
                for copy in after:
                    copy()
        if not alike:
            refuse(shared.comm, self._facts, error)

    def _phase(self, number: int, turn: int) -> _Laid:
        """What is copied about some axes, made when it is needed first."""
        made = self._phases.get((number, turn))
        if made is None:
            made = self._phases[number, turn] = self._laid(self._traffic[number], turn)
        return made

    def _laid(self, known: Exchanged, turn: int) -> _Laid:
        exchange, rank = self._exchange, self._shared.comm.rank
        order: defaultdict[int, count[int]] = defaultdict(count)
        mesh, before, after = self._mesh, list[Copy](), list[Copy]()
        for shape, places, target in known.out:
            start = _starts(exchange, rank, known.axes)[target][next(order[target])]
            before.append(copied(self._border(shape, rank, start, turn), (), mesh, places))
        order.clear()
        for shape, places, of, source in known.back:
            start = _starts(exchange, source, known.axes)[rank][next(order[source])]
            after.append(copied(mesh, places, self._border(shape, source, start, turn), of))
        before += [copied(mesh, there, mesh, of) for there, of in known.around]
        return before, after

    def _border(self, shape: list[int], rank: int, start: int, turn: int) -> _Mesh:
        """The place of a message of a rank."""
        payload = self._mesh.shape[len(shape) :]
        width = self._payload * self._mesh.itemsize
        whole = self._shared.buffers[turn][rank * self._stretch :]
        raw = whole[start * width : (start + prod(shape)) * width]
        made: _Mesh = raw.view(self._mesh.dtype).reshape(*shape, *payload)
        return made
