"""Messages that a rank sends and gets at a time, again and again: by memory, or by MPI.

Either way they are gathered, sent, and put in their places. By memory that is two copies, in
and out of an outbox. By MPI the requests are persistent, and what is one stretch of memory is
sent from where it is, and received where it belongs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from graycube.run.channels import Channels
from graycube.run.mpi import Private, mpi
from graycube.run.roll import DATA

if TYPE_CHECKING:
    from mpi4py.MPI import Prequest

Bytes = NDArray[np.uint8]
Copy = Callable[[], object]
_ALIGNED = 64
"""Bytes of a line of a processor's cache: messages in an outbox begin with one."""


class Item(NamedTuple):
    """A message: whose, how long, and what copies it into or out of some bytes.

    The ``stretch`` are its own bytes, if they are one stretch of memory.
    """

    peer: int
    nbytes: int
    copy: Callable[[Bytes], Copy]
    stretch: Bytes | None = None


class Trade(Protocol):
    """What is sent, and what comes, at a time."""

    def gather(self) -> None:
        """Copy what goes out to where it leaves from."""

    def start(self) -> None:
        """Let it leave."""

    def finish(self) -> None:
        """Wait for what comes, and put it in its places."""


def room_for(items: Iterable[Item]) -> int:
    """The bytes that messages take in an outbox.

    >>> room_for([Item(1, 8, print), Item(2, 100, print)])
    192
    """
    return sum(map(_room, items))


def _room(item: Item) -> int:
    return -(-item.nbytes // _ALIGNED) * _ALIGNED


class Handed:
    """Messages by memory, one to a rank at most. A ``word`` says what they are."""

    def __init__(
        self, through: Channels, going: Sequence[Item], coming: Sequence[Item], word: int
    ) -> None:
        self._through, self._word = through, word
        own, starts = through.comm.rank, accumulate(map(_room, going), initial=0)
        self._items = tuple(zip(starts, going, strict=False))
        self._posted = [(*through.lines(own, item.peer), start) for start, item in self._items]
        self._coming = [
            (*through.lines(item.peer, own), item, dict[int, Copy]()) for item in coming
        ]
        self._out = list[list[Copy]]()  # for either half
        through.trades.add(self)

    def forget(self) -> None:
        """The outboxes are others now."""
        self._out.clear()
        for *_, known in self._coming:
            known.clear()

    def gather(self) -> None:
        """Into the outbox."""
        if not self._items:
            return
        if not self._out:
            self._out = [self._copies(half) for half in (0, 1)]
        for copy in self._out[self._through.open()]:
            copy()

    def _copies(self, half: int) -> list[Copy]:
        through = self._through
        return [
            item.copy(through.outbox(through.comm.rank, half, start, item.nbytes))
            for start, item in self._items
        ]

    def start(self) -> None:
        """Tell who gets it."""
        self._through.post(self._posted, self._word)

    def finish(self) -> None:
        """Out of the outboxes of others."""
        through = self._through
        words = through.words
        for sent, taken, item, known in self._coming:
            count = words[taken] + 1
            if words[sent] < count:
                through.wait(sent, count)
            about = sent + 1 + 2 * (count & 1)
            place, word = words[about], words[about + 1]
            if word != self._word:
                through.refuse(item.peer)
            if place not in known:
                start, half = divmod(place, 2)
                known[place] = item.copy(through.outbox(item.peer, half, start, item.nbytes))
            known[place]()
            words[taken] = count


class Mailed:
    """Messages by MPI. Those of a pair of ranks have tags in their order."""

    def __init__(self, known: Private, going: Sequence[Item], coming: Sequence[Item]) -> None:
        self._roll = known.roll
        self._before, self._after = list[Copy](), list[Copy]()
        comm, request = known.comm, mpi().Prequest
        self._start, self._done = request.Startall, request.Testall
        self.requests = [
            *self._made(comm.Recv_init, coming, self._after),
            *self._made(comm.Send_init, going, self._before),
        ]

    @staticmethod
    def _made(
        init: Callable[..., "Prequest"], items: Sequence[Item], copies: list[Copy]
    ) -> "Iterator[Prequest]":
        peers = [item.peer for item in items]
        for k, item in enumerate(items):
            buffer = item.stretch
            if buffer is None:
                buffer = np.empty(item.nbytes, np.uint8)
                copies.append(item.copy(buffer))
            yield init([buffer, mpi().BYTE], item.peer, DATA + peers[:k].count(item.peer))

    def gather(self) -> None:
        """Into buffers, where it is not one stretch of memory."""
        for copy in self._before:
            copy()

    def start(self) -> None:
        """Send and receive."""
        self._start(self.requests)

    def finish(self) -> None:
        """Wait, and copy out of buffers."""
        if not self._done(self.requests):
            self._roll.wait(partial(self._done, self.requests), data=True)
        for copy in self._after:
            copy()
