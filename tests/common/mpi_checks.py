"""The checks within programs of ``tests/mpi``, many of them in one launch.

A check is a generator that takes the communicator and yields, for each thing that it compares,
whether it is so and what it is. ``mpiexec -n 4 python mpi_checks.py PROGRAM...`` does all
checks of these programs that are for so many ranks, and reports each in a line of JSON.
``PROGRAM:CHECK`` is one of them.
"""

import faulthandler
import json
import os
import runpy
import sys
import traceback
from functools import cache
from pathlib import Path
from unittest.mock import patch

HERE = Path(__file__).parent
LIMIT = 120  # seconds, up to 8 ranks: what hangs is ended then
SHARED = "shared memory: "  # what programs that do not end well say of MPI's files in memory


MESSAGES = "--messages"  # ranks share no memory


def program(name):
    """The path of a program."""
    return HERE.parent / "mpi" / f"{name}.py"


def checks(ranks, *made):
    """The checks of a program that are for so many ranks: each has the name of its function."""
    return {check.__name__.replace("_", " "): (check, ranks) for check in made}


@cache
def _checks(name):
    """All checks of a program."""
    return runpy.run_path(str(program(name)))["CHECKS"]


def checks_of(names, ranks):
    """The checks that programs make with so many ranks, by name."""
    return {
        f"{name}, {check}": make
        for name, _, only in (each.partition(":") for each in names)
        for check, (make, sizes) in _checks(name).items()
        if ranks in sizes and only in {"", check}
    }


def limit_of(ranks):
    """The seconds of a job; in the sweep two jobs of 16 ranks may run side by side."""
    return LIMIT if ranks <= 8 else 4 * LIMIT


def carry_out(chosen):
    """Carry out checks on all ranks, and report them."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    comm = MPI.COMM_WORLD
    faulthandler.dump_traceback_later(limit_of(comm.size) - 10)
    for name, check in chosen.items():
        own = comm.Dup()  # checks do not meet each other's messages
        outcomes = own.gather(_outcome(check, own))
        own.Free()
        if comm.rank == 0:
            print(json.dumps(_report(name, outcomes)), flush=True)  # noqa: T201
    faulthandler.cancel_dump_traceback_later()


def size_of(comm):
    """The dimension of the cube of a communicator."""
    return comm.size.bit_length() - 1


def raised(call):
    """What a call raises."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at
        return error
    return None


def one_error(comm, call, kind, *words):
    """All ranks raise the same error, which is of this class and has these words."""
    error = raised(call)
    heard = comm.allgather((type(error).__name__, str(error)))
    yield len(set(heard)) == 1, f"ranks heard different things: {heard}"
    yield isinstance(error, kind), f"{error!r} is no {kind.__name__}"
    for text in words:
        yield text in str(error), f"{text!r} is not in {str(error)!r}"
    return error


def over_messages(comm):
    """The communicator, whose ranks send each other messages even if they share memory."""
    from graycube.run.windows import windows  # noqa: PLC0415 - it starts MPI

    with patch.dict(os.environ, GRAYCUBE_WINDOWS="0"):
        assert windows(comm) is None
    return comm


def _outcome(check, comm):
    """How many things a check compared on this rank, and what is wrong."""
    compared, complaints = 0, []
    try:
        for fine, what in check(comm):
            compared += 1
            if not fine:
                complaints.append(f"rank {comm.rank}: {what}")
    except Exception:  # noqa: BLE001 - the other ranks may wait for ever: say it now
        complaints.append(f"rank {comm.rank}: {traceback.format_exc()}")
        print(complaints[-1], file=sys.stderr, flush=True)  # noqa: T201
    return compared, complaints


def _report(name, outcomes):
    complaints = [text for _, texts in outcomes for text in texts]
    compared = min(count for count, _ in outcomes)
    return {"check": name, "compared": compared, "complaints": complaints[:20]}


def main(*names):
    """All checks of programs for as many ranks as there are."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    if MESSAGES in names:
        os.environ["GRAYCUBE_WINDOWS"] = "0"
        names = [name for name in names if name != MESSAGES]
    carry_out(checks_of(names, MPI.COMM_WORLD.size))


if __name__ == "__main__":
    main(*sys.argv[1:])
