"""Two buffers of a communicator through which its ranks send letters to each other.

Rules.

1. A rank writes its letters into one buffer, one after the other, and all are under way at
   once; they come into the other one. Then the first is free again, and so is the other once
   its rank has read it.
2. The buffers are as large as the largest block that was sent, and all transforms of a
   communicator share them. Each rank makes its own when it needs them: that takes no agreement.
3. The requests of the latest letters are kept, for they are sent again and again.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.run.letters import Letters
from graycube.run.mpi import Private, freed_with, mpi, private

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_Buffer = NDArray[Any]
_KEPT = 16
"""So many rounds of letters are remembered."""


class Post:
    """The buffers of a rank, and the letters that were sent through them; see :func:`post`."""

    def __init__(self, known: Private) -> None:
        self._known = known
        self.grown = 0
        self.leaving = self.arrived = np.empty(0, np.uint8)

    def reserve(self, nbytes: int) -> None:
        """Have room for so many bytes in each buffer."""
        if nbytes > len(self.leaving):
            self.leaving, self.arrived = np.empty(nbytes, np.uint8), np.empty(nbytes, np.uint8)
            self._known.kept.pop("mailings", None)
            self.grown += 1

    def mailing(self, letters: Letters, nbytes: int) -> "Mailing":
        """What sends letters that have so many bytes together."""
        key = letters, nbytes
        return self._known.remembered(
            key, lambda: Mailing(self._known, letters, self._pair(nbytes)), _KEPT, "mailings"
        )

    def _pair(self, nbytes: int) -> tuple[_Buffer, _Buffer]:
        return self.leaving[:nbytes], self.arrived[:nbytes]


class Mailing:
    """The letters between two buffers, sent again and again."""

    def __init__(
        self, known: Private, letters: Letters, buffers: tuple[_Buffer, _Buffer]
    ) -> None:
        comm = known.comm
        leaving, arriving = (buffer.reshape(len(letters.takers), -1) for buffer in buffers)

        def in_pairs(peer: tuple[int, _Buffer]) -> int:  # both of a pair turn to each other
            return peer[0] ^ comm.rank

        going = sorted(zip(letters.takers, leaving, strict=True), key=in_pairs)
        coming = sorted(zip(letters.givers, arriving, strict=True), key=in_pairs)
        self._own = [
            [letter for node, letter in mail if node == comm.rank] for mail in (coming, going)
        ]
        byte = mpi().BYTE
        self._requests = [
            *(comm.Recv_init([x, byte], node) for node, x in coming if node != comm.rank),
            *(comm.Send_init([x, byte], node) for node, x in going if node != comm.rank),
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

    >>> def program(comm, letters, nbytes):  # on all ranks
    ...     own = post(comm)
    ...     own.reserve(nbytes)
    ...     own.mailing(letters, nbytes).send()
    """
    known = private(comm)
    return known.remembered("the post", lambda: Post(known), 1, "post")
