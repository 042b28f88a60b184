"""How blocks come to other nodes between the legs of a transform: by memory, or by messages.

Rule: where ranks ``cross``, that also tells whether all do the same. By memory it is what
their meeting says, each time. By messages they are asked when they begin, without waiting, and
have to answer before the first letter leaves.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from graycube.fourier.legs import AnyLeg, Blocks, CrossingLeg, Handover
from graycube.run.agreement import Reduction
from graycube.run.mpi import Comm, private
from graycube.run.post import post
from graycube.run.stores import clearing
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

    def state(self, written: Hashable) -> tuple[int, int]:
        """How often the buffers grew, and which one is written to at first."""
        return self._shared.grown, self._shared.turn_of(written)

    def begin(self, words: Words) -> None:
        """Nothing: they meet."""

    def agreed(self, words: Words) -> bool:
        """What the ranks say in a meeting."""
        return self._shared.meet((0, *words))

    def crossing(
        self, leg: CrossingLeg, made: Blocks, turn: int, by: Sequence[AnyLeg]
    ) -> Handover:
        """Into the buffer whose turn it is, and out of all of it."""
        ranks = self._shared.comm.size
        found = leg.among(self._shared.buffers[turn & 1], made, ranks, by)
        return (
            found if found.made is None else replace(found, before=clearing(found.made, ranks))
        )

    def cross(self, handover: Handover, number: int, words: Words) -> bool:
        """Meet, and tell whether all ranks do the same; collective."""
        written = handover.written if number == 0 else None
        return self._shared.exchange((0, *words), written, handover.read)


class ByMessages:
    """Blocks are sent as letters.

    >>> ByMessages.__mro__[-1].__name__
    'object'
    """

    def __init__(self, comm: Comm, nbytes: int) -> None:
        self._known, self._post = private(comm), post(comm)
        self._post.reserve(nbytes)
        self._shared = windows(comm)  # there may be some, but no room for blocks
        self._asked: Reduction | None = None

    def state(self, _written: Hashable) -> tuple[int, int]:
        """How often the buffers grew."""
        return self._post.grown, 0

    def begin(self, words: Words) -> None:
        """Ask whether all ranks do the same."""
        if self._shared is None:
            self._asked = Reduction(self._known, words)

    def agreed(self, words: Words) -> bool:
        """Wait for the answer."""
        if self._shared is not None:
            return self._shared.meet((0, *words))
        return self._asked is None or self._asked.alike()

    def crossing(
        self, leg: CrossingLeg, made: Blocks, _turn: int, _by: Sequence[AnyLeg]
    ) -> Handover:
        """As letters."""
        return leg.posted(self._post, made)

    def cross(self, handover: Handover, number: int, words: Words) -> bool:
        """Send them, if all ranks do the same."""
        if number == 0 and not self.agreed(words):
            return False
        if handover.send is not None:
            handover.send()
        return True


class Alone:
    """There is nobody to bring anything to: all nodes are here, and have one block.

    >>> Alone().agreed((0, 0))
    True
    """

    @staticmethod
    def state(_written: Hashable) -> tuple[int, int]:
        """Always the same."""
        return 0, 0

    def begin(self, words: Words) -> None:
        """Nothing."""

    def agreed(self, _words: Words) -> bool:
        """With itself."""
        return True

    def crossing(
        self, leg: CrossingLeg, made: Blocks, _turn: int, _by: Sequence[AnyLeg]
    ) -> Handover:
        """What the leg reads is here."""
        return Handover(None, leg, made)

    def cross(self, _handover: Handover, _number: int, _words: Words) -> bool:
        """Nothing has to come."""
        return True


Carrier = ByMemory | ByMessages | Alone
"""One way to bring blocks to other nodes.

Its ``state``, for what is written at first, changes whenever crossings have to be made anew.
One begins by saying what the rank is about to do; crossings are numbered, and take turns.
"""


def carrier(comm: Comm, legs: Sequence[AnyLeg], payload: int) -> Carrier | None:
    """How legs are carried out, where ranks are agreed about them; collective.

    None where letters cannot bring what they read: that is not on a map of addresses.

    >>> def program(comm, legs):  # on all ranks
    ...     return carrier(comm, legs, payload=1)
    """
    shared = windows(comm)
    if shared is not None and shared.reserve(room(legs, comm.size, payload)):
        return ByMemory(shared)
    if not all(leg.crosses.by_post for leg in legs if leg.crosses is not None):
        return None
    return ByMessages(comm, room(legs, 1, payload))


def room(legs: Sequence[AnyLeg], ranks: int, payload: int) -> int:
    """The bytes of a buffer that legs exchange through.

    >>> import numpy as np
    >>> from graycube.fourier.carried import relaid_legs
    >>> from graycube.layout import Layout
    >>> layout, target = Layout.cyclic(4, 1), Layout.consecutive(4, 1)
    >>> legs = relaid_legs(layout, target, np.dtype(complex), range(1), first=True)
    >>> room(legs, ranks=2, payload=3)
    768
    """
    crossings = (leg.crosses for leg in legs if leg.crosses is not None)
    return payload * max((leg.room(ranks) for leg in crossings), default=0)
