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
from dataclasses import dataclass
from typing import Protocol

from graycube.fourier.legs import AnyLeg, Blocks, Call, CrossingLeg
from graycube.run.agreement import Reduction
from graycube.run.mpi import Comm, private
from graycube.run.post import post
from graycube.run.windows import Windows, windows

Words = tuple[int, int]
"""The digest of what a rank does."""


@dataclass(frozen=True, slots=True, eq=False)
class Handover:
    """What happens between two legs; see the rules."""

    made: Blocks | None
    pack: Callable[[Blocks], Call] | None
    cross: Callable[[Words], bool]
    leg: AnyLeg
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

    def crossing(self, leg: CrossingLeg, made: Blocks, number: int) -> Handover:
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

    def crossing(self, leg: CrossingLeg, made: Blocks, number: int) -> Handover:
        """Into the buffer whose turn it will be, and out of all of it."""
        shared = self._shared
        buffer = shared.buffers[shared.turn + number & 1]
        own, seen = leg.among(buffer, made, shared.comm.size)
        return Handover(own, None, self.agreed, leg, seen)


class ByMessages:
    """Blocks are sent as letters.

    >>> ByMessages.__mro__[-1].__name__
    'object'
    """

    def __init__(self, comm: Comm, nbytes: int) -> None:
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

    def crossing(self, leg: CrossingLeg, made: Blocks, number: int) -> Handover:
        """As letters."""
        mail = leg.posted(self._post, made)

        def cross(words: Words) -> bool:
            if number == 0 and not self.agreed(words):
                return False
            mail.send()
            return True

        return Handover(mail.made, mail.pack, cross, mail.leg, mail.seen)
