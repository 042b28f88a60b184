"""What is measured: rounds in which all ranks take part, and their time.

Rules. A round ends when its slowest rank is done. ``kind`` says what it is: "distance" is an
exchange with the rank that differs in ``count`` bits, "at once" are exchanges over ``count``
dimensions at the same time, and three kinds are all-to-alls, ``nbytes`` in all from each rank.
"alone" is an exchange over dimension ``count`` and no other: it tells near links from far ones.
"lone" is the same, but of each 2^``count`` ranks in a row only the first takes part: if that is
faster, ranks share what leads there.
"rows" is an exchange of neighbours that is gathered from ``count`` stretches of memory and put
into as many.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from statistics import fmean
from typing import Literal

from graycube.machine import Machine
from graycube.texts import counted

Kind = Literal[
    "distance", "alone", "lone", "at once", "by dimensions", "pairwise", "alltoall", "rows"
]
ALL_TO_ALL: tuple[Kind, ...] = ("by dimensions", "pairwise", "alltoall")
ROW = 8
"""Bytes of a row that is gathered: a single element, as a rule."""
_MANY = 1024  # rows, so that they are what takes long


@dataclass(frozen=True, slots=True)
class RoundKind:
    """One kind of round and its size in bytes.

    >>> machine = Machine(dims=3, startup=5.0, per_byte=1.0)
    >>> RoundKind("distance", 2, 10).predicted(machine)  # hop by hop
    30.0
    >>> RoundKind("pairwise", 3, 80).predicted(machine)  # 12 hops of 10 bytes
    180.0
    """

    kind: Kind
    count: int
    nbytes: int

    def turns(self, dims: int) -> int:
        """How many rounds differ from each other: some begin with another dimension each time.

        >>> [RoundKind(kind, 2, 8).turns(3) for kind in ("distance", "alone", "pairwise")]
        [3, 1, 1]
        """
        every = self.kind in ("distance", "at once") and self.count == dims
        return 1 if every or self.kind in {"alone", "lone", *ALL_TO_ALL} else dims

    def predicted(self, machine: Machine) -> float:
        """Seconds on a machine."""
        n, circuits = machine.dims, machine.switching == "circuit"
        times = _each(machine, self.nbytes)
        if self.kind == "alone":
            return times[self.count]
        if self.kind == "lone":
            return machine.message_time(self.nbytes, self.count)
        if self.kind == "rows":
            return fmean(times) + self.count * machine.per_row
        turns = [[(t + k) % n for k in range(self.count)] for t in range(n)]
        if self.kind == "distance":
            along = max if circuits else sum
            return fmean(along([times[d] for d in dims]) for dims in turns)
        if self.kind == "at once":
            return fmean(_at_once(machine, {d: times[d] for d in dims}) for dims in turns)
        by_dimensions = sum(_each(machine, self.nbytes // 2))
        each = sorted(_each(machine, self.nbytes >> n))
        # By speed, the k-th link is the slowest on the way to 2^k partners; half use each link.
        shares = (2.0**k if circuits else 2.0 ** (n - 1) for k in range(n))
        pairwise = sum(time * share for time, share in zip(each, shares, strict=True))
        known = {"by dimensions": by_dimensions, "pairwise": pairwise}
        return known.get(self.kind, min(known.values()))


def _each(machine: Machine, nbytes: int) -> list[float]:
    """Seconds of a message over each dimension, if all nodes send over it, also by one card."""
    share, n = machine.share, machine.dims
    shares = share if isinstance(share, tuple) else (share,) * n
    return [machine.message_time(nbytes * shares[d], d) for d in range(n)]


def _at_once(machine: Machine, times: Mapping[int, float]) -> float:
    """Seconds of exchanges over some dimensions at once, by as many ports as there are."""
    if not isinstance(machine.ports, tuple):
        return -(-len(times) // machine.links_at_once) * max(times.values())
    found = 0.0
    for level, _ in machine.levels:
        here = [times[d] for d in times if d in level]
        found = max(found, -(-len(here) // machine.ports[level.start]) * max(here, default=0.0))
    return found


@dataclass(frozen=True, slots=True)
class Sample(RoundKind):
    """A round, the seconds that it took, and by which share its repeats differ (quartiles).

    >>> Sample("distance", 1, 8, seconds=1e-6).label
    'exchange of neighbours'
    """

    seconds: float
    spread: float = 0.0

    @property
    def label(self) -> str:
        """What it is, in words."""
        if self.kind == "distance":
            far = f"exchange over {self.count} dimensions"
            return "exchange of neighbours" if self.count == 1 else far
        if self.kind == "alone":
            return f"dimension {self.count} alone"
        if self.kind == "lone":
            return f"dimension {self.count}, 1 of {1 << self.count} ranks"
        if self.kind == "at once":
            return f"{counted(self.count, 'exchange')} at once"
        if self.kind == "rows":
            return f"neighbours, rows of {ROW} B"
        names = {"by dimensions": "in exchanges", "pairwise": "pairwise", "alltoall": "of MPI"}
        return f"all-to-all {names[self.kind]}"


def merged(*runs: Iterable[Sample]) -> tuple[Sample, ...]:
    """The rounds of all runs; of those measured more than once, the shortest time.

    What else a machine does only makes rounds longer.

    >>> fast, slow = Sample("alone", 0, 8, seconds=1e-6), Sample("alone", 0, 8, seconds=2e-6)
    >>> merged([fast], [slow]) == merged([slow], [fast, slow]) == (fast,)
    True
    """
    found: dict[tuple[Kind, int, int], Sample] = {}
    for sample in chain(*runs):
        key = (sample.kind, sample.count, sample.nbytes)
        found[key] = min(found.get(key, sample), sample, key=attrgetter("seconds"))
    return tuple(found.values())


def rounds(dims: int, sizes: Sequence[int]) -> Iterator[RoundKind]:
    """The rounds to measure: neighbours at all sizes, the others at the ends.

    >>> [(r.kind, r.count, r.nbytes) for r in rounds(1, (8, 64))][:4]
    [('distance', 1, 8), ('distance', 1, 64), ('at once', 1, 8), ('at once', 1, 64)]
    """
    ends = (min(sizes), max(sizes))
    yield from (RoundKind("distance", 1, nbytes) for nbytes in sizes)
    yield from (
        RoundKind("distance", far, nbytes) for far in range(2, dims + 1) for nbytes in ends
    )
    few = (*ends, sorted(sizes)[len(sizes) // 2])
    for d in range(dims) if dims > 1 else ():
        yield from (RoundKind("alone", d, nbytes) for nbytes in sorted(set(few)))
    yield from (RoundKind("lone", d, max(sizes)) for d in range(1, dims))
    yield from (RoundKind("at once", k, nbytes) for k in range(1, dims + 1) for nbytes in ends)
    gathered = [nbytes for nbytes in sizes if nbytes >= _MANY * ROW and nbytes % ROW == 0]
    for nbytes in dict.fromkeys((*gathered[:1], *gathered[-1:])):
        yield RoundKind("rows", nbytes // ROW, nbytes)
    parts = [max(nbytes >> dims, 1) for nbytes in ends]
    yield from (RoundKind(kind, dims, part << dims) for kind in ALL_TO_ALL for part in parts)
