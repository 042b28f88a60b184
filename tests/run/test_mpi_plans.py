"""Plans over MPI give what they give in one process, and fail alike; candidates are timed."""

from mpi_runs import Launch, OverMPI


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("plans", "benches"), messages=True),
        Launch(4, ("shared_memory", "failures")),
        Launch(4, ("plans", "benches"), long=True),
        Launch(8, ("plans",), sweep=True),
        Launch(16, ("plans",), sweep=True),
    )
