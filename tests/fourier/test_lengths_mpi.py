"""Transforms that change lengths or places, over MPI."""

from mpi_runs import Launch, OverMPI


class TestOverMPI(OverMPI):
    launches = (
        *(Launch(ranks, ("lone_axes",), sweep=True) for ranks in (1, 3, 6)),
        Launch(2, ("lengths", "lone_axes"), sweep=True),
        Launch(3, ("lone_axes",), messages=True, sweep=True),
        *(Launch(ranks, ("lone_random",), sweep=True) for ranks in (2, 3, 6, 8)),
        Launch(8, ("lengths", "lone_axes"), sweep=True),
    )
