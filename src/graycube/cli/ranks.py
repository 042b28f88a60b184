"""Verbs that need MPI: on this process alone, under ``mpiexec``, or starting it themselves."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from graycube.errors import InvalidValueError, MissingExtraError
from graycube.run import mpi

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_WITHIN = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
_MOST = 4096  # more would keep a machine busy for hours with starting them


def world() -> "Intracomm":
    """All processes that ``mpiexec`` started, or this one."""
    comm: Intracomm = mpi().COMM_WORLD
    return comm


def started(ranks: int, arguments: Sequence[str]) -> int:
    """``graycube ARGUMENTS`` on so many ranks; the exit status.

    >>> started(3, ["calibrate", "ours"])
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: ranks is 3: graycube runs on a power of two;
    say --ranks 4
    """
    if ranks < 1 or ranks & (ranks - 1):
        raise InvalidValueError(
            f"ranks is {ranks}", "graycube runs on a power of two", "say --ranks 4"
        )
    if ranks > _MOST:
        raise InvalidValueError(
            f"ranks is {ranks}", f"at most {_MOST} are started here", "start them with mpiexec"
        )
    if any(name in os.environ for name in _WITHIN):
        raise InvalidValueError(
            f"--ranks {ranks} is given within mpiexec",
            "it starts mpiexec itself",
            "leave it out",
        )
    if find_spec("mpi4py") is None:  # mpiexec of another MPI may be there all the same
        raise _missing("mpi4py is not installed")
    command = [_mpiexec(), "-n", str(ranks), sys.executable, "-m", "graycube", *arguments]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own program


def _mpiexec() -> str:
    """The one that was installed with this Python, or else the first on the path."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise _missing("mpiexec is not found")
    return found


def _missing(what: str) -> MissingExtraError:
    return MissingExtraError(what, "real runs need it", "run: pip install 'graycube[mpi]'")
