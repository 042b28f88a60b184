"""NumPy's functions over MPI, and what is made of them: results, messages, copies, errors."""

from mpi_runs import Launch, OverMPI


class TestOverMPI(OverMPI):
    launches = (
        Launch(3, ("thrift:some",), long=True),
        Launch(8, ("thrift:volume",), sweep=True),
        *(Launch(count, ("thrift:every",), sweep=True) for count in (1, 2, 3, 4, 6, 8)),
        Launch(1, ("numpy_functions",), sweep=True),
        Launch(2, ("numpy_functions", "scans", "tridiagonal"), messages=True),
        Launch(2, ("numpy_functions",), sweep=True),
        Launch(
            4,
            (
                "numpy_functions",
                "scans",
                "butterflies",
                "tridiagonal",
                "grids",
                "priced",
                "programs",
            ),
            long=True,
        ),
        Launch(8, ("numpy_functions", "priced"), sweep=True),
    )
