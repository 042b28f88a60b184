"""Communicators whose ranks have new numbers, made once and freed with the first one.

Rule: new numbers of new numbers are counted from the communicator that they all come from, and
the old ones again are that communicator itself. So a program that goes back and forth between
layouts has as many communicators as it has orders of ranks.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graycube.runtime.mpi import private, require_comm

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

ORDERS = 64
"""So many orders of the ranks of a communicator are kept."""


def renumbered(comm: "Intracomm", numbers: Sequence[int]) -> "Intracomm":
    """The communicator in which rank u has the number ``numbers[u]``; collective."""
    first, before = private(comm).origin or (comm, tuple(range(comm.size)))
    total = tuple(numbers[u] for u in before)
    if total == tuple(range(comm.size)):
        return first

    def make() -> "Intracomm":
        made = require_comm(first.Split(0, total[first.rank]))
        private(made).origin = (first, total)
        return made

    return private(first).remembered(("numbers", total), make, ORDERS)
