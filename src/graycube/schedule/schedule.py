"""The symbolic schedule: strands of elements that follow timed exchanges.

Rules.

1. The block of every node is shared out among *strands*: the elements that start at positions
   ``start`` to ``stop`` of a block follow the same list of *hops*. A strand may be that of some
   nodes only, those of a subcube.
2. A hop is an exchange that starts at a cycle. The elements of the strand whose address meets
   its condition cross its dimension; of those that cross one link, the j-th, in the order of
   their positions, crosses in cycle ``hop.cycle + j``. All others stay.
3. A *round* is a stretch of cycles, from one entry of ``rounds`` to the next: what crosses a
   link within a round is one message, and what it brings is sent on in a later round. A strand
   whose hops start a round apart is a pipeline.
4. With store-and-forward switching an element that arrives in a cycle can leave in the next;
   with circuit switching hops that start in the same cycle are the path of one message.

All of it has a few integers per strand, whatever n and the block are.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, compose, require_int, require_ints
from graycube.parsing import require_line
from graycube.schedule.task import Task
from graycube.schedule.way import Passage, Step, Way


@dataclass(frozen=True, slots=True)
class Hop:
    """An exchange whose first element crosses in ``cycle``.

    >>> print(Hop(3, Exchange(flip=1, when=2)))
    cycle 3: flip 0 where a1 = 1
    """

    cycle: int
    exchange: Exchange

    def __post_init__(self) -> None:
        cycle = require_int(self.cycle, "the cycle of a hop", least=0)
        object.__setattr__(self, "cycle", cycle)

    def __str__(self) -> str:
        return f"cycle {self.cycle}: {self.exchange}"


@dataclass(frozen=True, slots=True)
class Strand:
    """The positions ``start`` to ``stop`` of every block, and the hops they follow.

    With ``mask`` and ``value`` it is the strand of the nodes u with u & mask == value only.

    >>> half = Strand(0, 32, (Hop(0, Exchange(flip=1, when=2)),))
    >>> half.size, half.move(2)(0b10)
    (32, 3)
    >>> upper = Strand(0, 32, (), mask=0b10, value=0b10)
    >>> [upper.starts_at(node) for node in range(4)]
    [False, False, True, True]
    """

    start: int
    stop: int
    hops: tuple[Hop, ...]
    mask: int = 0
    value: int = 0

    def __post_init__(self) -> None:
        for name in ("start", "stop", "mask", "value"):
            object.__setattr__(self, name, require_int(getattr(self, name), name))
        object.__setattr__(self, "hops", tuple(self.hops))
        if self.mask < 0 or self.value & ~self.mask:
            raise InvalidValueError(
                f"a strand has the mask {self.mask:#x} and the value {self.value:#x}"[:80],
                "the mask must be >= 0, and the value have no other bits",
                "give the bits that are fixed, and what they are",
            )
        if not 0 <= self.start <= self.stop:
            raise InvalidValueError(
                f"a strand runs from {self.start} to {self.stop}",
                "0 <= start <= stop is needed",
                "give positions of a block as in range(start, stop)",
            )

    @property
    def size(self) -> int:
        """Number of elements of each block.

        >>> Strand(3, 10, ()).size
        7
        """
        return self.stop - self.start

    def starts_at(self, node: int) -> bool:
        """Whether the node has elements of the strand at first.

        >>> Strand(0, 1, ()).starts_at(5)
        True
        """
        return node & self.mask == self.value

    def move(self, size: int) -> AffineMap:
        """Where the strand takes every address of ``size`` bits.

        >>> Strand(0, 1, ()).move(4) == AffineMap.identity(4)
        True
        """
        return compose((hop.exchange for hop in self.hops), size)


@dataclass(frozen=True)
class Timetable:
    """What both forms of a schedule have: the task, and the cycles divided into rounds.

    ``rounds`` are the first cycles of the rounds, a range where all are equally long, and
    ``cycles`` is their total number. Where a schedule renumbers the nodes at the end,
    ``relabel`` takes old addresses to new ones.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> Timetable(task, "two rounds", rounds=(0, 5), cycles=8).round_lengths
    (5, 3)
    >>> len(Timetable(task, "pipeline", rounds=range(10**9), cycles=10**9).rounds)
    1000000000
    """

    task: Task
    algorithm: str
    rounds: tuple[int, ...] | range
    cycles: int
    relabel: AffineMap | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.relabel is not None and not _renumbers_nodes(self.relabel, self.task):
            raise InvalidValueError(
                f"relabel is a map of {self.relabel.width} bits that does more than renumber",
                f"it must permute the {1 << self.task.n} nodes and leave slots alone",
                "move what changes slots by exchanges",
            )
        require_line(self.algorithm, "the algorithm")
        object.__setattr__(self, "cycles", require_int(self.cycles, "cycles", least=0))
        if isinstance(self.rounds, range):
            step = self.rounds.step
            sound = step > 0 and self.rounds == range(0, self.cycles, step)
        else:
            object.__setattr__(self, "rounds", require_ints(self.rounds, "rounds"))
            marks = (*self.rounds, self.cycles)
            first = (0,) if self.cycles else ()
            sound = marks[:-1][:1] == first and all(a < b for a, b in pairwise(marks))
        if not sound:
            raise InvalidValueError(
                f"the rounds start at {str(self.rounds)[:60]} of {self.cycles} cycles",
                "they must start at 0 and ascend below the number of cycles",
                "list the first cycle of each round",
            )

    def __repr__(self) -> str:
        figures = f"{self.cycles} cycles, {1 << self.task.n} nodes"
        return f"<{type(self).__name__} {self.algorithm}: {figures}>"

    @property
    def round_lengths(self) -> tuple[int, ...]:
        """Number of cycles of each round."""
        return tuple(b - a for a, b in pairwise((*self.rounds, self.cycles)))

    def round_of(self, cycle: int) -> int:
        """The number of the round that a cycle belongs to.

        >>> from graycube.layout import Layout
        >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
        >>> Timetable(task, "two rounds", rounds=(0, 5), cycles=8).round_of(6)
        1
        """
        if isinstance(self.rounds, range):
            return cycle // self.rounds.step
        return bisect_right(self.rounds, cycle) - 1


def _renumbers_nodes(relabel: AffineMap, task: Task) -> bool:
    """Whether a map of addresses is a bijection that changes node numbers only."""
    n, columns = task.n, relabel.matrix.columns
    if relabel.width != task.p or columns[n:] != tuple(1 << j for j in range(n, task.p)):
        return False
    return max((*columns[:n], relabel.constant)) >> n == 0 and relabel.matrix.is_invertible()


@dataclass(frozen=True, repr=False)
class Schedule(Timetable):
    """Who sends which elements to whom, over which dimension, in which cycle.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> strand = Strand(0, 8, (Hop(0, Exchange(flip=1, when=2)),))
    >>> schedule = Schedule(task, "gb1", rounds=(0,), cycles=8, strands=(strand,))
    >>> schedule.strands[0].move(2) == task.move
    True
    """

    strands: tuple[Strand, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "strands", tuple(self.strands))
        for strand in self.strands:
            if strand.stop > self.task.block:
                raise InvalidValueError(
                    f"a strand ends at {strand.stop}",
                    f"a block has {self.task.block} elements",
                    "share out what is there",
                )
            if strand.mask >> self.task.n:
                raise InvalidValueError(
                    f"a strand fixes bit {strand.mask.bit_length() - 1} of its nodes",
                    f"node numbers have {self.task.n} bits",
                    "fix bits of the node number only",
                )
            for hop in strand.hops:
                self._require_fit(hop)

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """A way for each strand, and a step for each hop.

        >>> from graycube.layout import Layout
        >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
        >>> strand = Strand(0, 8, (Hop(0, Exchange(flip=1, when=2)),))
        >>> Schedule(task, "gb1", (0,), 8, (strand,)).ways[0].steps[0].passages
        (Passage(dim=0, start=0, delays=()),)
        """
        return tuple(
            Way(s.start, s.stop, tuple(map(self._step, s.hops)), s.mask, s.value)
            for s in self.strands
        )

    def _step(self, hop: Hop) -> Step:
        link = hop.exchange.flip & ((1 << self.task.n) - 1)
        passages = (Passage(link.bit_length() - 1, hop.cycle),) if link else ()
        return Step(hop.exchange, passages)

    def _require_fit(self, hop: Hop) -> None:
        crosses = bool(hop.exchange.flip & ((1 << self.task.n) - 1))
        if hop.cycle + crosses > self.cycles:
            raise InvalidValueError(
                f"a hop starts in cycle {hop.cycle}",
                f"the schedule has {self.cycles} cycles",
                "count its cycles too",
            )
        exchange = hop.exchange
        if max(exchange.flip, exchange.when) >> self.task.p:
            raise InvalidValueError(
                f"the hop '{hop}' is too wide",
                f"addresses have {self.task.p} bits",
                "use exchanges of the task's addresses",
            )
        if (exchange.flip & ((1 << self.task.n) - 1)).bit_count() > 1:
            raise InvalidValueError(
                f"the hop '{hop}' crosses several dimensions",
                "a hop crosses one link",
                "write one hop per dimension; in one cycle they are one circuit",
            )
