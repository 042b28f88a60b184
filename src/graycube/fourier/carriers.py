"""How what a leg makes comes to the nodes that read it: by memory, or by messages.

Rules.

1. In front of a leg that reads the blocks of others there is a crossing, with a handover.
2. There the ranks ``cross``, which also tells whether all do the same: by memory that is what
   their meeting says, each time. By messages they are asked when they begin, without waiting,
   and have to answer before the first letter leaves.
"""

from graycube.fourier.legs import Blocks, CrossingLeg, Handover
from graycube.run.agreement import Reduction
from graycube.run.mpi import Comm, private
from graycube.run.post import post
from graycube.run.windows import Windows, windows

Words = tuple[int, int]
"""The digest of what a rank does."""


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
        return Handover(own, leg, seen)

    def cross(self, _handover: Handover, _number: int, words: Words) -> bool:
        """Meet, and tell whether all ranks do the same; collective."""
        return self.agreed(words)


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

    def crossing(self, leg: CrossingLeg, made: Blocks, _number: int) -> Handover:
        """As letters."""
        return leg.posted(self._post, made)

    def cross(self, handover: Handover, number: int, words: Words) -> bool:
        """Send them, if all ranks do the same."""
        if number == 0 and not self.agreed(words):
            return False
        if handover.send is not None:
            handover.send()
        return True


Carrier = ByMemory | ByMessages
"""One way to bring blocks to other nodes.

Its ``state`` changes whenever crossings have to be made anew. One begins by saying what the
rank is about to do; crossings are numbered.
"""
