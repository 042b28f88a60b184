"""Prices of phases are those of the messages that ranks send."""

from mpi_runs import Launch, OverMPI


class TestOverMPI(OverMPI):
    launches = (
        Launch(4, ("priced",), messages=True),
        Launch(2, ("priced",), messages=True, sweep=True),
        Launch(8, ("priced",), messages=True, sweep=True),
    )
