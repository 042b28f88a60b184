"""A script bound to a communicator and to arrays: plan once, run many.

The messages of all rounds go by memory or by MPI (:mod:`graycube.run.rounds`). What copies
their rows is made once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from types import EllipsisType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.run.agreement import no_way_back
from graycube.run.channels import Channels
from graycube.run.mpi import freed_with, private
from graycube.run.rounds import Copy, Handed, Item, Mailed, Trade, room_for
from graycube.run.script import Bank, Message, Part, Round, Rows, Script
from graycube.run.stores import in_bulk
from graycube.run.together import Between

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm, Prequest, Request

_Banks = dict[Bank, NDArray[Any]]
_Rows = Rows | EllipsisType
_Copying = Callable[[_Banks, Message, NDArray[np.uint8]], Copy]
_WORDS = (np.complex128, np.uint64, np.uint32, np.uint16, np.uint8)  # the widest that fits


class _Turn(NamedTuple):
    """Messages, and rows that stay: these are copied while the messages are under way."""

    number: int
    messages: Trade
    kept: Sequence[Copy]


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
        word: int = 0,
        between: Between | None = None,
    ) -> None:
        self._known = known = private(comm)
        self.block, self.result = block, result
        self._name, self._comm, self._roll = name, known.comm, known.roll
        self._between, self._script, self._word = between, script, word
        self._at = at = [0]  # the round that is carried out
        self._no_way_back = no_way_back(lambda: f"round {at[0]} of {name}")
        live = block.flags.c_contiguous and not np.may_share_memory(block, result)
        source = block if live else np.empty(block.shape, block.dtype)
        target = result if result.flags.c_contiguous else np.empty(result.shape, result.dtype)
        self._load = None if live else (source, block)
        self._store = None if target is result else (result, target)
        self._banks, self._target = _banks(script, source, target), target
        self._spare = self._banks[Bank.SPARE].view(np.uint8).view(target.dtype)
        self._steps = range(script.in_step - 1)
        self._meeting: Request | None = None
        self._rounds: list[_Turn] = []
        self._channels: Channels | None = None
        self._requests = freed_with(self, (), known)

    @cached_property
    def room(self) -> int:
        """The bytes of an outbox that has what leaves at a time."""
        rounds = (self._items(r.sends, _gathering) for r in self._script.rounds)
        return max(map(room_for, rounds), default=0)

    def through(self, channels: Channels | None) -> None:
        """Send the messages by memory, or else by MPI.

        >>> def program(execution, comm):  # all ranks alike
        ...     through = channels(comm)
        ...     if through is not None and through.reserve(execution.room):
        ...         execution.through(through)
        """
        if self._rounds and channels is self._channels:
            return
        self._rounds, self._channels = [], channels
        script, alone = self._script, self._between is None
        known_rounds = {r.number: r for r in script.rounds}
        # who has nothing to do meets the others
        numbers = [*(range(script.in_step) or known_rounds)]
        if not (alone and numbers):
            numbers = [-1, *numbers]
        requests: list[Prequest] = []
        kept = [*self._staying(script.kept)]
        for number in numbers:
            r = known_rounds.get(number, Round(number, (), ()))
            going = self._items(r.sends, _gathering)
            # with work between the rounds, what comes takes the place of what leaves
            coming = self._items(r.receives, _scattering, apart=not alone)
            messages: Trade
            if channels is None:
                messages = Mailed(self._known, going, coming)
                requests += messages.requests
            else:
                messages = Handed(channels, going, coming, self._word)
            self._rounds.append(_Turn(number, messages, kept))
            kept = []
        self._requests()
        self._requests = freed_with(self, requests, self._known)

    def run(self) -> NDArray[Any]:
        """Carry the script out on what is in the block now; collective."""
        if not self._requests.alive:
            raise InvalidValueError(
                f"{self._name!r} was freed",
                "its requests are gone, by free() or with its communicator",
                "bind it again",
            )
        with self._no_way_back:
            if not self._rounds:
                self.through(None)
            self._roll.begin()
            if self._load is not None:
                np.copyto(*self._load)
            for number, messages, kept in self._rounds:
                self._at[0] = number
                messages.gather()
                if self._meeting is not None:
                    self._roll.wait(self._meeting.Test, data=True)
                    self._meeting = None
                messages.start()
                for copy in kept:
                    copy()
                messages.finish()
                if number in self._steps:
                    self._meeting = self._comm.Ibarrier()
                if self._between is not None:
                    self._between(number, self._target[None], [self._spare])
            if self._store is not None:
                np.copyto(*self._store)
        return self.result

    def free(self) -> None:
        """Give the requests back; :meth:`run` cannot be called any more."""
        self._requests()

    def _staying(self, kept: Sequence[tuple[Part, Part]]) -> Iterator[Copy]:
        for source, target in kept:
            given, made = self._banks[source.bank], self._banks[target.bank]
            if not isinstance(target.rows, slice):
                given, made = _as_items(given), _as_items(made)
            yield _copy(made, target.rows, given, source.rows)

    def _items(
        self, messages: Sequence[Message], copying: _Copying, *, apart: bool = False
    ) -> list[Item]:
        """The messages, in an order in which both of a pair turn to each other."""
        banks, own = self._banks, self._comm.rank
        width = banks[Bank.BLOCK].nbytes // self._script.rows
        return [
            Item(
                message.peer,
                message.count * width,
                partial(copying, banks, message),
                None if apart else _stretch(banks, message),
            )
            for message in sorted(messages, key=lambda message: message.peer ^ own)
        ]


def _stretch(banks: _Banks, message: Message) -> NDArray[np.uint8] | None:
    """The bytes of a message where they are, if its rows follow each other."""
    first = message.parts[0]
    if len(message.parts) > 1 or not isinstance(first.rows, slice):
        return None
    return banks[first.bank][first.rows].reshape(-1).view(np.uint8)


def _gathering(banks: _Banks, message: Message, room: NDArray[np.uint8]) -> Copy:
    """What copies a message out of its rows."""
    return _each(
        _copy(place, ..., bank, rows) for bank, rows, place in _placed(banks, message, room)
    )


def _scattering(banks: _Banks, message: Message, room: NDArray[np.uint8]) -> Copy:
    """What copies a message into its rows."""
    return _each(
        _copy(bank, rows, place, ...) for bank, rows, place in _placed(banks, message, room)
    )


def _each(copies: Iterable[Copy]) -> Copy:
    made = [*copies]
    return made[0] if len(made) == 1 else lambda: [copy() for copy in made]


def _copy(made: NDArray[Any], put: _Rows, given: NDArray[Any], taken: _Rows) -> Copy:
    """What copies rows to rows."""
    if isinstance(put, np.ndarray):
        return lambda: made.__setitem__(put, given[taken])
    if isinstance(taken, np.ndarray):
        # "clip" spares a copy; the rows are in range
        return partial(np.take, given, taken, axis=0, out=made[put], mode="clip")
    return in_bulk(made[put], given[taken])


def _placed(
    banks: _Banks, message: Message, room: NDArray[np.uint8]
) -> Iterator[tuple[NDArray[Any], Rows, NDArray[Any]]]:
    """Which rows of which bank are where in some bytes."""
    start, width = 0, room.nbytes // message.count
    for part in message.parts:
        bank = banks[part.bank]
        end = start + part.count * width
        place = room[start:end].view(bank.dtype).reshape(part.count, *bank.shape[1:])
        if not isinstance(part.rows, slice):
            bank, place = _as_items(bank), _as_items(place)
        yield bank, part.rows, place
        start = end


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
