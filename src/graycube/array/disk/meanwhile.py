"""Reading what another program may replace meanwhile: the old or the new, on all ranks alike.

Rules.

1. What takes the place of a file is another file. So if every rank finds the same one before
   and after all have read, what they read belongs together; if not, all of them read again.
2. Ranks agree that they load before they read. So what they call differently is told by all
   of them alike, and none waits for what the others found.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from graycube.array.ranks import together
from graycube.errors import InvalidValueError, PeerError
from graycube.run.agreement import Facts
from graycube.run.mpi import Comm

_T = TypeVar("_T")
TRIES = 20


class _ReplacedError(InvalidValueError):
    """It was another file for some rank in the end."""


def undisturbed(path: str | Path, comm: Comm | None, read: Callable[[], _T]) -> _T:
    """What ``read`` gives while a file stays the same; collective, as ``read`` is.

    >>> undisturbed("nowhere.npy", None, lambda: 3)
    3
    """
    for _ in range(TRIES):
        try:
            return _attempted(path, comm, read)
        except _ReplacedError:  # on all ranks alike
            pass
    raise InvalidValueError(
        f"{path} was replaced while it was read, {TRIES} times",
        "it must stay until all ranks have read it",
        "load it when its writer has paused",
    )


def _attempted(path: str | Path, comm: Comm | None, read: Callable[[], _T]) -> _T:
    before = together(comm, lambda: (_which(path), {"operation": "load"}))

    def look() -> tuple[None, Facts]:
        if _which(path) != before:
            raise _ReplacedError(f"{path} was replaced", "it must stay", "read it again")
        return None, {}

    try:
        found = read()
    except (InvalidValueError, OSError, PeerError):  # on all ranks alike
        together(comm, look)
        raise
    together(comm, look)
    return found


def _which(path: str | Path) -> tuple[int, ...] | None:
    """What tells a file from the one that was there before; nothing of what cannot be found."""
    try:
        about = Path(path).stat()
    except (OSError, TypeError, ValueError):  # reading it says why
        return None
    return about.st_ino, about.st_size, about.st_mtime_ns
