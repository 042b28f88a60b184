"""The ways of a schedule as those who carry it out need them: by address, in whole blocks.

Slots that are told apart by nothing are followed as one, so a way has whole blocks here, or
what is at some positions of each slot: then there are several itineraries. What stays within a
round makes no difference to anybody: such delays are left out.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise

import numpy as np

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Span, bit_indices, parity
from graycube.gf2.arrays import IntArray
from graycube.run.whole import pieces
from graycube.schedule import Crossing, Delay, Schedule, Step, Task, Way
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

    @cached_property
    def finals(self) -> list[tuple[Way, AffineMap]]:
        """For each way, the map from the first address to the last."""
        return [(way, way.move(self.p)) for way in self.ways]

    def final(self, address: IntArray) -> IntArray:
        """The last address of what starts at each address."""
        out = address.copy()
        for mask, finals in self._by_value.items():
            values = address & mask
            some = finals if len(finals) < len(address) else np.unique(values).tolist()
            for value in some:
                those = values == value
                if value in finals and those.any():
                    out[those] = finals[value](address[those])
        return out

    @cached_property
    def _by_value(self) -> dict[int, dict[int, AffineMap]]:
        """For each mask, what is done where it has which value: ways may be many."""
        found: dict[int, dict[int, AffineMap]] = {}
        for way, final in self.finals:
            found.setdefault(way.mask, {})[way.value] = final
        return found

    def crossings(self, address: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """Cycle, number in the array, and flipped node bits; a circuit is one crossing."""
        yield (np.empty(0, dtype=np.int64),) * 3
        for way in self.ways:
            those = np.flatnonzero(address & way.mask == way.value)
            here = address[those]
            for step in way.steps:
                after = step(here)
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


def itineraries(schedule: Schedule) -> list[tuple[range, Itinerary]]:
    """The ways of all elements in a schedule, for some positions of each slot after the other.

    >>> from graycube.table.messages import all_to_all
    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.cyclic(4, 2), Layout.consecutive(4, 2), block=8)
    >>> ((span, made),) = itineraries(all_to_all.emit(task, Machine(2, switching="circuit")))
    >>> span, [c.tolist() for c, *_ in made.crossings(np.array([0b0000, 0b0100, 0b1100]))]
    (range(0, 2), [[], [4, 6]])
    """
    task = schedule.task
    require_no_stages(schedule.ways)
    parts = (part for way in schedule.ways if way.size for part in _in_rounds(schedule, way))
    made = [(_span(task, part), _whole(schedule, part)) for part in parts]
    marks = sorted({0, task.payload, *(end for s, _ in made for end in (s.start, s.stop))})
    found = []
    for start, stop in pairwise(marks):
        ways = tuple(whole for span, whole in made if start in span)
        found.append((range(start, stop), Itinerary(task.p, task.n, ways, schedule.rounds)))
    return found


def at_once(move: AffineMap, n: int) -> Itinerary:
    """Everything straight to where it belongs, in one round.

    >>> at_once(AffineMap.identity(3), 2).starts
    range(0, 1)
    """
    step = Step(move, tuple(Crossing(d, 0) for d in range(n)))
    return Itinerary(move.width, n, (Way(0, 1, (step,)),))


def _span(task: Task, way: Way) -> range:
    """The positions of each slot that a way has."""
    if way.per_slot:
        return range(way.start, way.stop)
    if way.size != task.block:
        raise InvalidValueError(
            f"a way of {way.size} elements changes slots",
            f"only whole blocks of {task.block} can do that",
            "give the way whole blocks, or positions of each slot",
        )
    return range(task.payload)


def _in_rounds(schedule: Schedule, way: Way) -> Iterator[Way]:
    """The way of one slot in parts, each of which crosses a link in one round."""
    slots = (1 << schedule.task.p) - (1 << schedule.task.n)
    crossings = [crossing for step in way.steps for crossing in step.crossings]
    if not way.per_slot or slots & ~way.mask or any(crossing.delays for crossing in crossings):
        yield way
        return
    begun = (pieces(schedule, crossing.start, way.size) for crossing in crossings)
    marks = sorted({0, way.size, *(low for some in begun for _, low, _ in some)})
    for low, high in pairwise(marks):
        steps = tuple(_later(step, low) for step in way.steps)
        yield replace(way, start=way.start + low, stop=way.start + high, steps=steps)


def _later(step: Step, cycles: int) -> Step:
    crossings = (replace(one, start=one.start + cycles) for one in step.crossings)
    return replace(step, crossings=tuple(crossings))


def _whole(schedule: Schedule, way: Way) -> Way:
    """The way by addresses alone."""
    task, steps = schedule.task, []
    size = way.size << (task.p - task.n) * way.per_slot
    chosen = [1 << j for j in bit_indices(way.mask)]
    for step in way.steps:
        steps.append(_without_short_delays(schedule, step, chosen, size))
        if chosen and step.move is not None:
            back = step.affine(task.p).inverse()
            chosen = [_through(back, mask) for mask in chosen]
    return replace(way, steps=tuple(steps))


def _without_short_delays(
    schedule: Schedule, step: Step, chosen: Sequence[int], size: int
) -> Step:
    """The step without delays that stay within a round.

    The elements are those of ``size`` that have the ``chosen`` sums.
    """
    if step.crossings:
        length = size >> _told_apart(schedule.task.n, step, chosen)
        _require_one_round(schedule, step, length)
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


def _require_one_round(schedule: Schedule, step: Step, length: int) -> None:
    """Refuse messages that begin in one round and end in another."""
    rounds = schedule.rounds
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


def _told_apart(n: int, step: Step, chosen: Sequence[int]) -> int:
    """By so many sums the slots are told apart that one node sends at one time, at least."""
    told_apart = Span()
    masks = [late.mask for crossing in step.crossings for late in crossing.delays]
    masks += chosen
    if step.move is not None:
        masks += [step.move.changes(crossing.dim)[0] for crossing in step.crossings]
    return sum(told_apart.add(mask >> n) for mask in masks)
