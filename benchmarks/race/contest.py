"""Contenders timed side by side: each proves its answer, then all run in every round.

A round runs the contenders one after the other, each round beginning with another one. Every
rank waits at a barrier and works; the slowest rank's time counts. Only ratios within one round
mean anything on a machine that others use too: what is printed are their median and range.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

from mpi4py import MPI

ENOUGH = 4e-3  # seconds that one measurement of small works should take


def nothing() -> None:
    pass


@dataclass(frozen=True)
class Contender:
    """What one rank does. `ready` is not timed and runs before every `work`."""

    name: str
    work: Callable[[], object]
    right: Callable[[], bool]  # on every rank, after `work`: is what this rank sees right?
    ready: Callable[[], object] = nothing


class WrongAnswerError(Exception):
    """A contender that is not worth timing."""


class NotThereError(Exception):
    """A contender that this machine or this version does not have."""


Times = dict[str, list[float]]


def prove(comm: MPI.Intracomm, contenders: Iterable[Contender]) -> None:
    for contender in contenders:
        contender.ready()
        contender.work()
        if not comm.allreduce(contender.right(), MPI.LAND):
            raise WrongAnswerError(f"{contender.name} on {comm.size} ranks")


def seconds(comm: MPI.Intracomm, contender: Contender, repeats: int = 1) -> float:
    contender.ready()
    comm.Barrier()
    start = time.perf_counter()
    for _ in range(repeats):
        contender.work()
    slowest: float = comm.allreduce(time.perf_counter() - start, MPI.MAX)
    return slowest / repeats


def repeats_of(comm: MPI.Intracomm, contenders: list[Contender]) -> int:
    if any(contender.ready is not nothing for contender in contenders):
        return 1
    slowest = max(seconds(comm, contender) for contender in contenders)
    return max(1, min(500, int(ENOUGH / slowest)))


def contest(comm: MPI.Intracomm, contenders: list[Contender], rounds: int) -> Times:
    """Seconds of every contender in every round, the same on all ranks."""
    prove(comm, contenders)
    repeats = repeats_of(comm, contenders)
    times: Times = {contender.name: [] for contender in contenders}
    for first in range(rounds):
        turn = first % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            times[contender.name].append(seconds(comm, contender, repeats))
    return times


def ratios(times: Times, name: str, reference: str) -> list[float]:
    return [a / b for a, b in zip(times[name], times[reference], strict=True)]


def report(title: str, times: Times, reference: str) -> None:
    if reference not in times:
        reference = next(iter(times))
    rounds = len(times[reference])
    print(f"{title}; {rounds} rounds, in times of: {reference}")
    for name, values in times.items():
        part = ratios(times, name, reference)
        spread = f"{median(part):6.2f}  ({min(part):.2f} - {max(part):.2f})"
        best = f"best {1e3 * min(values):9.3f} ms"
        print(f"  {name:36} {1e3 * median(values):9.3f} ms  {best}  {spread}", flush=True)
