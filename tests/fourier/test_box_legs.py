"""Transforms of arrays by ownership, by memory that ranks share and by messages."""

from mpi_runs import Launch, OverMPI


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("boxed",), sweep=True),
        Launch(3, ("boxed",)),
        Launch(3, ("boxed", "resampled"), messages=True),
        Launch(4, ("boxed",), sweep=True),
        Launch(6, ("boxed",), messages=True, sweep=True),
    )
