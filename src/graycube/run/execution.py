"""A script bound to a communicator and to arrays: plan once, run many.

The requests are persistent, and the buffers that pack scattered rows are made once. Rows that
follow each other are sent from where they are and received where they belong, without a copy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.run.agreement import no_way_back
from graycube.run.mpi import freed_with, mpi, private
from graycube.run.roll import DATA
from graycube.run.script import Bank, Message, Part, Round, Rows, Script
from graycube.run.together import Between

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm, Prequest, Request

_Banks = dict[Bank, NDArray[Any]]
_WORDS = (np.complex128, np.uint64, np.uint32, np.uint16, np.uint8)  # the widest that fits


@dataclass(frozen=True, slots=True, eq=False)
class _Packed:
    """A message with a buffer of its own: which rows of which bank are where in it."""

    buffer: NDArray[Any]
    parts: tuple[tuple[NDArray[Any], Rows, NDArray[Any]], ...]

    def gather(self) -> None:
        for bank, rows, place in self.parts:
            if isinstance(rows, slice):
                place[...] = bank[rows]
            else:
                # "clip" spares a copy; the rows are in range
                np.take(bank, rows, axis=0, out=place, mode="clip")

    def scatter(self) -> None:
        for bank, rows, place in self.parts:
            bank[rows] = place


@dataclass(frozen=True, slots=True, eq=False)
class _BoundRound:
    number: int
    before: tuple[_Packed, ...]
    requests: "tuple[Prequest, ...]"
    after: tuple[_Packed, ...]


class Execution:
    """A script ready to run, on one block and one result, as often as wanted.

    Where one of them is not C-contiguous, or they overlap, copies are made on the way. With
    work ``between`` the rounds all rows are kept first, and what comes may replace what leaves.
    Where a script goes in step, rows are gathered while the ranks meet.

    >>> def program(script, comm, block, result):  # on all ranks, once they are agreed
    ...     execution = Execution(script, comm, block, result, "a test")
    ...     for _ in range(100):
    ...         block += execution.run()
    ...     execution.free()
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what to do, on what, and where
        self,
        script: Script,
        comm: "Intracomm",
        block: NDArray[Any],
        result: NDArray[Any],
        name: str,
        between: Between | None = None,
    ) -> None:
        known = private(comm)
        self.result, self._name, self._comm, self._roll = result, name, known.comm, known.roll
        self._at, self._between = 0, between
        live = block.flags.c_contiguous and not np.may_share_memory(block, result)
        source = block if live else np.empty(block.shape, block.dtype)
        target = result if result.flags.c_contiguous else np.empty(result.shape, result.dtype)
        self._load = None if live else (source, block)
        self._store = None if target is result else (result, target)
        self._banks, self._target = _banks(script, source, target), target
        self._spare = self._banks[Bank.SPARE].view(np.uint8).view(target.dtype)
        self._kept = [*self._staying(script.kept)]
        known_rounds = {r.number: r for r in script.rounds}
        numbers = (
            range(script.in_step) or known_rounds
        )  # who has nothing to do meets the others
        rounds = (known_rounds.get(k, Round(k, (), ())) for k in numbers)
        self._rounds = [self._prepared(r.number, r.sends, r.receives) for r in rounds]
        self._last = script.in_step - 1
        self._meeting: Request | None = None
        requests = (q for r in self._rounds for q in r.requests)
        self._requests = freed_with(self, requests, known)

    def run(self) -> NDArray[Any]:
        """Carry the script out on what is in the block now; collective."""
        if not self._requests.alive:
            raise InvalidValueError(
                f"{self._name!r} was freed",
                "its requests are gone, by free() or with its communicator",
                "bind it again",
            )
        with no_way_back(self._doing):
            self._roll.begin()
            if self._load is not None:
                np.copyto(*self._load)
            waiting = self._between is None
            if not waiting:
                self._keep()
                self._work(-1)
            for r in self._rounds:
                self._begin(r)
                if waiting:  # while the first messages are under way
                    self._keep()
                    waiting = False
                self._end(r)
            if waiting:
                self._keep()
            if self._store is not None:
                np.copyto(*self._store)
        return self.result

    def _begin(self, r: _BoundRound) -> None:
        self._at = r.number
        for message in r.before:
            message.gather()
        if self._meeting is not None:
            self._roll.wait(self._meeting.Test, data=True)
            self._meeting = None
        mpi().Prequest.Startall(r.requests)

    def _end(self, r: _BoundRound) -> None:
        done = partial(mpi().Prequest.Testall, r.requests)
        self._roll.wait(done, data=True)
        if r.number < self._last:
            self._meeting = self._comm.Ibarrier()
        for message in r.after:
            message.scatter()
        self._work(r.number)

    def free(self) -> None:
        """Give the requests back; :meth:`run` cannot be called any more."""
        self._requests()

    def _doing(self) -> str:
        return f"round {self._at} of {self._name}"

    def _work(self, number: int) -> None:
        if self._between is not None:
            self._between(number, self._target[None], [self._spare])

    def _keep(self) -> None:
        for given, taken, made, put in self._kept:
            made[put] = given[taken]

    def _staying(
        self, kept: Sequence[tuple[Part, Part]]
    ) -> Iterator[tuple[NDArray[Any], Rows, NDArray[Any], Rows]]:
        for source, target in kept:
            given, made = self._banks[source.bank], self._banks[target.bank]
            if not isinstance(target.rows, slice):
                given, made = _as_items(given), _as_items(made)
            yield given, source.rows, made, target.rows

    def _prepared(
        self, number: int, sends: Sequence[Message], receives: Sequence[Message]
    ) -> _BoundRound:
        def in_pairs(message: Message) -> int:  # so that both of a pair turn to each other
            return message.peer ^ self._comm.rank

        sends, receives = sorted(sends, key=in_pairs), sorted(receives, key=in_pairs)
        outgoing = [*map(self._buffered, sends)]
        apart = self._between is not None  # what comes takes the place of what leaves
        incoming = [self._buffered(message, apart=apart) for message in receives]
        requests = [
            *self._made(self._comm.Recv_init, receives, incoming),
            *self._made(self._comm.Send_init, sends, outgoing),
        ]
        before = tuple(p for p in outgoing if p.parts)
        after = tuple(p for p in incoming if p.parts)
        return _BoundRound(number, before, tuple(requests), after)

    def _buffered(self, message: Message, *, apart: bool = False) -> _Packed:
        """The message where it is, if its rows follow each other, or with a buffer."""
        first = message.parts[0]
        bank = self._banks[first.bank]
        if len(message.parts) == 1 and isinstance(first.rows, slice) and not apart:
            return _Packed(bank[first.rows], ())
        buffer = np.empty((message.count, *bank.shape[1:]), bank.dtype)
        return _Packed(buffer, tuple(self._placed(message, buffer)))

    def _placed(
        self, message: Message, buffer: NDArray[Any]
    ) -> Iterator[tuple[NDArray[Any], Rows, NDArray[Any]]]:
        start = 0
        for part in message.parts:
            bank, place = self._banks[part.bank], buffer[start : start + part.count]
            if not isinstance(part.rows, slice):
                bank, place = _as_items(bank), _as_items(place)
            yield bank, part.rows, place
            start += part.count

    @staticmethod
    def _made(
        init: Any,  # noqa: ANN401 - a method of a communicator
        messages: Sequence[Message],
        packed: Sequence[_Packed],
    ) -> "Iterator[Prequest]":
        for message, ready in zip(messages, packed, strict=True):
            raw = ready.buffer.reshape(-1).view(np.uint8)
            yield init([raw, mpi().BYTE], message.peer, DATA)


def _as_items(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows of several words as single items, which NumPy puts in place twice as fast."""
    if rows.ndim == 1 or not rows.shape[1]:
        return rows
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))[:, 0]


def _banks(script: Script, block: NDArray[Any], result: NDArray[Any]) -> _Banks:
    width = block.nbytes // script.rows
    rows = result.nbytes // width if width else script.rows  # copies may come or go
    given, made = in_words(block, script.rows), in_words(result, rows)
    spare = np.empty((script.spare, *given.shape[1:]), given.dtype)
    return {Bank.BLOCK: given, Bank.RESULT: made, Bank.SPARE: spare}


def in_words(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """The bytes of an array as rows of the widest words that fit.

    >>> in_words(np.zeros((2, 6), np.int8), 4).dtype, in_words(np.zeros(6), 2).shape
    (dtype('uint8'), (2, 3))
    """
    width = array.nbytes // rows
    word = next(word for word in _WORDS if width % np.dtype(word).itemsize == 0)
    words = array.reshape(-1).view(np.uint8).view(word)
    return words if width == words.itemsize else words.reshape(rows, width // words.itemsize)
