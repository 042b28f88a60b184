"""A transform as legs, each from one array into the next, with what is exchanged in between.

Rules.

1. A leg reads its lines where they are, if they have a stride there: in the array of the
   caller, or in the blocks of all nodes, which the ranks of one machine see. It writes into the
   place that the next leg reads. So an exchange costs no pass over the data of its own. Where
   it can be, what all see of a large one is the whole array in order: who brings lines back
   writes to where it read them (:mod:`graycube.run.windows`), and what comes home is in one
   piece.
2. What a leg does after that it does in place: more transforms, and factors. Scaling is part of
   the transforms, pass by pass, so that nothing overflows on the way; FFTW's come without.
3. Legs are made for one shape and dtype. They become calls once the arrays are known.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graycube.fourier.works import Copy, LineWork
from graycube.run.post import Post

Blocks = NDArray[Any]
Call = Callable[[], object]
Todo = LineWork | Copy | Call
LARGE = 1 << 22
"""Bytes of an array from which on it lies in order.

Two smaller ones stay in the caches, and where processors share none, a store to what another
one wrote takes longer than going through both in turn (:mod:`graycube.run.stores`).
"""


class AnyLeg(Protocol):
    """What a carrier asks of a leg.

    >>> AnyLeg.__name__
    'AnyLeg'
    """

    @property
    def layout(self) -> Any:  # noqa: ANN401 - of either kind
        """Where everything is afterwards."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """What it is then."""

    @property
    def rows(self) -> int:
        """How many elements the block of this node has then."""

    @property
    def crosses(self) -> "CrossingLeg | None":
        """The leg itself, if it reads what other nodes made."""

    @property
    def stays(self) -> bool:
        """Whether the target may be the source itself."""

    def todo(self, source: Blocks, target: Blocks) -> Iterator[Todo]:
        """What is called to read the source; the target is contiguous, or ``among`` others."""

    def then(self, target: Blocks) -> Iterator[Todo]:
        """What is called after that, in place."""


class CrossingLeg(AnyLeg, Protocol):
    """What a carrier asks of a leg that reads what other nodes made.

    >>> CrossingLeg.__mro__[1].__name__
    'AnyLeg'
    """

    @property
    def by_post(self) -> bool:
        """Whether messages can bring what it reads."""

    def room(self, ranks: int) -> int:
        """The bytes for each payload of the memory of so many ranks, or of one for messages."""

    def written(self, by: Sequence[AnyLeg], payload: int) -> Hashable:
        """What ranks write by some legs, if it is known that one alone has each part."""

    def among(
        self, buffer: Blocks, made: Blocks, ranks: int, by: Sequence[AnyLeg]
    ) -> "Handover":
        """Where this rank writes what it made, if it does, by some legs, and what it reads."""

    def posted(self, post: Post, made: Blocks) -> "Handover":
        """The same by messages."""


@dataclass(frozen=True, slots=True, eq=False)
class Handover:
    """How what one leg makes comes to the next one.

    The leg before writes into ``made``, if that is there, else where it likes, and then what
    ``pack`` gives is called. After ``send``, if there are messages, the leg, perhaps with
    another order of what it fetches, reads ``seen``. What is to be done ``before`` anything is
    written to ``made`` is called first. Ranks write what is ``written`` and read what is
    ``read``, each its part of it alone, unless these are None. If the leg ``owns`` what it
    reads, it may work there in place.
    """

    made: Blocks | None
    leg: AnyLeg
    seen: Blocks
    pack: Callable[[Blocks], Todo] | None = None
    send: Callable[[], None] | None = None
    before: tuple[Call, ...] = ()
    written: Hashable = None
    read: Hashable = None
    owns: bool = False


def parted(nbytes: int, *how: Hashable) -> Hashable:
    """How ranks part a large array; None for others.

    >>> parted(LARGE - 1, "in rows"), parted(LARGE, "in rows")
    (None, (4194304, 'in rows'))
    """
    return _as_one(nbytes, *how) if nbytes >= LARGE else None


@lru_cache(maxsize=256)
def _as_one(*how: Hashable) -> Hashable:
    """Mostly one object for the same: so to compare them is quick."""
    return how
