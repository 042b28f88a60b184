"""How what a leg makes comes to the nodes that read it: by memory, or by messages.

Rules.

1. In front of a leg that reads the blocks of others there is a crossing. The leg before writes
   into ``made``, if that is there, else where it likes, and then ``pack`` is called.
2. Then the ranks ``cross``, which also tells whether all do the same: by memory that is what
   their meeting says, each time. By messages they are asked when they begin, without waiting,
   and have to answer before the first letter leaves.
3. The leg, perhaps with another order of what it fetches, reads ``seen``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from graycube.fourier.legs import Blocks, Call, LineLeg
from graycube.run.agreement import Reduction
from graycube.run.fetch import Fetch
from graycube.run.letters import letters
from graycube.run.mpi import private
from graycube.run.post import post
from graycube.run.windows import Windows, windows

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

Words = tuple[int, int]
"""The digest of what a rank does."""


@dataclass(frozen=True, slots=True, eq=False)
class Handover:
    """What happens between two legs; see the rules."""

    made: Blocks | None
    pack: Callable[[Blocks], Call] | None
    cross: Callable[[Words], bool]
    leg: LineLeg
    seen: Blocks


class Carrier(Protocol):
    """One way to bring blocks to other nodes.

    >>> Carrier.__name__
    'Carrier'
    """

    @property
    def state(self) -> tuple[int, int]:
        """What changes whenever crossings have to be made anew."""

    def begin(self, words: Words) -> None:
        """Say what this rank is about to do."""

    def agreed(self, words: Words) -> bool:
        """Whether all ranks do the same, where nothing crosses; collective."""

    def crossing(self, leg: LineLeg, made: Blocks, number: int) -> Handover:
        """That in front of a leg, whose rank makes a block like this; they are numbered."""


class ByMemory:
    """Blocks are written where all ranks see them.

    >>> ByMemory.__mro__[-1].__name__
    'object'
    """

    def __init__(self, shared: Windows) -> None:
        self._shared = shared

    @property
    def state(self) -> tuple[int, int]:
        """How often the buffers grew, and whose turn it is."""
        return self._shared.grown, self._shared.turn

    def begin(self, words: Words) -> None:
        """Nothing: they meet."""

    def agreed(self, words: Words) -> bool:
        """What the ranks say in a meeting."""
        return self._shared.meet((0, *words))

    def crossing(self, leg: LineLeg, made: Blocks, number: int) -> Handover:
        """Into the buffer whose turn it will be, and out of all of it."""
        shared, position = self._shared, _fetched(leg).position
        buffer = shared.buffers[shared.turn + number & 1]
        own = buffer[position * made.nbytes :][: made.nbytes]
        seen = buffer[: shared.comm.size * made.nbytes].view(made.dtype)
        return Handover(
            own.view(made.dtype).reshape(made.shape),
            None,
            self.agreed,
            leg,
            seen.reshape(-1, *made.shape[1:]),
        )


class ByMessages:
    """Blocks are sent as letters.

    >>> ByMessages.__mro__[-1].__name__
    'object'
    """

    def __init__(self, comm: "Intracomm", nbytes: int) -> None:
        self._comm, self._post = private(comm).comm, post(comm)
        self._post.reserve(nbytes)
        self._shared = windows(comm)  # there may be some, but no room for blocks
        self._asked: Reduction | None = None

    @property
    def state(self) -> tuple[int, int]:
        """How often the buffers grew."""
        return self._post.grown, 0

    def begin(self, words: Words) -> None:
        """Ask whether all ranks do the same."""
        if self._shared is None:
            self._asked = Reduction(self._comm, words)

    def agreed(self, words: Words) -> bool:
        """Wait for the answer."""
        if self._shared is not None:
            return self._shared.meet((0, *words))
        return self._asked is None or self._asked.alike()

    def crossing(self, leg: LineLeg, made: Blocks, number: int) -> Handover:
        """As letters, which are written where they leave from if they are in order."""
        fetched, own = _fetched(leg), self._post
        if fetched.move is None:
            raise AssertionError(leg)
        mail = letters(fetched.move, self._comm.size.bit_length() - 1, self._comm.rank)
        sending = own.mailing(mail, made.nbytes)
        leaving = own.leaving[: made.nbytes].view(made.dtype).reshape(made.shape)

        def cross(words: Words) -> bool:
            if number == 0 and not self.agreed(words):
                return False
            sending.send()
            return True

        return Handover(
            leaving if mail.as_they_are else None,
            None if mail.as_they_are else partial(_packing, mail.packing, leaving),
            cross,
            replace(leg, fetched=mail.fetch),
            own.arrived[: made.nbytes].view(made.dtype).reshape(made.shape),
        )


def _fetched(leg: LineLeg) -> Fetch:
    if leg.fetched is None:
        raise AssertionError(leg)
    return leg.fetched


def _packing(packing: Fetch, leaving: Blocks, block: Blocks) -> Call:
    """What puts the rows of a block in the order of letters."""
    shape = (packing.count, block.size // packing.count)
    rows, sent = block.reshape(shape), leaving.reshape(shape)
    seen = packing.view(rows)
    if seen is None:
        return partial(packing.into, sent, rows)
    return partial(np.copyto, sent.reshape(seen.shape), seen)
