"""Rounds carried out and timed over a communicator of mpi4py.

Rules. What is timed are stretches of rounds one after the other, as in a schedule: those of one
kind take all dimensions in turn, so that ranks stay together. The lower quartile of the repeats
counts.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Machine
from graycube.measure.samples import ROW, Kind, RoundKind, Sample, rounds
from graycube.measure.stretches import Comm, Work, in_turn, slowest

_T = TypeVar("_T")
_LONG = 2e-3  # seconds of rounds at a stretch
_SLOW = 0.1  # seconds to which cold memory and a new connection add little
_BARRIERS = 20  # and as long as so many barriers: ranks leave one at different times
_MOST = 500  # rounds at a stretch
_WAIT = 10  # seconds: what takes longer is said beforehand
_MINUTE = 60
_GROWS = 4  # times as large is the next message that is tried

Bytes = NDArray[np.uint8]
Rows = NDArray[np.uint64]


def measure(comm: Comm, sizes: Sequence[int], repeats: int) -> tuple[Sample, ...]:
    """The seconds of all rounds, the same on all ranks."""
    ranks = _Ranks(comm, max(sizes))
    kinds = list(rounds(ranks.dims, sizes))
    works = [ranks.work(kind) for kind in kinds]
    turns = [kind.turns(ranks.dims) for kind in kinds]
    like = _guessed(ranks, sizes)
    once = float(np.dot(turns, [kind.predicted(like) for kind in kinds]))
    _tell(comm, "trying each kind of round", once)
    counts, seconds = _counts(comm, works, turns)
    _tell(comm, "measuring", repeats * seconds)
    times = in_turn(comm, works, counts, _tracked(comm, range(repeats), "measuring"))
    low, high = np.quantile(times, (0.25, 0.75), axis=1)
    found = zip(kinds, low.tolist(), (high / low - 1).tolist(), strict=True)
    return tuple(Sample(k.kind, k.count, k.nbytes, time, spread) for k, time, spread in found)


def affordable(comm: Comm, sizes: Sequence[int], span: int) -> tuple[int, ...]:
    """The sizes in bytes, up to the first whose exchanges are slow; at least ``span`` apart."""
    ranks = _Ranks(comm, max(sizes))
    kept = []
    for nbytes in sizes:
        kept.append(nbytes)
        if ranks.neighbours(nbytes) > _SLOW and nbytes >= span * kept[0]:
            break
    return tuple(kept)


def _guessed(ranks: "_Ranks", sizes: Sequence[int]) -> Machine:
    """A machine on which exchanges take about as long, as far as a few of them tell.

    They grow until one is slow: from there on each byte more takes as long.
    """
    small = large = min(sizes)
    least = most = ranks.neighbours(small)
    while most <= _SLOW and _GROWS * large <= max(sizes):
        large *= _GROWS
        most = ranks.neighbours(large)
    rate = max(0.0, most - least) / max(1, large - small)
    return Machine(ranks.dims, 1, "circuit", startup=least, per_byte=rate)


def _tell(comm: Comm, what: str, seconds: float) -> None:
    """Say how long something takes before it begins, if anybody would wonder."""
    if comm.Get_rank() == 0 and seconds > _WAIT:
        sys.stderr.write(f"{what} takes about {_about(seconds)}\n")
        sys.stderr.flush()


def _about(seconds: float) -> str:
    """A time for people.

    >>> _about(34), _about(400)
    ('34 seconds', '7 minutes')
    """
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} seconds"
    return f"{seconds / _MINUTE:.0f} minutes"


def _tracked(comm: Comm, turns: Sequence[_T], what: str) -> Iterator[_T]:
    """The turns, with a bar on a terminal: no thread that draws disturbs what is measured."""
    from rich.console import Console  # noqa: PLC0415 - only this needs it, and it takes a moment
    from rich.progress import Progress  # noqa: PLC0415

    there = comm.Get_rank() == 0 and sys.stderr.isatty()  # elsewhere a line would be left
    console = Console(file=sys.stderr)
    with Progress(
        console=console, transient=True, auto_refresh=False, disable=not there
    ) as bar:
        yield from bar.track(turns, description=what)


class _Ranks:
    """The rounds of this rank, and the memory that they use."""

    def __init__(self, comm: Comm, largest: int) -> None:
        self.comm = comm
        self.rank = int(comm.Get_rank())
        self.size = int(comm.Get_size())
        self.dims = self.size.bit_length() - 1
        room = max(largest * self.dims, self.size)
        self.out: Bytes = np.ones(room, dtype=np.uint8)  # ones: the pages are really there
        self.into: Bytes = np.ones(room, dtype=np.uint8)
        self.scattered: Rows = np.ones(2 * (largest // ROW), dtype=np.uint64)

    def neighbours(self, nbytes: int) -> float:
        """Seconds of an exchange of neighbours, the same on all ranks."""
        return slowest(self.comm, self.work(RoundKind("distance", 1, nbytes)), self.dims)

    def work(self, kind: RoundKind) -> Work:
        """What one rank does in turn ``turn`` of rounds of that kind."""
        count, nbytes = kind.count, kind.nbytes
        places = np.arange(0, 2 * count, 2)  # of rows, no two of them next to each other
        out, into = self.out[:nbytes], self.into[:nbytes]
        works: dict[Kind, Work] = {
            "distance": lambda turn: self._exchange(self._mask(count, turn), nbytes),
            "alone": lambda _: self._exchange(1 << count, nbytes),
            "lone": lambda _: self._lone(1 << count, nbytes),
            "at once": lambda turn: self._at_once(count, turn, nbytes),
            "by dimensions": lambda _: self._by_dimensions(nbytes),
            "pairwise": lambda _: self._pairwise(nbytes),
            "alltoall": lambda _: self.comm.Alltoall(out, into),
            "rows": lambda turn: self._in_rows(self._mask(1, turn), nbytes, places),
        }
        return works[kind.kind]

    def _mask(self, far: int, turn: int) -> int:
        """``far`` dimensions in a row, beginning with another one in each turn."""
        mask = (1 << far) - 1 << turn % self.dims
        return (mask | mask >> self.dims) & self.size - 1

    def _exchange(self, mask: int, nbytes: int, start: int = 0) -> None:
        part = slice(start, start + nbytes)
        partner = self.rank ^ mask
        self.comm.Sendrecv(self.out[part], partner, recvbuf=self.into[part], source=partner)

    def _lone(self, mask: int, nbytes: int) -> None:
        """The first rank of each ``mask`` ranks in a row; the others keep in step."""
        self._exchange(*(0, 0) if self.rank & mask - 1 else (mask, nbytes))

    def _in_rows(self, mask: int, nbytes: int, places: NDArray[np.intp]) -> None:
        _gather(self.scattered, places, self.out[:nbytes].view(np.uint64))
        self._exchange(mask, nbytes)
        self.scattered[places] = self.into[:nbytes].view(np.uint64)

    def _at_once(self, count: int, turn: int, nbytes: int) -> None:
        partners = [self.rank ^ self._mask(1, turn + k) for k in range(count)]
        parts = [slice(k * nbytes, (k + 1) * nbytes) for k in range(count)]
        both = list(zip(parts, partners, strict=True))
        waiting = [self.comm.Irecv(self.into[part], partner) for part, partner in both]
        waiting += [self.comm.Isend(self.out[part], partner) for part, partner in both]
        waiting[0].Waitall(waiting)

    def _by_dimensions(self, nbytes: int) -> None:
        for d in range(self.dims):
            self._exchange(1 << d, nbytes // 2)

    def _pairwise(self, nbytes: int) -> None:
        part = nbytes >> self.dims
        for mask in range(1, self.size):
            self._exchange(mask, part, mask * part)


def _gather(scattered: Rows, places: NDArray[np.intp], message: Rows) -> None:
    np.take(scattered, places, out=message, mode="clip")  # as plans do it


def _counts(comm: Comm, works: Sequence[Work], turns: Sequence[int]) -> tuple[list[int], float]:
    """How many rounds of each kind make a stretch, as many of each turn; seconds of all."""
    times = []
    for work, some in _tracked(comm, [*zip(works, turns, strict=True)], "trying"):
        for _ in range(2):  # the first ones find memory cold and connections closed
            time = slowest(comm, work, some)
            if time > _SLOW:
                break
        times.append(time)
    barrier = slowest(comm, lambda _: comm.Barrier(), _BARRIERS)
    long = max(_LONG, _BARRIERS * barrier)
    wanted = np.minimum(np.ceil(long / np.maximum(times, 1e-9)), _MOST)
    counts = [some * int(-(-count // some)) for count, some in zip(wanted, turns, strict=True)]
    return counts, float(np.dot(counts, times))
