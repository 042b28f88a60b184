"""What is called on a communicator, and on its duplicates: how much is sent."""

from collections import Counter

from mpi4py import MPI

CALLS = Counter()
GIVEN = []
"""What is called, and with what, one after the other."""
COUNTED = (
    "Sendrecv", "Send_init", "Allgather", "Allgatherv", "Gather", "Gatherv", "Allreduce",
    "Iallreduce", "allgather", "gather", "bcast", "Bcast", "Alltoall", "Alltoallv", "Send",
    "Isend", "send", "isend", "Scatter", "Scatterv",
)  # fmt: skip


class Counting(MPI.Intracomm):
    """A communicator that counts its calls; duplicates of it do so too."""


def counted(name):
    """A method of communicators that counts before it does the same."""
    own = getattr(MPI.Intracomm, name)

    def method(self, *args, **options):
        CALLS[name] += 1
        GIVEN.append((name, args))
        return own(self, *args, **options)

    return method


for method in COUNTED:
    setattr(Counting, method, counted(method))


def sent(call):
    """What is called on communicators in a call, and what it gives."""
    CALLS.clear()
    GIVEN.clear()
    found = call()
    return {name: count for name, count in CALLS.items() if count}, found
