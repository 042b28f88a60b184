"""One race on the ranks of this MPI job; rank 0 prints and writes a file. See race.py."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import movers
import ours
import pairs
import rivals
import steps
from contest import Contender, NotThereError, contest, report
from mpi4py import MPI
from tasks import Halo, Move, Transform

Maker = Callable[[Any], list[Contender]]
# what races, who (ours come first), in times of whom
RACES: dict[str, tuple[list[Maker], str]] = {
    "fft1d": (
        [ours.fft1d, rivals.fftw, rivals.gathered, rivals.gathered_fftw],
        "FFTW-MPI, natural order",
    ),
    "fftnd": (
        [ours.fftnd, rivals.mpi4py_fft, rivals.fftw, pairs.there_alone],
        "mpi4py-fft, slabs",
    ),
    "pairs": (
        [
            *(pairs.ours, pairs.plain, pairs.plain_fftw, pairs.mpi4py_fft),
            *(pairs.alone, pairs.alone_fftw),
        ],
        "plain mpi4py",
    ),
    "steps": ([steps.ours, steps.mpi4py_fft], "mpi4py-fft, slabs"),
    "moves": ([ours.moves, movers.moves], "Sendrecv"),
    "halo": ([ours.halo, movers.halos], "Sendrecv, strided types"),
}


def tasks(race: str, comm: MPI.Intracomm, cases: list[str]) -> Iterator[tuple[str, object]]:
    for case in cases:
        numbers = tuple(int(number) for number in case.rstrip("r").split("x"))
        if race.startswith("fft"):
            yield case, Transform(comm, numbers)
        elif race == "pairs":
            yield case, pairs.Pair(comm, numbers, case.endswith("r"))
        elif race == "steps":
            yield case, steps.Vortex(comm, numbers[0])
        elif race == "moves":
            yield case, Move(comm, *numbers)
        else:
            yield case, Halo(comm, numbers[0])


def entered(makers: list[Maker], task: object, absent: set[str]) -> list[Contender]:
    """All contenders that are there; why others are not goes into `absent`."""
    there = []
    for maker in makers:
        try:
            there += maker(task)
        except NotThereError as reason:
            absent.add(str(reason))
    return there


def taken_away() -> float:
    """Seconds in which a virtual processor was ready but did not run, since the start."""
    try:
        fields = Path("/proc/stat").read_text().split(maxsplit=9)
    except OSError:
        return 0.0
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def main(race: str, rounds: int, cases: list[str], path: Path) -> None:
    comm = MPI.COMM_WORLD
    makers, reference = RACES[race]
    found, absent, before = {}, set[str](), taken_away()
    for name, task in tasks(race, comm, cases):
        there = entered(makers, task, absent)
        if not there:
            continue
        found[name] = contest(comm, there, rounds)
        if comm.rank == 0:
            report(f"{race}, {name}, {comm.size} ranks", found[name], reference)
    if comm.rank == 0:
        for reason in sorted(absent):
            print("  left out -", reason)
        stolen = taken_away() - before
        print(f"  processor time taken by other machines: {stolen:.1f} s")
        library = MPI.Get_library_version().split(",")[0].splitlines()[0]
        facts = {"race": race, "ranks": comm.size, "mpi": library, "reference": reference}
        path.write_text(json.dumps({**facts, "seconds": found}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3].split(","), Path(sys.argv[4]))
