"""Who of a communicator has left it, and who waits.

Rules.

1. A rank whose program ends says so in each communicator, and how many things it had begun
   there. Who waits in a later one waits in vain, and raises an error. Who left after it took
   part in this one is not missed.
2. Ranks that share memory leave that word there (:mod:`graycube.run.meeting`). Others send it
   to some neighbours; who then waits in vain tells its own, so that all who wait hear of it.
3. Who has waited for a while tells where. If two ranks wait for each other, each in another
   communicator, or one for data and one for what the other says, both raise an error. After
   ``GRAYCUBE_PATIENCE`` seconds the first rank that waits says on stderr in which call, and
   for whom.
4. Nothing of this is looked at before a wait has taken some milliseconds, or a second where
   data are under way. What is sent is a few bytes, which nobody has to receive, with tags of
   their own. So all receives name a tag.
5. A process that is forked from a rank has its communicators and its shared memory, but is no
   rank: what it begins there raises an error before others take it for what the rank says.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

import numpy as np

from graycube.errors import PeerError
from graycube.run.waiting import complain, crossing, forked, in_vain, patience, unlike, wait

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from graycube.run.meeting import Meeting

DATA = 0
"""The tag of messages with data, or the first of such tags."""
_LEFT, _LATE = 32767, 32766  # MPI need not have larger ones
_TELLS = 2.0  # seconds, before a rank tells that it waits; twice as many the next time
_ALL = 32  # so many ranks hear of everybody
_ALONE, _DATA_COME = 1, 2  # flags
_Told = tuple[int, int]  # the place of a rank that waits, and flags


class Roll:
    """Who of a communicator has left it, and who waits in which call of it.

    ``begun`` is how many things a rank began by messages; ``meeting`` counts the others.

    >>> class Alone:
    ...     rank, size = 0, 1
    >>> roll = Roll(Alone)
    >>> roll.begin()
    >>> roll.place
    1
    """

    def __init__(self, comm: Any, library: Any = None) -> None:  # noqa: ANN401 - MPI
        self.comm, self.begun = comm, 0
        self.meeting: Meeting | None = None
        self._broken: tuple[str, ...] | None = None
        self._left, self._late = dict[int, int](), dict[int, _Told]()
        self._tells, self._told, self._at = _TELLS, list[Any](), -1
        self._process, self._library = os.getpid(), library
        if library is not None:
            self._word, self._byte, self._over = (
                np.zeros(2, np.int64),
                library.BYTE,
                library.Is_finalized,
            )
            steps = (1 << k for k in range((comm.size - 1).bit_length()))
            near = {(comm.rank + way * step) % comm.size for step in steps for way in (1, -1)}
            self._near = sorted(near - {comm.rank})

    @property
    def place(self) -> int:
        """How many things were begun; the same on all ranks of a correct program."""
        return self.begun + (0 if self.meeting is None else self.meeting.number)

    def begin(self) -> None:
        """Begin something in which ranks wait for messages; collective."""
        if self._broken is not None:
            self.leave()  # what others begin after this would wait for ever
            raise PeerError(*self._broken)
        self.begun += 1

    def wait(self, done: Callable[[], bool], *, data: bool, moves: bool | None = None) -> None:
        """Wait until messages are here, with data or what the ranks say; or raise an error.

        Data move while ranks look, unless it is said that they do not.
        """
        wait(done, partial(self._look, data=data), moves=data if moves is None else moves)

    def _look(self, passed: float, *, data: bool) -> None:
        if self.meeting is not None:  # and this may be a wait for what comes by memory
            self.comm.Iprobe()  # messages of the program that others wait for still pass
        gone = self._gone()
        if gone is not None:
            if self.meeting is None:
                self._send(_LEFT, (gone, self._left[gone]), self._near)
            if self._at == self.place:
                self._tell(-1)
            self.give_up(in_vain(gone, self.comm.rank))
        self.late(passed, data=data)

    def late(self, passed: float, *, data: bool = False) -> None:
        """Tell others that this rank waits, since so many seconds, and hear of them."""
        own = self.comm.rank
        if self._at != self.place and passed > min(self._tells, patience() / 2):
            self._tells *= 2
            self._tell(self.place, data=data)
        if not self._told:
            return
        error = self._deadlock(data=data)
        if error is not None:
            if self._at != self.place:
                self._tell(self.place, data=data)  # so that the other one raises it too
            self.give_up(error)
        here = {rank for rank, (place, _) in self._late.items() if place >= self.place}
        if passed > patience() and min(here, default=own) >= own:
            missing = {*range(self.comm.size)} - here - {own}
            complain(passed, own, missing if self.comm.size <= _ALL else ())

    def _tell(self, place: int, *, data: bool = False) -> None:
        self._at = place
        flags = _ALONE * (threading.active_count() == 1) + _DATA_COME * data
        first = range(min(_ALL, self.comm.size))
        self._send(_LATE, (place, flags), {*first, *self._near} - {self.comm.rank})

    def _deadlock(self, *, data: bool) -> PeerError | None:
        """The error, if another rank waits for this one."""
        for rank, (place, flags) in self.hear().items():
            if place == self.place and bool(flags & _DATA_COME) != data:
                return unlike(rank, self.comm.rank)
        other = self._crossed() if threading.active_count() == 1 else None
        return None if other is None else crossing(other, self.comm.rank)

    def give_up(self, error: PeerError) -> NoReturn:
        """Raise an error, now and whenever something begins."""
        self._broken = error.args
        if self.meeting is not None:  # no rank can know which of them the others count
            self.meeting.broken = error.args
        raise error

    def leave(self, process: Callable[[], int] = os.getpid, tag: int = _LEFT) -> None:
        """Say that this rank comes no more; a process that was forked from it has no say."""
        if process() != self._process or self._library is None or self._over():
            return
        if not self.comm:  # it was freed
            return
        if self.meeting is not None:
            self.meeting.leave(self.begun)
            return
        self._word[0], self._word[1] = self.comm.rank, self.begun
        for peer in self._near:
            self.comm.Isend([self._word, self._byte], peer, tag).Free()

    def _send(self, tag: int, words: tuple[int, int], peers: Iterable[int]) -> None:
        """A few bytes, which leave at once; they are kept until then at least."""
        self._told.append(word := np.array(words, np.int64))
        for peer in peers:
            self.comm.Isend([word, self._byte], peer, tag).Free()

    def _heard(self, tag: int) -> Iterator[tuple[int, _Told]]:
        """What has come: from which rank, and the words."""
        while (message := self.comm.Improbe(tag=tag)) is not None:
            word, status = np.empty(2, np.int64), self._library.Status()
            message.Recv([word, self._byte], status)
            yield status.source, (int(word[0]), int(word[1]))

    def _gone(self) -> int | None:
        """A rank that left before it began this."""
        if self.meeting is not None:
            return self.meeting.gone(self.begun)
        self._left |= dict(words for _, words in self._heard(_LEFT))
        return next((rank for rank, begun in self._left.items() if begun < self.begun), None)

    def hear(self) -> dict[int, _Told]:
        """Who told that it waits, and where."""
        self._late |= dict(self._heard(_LATE))
        return self._late

    def _crossed(self) -> int | None:
        """A rank that is missed here, and waits for this one in another communicator."""
        for other in _farewells.known():
            if other is self or not other.comm:
                continue
            late = other.hear()
            waiting = [
                r for r, (at, flags) in late.items() if flags & _ALONE and at > other.place
            ]
            for rank in self._ranks_here(other, waiting):
                if rank >= 0 and self._late.get(rank, (-1, 0))[0] < self.place:
                    late.clear()  # they raise it too, and may do something else then
                    return rank
        return None

    def _ranks_here(self, other: "Roll", ranks: list[int]) -> list[int]:
        """The numbers here of ranks there; they are negative where there are none."""
        if not ranks:
            return []
        there, here = other.comm.Get_group(), self.comm.Get_group()
        found = self._library.Group.Translate_ranks(there, ranks, here)
        there.Free()
        here.Free()
        return list(found)


def called(comm: "Intracomm", library: Any) -> Roll:  # noqa: ANN401 - MPI
    """The roll of a communicator that only graycube uses; at exit this rank leaves it.

    >>> def program(comm, library):
    ...     return called(comm, library).place
    """
    roll = Roll(comm, library)
    _farewells.come(roll)
    _before_the_end(library)
    return roll


@lru_cache(maxsize=1)
def _before_the_end(library: Any) -> None:  # noqa: ANN401 - MPI
    """Let a rank that calls MPI's Finalize leave then: that asks what COMM_SELF has first."""

    def leave(_comm: object, _key: int, _value: object) -> None:
        for roll in _farewells.known():
            roll.leave()

    library.COMM_SELF.Set_attr(library.Comm.Create_keyval(delete_fn=leave), None)
    os.register_at_fork(after_in_child=_no_rank)


def _no_rank() -> None:
    """Let a process that was forked begin nothing that ranks do together."""
    for roll in _farewells.known():
        with suppress(PeerError):
            roll.give_up(forked())


class _Farewells:
    """The rolls in which it is said when Python clears its modules that a rank has left.

    That is after all that programs do at exit. Names of modules may be gone by then, so nothing
    that is called uses any.
    """

    def __init__(self) -> None:
        self._known: list[ref[Roll]] = []

    def come(self, roll: Roll) -> None:
        """Remember a roll, and forget those that are over."""
        self._known = [known for known in self._known if known() is not None]
        self._known.append(ref(roll))

    def known(self) -> list[Roll]:
        """Those that there still are."""
        return [roll for known in self._known if (roll := known()) is not None]

    def __del__(self) -> None:
        for known in self._known:
            if (roll := known()) is not None:
                roll.leave()


_farewells = _Farewells()  # no other module may refer to it: it has to go with this one
_here = sys.modules[__name__]  # Python clears only modules that something still refers to
