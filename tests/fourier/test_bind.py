"""Transforms on ranks that share memory, and bound ones on ranks that send messages."""

from mpi_runs import Launch, OverMPI


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("bound",), messages=True),
        Launch(2, ("bound",), sweep=True),
        Launch(4, ("lengths", "lone_axes", "lone_random")),
        Launch(4, ("bound", "resampled"), long=True),
        Launch(4, ("bound",), messages=True, sweep=True),
        Launch(8, ("bound", "late"), sweep=True),
        Launch(2, ("late",), sweep=True),
        Launch(4, ("late",), messages=True, sweep=True),
    )
