"""Butterflies and scans over MPI; four ranks of one job have them beside NumPy's functions."""

from mpi_runs import Launch, OverMPI

BOTH = ("butterflies", "scans")


class TestOverMPI(OverMPI):
    launches = (
        Launch(4, BOTH, messages=True, sweep=True),
        *(Launch(ranks, BOTH, sweep=True) for ranks in (2, 8)),
        *(Launch(ranks, ("scans",), sweep=True) for ranks in (3, 6)),
    )
