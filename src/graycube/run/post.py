"""Two buffers of a communicator through which its ranks send letters to each other.

Rules.

1. A rank writes its letters into one buffer, one after the other, and all are under way at
   once; they come into the other one. Then the first is free again, and so is the other once
   its rank has read it.
2. The buffers are as large as the largest block that was sent, and all transforms of a
   communicator share them. Each rank makes its own when it needs them: that takes no agreement.
   There is a third one for those who put what came in order.
3. The requests of the latest letters are kept, for they are sent again and again.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.run.mpi import Private, freed_with, mpi, private
from graycube.run.roll import DATA

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_Buffer = NDArray[Any]
_Letter = tuple[int, _Buffer]
Sizes = tuple[tuple[int, int], ...]
"""A node, and the bytes of the letter that goes to it or comes from it."""
_KEPT = 16
"""So many rounds of letters are remembered."""


class Post:
    """The buffers of a rank, and the letters that were sent through them; see :func:`post`."""

    def __init__(self, known: Private) -> None:
        self.comm, self._known = known.comm, known
        self.grown = 0
        self.leaving = self.arrived = self._opened = np.empty(0, np.uint8)

    @property
    def opened(self) -> _Buffer:
        """The buffer for what came, in order."""
        if len(self._opened) < len(self.arrived):
            self._opened = np.empty_like(self.arrived)
        return self._opened

    def reserve(self, nbytes: int) -> None:
        """Have room for so many bytes in each buffer."""
        if nbytes > len(self.leaving):
            self.leaving, self.arrived = np.empty(nbytes, np.uint8), np.empty(nbytes, np.uint8)
            self._known.kept.pop("mailings", None)
            self.grown += 1

    def mailing(self, going: Sizes, coming: Sizes) -> "Mailing":
        """What sends letters that lie one after the other, and gets others."""

        def made() -> Mailing:
            leaving, arrived = _cut(self.leaving, going), _cut(self.arrived, coming)
            return Mailing(self._known, leaving, arrived)

        return self._known.remembered((going, coming), made, _KEPT, "mailings")


def _cut(buffer: _Buffer, sizes: Sizes) -> list[_Letter]:
    ends = accumulate(size for _, size in sizes)
    return [
        (node, buffer[end - size : end]) for (node, size), end in zip(sizes, ends, strict=True)
    ]


class Mailing:
    """The letters between two buffers, sent again and again."""

    def __init__(
        self, known: Private, leaving: Sequence[_Letter], arriving: Sequence[_Letter]
    ) -> None:
        comm = known.comm

        def in_pairs(peer: _Letter) -> int:  # both of a pair turn to each other
            return peer[0] ^ comm.rank

        going, coming = sorted(leaving, key=in_pairs), sorted(arriving, key=in_pairs)
        self._own = [
            [letter for node, letter in mail if node == comm.rank] for mail in (coming, going)
        ]
        byte = mpi().BYTE
        self._requests = [
            *(comm.Recv_init([x, byte], node, DATA) for node, x in coming if node != comm.rank),
            *(comm.Send_init([x, byte], node, DATA) for node, x in going if node != comm.rank),
        ]
        freed_with(self, self._requests, known)

    def send(self) -> None:
        """Send what is in the first buffer, and wait until all is in the other; collective."""
        request = mpi().Prequest
        request.Startall(self._requests)
        for target, source in zip(*self._own, strict=True):
            np.copyto(target, source)
        request.Waitall(self._requests)


def post(comm: "Intracomm") -> Post:
    """The post of a communicator; made once, and gone with it.

    >>> def program(comm, going, coming, nbytes):  # on all ranks
    ...     own = post(comm)
    ...     own.reserve(nbytes)
    ...     own.mailing(going, coming).send()
    """
    known = private(comm)
    return known.remembered("the post", lambda: Post(known), 1, "post")
