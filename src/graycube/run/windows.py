"""What the ranks of a communicator share when they are on one machine: meetings and memory.

Rules.

1. There are two buffers, each as large as the largest array that was exchanged, and they are
   used in turn. In an exchange each rank writes its block into the buffer whose turn it is, all
   meet once, and each reads what it needs. When all meet again, nobody reads that buffer any
   more, and only after that somebody writes to it.
2. Before, a rank may write only to what it alone reads. So ranks that bring back what just came
   stay in that buffer, which is in the caches, while the other one need not be.
3. Whose turn it is follows from the number of the meeting, and from how often ranks stayed. So
   all that is exchanged on a communicator takes its turns together, and ranks never differ
   about them. If they turn out to have called different things, nobody reads, and all begin
   again with the number.
4. Buffers grow when all ranks ask for more at the same time. Where there is no room, messages
   are sent instead, and the first rank says so once.

``GRAYCUBE_WINDOWS=0`` in the environment of one rank switches all of this off for all of them.
"""

import os
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.run.meeting import WORDS, Meeting, Note, lines
from graycube.run.mpi import Private, mpi, private
from graycube.run.roll import Roll
from graycube.run.segment import HEAD, segment
from graycube.warned import warn

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_Buffer = NDArray[Any]
PAGE, INTO = 4096, 2048
"""Buffers are as long as pages, and begin in the middle of one.

Large arrays of NumPy begin 16 bytes into a page. There are processors on which a copy from the
beginning of a page to there takes five times as long as any other (``benchmarks/pages.py``).
"""
_WANTED = {"": True, **dict.fromkeys(("1", "on", "yes", "true"), True),
           **dict.fromkeys(("0", "off", "no", "false"), False)}  # fmt: skip


class Windows:
    """Memory and meetings of the ranks of a communicator; see :func:`windows`."""

    def __init__(self, comm: "Intracomm", meeting: Meeting) -> None:
        self.comm, self._meeting = comm, meeting
        self.buffers: tuple[_Buffer, ...] = (np.empty(0, np.uint8),) * 2
        self.grown, self._stayed = 0, 0
        self._read: tuple[int, Hashable] = 0, None
        self.alive = True
        self._refused: int | None = None

    @property
    def turn(self) -> int:
        """The buffer to write to before the ranks meet the next time."""
        return self._meeting.number + 1 + self._stayed & 1

    def turn_of(self, written: Hashable) -> int:
        """The same for ranks that write what is ``written``, each its share: they may stay."""
        number = self._meeting.number
        stays = written is not None and self._read == (number, written)
        return number + 1 + self._stayed + stays & 1

    def exchange(self, words: Sequence[int], written: Hashable, read: Hashable) -> bool:
        """Meet when all have written, to read what is ``read``: each rank its share, alone."""
        self._stayed = self.turn_of(written) + self._meeting.number + 1 & 1
        alike = self._meeting.meet(words)
        self._read = self._meeting.number, read
        if not alike:
            self._begin_again()
        return alike

    def _begin_again(self) -> None:
        """Nobody reads, and ranks may differ about who stayed."""
        self._stayed, self._read = 0, (0, None)

    def meet(self, words: Sequence[int] = (0,) * WORDS, note: Note | None = None) -> bool:
        """Wait for all ranks; whether all say the same. Collective."""
        alike = self._meeting.meet(words, note)
        if not alike:
            self._begin_again()
        return alike

    def notes(self, nbytes: int) -> Note:
        """The notes of all ranks in the latest meeting."""
        return self._meeting.notes(nbytes)

    def asks(self, nbytes: int) -> bool:
        """Whether all ranks have to come together to reserve so many bytes."""
        known = self._refused is not None and nbytes >= self._refused
        return nbytes > len(self.buffers[0]) and not known

    def reserve(self, nbytes: int) -> bool:
        """Whether each buffer has so many bytes, now at the latest; the same on all ranks."""
        if not self.asks(nbytes):
            return nbytes <= len(self.buffers[0])
        size = -(-nbytes // PAGE) * PAGE
        memory, why = segment(self.comm, INTO + 2 * size)
        if memory is None:
            self._refuse(nbytes, why)
            return False
        whole = np.frombuffer(memory, np.uint8, offset=HEAD + INTO)
        self.buffers = (whole[:size], whole[size:])
        self.grown += 1
        return True

    def close(self) -> None:
        """Let the memory go; who still has a view of it keeps it."""
        self.alive = False
        self.buffers = (np.empty(0, np.uint8),) * 2

    def _refuse(self, nbytes: int, why: str) -> None:
        first, self._refused = self._refused is None, nbytes
        if first:
            say(self.comm, f"buffers of {nbytes} bytes ({why}): messages are sent")


def windows(comm: "Intracomm") -> Windows | None:
    """What the ranks of a communicator share, if they are on one machine; collective at first.

    >>> def program(comm):  # on all ranks
    ...     shared = windows(comm)
    ...     return shared is not None and shared.meet((1, 2, 3))
    """
    return windows_of(private(comm))


def windows_of(known: Private) -> Windows | None:
    """The same for who knows already what graycube has of the communicator.

    >>> def program(comm):  # on all ranks
    ...     return windows_of(private(comm)) is windows(comm)
    """
    if not known.asked:
        known.windows, known.asked = _made(known.comm, known.roll), True
    return known.windows


def _made(comm: "Intracomm", roll: Roll) -> Windows | None:
    if comm.size == 1:
        return None
    wanted = _wanted(comm)
    near = comm.Split_type(mpi().COMM_TYPE_SHARED)
    together = near.size == comm.size and wanted
    near.Free()
    if not comm.allreduce(together, mpi().LAND):
        return None
    memory, why = segment(comm, lines(comm.size))
    if memory is None:
        say(comm, f"memory ({why}): messages are sent")
        return None
    roll.meeting = Meeting(comm, memoryview(memory)[HEAD:], roll)
    return Windows(comm, roll.meeting)


def say(comm: "Intracomm", what: str) -> None:
    """Warn on the first rank; if warnings are errors, all ranks raise this one; collective.

    >>> def program(comm):  # on all ranks
    ...     say(comm, "memory (none is free): messages are sent")
    """
    error = None
    if comm.rank == 0:
        try:
            warn(f"the ranks share no {what}")
        except Warning as raised:  # the others have to hear of it
            error = raised
    if (heard := comm.bcast(error)) is not None:
        raise heard


def _wanted(comm: "Intracomm") -> bool:
    """Whether this rank wants to share memory; where a rank says no word for it, all raise."""
    said = os.environ.get("GRAYCUBE_WINDOWS", "").strip().lower()
    if comm.allreduce(said in _WANTED, mpi().LAND):
        return _WANTED[said]
    rank, word = next((r, w) for r, w in enumerate(comm.allgather(said)) if w not in _WANTED)
    raise InvalidValueError(
        f"GRAYCUBE_WINDOWS is {word!r:.40} in the environment of rank {rank}",
        "0, off, no or false is for messages, and 1, on, yes or true for shared memory",
        "say one of them, or nothing",
    )
