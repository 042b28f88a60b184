"""Calibrate the machine that runs this, and save it: ``python -m graycube.calibration``.

Run it under ``mpiexec -n 8``, or another power of two.

The report is printed by rank 0; the saved profile is what ``Machine.profile(NAME)`` finds.
"""

import argparse
import io
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout

from graycube.calibration.calibrate import REPEATS, SIZES, calibrate
from graycube.calibration.measure import world
from graycube.errors import GraycubeError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run on all ranks of the world; the result is the exit status.

    >>> from unittest.mock import patch
    >>> with patch("sys.stderr", sys.stdout), patch.dict("sys.modules", mpi4py=None):
    ...     main(["our-cluster"])  # doctest: +ELLIPSIS
    mpi4py cannot be imported (...): real runs need it and an MPI library; run: pip install ...
    1
    """
    first = True
    try:
        comm = world()
        first = comm.Get_rank() == 0
        options = _options(arguments, loud=first)
        sizes, repeats = (SIZES[::3], REPEATS // 5) if options.quick else (SIZES, REPEATS)
        found = calibrate(comm, options.name, sizes=sizes, repeats=repeats)
        if first:
            sys.stdout.write(
                f"{json.dumps(found.as_dict()) if options.json else found.report()}\n"
            )
            path = found.save()
            sys.stderr.write(f"saved as {path}\n")
    except GraycubeError as error:
        if first:
            sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _options(arguments: Sequence[str] | None, *, loud: bool) -> argparse.Namespace:
    """The command line; only one rank explains it."""
    parser = argparse.ArgumentParser(
        prog="mpiexec -n RANKS python -m graycube.calibration",
        description="Measure start-up, rate, ports and switching; save them as a profile.",
    )
    parser.add_argument("name", help="name of the profile to save")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and repeats")
    if loud:
        return parser.parse_args(arguments)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
