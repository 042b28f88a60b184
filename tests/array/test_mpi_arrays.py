"""Arrays over MPI are what they are in one process.

Each launch carries many checks: to start four ranks takes longer than most programs.
"""

from mpi_runs import Launch, OverMPI


class TestOverMPI(OverMPI):
    launches = (
        Launch(1, ("arrays",)),
        Launch(2, ("arrays", "array_mistakes"), messages=True),
        Launch(2, ("arrays", "array_mistakes", "whole_axes"), sweep=True),
        Launch(3, ("arrays",), sweep=True),
        Launch(
            3, ("sorting", "taking", "whole_axes", "uneven:without elements"), messages=True
        ),
        Launch(
            4,
            ("arrays", "sorting", "splits", "taking", "local_pieces", "qubits", "whole_axes"),
        ),
        Launch(4, ("array_mistakes",), sweep=True),
        Launch(4, ("arrays",), messages=True, sweep=True),
        Launch(8, ("arrays",), sweep=True),
        Launch(16, ("arrays",), sweep=True),
    )
