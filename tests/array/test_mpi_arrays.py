"""Arrays over MPI are what they are in one process.

Each launch carries many checks: to start four ranks takes longer than most programs.
"""

from mpi_runs import Launch, OverMPI


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("arrays", "array_mistakes")),
        Launch(2, ("array_mistakes", "taking"), messages=True),
        Launch(1, ("arrays",), long=True),
        Launch(2, ("arrays", "whole_axes"), messages=True, long=True),
        Launch(
            3,
            ("sorting", "taking", "whole_axes", "uneven:without elements"),
            messages=True,
            long=True,
        ),
        Launch(
            4,
            ("arrays", "sorting", "splits", "taking", "local_pieces", "qubits", "whole_axes"),
            long=True,
        ),
        Launch(3, ("arrays",), sweep=True),
        Launch(4, ("array_mistakes",), sweep=True),
        Launch(4, ("arrays",), messages=True, sweep=True),
        Launch(8, ("arrays",), sweep=True),
        Launch(16, ("arrays",), sweep=True),
    )
