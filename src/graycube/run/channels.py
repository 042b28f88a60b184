"""Messages between ranks of one machine, through memory that both see.

Rules.

1. A rank has an outbox of two halves, used in turn. What it sends at a time lies in one of
   them, one message after the other, and who gets a message reads it there.
2. Each pair of ranks has a line with how many messages one has sent the other. For the latest
   two it says where they begin and what they are; another line has how many were taken. A
   half is written again when all that was in it has been taken. So ranks wait only for those
   that they send to or get from, and may be two rounds ahead of these.
3. A message that is not what is waited for is an error there: the ranks do different things.
4. This needs a processor that shows stores in their order, as :mod:`graycube.run.meeting` does.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from graycube.run.meeting import in_order
from graycube.run.mpi import Private, private
from graycube.run.segment import HEAD, segment
from graycube.run.waiting import unlike
from graycube.run.windows import INTO, PAGE, say, windows_of

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from graycube.run.rounds import Handed

Bytes = NDArray[np.uint8]
LARGE = 1 << 21
"""Bytes that a rank sends at a time, from which on MPI's one copy is quicker than two."""
LINE = 128  # bytes: processors fetch two lines of their caches at once
_YIELDS = 60  # looks, before a rank asks what keeps the others


class Channels:
    """The outboxes of the ranks of a communicator; see :func:`channels`.

    ``words`` are all lines, and ``half`` is the half of the own outbox that was opened last.
    The ``trades`` that know places in outboxes hear when these become others.
    """

    def __init__(self, known: Private) -> None:
        self.comm, self._roll = known.comm, known.roll
        self.half = self._room = 0
        self._refused: int | None = None
        self.trades: WeakSet[Handed] = WeakSet()
        self.words = memoryview(b"").cast("q")
        self._outboxes = np.empty(0, np.uint8)
        self._left: tuple[list[tuple[int, int]], ...] = ([], [])

    def reserve(self, nbytes: int) -> bool:
        """Whether a rank can send so many bytes at a time, now at the latest; collective."""
        if nbytes <= self._room:
            return True
        if self._refused is not None and nbytes >= self._refused:
            return False
        ranks, room = self.comm.size, -(-nbytes // PAGE) * PAGE
        lines = -(-2 * ranks * ranks * LINE // PAGE) * PAGE
        memory, why = segment(self.comm, lines + INTO + 2 * ranks * room)
        if memory is None:
            first, self._refused = self._refused is None, nbytes
            if first:
                say(self.comm, f"outboxes of {nbytes} bytes ({why}): MPI sends")
            return False
        self.words = memoryview(memory)[HEAD : HEAD + lines].cast("q")
        self._outboxes = np.frombuffer(memory, np.uint8, offset=HEAD + lines + INTO)
        self._room, self._left = room, ([], [])
        for trade in self.trades:
            trade.forget()
        return True

    def lines(self, sender: int, taker: int) -> tuple[int, int]:
        """Where it says what a rank has sent to another, and how much was taken of that."""
        ranks, line = self.comm.size, LINE // self.words.itemsize
        pair = sender * ranks + taker
        return pair * line, (ranks * ranks + pair) * line

    def outbox(self, rank: int, half: int, start: int, nbytes: int) -> Bytes:
        """The bytes of a message."""
        first = (2 * rank + half) * self._room + start
        return self._outboxes[first : first + nbytes]

    def open(self) -> int:
        """The half whose turn it is, once nobody reads it any more."""
        self.half = half = 1 - self.half
        left, words = self._left[half], self.words
        for taken, count in left:
            if words[taken] < count:
                self.wait(taken, count)
        left.clear()
        return half

    def post(self, letters: Sequence[tuple[int, int, int]], word: int) -> None:
        """Tell others what is in that half for them: lines, and where it begins."""
        words, half = self.words, self.half
        left = self._left[half]
        for sent, taken, start in letters:
            count = words[sent] + 1
            about = sent + 1 + 2 * (count & 1)
            words[about], words[about + 1] = 2 * start + half, word
            words[sent] = count  # the last of all: who sees it sees the rest
            left.append((taken, count))

    def wait(self, line: int, count: int) -> None:
        """Wait until a line says so many."""
        words = self.words
        for _ in range(_YIELDS):
            os.sched_yield()
            if words[line] >= count:
                return
        self._roll.wait(lambda: words[line] >= count, data=True, moves=False)

    def refuse(self, sender: int) -> NoReturn:
        """Raise the error of who gets something else than is waited for."""
        self._roll.give_up(unlike(sender, self.comm.rank))


def channels(comm: "Intracomm") -> Channels | None:
    """The channels of a communicator, if its ranks share memory; collective at first.

    >>> def program(comm):  # on all ranks
    ...     through = channels(comm)
    ...     return through is not None and through.reserve(1 << 16)
    """
    known = private(comm)
    if windows_of(known) is None or not in_order():
        return None
    return known.remembered("channels", lambda: Channels(known), 1, "channels")
