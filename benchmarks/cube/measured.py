"""Works that all ranks do together: how long they take, and what they send over which link.

They run in turn, in another order each time, so that a slow phase of the machine hits all
alike. A run ends when its slowest rank is done. What the host of a virtual machine takes away
is known (it is in /proc/stat): runs that lost more than a little are repeated.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

Comm = Any  # mpi4py is untyped here
Counts = np.ndarray[Any, np.dtype[np.int64]]
Means = np.ndarray[Any, np.dtype[np.float64]]
CALM = 0.04  # a share of the processors that the host may take
TRIES = 4  # runs until a calm one; else the calmest counts


@dataclass(frozen=True)
class Measured:
    """Seconds of every run, and the bytes that a run sends: ``links[u][d]`` over port d.

    ``stolen`` is what share of the processors the host took in each run; ``resent`` are the TCP
    segments that were sent again, in all runs of all works.
    """

    seconds: list[float]
    stolen: list[float]
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
    again = resent()
    times, shares = np.zeros((2, len(works), runs))
    counts = np.zeros((len(works), len(sent())))
    for run in range(runs):
        if run == runs - 1:
            before_last()
        for j in np.random.default_rng(run).permutation(len(works)):
            found = calm(partial(timed, works[j], comm, repeats[j]), comm)
            shares[j, run], times[j, run], nbytes = found
            counts[j] += nbytes / runs
    slowest = np.max(comm.allgather(times), axis=0)
    links = np.stack(comm.allgather(counts), axis=1)
    lost = comm.allreduce(resent() - again)
    columns = zip(slowest.tolist(), shares.tolist(), links.tolist(), strict=True)
    return [Measured(*one, lost) for one in columns]


def timed(work: Callable[[], object], comm: Comm, repeats: int) -> tuple[float, Means]:
    """Seconds of a work on this rank, and the bytes that it sends over each dimension."""
    comm.Barrier()
    before = sent()
    comm.Barrier()
    start = perf_counter()
    for _ in range(repeats):
        work()
    seconds = (perf_counter() - start) / repeats
    comm.Barrier()
    return seconds, (sent() - before) / repeats


def calm(run: Callable[[], tuple[Any, ...]], comm: Comm) -> tuple[Any, ...]:
    """The share that the host took, and what a run found: a calm one, or the calmest."""
    tries: list[tuple[Any, ...]] = []
    while len(tries) < TRIES and not (tries and tries[-1][0] <= CALM):
        before = processors()
        found = run()
        stolen, spent = processors() - before
        tries.append((comm.bcast(stolen / max(spent, 1)), *found))
    return min(tries, key=itemgetter(0))


def fitting(work: Callable[[], object], comm: Comm, seconds: float) -> int:
    """How often a work is done in so many seconds, the same on all ranks."""
    if not seconds:
        return 1
    comm.Barrier()
    start = perf_counter()
    work()
    return max(1, int(seconds / max(comm.allgather(perf_counter() - start))))


def sent() -> Counts:
    """Bytes that this node has sent over each port, with all headers."""
    lines = Path("/proc/self/net/dev").read_text(encoding="ascii").splitlines()[2:]
    fields = {port.strip(): counts.split() for port, counts in (s.split(":") for s in lines)}
    return np.array([int(fields[port][8]) for port in sorted(fields) if port != "lo"])


def processors() -> Counts:
    """Ticks that the host took, and all ticks."""
    line = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    ticks = [int(count) for count in line.split()[1:9]]
    return np.array([ticks[7], sum(ticks)])


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
