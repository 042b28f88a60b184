"""Work timed over a communicator: in stretches, some works in turn, and by the slowest rank.

Rules. Each repeat takes all works, each time starting with another one: a slow phase of the
machine then hits all alike. The time of a stretch is that of its slowest rank.
"""

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import require_int
from graycube.texts import in_digits

Comm = Any  # mpi4py is optional
Work = Callable[[int], object]
"""What a rank does in turn 0, 1, ... of a stretch."""
_MOST = 10_000  # repeats


def in_turn(
    comm: Comm, works: Sequence[Work], counts: Sequence[int], repeats: Iterable[int]
) -> NDArray[np.float64]:
    """Seconds of each work in each repeat, a row for each work; the same on all ranks.

    A stretch is as many turns of the work as ``counts`` says, and their mean counts.
    """
    times = []
    for repeat in repeats:
        order = np.roll(range(len(works)), -repeat).tolist()
        row = {k: _seconds(comm, works[k], counts[k]) for k in order}
        times.append([row[k] for k in range(len(works))])
    found: NDArray[np.float64] = np.max(comm.allgather(times), axis=0)
    return found.T


def slowest(comm: Comm, work: Work, count: int) -> float:
    """Seconds of one turn, as the mean of a stretch; the same on all ranks."""
    return float(max(comm.allgather(_seconds(comm, work, count))))


def _seconds(comm: Comm, work: Work, count: int) -> float:
    comm.Barrier()
    start = perf_counter()
    for turn in range(count):
        work(turn)
    return (perf_counter() - start) / count


def require_repeats(given: int, what: str) -> int:
    """How often all of them are timed, if that is a number that can be.

    >>> require_repeats(25, "repeats")
    25
    """
    count = require_int(given, what, least=1)
    if count > _MOST:
        raise InvalidValueError(
            f"{what} is {in_digits(count)}", f"it must be at most {_MOST}", f"use 1..{_MOST}"
        )
    return count
