"""The ways of all elements, in one form for all schedules that tell slots apart.

Rules.

1. Steps are done one after the other: what is at address a goes to ``move(a)``.
2. A :class:`Passage` takes those node bits that are in ``dims`` and differ before and after the
   step. It happens in cycle ``start`` plus every delay whose parity the address before the
   step has. A step without passages is done in memory.
3. Where nodes follow different steps, a *way* has those that share some node bits.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, parity
from graycube.gf2.arrays import IntArray
from graycube.schedule import (
    AnySchedule,
    Crossing,
    Direct,
    Emulation,
    Hop,
    Schedule,
    Stage,
    Strand,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """Node bits that change, and when: ``delays`` are (cycles, mask, wanted parity).

    >>> Passage(dims=1, start=4, delays=((2, 0b100, 1),)).cycles(np.array([0b001, 0b101]))
    array([4, 6])
    """

    dims: int
    start: int
    delays: tuple[tuple[int, int, int], ...] = ()

    def cycles(self, address: IntArray) -> IntArray:
        """The cycle for what is at each address."""
        found: IntArray = np.full(address.shape, self.start, dtype=np.int64)
        for delay, mask, want in self.delays:
            found += delay * ((np.bitwise_count(address & mask) & 1) == want)
        return found


@dataclass(frozen=True, slots=True)
class Leg:
    """A map of addresses, and its passages in the order of time."""

    move: AffineMap
    passages: tuple[Passage, ...] = ()


Way = tuple[tuple[int, int], tuple[Leg, ...]]
"""Steps of the nodes u with u & mask == value, for a pair (mask, value)."""


@dataclass(frozen=True)
class Itinerary:
    """The ways of what is at addresses of ``p`` bits, ``n`` of them node bits.

    ``starts`` are the first cycles of the rounds.

    >>> swap = AffineMap.identity(1)
    >>> Itinerary(1, 1, (((0, 0), (Leg(swap),)),)).final(np.arange(2))
    array([0, 1])
    """

    p: int
    n: int
    ways: tuple[Way, ...]
    starts: tuple[int, ...] | range = range(1)

    def sums(self) -> Iterator[int]:
        """Masks of bits of the first address: their parities decide which way it takes."""
        for _, steps in self.ways:
            before = AffineMap.identity(self.p)
            for step in steps:
                after = step.move @ before
                for passage in step.passages:
                    for _, mask, _ in passage.delays:
                        yield _through(before, mask)
                    for d in range(self.n):
                        if passage.dims >> d & 1:
                            yield _through(before, 1 << d) ^ _through(after, 1 << d)
                before = after

    def finals(self) -> Iterator[tuple[tuple[int, int], AffineMap]]:
        """For the nodes of each way, the map from the first address to the last."""
        for nodes, steps in self.ways:
            final = AffineMap.identity(self.p)
            for step in steps:
                final = step.move @ final
            yield nodes, final

    def final(self, address: IntArray) -> IntArray:
        """The last address of what starts at each address."""
        out = address.copy()
        for (mask, value), final in self.finals():
            those = address & mask == value
            out[those] = final(address[those])
        return out

    def crossings(self, address: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """Cycle, number in the array, and flipped node bits, passage by passage."""
        yield (np.empty(0, dtype=np.int64),) * 3
        for (mask, value), steps in self.ways:
            those = np.flatnonzero(address & mask == value)
            here = address[those]
            for step in steps:
                after = step.move(here)
                for passage in step.passages:
                    flip = (here ^ after) & passage.dims
                    moved = np.flatnonzero(flip)
                    yield passage.cycles(here[moved]), those[moved], flip[moved]
                here = after

    def rounds(self, cycle: IntArray) -> IntArray:
        """The number of the round of each cycle."""
        if isinstance(self.starts, range):
            return cycle // self.starts.step
        return np.searchsorted(self.starts, cycle, side="right") - 1


def _through(move: AffineMap, mask: int) -> int:
    """The bits whose parity before the map is that of ``mask`` after it, but for a constant."""
    columns = enumerate(move.matrix.columns)
    return sum(parity(mask & column) << j for j, column in columns)


def itinerary(schedule: AnySchedule) -> Itinerary:
    """The ways of all elements in a schedule.

    >>> from graycube.table import all_to_all
    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.cyclic(4, 2), Layout.consecutive(4, 2), block=4)
    >>> made = itinerary(all_to_all.emit(task, Machine(2, switching="circuit")))
    >>> [cycle.tolist() for cycle, *_ in made.crossings(np.array([0b0000, 0b0100, 0b1100]))]
    [[], [2, 3]]
    """
    task = schedule.task
    ways: tuple[Way, ...]
    if isinstance(schedule, Schedule):
        ways = tuple(_strand_way(schedule, strand) for strand in schedule.strands)
    elif isinstance(schedule, Direct):
        ways = (((0, 0), tuple(_deliveries(schedule))),)
    else:
        ways = (((0, 0), tuple(_turns(schedule))),)
    return Itinerary(task.p, task.n, ways, schedule.rounds)


def at_once(move: AffineMap, n: int) -> Itinerary:
    """Everything straight to where it belongs, in one round.

    >>> at_once(AffineMap.identity(3), 2).starts
    range(0, 1)
    """
    step = Leg(move, (Passage((1 << n) - 1, 0),))
    return Itinerary(move.width, n, (((0, 0), (step,)),))


def _strand_way(schedule: Schedule, strand: Strand) -> Way:
    if strand.size not in (0, schedule.task.block):
        raise InvalidValueError(
            f"a strand of {strand.size} elements changes slots",
            f"only whole blocks of {schedule.task.block} can do that",
            "give the strand whole blocks",
        )
    steps = (_hop(schedule, hop) for hop in strand.hops) if strand.size else ()
    return (strand.mask, strand.value), tuple(steps)


def _hop(schedule: Schedule, hop: Hop) -> Leg:
    task, exchange = schedule.task, hop.exchange
    link = exchange.flip & ((1 << task.n) - 1)
    move = exchange.affine(task.p)
    if not link:
        return Leg(move)
    amount = task.block >> 1 if exchange.when >> task.n else task.block
    first = bisect_right(schedule.rounds, hop.cycle)
    if bisect_right(schedule.rounds, hop.cycle + amount - 1) != first:
        raise InvalidValueError(
            f"the hop '{hop}' changes slots and takes {amount} cycles",
            "it is sent in one message only",
            "give it a round of its own",
        )
    return Leg(move, (Passage(link, hop.cycle),))


def _deliveries(direct: Direct) -> Iterator[Leg]:
    start, nodes = 0, (1 << direct.task.n) - 1
    for delivery, size in zip(direct.deliveries, direct.message_sizes, strict=True):
        links = [nodes] if direct.circuits else [1 << d for d in delivery.dims]
        turn = delivery.turn
        delays = tuple((len(links) * size << k, row, 1) for k, row in enumerate(turn.rows))
        passages = (Passage(link, start + k * size, delays) for k, link in enumerate(links))
        yield Leg(delivery.move, tuple(passages))
        start += delivery.turns * len(links) * size


def _turns(emulation: Emulation) -> Iterator[Leg]:
    task = emulation.task
    if any(start % task.payload for start in _marks(emulation)):
        raise InvalidValueError(
            f"rounds of {emulation.algorithm!r} cut payloads of {task.payload} elements",
            "a payload is sent in one message",
            "use rounds of whole payloads",
        )
    for step in emulation.steps:
        if isinstance(step, Stage):
            raise InvalidValueError(
                f"there is the step '{step}'",
                "a schedule with butterflies does more than move data",
                "carry it out with a transform, or plan a rearrangement",
            )
        if isinstance(step, Crossing):
            yield Leg(step.exchange.affine(task.p), (_passage(emulation, step),))
        else:
            yield Leg(step.affine(task.p))


def _marks(emulation: Emulation) -> tuple[int, ...]:
    rounds = emulation.rounds
    return (rounds.step,) if isinstance(rounds, range) else rounds


def _passage(emulation: Emulation, crossing: Crossing) -> Passage:
    """The passage of a crossing, without delays that stay within its round."""
    task, rounds = emulation.task, emulation.rounds
    delays = [(t.delay * task.payload, t.when, t.want) for t in crossing.turns]
    start = crossing.start * task.payload
    if isinstance(rounds, range):
        short = [delay for delay, _, _ in delays if delay % rounds.step]
        if start % rounds.step + sum(short) < rounds.step:
            delays = [late for late in delays if late[0] % rounds.step == 0]
    links = crossing.exchange.flip & ((1 << task.n) - 1)
    return Passage(links, start, tuple(delays))
