"""A barrier over words in memory that all ranks see, and a look at what the others say.

Rules.

1. Each rank has a line of its own, with the number of the meeting, the words that it says, and
   room for a note. It writes note and words first and the number last. Who sees all numbers
   has seen all words, and whatever the others wrote before they came.
2. This needs a processor that shows stores in their order, and loads in theirs: x86 does. On
   others the ranks meet in MPI, whose barrier has the fences.
3. There are two sets of lines in turn: nobody is more than one meeting ahead of anybody. So the
   notes of a meeting stay as they are until who reads them comes to the next one.
4. Who waits gives the processor to others, soon sleeps, and looks after MPI meanwhile, so that
   messages of the program that others wait for still pass. To wake up takes longer than most
   meetings: ranks that share their processor with few look for longer before they sleep.
5. A rank whose program ends leaves a word in its line, once all is done that it does at exit.
   Who waits for it raises an error then, and in all later meetings, where it says nothing
   more: others may still read its last words. What it leaves is one more than the number of
   things that it began by messages.
"""

import os
import platform
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graycube.errors import PeerError
from graycube.run.roll import Roll
from graycube.run.waiting import in_vain

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

LINE = 1024
"""Bytes of a line: no two are in one line of a processor's cache."""
WORDS = 3
Note = NDArray[np.uint8]
_HEAD = 64  # bytes, for the number, the words, and whether the rank has left
_LEFT = WORDS + 1  # where in its first line it says so
ROOM = LINE - _HEAD
"""Most bytes of a note."""
_IN_ORDER = platform.machine() in {"x86_64", "AMD64"}
_SPINS, _YIELDS = 4, 60  # looks, before a rank yields and before it sleeps
_FEW = 300  # looks before it sleeps, if at most one more rank has its processor
_PAUSE, _LONGEST = 5e-5, 1e-3  # seconds: the first pause, and the last ones
_LONG = 0.1  # seconds, before it may tell others that it waits


def in_order() -> bool:
    """Whether other processors see the stores of one in their order."""
    return _IN_ORDER


def lines(ranks: int) -> int:
    """Bytes that meetings of so many ranks need.

    >>> lines(8)
    16384
    """
    return 2 * ranks * LINE


class Meeting:
    """The meetings of the ranks of a communicator, over memory that is zero at first.

    >>> class Alone:
    ...     rank, size = 0, 1
    >>> Meeting(Alone, memoryview(bytearray(lines(1)))).meet((3, 1, 4))
    True
    """

    def __init__(self, comm: "Intracomm", memory: memoryview, roll: Roll | None = None) -> None:
        self._comm, self._roll, self.number = comm, roll or Roll(comm), 0
        self._words = memory.cast("q")
        self._lines = np.frombuffer(memory, np.uint8)[: lines(comm.size)].reshape(2, -1, LINE)
        width, said = LINE // self._words.itemsize, 1 + WORDS
        self._yields = _FEW if comm.size <= 2 * (os.cpu_count() or 1) else _YIELDS
        self._sets = [range(k * width, (k + comm.size) * width, width) for k in (0, comm.size)]
        self._said = [[self._words[at : at + said] for at in starts] for starts in self._sets]
        self.broken: tuple[str, ...] | None = None

    def meet(self, words: Sequence[int] = (0,) * WORDS, note: Note | None = None) -> bool:
        """Wait for all ranks; whether all of them say the same. Collective."""
        memory, comm = self._words, self._comm
        if self.broken is not None:
            self._roll.leave()  # what others begin after this would wait for ever
            raise PeerError(*self.broken)
        self.number = number = self.number + 1
        if note is not None:
            self._lines[number & 1, comm.rank, _HEAD : _HEAD + len(note)] = note
        starts, every = self._sets[number & 1], self._said[number & 1]
        own, mine = starts[comm.rank], every[comm.rank]
        memory[own + 1], memory[own + 2], memory[own + 3] = words
        memory[own] = number
        if not in_order():
            comm.Barrier()
        alike = True
        for start, said in zip(starts, every, strict=True):
            if said != mine:  # number and words at a stroke
                if memory[start] < number:
                    self._wait(start, number)
                alike = alike and said == mine
        return alike

    def notes(self, nbytes: int) -> Note:
        """The notes of all ranks in the latest meeting, a copy; a row for each rank.

        >>> class Alone:
        ...     rank, size = 0, 1
        >>> meeting = Meeting(Alone, memoryview(bytearray(lines(1))))
        >>> _ = meeting.meet(note=np.array([7, 1], np.uint8))
        >>> meeting.notes(2)
        array([[7, 1]], dtype=uint8)
        """
        return self._lines[self.number & 1, :, _HEAD : _HEAD + nbytes].copy()

    def _wait(self, start: int, number: int) -> None:
        memory, looks, pause, passed = self._words, 0, _PAUSE, 0.0
        rank = self._sets[number & 1].index(start)
        left = self._sets[0][rank] + _LEFT
        while memory[start] < number:
            looks += 1
            if looks > self._yields:
                if memory[left] and memory[start] < number:  # it came to no meeting in between
                    error = in_vain(rank, self._comm.rank)
                    self.broken = error.args
                    raise error
                self._comm.Iprobe()
                time.sleep(pause)
                passed += pause
                pause = min(_LONGEST, 1.2 * pause)
                if passed > _LONG:
                    self._late(passed)
            elif looks > _SPINS:
                os.sched_yield()

    def _late(self, passed: float) -> None:
        try:
            self._roll.late(passed)
        except PeerError as error:
            self.broken = error.args
            raise

    def gone(self, begun: int) -> int | None:
        """A rank that left before it had begun so many things by messages."""
        for rank, start in enumerate(self._sets[0]):
            if 0 < self._words[start + _LEFT] <= begun:
                return rank
        return None

    def leave(self, begun: int = 0, word: int = _LEFT) -> None:
        """Say that this rank comes no more, and how many things it began by messages."""
        self._words[self._sets[0][self._comm.rank] + word] = begun + 1
