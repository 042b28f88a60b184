"""Random small programs over MPI: what comes of each call is NumPy's, on all ranks alike."""

from mpi_checks import checks
from random_programs import findings


def compared(comm, seeds):
    """Each call gives what NumPy gives, or all ranks refuse it for the same reason."""
    for seed in seeds:
        for name, outcome, wrong in findings(seed, comm.size, comm):
            yield not wrong, f"{name}: {outcome}"
            heard = {*comm.allgather(outcome)}
            yield len(heard) == 1, f"{name}: ranks heard {heard}"


def few(comm):
    """Some of them."""
    yield from compared(comm, range(10))


def many(comm):
    """Many of them."""
    yield from compared(comm, range(10, 210))


CHECKS = checks((4,), few) | checks((1, 2, 3, 6), many)
