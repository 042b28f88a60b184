"""Reading what another program may replace meanwhile: the old or the new, on all ranks alike.

Rule: what takes the place of a file is another file. So if every rank finds the same one before
and after all have read, what they read belongs together; if not, all of them read again.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from graycube.array.ranks import spread
from graycube.errors import InvalidValueError
from graycube.run.mpi import Comm

_T = TypeVar("_T")
TRIES = 20


def undisturbed(path: str | Path, comm: Comm | None, read: Callable[[], _T]) -> _T:
    """What ``read`` gives while a file stays the same; collective, as ``read`` is.

    >>> undisturbed("nowhere.npy", None, lambda: 3)
    3
    """
    over = spread(comm)
    for _ in range(TRIES):
        before = _which(path)
        try:
            found = read()
        except (InvalidValueError, OSError):  # on all ranks alike
            if _stayed(path, before, over):
                raise
        else:
            if _stayed(path, before, over):
                return found
    raise InvalidValueError(
        f"{path} was replaced while it was read, {TRIES} times",
        "it must stay until all ranks have read it",
        "load it when its writer has paused",
    )


def _stayed(path: str | Path, before: object, over: Comm | None) -> bool:
    here = _which(path) == before
    return here if over is None else all(over.allgather(here))


def _which(path: str | Path) -> tuple[int, ...] | None:
    """What tells a file from the one that was there before; nothing of what cannot be found."""
    try:
        about = Path(path).stat()
    except (OSError, TypeError, ValueError):  # reading it says why
        return None
    return about.st_ino, about.st_size, about.st_mtime_ns
