"""The ways of a schedule as those who carry it out need them: by address, in whole blocks.

Slots that are told apart by nothing are followed as one, so a way has whole blocks here. What
stays within a round makes no difference to anybody: such delays are left out.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Span, bit_indices, parity
from graycube.gf2.arrays import IntArray
from graycube.schedule import Crossing, Delay, Schedule, Step, Way
from graycube.schedule.way import require_no_stages


@dataclass(frozen=True)
class Itinerary:
    """The ways of what is at addresses of ``p`` bits, ``n`` of them node bits.

    ``starts`` are the first cycles of the rounds.

    >>> swap = AffineMap.identity(1)
    >>> Itinerary(1, 1, (Way(0, 1, (Step(swap),)),)).final(np.arange(2))
    array([0, 1])
    """

    p: int
    n: int
    ways: tuple[Way, ...]
    starts: tuple[int, ...] | range = range(1)

    def sums(self) -> Iterator[int]:
        """Masks of bits of the first address: their parities decide what becomes of it."""
        for way in self.ways:
            yield from (1 << j for j in bit_indices(way.mask))
            before = AffineMap.identity(self.p)
            for step in way.steps:
                after = step.affine(self.p) @ before
                for crossing in step.crossings:
                    yield _through(before, 1 << crossing.dim) ^ _through(
                        after, 1 << crossing.dim
                    )
                    for late in crossing.delays:
                        yield _through(before, late.mask)
                before = after

    def finals(self) -> Iterator[tuple[Way, AffineMap]]:
        """For each way, the map from the first address to the last."""
        for way in self.ways:
            yield way, way.move(self.p)

    def final(self, address: IntArray) -> IntArray:
        """The last address of what starts at each address."""
        out = address.copy()
        for way, final in self.finals():
            those = address & way.mask == way.value
            out[those] = final(address[those])
        return out

    def crossings(self, address: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """Cycle, number in the array, and flipped node bits; a circuit is one crossing."""
        yield (np.empty(0, dtype=np.int64),) * 3
        for way in self.ways:
            those = np.flatnonzero(address & way.mask == way.value)
            here = address[those]
            for step in way.steps:
                after = step.affine(self.p)(here)
                for _, circuit in groupby(step.crossings, key=_clock):
                    crossings = list(circuit)
                    flip = (here ^ after) & sum(1 << crossing.dim for crossing in crossings)
                    moved = np.flatnonzero(flip)
                    yield crossings[0].clock(here[moved]), those[moved], flip[moved]
                here = after

    def rounds(self, cycle: IntArray) -> IntArray:
        """The number of the round of each cycle."""
        if isinstance(self.starts, range):
            return cycle // self.starts.step
        return np.searchsorted(self.starts, cycle, side="right") - 1


def _clock(crossing: Crossing) -> tuple[int, tuple[Delay, ...]]:
    return crossing.start, crossing.delays


def _through(move: AffineMap, mask: int) -> int:
    """The bits whose parity before the map is that of ``mask`` after it, but for a constant."""
    columns = enumerate(move.matrix.columns)
    return sum(parity(mask & column) << j for j, column in columns)


def itinerary(schedule: Schedule) -> Itinerary:
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
    require_no_stages(schedule.ways)
    ways = tuple(_whole(schedule, way) for way in schedule.ways if way.size)
    return Itinerary(task.p, task.n, ways, schedule.rounds)


def at_once(move: AffineMap, n: int) -> Itinerary:
    """Everything straight to where it belongs, in one round.

    >>> at_once(AffineMap.identity(3), 2).starts
    range(0, 1)
    """
    step = Step(move, tuple(Crossing(d, 0) for d in range(n)))
    return Itinerary(move.width, n, (Way(0, 1, (step,)),))


def _whole(schedule: Schedule, way: Way) -> Way:
    task = schedule.task
    if way.size != task.block:
        raise InvalidValueError(
            f"a way of {way.size} elements changes slots",
            f"only whole blocks of {task.block} can do that",
            "give the way whole blocks",
        )
    steps, chosen = [], [1 << j for j in bit_indices(way.mask >> task.n << task.n)]
    for step in way.steps:
        steps.append(_in_rounds(schedule, step, chosen))
        if chosen and step.move is not None:
            back = step.affine(task.p).inverse()
            chosen = [_through(back, mask) for mask in chosen]
    return replace(way, steps=tuple(steps))


def _in_rounds(schedule: Schedule, step: Step, chosen: Sequence[int]) -> Step:
    """The step without delays that stay within a round; the elements have ``chosen`` sums."""
    if step.crossings:
        _require_one_round(schedule, step, chosen)
    rounds = schedule.rounds
    if not isinstance(rounds, range):
        return step
    kept = []
    for crossing in step.crossings:
        short = [late.cycles for late in crossing.delays if late.cycles % rounds.step]
        if short and crossing.start % rounds.step + sum(short) < rounds.step:
            long = (late for late in crossing.delays if late.cycles % rounds.step == 0)
            kept.append(replace(crossing, delays=tuple(long)))
        else:
            kept.append(crossing)
    return replace(step, crossings=tuple(kept))


def _require_one_round(schedule: Schedule, step: Step, chosen: Sequence[int]) -> None:
    """Refuse messages that begin in one round and end in another."""
    length, rounds = _length(schedule, step, chosen), schedule.rounds
    for crossing in step.crossings:
        cycles = [crossing.start, *(late.cycles for late in crossing.delays)]
        if isinstance(rounds, range):
            apart = [cycle % rounds.step for cycle in cycles]
            whole = sum(apart) + length <= rounds.step
            marks: Sequence[int] = (*apart, rounds.step)
        else:
            first = bisect_right(rounds, crossing.start)
            marks = rounds[first : bisect_right(rounds, crossing.last + length - 1)]
            whole = not marks
            marks = (*(mark - crossing.start for mark in marks), *cycles[1:])
        if not whole and any(mark % length for mark in marks):
            raise InvalidValueError(
                f"messages of {length} elements begin in cycle {crossing.start}",
                "what changes slots is sent in one message, within a round",
                "give it a round of its own",
            )


def _length(schedule: Schedule, step: Step, chosen: Sequence[int]) -> int:
    """The most elements that one node sends at one time: slots that nothing tells apart."""
    task, told_apart = schedule.task, Span()
    masks = [late.mask for crossing in step.crossings for late in crossing.delays]
    masks += chosen
    if step.move is not None:
        masks += [step.move.changes(crossing.dim)[0] for crossing in step.crossings]
    rank = sum(told_apart.add(mask >> task.n) for mask in masks)
    return task.block >> rank
