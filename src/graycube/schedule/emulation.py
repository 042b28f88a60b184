"""The schedule of a butterfly network: stages, and exchanges in which elements take turns.

Rules.

1. Every element goes through the stages in the order of the steps, and between two stages
   through the crossings in the order of time: those that change places for it must commute. A
   local exchange takes no time, a :class:`Crossing` takes the elements that meet its condition
   over one link, and a :class:`~graycube.schedule.Stage` pairs elements.
2. The element at address a, which is its address in the order of the steps, crosses in cycle
   ``start`` plus ``delay`` for every :class:`Turn` whose condition it meets: a pipeline of any
   length is a few integers. Behind each slot stands
   a payload; its elements follow one another, and all times count payloads.
3. Nobody waits for anybody but the other of its pair: an element may cross as soon as its own
   pair of the last stage is complete.

So the schedule of a whole network has a few integers per dimension, at any size.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import Exchange, bit_indices, compose, parity, require_int
from graycube.gf2.arrays import IntArray
from graycube.schedule.moves import MAX_CROSSINGS, Moves
from graycube.schedule.program import Program, Stage, require_all
from graycube.schedule.schedule import Timetable
from graycube.schedule.task import MAX_COUNT, Task


@dataclass(frozen=True, slots=True)
class Turn:
    """Elements with parity(a & ``when``) == ``want`` cross ``delay`` cycles later.

    >>> print(Turn(2, when=0b101))
    + 2 where a0 ^ a2 = 1
    """

    delay: int
    when: int
    want: int = 1

    def __post_init__(self) -> None:
        for name in ("delay", "when", "want"):
            object.__setattr__(self, name, require_int(getattr(self, name), name, least=0))
        if self.want > 1 or self.delay < 1:
            raise InvalidValueError(
                f"the delay is {self.delay} where a parity is {self.want}",
                "a delay is 1 or more, and a parity is 0 or 1",
                "leave out turns without a delay",
            )

    def __str__(self) -> str:
        tested = " ^ ".join(f"a{j}" for j in bit_indices(self.when)) or "0"
        return f"+ {self.delay} where {tested} = {self.want}"


@dataclass(frozen=True, slots=True)
class Crossing:
    """An exchange over one dimension, each element in its own turn.

    >>> swap = Crossing(Exchange(flip=0b011, when=0b011), 4, (Turn(2, when=0b100),))
    >>> swap.cycle(0b001), swap.cycle(0b101), swap.last
    (4, 6, 6)
    >>> print(swap)
    from cycle 4: flip 0 1 where a0 ^ a1 = 1; + 2 where a2 = 1
    """

    exchange: Exchange
    start: int
    turns: tuple[Turn, ...] = ()

    def __post_init__(self) -> None:
        start = require_int(self.start, "the start of a crossing", least=0)
        object.__setattr__(self, "start", start)
        if not isinstance(self.exchange, Exchange):
            raise InvalidTypeError(
                f"a crossing of {self.exchange!r:.60}", "it needs an Exchange", "pass one"
            )
        object.__setattr__(self, "turns", require_all(self.turns, Turn, "the turns"))

    def cycle(self, a: int) -> int:
        """The cycle, in payloads, in which the element at address a crosses, if it does."""
        late = (turn.delay for turn in self.turns if parity(a & turn.when) == turn.want)
        return self.start + sum(late)

    @property
    def last(self) -> int:
        """The last cycle, in payloads, in which anything can cross."""
        return self.start + sum(turn.delay for turn in self.turns)

    def __str__(self) -> str:
        return "; ".join((f"from cycle {self.start}: {self.exchange}", *map(str, self.turns)))


@dataclass(frozen=True, repr=False)
class Emulation(Timetable):
    """A timed program: what every element does, and the stages in between.

    ``task`` has the layouts before and after. The program of exchanges and stages without
    times is ``program``.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.cyclic(2, 1), Layout.parse("(b0 || b1)"), block=2)
    >>> steps = (Stage(1), Crossing(Exchange(flip=3, when=3), 0), Stage(0))
    >>> emulation = Emulation(task, "by hand", (0,), 1, steps)
    >>> emulation.program.remote_stages(), len(written_out(emulation))
    ((), 2)
    """

    steps: tuple[Exchange | Crossing | Stage, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.task, Task):
            raise InvalidTypeError(f"the task is {self.task!r:.60}", "it is a Task", "pass one")
        super().__post_init__()
        if self.cycles > MAX_COUNT:
            raise InvalidValueError(
                f"there are {str(self.cycles)[:40]} cycles",
                f"at most {MAX_COUNT}",
                "use fewer elements",
            )
        kinds = (Exchange, Crossing, Stage)
        object.__setattr__(self, "steps", require_all(self.steps, kinds, "the steps"))
        p, n = self.task.p, self.task.n
        for step in self.steps:
            if isinstance(step, Stage):
                self._require(step.bit < p, step, f"an index has {p} bits", "name one of them")
                continue
            exchange = step.exchange if isinstance(step, Crossing) else step
            crossed = (exchange.flip & ((1 << n) - 1)).bit_count()
            turns = step.turns if isinstance(step, Crossing) else ()
            wide = max(exchange.flip, exchange.when, *(t.when for t in turns)) >> p
            self._require(not wide, step, f"addresses have {p} bits", "use their bits only")
            self._require(
                crossed == isinstance(step, Crossing),
                step,
                "a crossing flips one node bit, and a local exchange none",
                "write one crossing for each dimension",
            )
            if isinstance(step, Crossing):
                ends = (step.last + 1) * self.task.payload
                self._require(
                    ends <= self.cycles,
                    step,
                    f"the schedule has {self.cycles} cycles",
                    "count its cycles too",
                )

    def _require(self, right: object, step: object, limit: str, fix: str) -> None:
        if not right:
            raise InvalidValueError(f"there is the step '{step}'", limit, fix)

    @property
    def program(self) -> Program:
        """The exchanges and stages without their times."""
        bare = (step.exchange if isinstance(step, Crossing) else step for step in self.steps)
        return Program(self.task.source, tuple(bare))

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """The crossings, in the order of the steps."""
        return tuple(step for step in self.steps if isinstance(step, Crossing))

    @property
    def dimensions_at_once(self) -> int:
        """How many dimensions are in use at the same time, at most."""
        nodes = (1 << self.task.n) - 1
        spans = [(c.exchange.flip & nodes, c.start, c.last) for c in self.crossings]
        at_once = (
            {d for d, first, last in spans if first <= start <= last} for _, start, _ in spans
        )
        return max(map(len, at_once), default=0)


def written_out(emulation: Emulation) -> Moves:
    """The crossings of an emulation, element by element.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.cyclic(2, 1), Layout.parse("(b0 || b1)"), block=2)
    >>> steps = (Stage(1), Crossing(Exchange(flip=3, when=3), 0), Stage(0))
    >>> moves = written_out(Emulation(task, "by hand", (0,), 1, steps))
    >>> moves.node.tolist(), moves.element.tolist()
    ([0, 1], [1, 2])
    """
    task = emulation.task
    elements = task.block << task.n
    crossings = elements * max(1, len(emulation.crossings))
    if max(crossings, emulation.cycles) > MAX_CROSSINGS:
        raise InvalidValueError(
            f"the emulation has up to {crossings} crossings in {emulation.cycles} cycles",
            f"at most {MAX_CROSSINGS} can be written out",
            "take a smaller cube or block",
        )
    nothing = (np.empty(0, np.int64),) * 3
    found = (np.concatenate(c) for c in zip(nothing, *_columns(emulation), strict=True))
    cycle, dimension, element = found
    order = np.lexsort((cycle, element))
    cycle, dimension, element = cycle[order], dimension[order], element[order]
    node = element // task.block ^ _flips_before(element, dimension)
    head = (task, emulation.algorithm, emulation.rounds, emulation.cycles)
    return Moves(*head, cycle, node, dimension, element, relabel=emulation.relabel)


def _flips_before(element: IntArray, dimension: IntArray) -> IntArray:
    """The node bits that an element has flipped before each of its crossings, in time."""
    flips: IntArray = np.bitwise_xor.accumulate(1 << dimension) ^ 1 << dimension
    first = np.ones(len(element), dtype=bool)
    first[1:] = element[1:] != element[:-1]
    at_home: IntArray = flips[first][np.cumsum(first) - 1]
    return flips ^ at_home


def _columns(emulation: Emulation) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Cycle, dimension and element of the crossings, step by step.

    Commuting exchanges are done in the order of time, whatever the order of the steps: so the
    node that an element leaves is not known here.
    """
    task = emulation.task
    n, p, payload = task.n, task.p, task.payload
    nodes = (1 << n) - 1
    home: IntArray = np.arange(1 << p)
    first = (home & nodes) * task.block + (home >> n) * payload  # of the elements of a slot
    address: IntArray = home
    for step in emulation.steps:
        if isinstance(step, Stage):
            continue
        exchange = step.exchange if isinstance(step, Crossing) else step
        after = compose((exchange,), p)(address)
        if isinstance(step, Crossing):
            moving = np.flatnonzero(address != after)
            here = address[moving]
            turn = np.full(len(moving), step.start)
            for late in step.turns:
                odd = np.bitwise_count(here & late.when) & 1
                turn += late.delay * (odd == late.want)
            each = np.arange(payload)
            yield (
                np.add.outer(turn * payload, each).ravel(),
                np.full(len(moving) * payload, (exchange.flip & nodes).bit_length() - 1),
                np.add.outer(first[moving], each).ravel(),
            )
        address = after
