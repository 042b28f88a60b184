"""Elements taken along an axis over ranks, beside NumPy's; and mistakes."""

import numpy as np
from mpi_checks import checks, one_error
from taking_cases import complaint

import graycube as gc
from graycube.errors import InvalidValueError, OutOfRangeError


def as_numpy_takes(comm):
    """Indices of every kind, into arrays of every kind."""
    for seed in range(40):
        found = complaint(seed, comm.size, comm)
        yield not found, found


def copies_are_taken_from_once(comm):
    """A mean has copies, and so have its indices."""
    x = np.random.default_rng(4).standard_normal((12, 6))
    mean = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, (1, comm.size)), comm).mean(
        axis=1
    )
    taken = np.take_along_axis(mean, np.argsort(mean), 0)
    yield np.array_equal(taken.to_numpy(), np.sort(mean.to_numpy())), f"{taken.to_numpy()}"


def mistakes(comm):
    """All ranks hear of what one of them got wrong, and go on."""
    layout = gc.Layout.mesh((12,), (comm.size,))
    u = gc.CubeArray.from_function(lambda i: 1.0 * i, layout, comm)
    at = gc.CubeArray.from_function(lambda i: 11 - i, layout, comm)
    last = comm.rank == comm.size - 1
    wrong = at + 12 * last
    yield from one_error(
        comm,
        lambda: np.take_along_axis(u, wrong, 0),
        OutOfRangeError,
        f"on rank {comm.size - 1}",
    )
    other = u.astype("f4") if last else u
    yield from one_error(
        comm, lambda: np.take_along_axis(other, at, 0), InvalidValueError, "the dtype is"
    )
    dealt = gc.Layout.mesh((12,), (comm.size,), allocation="cyclic")
    elsewhere = gc.CubeArray.from_function(lambda i: i, dealt, comm)
    elsewhere = elsewhere if last else at
    yield from one_error(
        comm,
        lambda: np.take_along_axis(u, elsewhere, 0),
        InvalidValueError,
        "the layout of the indices is",
    )
    taken = np.take_along_axis(u, at, 0)
    yield np.array_equal(taken.to_numpy(), np.arange(12.0)[::-1]), "afterwards"


CHECKS = checks((2, 3, 4), as_numpy_takes, copies_are_taken_from_once, mistakes)
