"""Works that all ranks do together: how long they take, and what they send over which link.

They run in turn, in another order each time, so that a slow phase of the machine hits all
alike. A run ends when its slowest rank is done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

Comm = Any  # mpi4py is untyped here


@dataclass(frozen=True)
class Measured:
    """Seconds of every run, and the bytes that a run sends: ``links[u][d]``, the mean.

    ``resent`` are the TCP segments that were sent again, in all runs of all works.
    """

    seconds: list[float]
    links: list[list[float]]
    resent: int


def measured(  # noqa: PLR0913
    works: Sequence[Callable[[], object]],
    comm: Comm,
    runs: int,
    *,
    warm: bool = True,
    stretch: float = 0.0,
    before_last: Callable[[], object] = lambda: None,
) -> list[Measured]:
    """The same on all ranks; every work has run once before it is timed, if ``warm``.

    A short work is repeated for about ``stretch`` seconds: ranks leave a barrier one by one.
    """
    for work in works if warm else ():
        work()
    repeats = [fitting(work, comm, stretch) for work in works]
    dims, again = comm.size.bit_length() - 1, resent()
    times = np.zeros((len(works), runs))
    counts = np.zeros((len(works), dims))
    for run in range(runs):
        if run == runs - 1:
            before_last()
        for j in np.random.default_rng(run).permutation(len(works)):
            comm.Barrier()
            before = sent(dims)
            comm.Barrier()
            start = perf_counter()
            for _ in range(repeats[j]):
                works[j]()
            times[j, run] = (perf_counter() - start) / repeats[j]
            comm.Barrier()
            counts[j] += (sent(dims) - before) / repeats[j]
    slowest = np.max(comm.allgather(times), axis=0)
    links = np.stack(comm.allgather(counts / runs), axis=1)
    lost = comm.allreduce(resent() - again)
    found = zip(slowest.tolist(), links.tolist(), strict=True)
    return [Measured(seconds, sent, lost) for seconds, sent in found]


def fitting(work: Callable[[], object], comm: Comm, seconds: float) -> int:
    """How often a work is done in so many seconds, the same on all ranks."""
    if not seconds:
        return 1
    comm.Barrier()
    start = perf_counter()
    work()
    return max(1, int(seconds / max(comm.allgather(perf_counter() - start))))


def sent(dims: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Bytes that this node has sent over each dimension, with all headers."""
    lines = Path("/proc/self/net/dev").read_text(encoding="ascii").splitlines()[2:]
    counters = {port.strip(): fields.split() for port, fields in (s.split(":") for s in lines)}
    return np.array([int(counters[f"d{d}"][8]) for d in range(dims)])


def resent() -> int:
    """TCP segments that this node has sent again: there should be none."""
    lines = Path("/proc/self/net/snmp").read_text(encoding="ascii").splitlines()
    names, counts = (line.split() for line in lines if line.startswith("Tcp:"))
    return int(counts[names.index("RetransSegs")])


def latency(comm: Comm, times: int = 200) -> float:
    """Seconds that two neighbours take to exchange a byte: the median."""
    byte = np.zeros(1, dtype=np.uint8)
    taken = []
    for _ in range(times if comm.rank < 2 else 0):
        start = perf_counter()
        comm.Sendrecv(byte, comm.rank ^ 1, recvbuf=byte.copy(), source=comm.rank ^ 1)
        taken.append(perf_counter() - start)
    return float(comm.bcast(np.median(taken) if taken else 0.0))
