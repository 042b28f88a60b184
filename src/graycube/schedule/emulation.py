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
from functools import cached_property

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import Exchange, bit_indices, parity, require_int
from graycube.schedule.program import Program, Stage, require_all
from graycube.schedule.schedule import Timetable
from graycube.schedule.task import MAX_COUNT, Task
from graycube.schedule.way import Delay, Passage, Step, Way


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
    >>> emulation.program.remote_stages(), len(emulation.ways[0].steps)
    ((), 3)
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

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """One way of everything, in cycles of elements.

        >>> from graycube.layout import Layout
        >>> task = Task(Layout.cyclic(2, 1), Layout.parse("(b0 || b1)"), block=6)
        >>> made = Emulation(task, "by hand", (0,), 6, (Crossing(Exchange(3, 3), start=1),))
        >>> made.ways[0].steps[0].passages
        (Passage(dim=0, start=3, delays=()),)
        """
        return (Way(0, self.task.block, tuple(self._steps_of_way())),)

    def _steps_of_way(self) -> Iterator[Step]:
        payload, nodes = self.task.payload, (1 << self.task.n) - 1
        for step in self.steps:
            if isinstance(step, Stage):
                yield Step(stage=step.bit)
            elif isinstance(step, Crossing):
                delays = (Delay(t.delay * payload, t.when, t.want) for t in step.turns)
                dim = (step.exchange.flip & nodes).bit_length() - 1
                yield Step(step.exchange, (Passage(dim, step.start * payload, tuple(delays)),))
            else:
                yield Step(step)

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
