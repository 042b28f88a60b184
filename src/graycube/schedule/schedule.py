"""A schedule: ways for all elements, and the time they have.

Rule. A *round* is a stretch of cycles, from one entry of ``rounds`` to the next: what crosses a
link within a round is one message, and what it brings is sent on in a later round. With
store-and-forward switching an element that arrives in a cycle can leave in the next; with
circuit switching steps that start in the same cycle are the path of one message.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Exchange, bit_indices, require_int, require_ints
from graycube.layout import Layout
from graycube.parsing import require_line
from graycube.schedule.required import require_all
from graycube.schedule.task import MAX_COUNT, Task
from graycube.schedule.way import Step, Way


@dataclass(frozen=True)
class Timetable:
    """What every schedule has: the task, and the cycles divided into rounds.

    ``rounds`` are the first cycles of the rounds, a range where all are equally long, and
    ``cycles`` is their total number. Where a schedule renumbers the nodes at the end,
    ``relabel`` takes old addresses to new ones.

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
        if not isinstance(self.task, Task):
            raise InvalidTypeError(
                f"the task is {self.task!r:.60}", "it must be a Task", "pass Task(...)"
            )
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


def most_at_once(spans: Sequence[tuple[int, int, int]]) -> int:
    """How many dimensions are in use at one time, each from a first to a last cycle.

    >>> most_at_once([(0, 0, 3), (1, 3, 9), (0, 2, 5), (2, 6, 7)])
    2
    """
    if spans and max([first for _, first, _ in spans]) <= min([last for *_, last in spans]):
        return len({dim for dim, *_ in spans})  # all are
    starts, ends, until = list[int](), list[int](), dict[int, int]()
    for dim, first, last in sorted(spans, key=itemgetter(1)):
        if dim in until and first <= until[dim]:  # it goes on
            until[dim] = max(until[dim], last)
            continue
        starts.append(first)
        if dim in until:
            ends.append(until[dim])
        until[dim] = last
    ends += until.values()
    ends.sort()
    counts = [k - bisect_left(ends, first) for k, first in enumerate(starts, start=1)]
    return max(counts, default=0)


@dataclass(frozen=True, repr=False)
class Schedule(Timetable):
    """Who sends which elements to whom, over which dimension, in which cycle.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.schedule import hop
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> way = Way(0, 8, (hop(0, Exchange(flip=1, when=2), n=2),))
    >>> schedule = Schedule(task, "gb1", rounds=(0,), cycles=8, ways=(way,))
    >>> schedule.ways[0].move(2) == task.move
    True
    """

    ways: tuple[Way, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ways", require_all(self.ways, Way, "the ways"))
        if isinstance(self.rounds, range) and self.cycles > MAX_COUNT:  # for len()
            raise InvalidValueError(
                f"there are {str(self.cycles)[:40]} cycles",
                f"at most {MAX_COUNT}",
                "use fewer elements",
            )
        for way in self.ways:
            most = self.task.payload if way.per_slot else self.task.block
            if way.stop > most:
                raise InvalidValueError(
                    f"a way ends at {way.stop}",
                    f"a {'slot' if way.per_slot else 'block'} has {most} elements",
                    "share out what is there",
                )
            if way.mask >> self.task.p:
                raise InvalidValueError(
                    f"a way fixes bit {way.mask.bit_length() - 1} of its addresses",
                    f"addresses have {self.task.p} bits",
                    "fix bits of the address only",
                )
            if way.mask >> self.task.n and not way.per_slot and way.size < self.task.block:
                raise InvalidValueError(
                    f"a way is that of some slots, and of positions {way.start} to {way.stop}",
                    f"only a way of all {self.task.block} positions can be that of some slots",
                    "choose elements by slots, or positions of each slot with per_slot=True",
                )
        n, p = self.task.n, self.task.p
        for step in {id(step): step for way in self.ways for step in way.steps}.values():
            _require_fit(step, n, p, self.cycles)

    @property
    def stages(self) -> tuple[int, ...]:
        """The bits whose butterflies are done, in order, where everything has one way.

        >>> task = Task(Layout.nodes(0), Layout.nodes(0), block=1)
        >>> Schedule(task, "none", (), 0, ways=(Way(0, 1, ()),)).stages
        ()
        """
        steps = (step for way in self.ways[:1] for step in way.steps)
        return tuple(step.stage for step in steps if step.stage is not None)

    @property
    def dimensions_at_once(self) -> int:
        """How many dimensions may be in use at the same time."""
        steps = [step for way in self.ways for step in way.steps]
        return most_at_once(
            [(c.dim, c.start, c.last) for step in steps for c in step.crossings]
        )

    def layouts(self) -> Iterator[Layout]:
        """The layout at first, and after each step that moves something, of the first way.

        >>> from graycube.gf2 import Exchange
        >>> from graycube.schedule import hop
        >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
        >>> way = Way(0, 8, (hop(0, Exchange(flip=1, when=2), n=2),))
        >>> for layout in Schedule(task, "gb1", (0,), 8, (way,)).layouts():
        ...     print(layout)
        (|| b1 g0)
        (|| b1 b0)
        """
        layout = self.task.source
        yield layout
        for step in (step for way in self.ways[:1] for step in way.steps):
            if step.move is not None:
                layout = step.affine(self.task.p) @ layout
                yield layout


def _require_fit(step: Step, n: int, p: int, cycles: int) -> None:
    if len(step.crossings) == 1 and isinstance(step.move, Exchange):  # most are
        (crossing,), move = step.crossings, step.move
        alone = move.flip & (1 << n) - 1 == 1 << crossing.dim and not crossing.delays
        if alone and not (move.flip | move.when) >> p and crossing.start < cycles:
            return
    last = max((crossing.last for crossing in step.crossings), default=-1)
    if last >= cycles:
        raise InvalidValueError(
            f"a step starts in cycle {last}",
            f"the schedule has {cycles} cycles",
            "count its cycles too",
        )
    masks = [late.mask for crossing in step.crossings for late in crossing.delays]
    masks.append(0 if step.stage is None else 1 << min(step.stage, p))
    if isinstance(step.move, Exchange):
        masks += (step.move.flip, step.move.when)
        crossed = [crossing.dim for crossing in step.crossings]
        links = step.move.flip & (1 << n) - 1
        if sorted(crossed) != list(bit_indices(links)):
            raise InvalidValueError(
                f"'{step.move}' crosses dimensions {crossed}"[:90],
                "an exchange crosses the node bits that it flips",
                "write a crossing for each of them",
            )
    elif step.move is not None:
        step.move.affine(p)  # raises unless it is a map of addresses
    if len({crossing.dim for crossing in step.crossings}) < len(step.crossings):
        raise InvalidValueError(
            f"the step '{step}' crosses a dimension twice"[:90],
            "each has one crossing",
            "write two steps",
        )
    if max(masks) >> p or any(crossing.dim >= n for crossing in step.crossings):
        raise InvalidValueError(
            f"the step '{step}' is too wide"[:90],
            f"addresses have {p} bits, {n} of them of the node",
            "use the task's bits",
        )
