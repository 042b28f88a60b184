"""Communicators whose ranks have new numbers, made once and freed with the first one.

Rule: new numbers of new numbers are counted from the communicator that they all come from, and
the old ones again are that communicator itself. So a program that goes back and forth between
layouts has as many communicators as it has orders of ranks.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graycube.run.mpi import mpi, private, require_comm

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def renumbered(comm: "Intracomm", numbers: Sequence[int]) -> "Intracomm":
    """The communicator in which rank u has the number ``numbers[u]``; collective.

    >>> def program(comm):  # under mpiexec -n 4
    ...     ring = renumbered(comm, [0, 1, 3, 2])
    ...     return renumbered(ring, [0, 1, 3, 2]) is comm
    """
    origin: Any = comm.Get_attr(_origin())
    first, before = origin or (comm, range(comm.size))
    total = tuple(numbers[u] for u in before)
    if total == tuple(range(comm.size)):
        return first

    orders = private(first).orders
    if not orders.get(total):  # none yet, or a program has freed it
        orders[total] = _made(first, total)
        orders[total].Set_attr(_origin(), (first, total))
    return orders[total]


@lru_cache(maxsize=1)
def _origin() -> int:
    """Where one of these has what it comes from, and the number here of each rank there."""
    keyval: int = mpi().Comm.Create_keyval()
    return keyval


def _made(comm: "Intracomm", numbers: Sequence[int]) -> "Intracomm":
    """A new one. All ranks know all numbers, and need not gather them, as ``Split`` does."""
    own = comm.Get_group()
    chosen = own.Incl(sorted(range(len(numbers)), key=numbers.__getitem__))
    made = comm.Create(chosen)
    own.Free()
    chosen.Free()
    return require_comm(made)
