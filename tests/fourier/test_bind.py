"""Bound transforms on ranks that share memory, and on ranks that send messages."""

from mpi_runs import Launch, OverMPI


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("bound",), messages=True),
        Launch(2, ("bound",), sweep=True),
        Launch(4, ("bound",)),
        Launch(4, ("bound",), messages=True, sweep=True),
        Launch(8, ("bound",), sweep=True),
    )
