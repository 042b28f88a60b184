"""Tridiagonal systems over MPI, of any lengths, and those that some rank cannot solve."""

import numpy as np
from mpi_checks import checks, one_error, raised
from tridiagonal_cases import solved, system
from uneven_cases import of_either_kind

import graycube as gc
from graycube.errors import GraycubeError, InvalidValueError, SingularError


def as_numpy(comm):
    """Each line is what NumPy's dense solver gives."""
    for k, layout in enumerate([*of_either_kind(comm.size)][:: 4 if comm.size == 4 else 1]):
        for periodic in (True, False):
            rng = np.random.default_rng(k)
            arrays = system(rng, layout.shape, (2,), several=k % 2 == 0, kind=complex)
            given = [gc.CubeArray.from_numpy(x, layout, comm) for x in arrays]
            for axis in (0, 1):
                x = gc.solve_tridiagonal(*given, axis, periodic=periodic)
                wanted = solved(*arrays, axis=axis, periodic=periodic)
                right = x.layout == layout and np.allclose(x.to_numpy(), wanted, rtol=1e-11)
                yield right, f"{axis} {periodic} of {layout}"


def not_dominant(comm):
    """What rounding has spoilt is found again, or all ranks raise."""
    n, solutions = 12 * comm.size, 0
    for seed in range(12):
        rng, periodic = np.random.default_rng(seed), seed % 2 == 0
        arrays = rng.standard_normal((4, n))
        given = [
            gc.CubeArray.from_numpy(x, gc.Layout.mesh((n,), (comm.size,)), comm) for x in arrays
        ]
        try:
            x = gc.solve_tridiagonal(*given, periodic=periodic)
        except SingularError:
            continue
        solutions += 1
        wanted = solved(*arrays, axis=0, periodic=periodic)
        yield np.allclose(x.to_numpy(), wanted, rtol=1e-7), f"{seed}"
    yield solutions > 6, "most are solved"
    right = np.zeros((n, 2))
    right[n // 2], right[0, 1] = 1, np.nan
    b = gc.CubeArray.from_numpy(right, gc.Layout.mesh((n,), (comm.size,)), comm)
    x = gc.solve_tridiagonal(-0.5, 1, 0.7, b).to_numpy()
    wanted = solved(-0.5, 1, 0.7, right[:, 0], axis=0)
    yield np.allclose(x[:, 0], wanted, atol=1e-14), "zeros"
    yield np.isnan(x[:, 1]).any(), "what is no number"
    huge = np.ones(n)
    huge[-1] = 1e308
    with np.errstate(all="raise"):
        one = gc.CubeArray.from_numpy(huge, b.layout, comm)
        ends = raised(lambda: gc.solve_tridiagonal(one, one, one, b[..., 0]))
    yield len({*comm.allgather(type(ends))}) == 1, f"overflow on one rank: {ends!r}"
    for n in (16 * comm.size, 64 * comm.size):
        layout = gc.Layout.mesh((n,), (comm.size,))
        b = gc.CubeArray.from_function(lambda i: np.sin(i * 1.0), layout, comm)
        yield from one_error(
            comm,
            lambda b=b: gc.solve_tridiagonal(1.5, 0.5, 0, b, periodic=True),
            SingularError,
        )


def mistakes(comm):
    """What one rank cannot do is raised on all; afterwards all goes on."""
    layout = gc.Layout.mesh((4 * comm.size,), (comm.size,))
    b = gc.CubeArray.from_numpy(np.ones(4 * comm.size), layout, comm)
    last = comm.rank == comm.size - 1
    zero = b.copy()
    zero.blocks[...] = 0 if last else 4
    cases = (
        (lambda: gc.solve_tridiagonal(0, zero, 0, b), SingularError),
        (lambda: gc.solve_tridiagonal(1, 4, 1, b, axis=int(last)), GraycubeError),
        (lambda: gc.solve_tridiagonal(1, 4, 1, b, periodic=bool(last)), GraycubeError),
        (lambda: gc.solve_tridiagonal(1, 9 if last else 4, 1, b), InvalidValueError),
        (
            lambda: gc.solve_tridiagonal(1, 4, [1, 1 + last], gc.stack([b, b])),
            InvalidValueError,
        ),
        (lambda: gc.solve_tridiagonal(1, 4, "x" if last else 1, b), GraycubeError),
    )
    for call, kind in cases:
        yield from one_error(comm, call, kind)
        x = gc.solve_tridiagonal(1, 4, 1, b, periodic=True)
        yield np.allclose(x.local, 1 / 6), "afterwards"


CHECKS = checks((2, 3, 4, 6, 8), as_numpy, not_dominant, mistakes)
