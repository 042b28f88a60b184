"""When everything crosses: phases laid out in time, so that no link ever carries two elements.

Rules.

1. A phase of r dimensions is an all-to-all exchange in all r-cubes, 2^r elements of a node at
   a time, in 2^(r-1) cycles: the fewest possible, with every link busy in every cycle. An
   element that has to cross the dimensions in e (a bit vector) crosses the d-th in the cycle
   whose number is T^d e without its lowest bit, where T is the step of a shift register that
   returns to no state in less than r steps. The d-th bit of e is the lowest of T^d e: so those
   that cross d have different cycles, and an element never crosses two dimensions in one.
2. The elements of a node that are not in one exchange are told apart by their *classes*: sums
   of index bits, the same sums in all phases, which the stages in between leave alone as far
   as possible. A class is then an independent butterfly network; one follows the other.
3. A phase starts as soon as the first class is ready and its links are free. If it is wider
   than the one before, the classes that it takes together arrive one by one, those first that
   cross first: so it need not wait for all of them.
4. With inter-node conversion a dimension is used by two phases in turn, so classes start two
   cycles apart (TR-764 section 3.1.2).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graycube.errors import InvalidValueError
from graycube.gf2 import bit_indices, parity
from graycube.gf2.matrix import fitting
from graycube.schedule import Crossing, Delay, Step
from graycube.table.networks.register import powers
from graycube.table.networks.state import Phase
from graycube.table.networks.sums import sum_of

Class = tuple[int, int]
"""A sum of index bits, and its value for those that are late."""


@dataclass(frozen=True)
class Pace:
    """How a pipeline runs: ``stride`` messages between classes, ``payload`` cycles a slot.

    Messages are of 2^``merged`` slots. Phases ``overlap``, or one begins when the other ends.
    """

    stride: int = 1
    merged: int = 0
    overlap: bool = True
    payload: int = 1

    @property
    def message(self) -> int:
        """The cycles of a message.

        >>> Pace(merged=2, payload=3).message
        12
        """
        return self.payload << self.merged

    def lateness(self, count: int, slots: int) -> list[int]:
        """How many cycles later the late half of each of some classes crosses.

        >>> Pace(merged=1).lateness(3, slots=4)
        [1, 4, 2]
        """
        within, between = self.payload << self.merged >> 1, self.message * self.stride
        return [
            within >> t if t < self.merged else between << slots - 2 - t for t in range(count)
        ]


@dataclass(frozen=True)
class Series:
    """Phases through which the same classes run, and the first and the last clock of each."""

    phases: tuple[Phase, ...]
    classes: Sequence[Class]
    starts: tuple[int, ...]
    lasts: tuple[int, ...]


@dataclass(frozen=True)
class Pipeline:
    """The phases in time, and the cycles they take."""

    series: tuple[Series, ...]
    n: int
    pace: Pace
    cycles: int

    def spans(self) -> Iterator[tuple[int, int, int]]:
        """The dimension of every crossing, and its first and last clock."""
        for one in self.series:
            for phase, first, last in zip(one.phases, one.starts, one.lasts, strict=True):
                yield from ((dim, first, last) for dim in phase.dims)

    def steps(self) -> Iterator[Step]:
        """All that the phases do."""
        for one in self.series:
            for phase, start in zip(one.phases, one.starts, strict=True):
                yield from map(Step, phase.local)
                yield from _crossings(phase, start, one.classes, self.n, self.pace)
                yield from (Step(stage=bit) for bit in phase.stages)


def pipeline(phases: Sequence[Phase], n: int, pace: Pace) -> Pipeline:
    """Lay the phases out in time.

    Where no classes run through all phases, those that remain begin afterwards.

    >>> from graycube.table.networks.phases import phases
    >>> from graycube.table.networks.state import Wishes
    >>> from graycube.gf2 import AffineMap
    >>> found = phases(AffineMap.identity(4), 2, Wishes(stages=(3, 2, 1, 0), window=1))
    >>> laid_out = pipeline(found.phases, 2, Pace())
    >>> laid_out.cycles
    3
    >>> for step in laid_out.steps():
    ...     print(step)
    cycle 0: flip 1 2 where a1 ^ a2 = 1; + 1 where a3 = 1
    butterflies of bit 1
    cycle 1: flip 0 2 where a0 ^ a2 = 1; + 1 where a3 = 1
    butterflies of bit 0
    """
    series, cycles = list[Series](), 0
    for run, classes in _runs(tuple(phases), n):
        made, cycles = in_series(run, n, pace, classes, cycles)
        series.append(made)
    return Pipeline(tuple(series), n, pace, cycles)


@lru_cache(maxsize=64)  # messages of all sizes have the same
def _runs(phases: tuple[Phase, ...], n: int) -> list[tuple[tuple[Phase, ...], list[Class]]]:
    """The phases, as many at a time as classes run through, and these."""
    found = list[tuple[tuple[Phase, ...], list[Class]]]()
    while phases:
        count, classes = _longest_run(phases, n)
        found.append((phases[:count], classes))
        phases = phases[count:]
    return found


def _longest_run(phases: tuple[Phase, ...], n: int) -> tuple[int, list[Class]]:
    """How many of the first phases have classes that run through them, and the classes.

    By halving: fewer phases ask for less. One phase alone always has some.
    """
    whole = _classes(phases, n)
    if whole is not None:
        return len(phases), whole
    good, bad, found = 1, len(phases), _classes(phases[:1], n) or []
    while bad - good > 1:
        middle = (good + bad) // 2
        classes = _classes(phases[:middle], n)
        good, bad = (middle, bad) if classes is not None else (good, middle)
        found = found if classes is None else classes
    return good, found


def in_series(
    phases: tuple[Phase, ...], n: int, pace: Pace, classes: Sequence[Class], first: int
) -> tuple[Series, int]:
    """Phases through which the classes run, from a cycle on, and their end."""
    slots = phases[0].place.width - n
    widths = [_width(phase) for phase in phases]
    if not 0 <= pace.merged <= slots - max(widths):
        raise InvalidValueError(
            f"messages are to have 2^{pace.merged} slots",
            f"of 2^{slots}, phases of {max(widths)} dimensions need 2^{max(widths)} messages",
            f"merge at most 2^{max(slots - max(widths), 0)}",
        )
    starts = [first + s * pace.message for s in _starts(phases, widths, classes, slots, pace)]
    lasts = [
        start + sum(pace.lateness(slots - width, slots)) + pace.message * ((1 << width - 1) - 1)
        for start, width in zip(starts, widths, strict=True)
    ]
    messages = (max(lasts) - first) // pace.message + 1
    made = Series(phases, classes, tuple(starts), tuple(lasts))
    return made, first + messages * pace.message


def _width(phase: Phase) -> int:
    """In how many independent ways its elements decide whether to cross."""
    return len({crossing.when for crossing in phase.crossings})


def _classes(phases: Sequence[Phase], n: int) -> list[Class] | None:
    """Sums of index bits that tell the elements of a node apart, the slowest first.

    A phase of r dimensions uses all but the last r - 1 of them. Those that stages change
    between two phases make the second one wait, so they are the last choice. There may be no
    such sums.
    """
    p = phases[0].place.width
    slots = p - n
    widths = [_width(phase) for phase in phases]
    unknown = [list(unsaid(phase, n)) for phase in phases]
    staged = dict.fromkeys(b for phase in phases[-2::-1] for b in reversed(phase.stages))
    alone = [bit for bit in range(p) if bit not in staged]
    orders = alone, [*alone, *staged]
    chosen: list[Class] = []
    for k in range(slots - min(widths)):
        still = [rests for rests, wide in zip(unknown, widths, strict=True) if k < slots - wide]
        wish = _first_to_cross(phases[1]) if (k, widths[:2]) == (slots - 2, [1, 2]) else (0, 1)
        wished = all(_is_unknown(wish[0], rests) for rests in still)
        found = wish if wished else first_unknown(orders, still)
        if found is None:
            return None
        chosen.append(found)
        for rests in still:
            learn(found[0], rests)
    return chosen


@lru_cache(maxsize=1 << 10)  # all runs that are tried have the same
def unsaid(phase: Phase, n: int) -> tuple[int, ...]:
    """What index bits say beyond what nodes and crossings do: in each entry, which of them do.

    What a sum of bits says has the entries with an odd number of them.
    """
    tests = dict.fromkeys(crossing.when >> n for crossing in phase.crossings)
    p, slots = phase.place.width, phase.place.width - n
    says = (*(mask >> n for mask in phase.place.masks), *tests)
    rests = list(fitting(says, slots).rows)
    for k in range(len(tests)):
        learn(1 << p + k, rests)
    return tuple(rests)


def _is_unknown(mask: int, rests: Sequence[int]) -> bool:
    """Whether a sum of bits says something."""
    return any((rest & mask).bit_count() & 1 for rest in rests)


def learn(mask: int, rests: list[int]) -> None:
    """From now on a sum of bits is known."""
    odd = [k for k, rest in enumerate(rests) if (rest & mask).bit_count() & 1]
    if odd:
        one = rests.pop(odd[0])  # what the others say, they say without it
        for k in odd[1:]:
            rests[k - 1] ^= one


def _first_to_cross(phase: Phase) -> Class:
    """In a phase of two dimensions, e = 01 and 11 cross first; 10 and 00 may be late."""
    mask = phase.crossings[0].when
    return phase.place.index_bits(mask), parity(mask & phase.place.constant)


def first_unknown(
    orders: Sequence[Sequence[int]], unknown: Sequence[Sequence[int]]
) -> Class | None:
    """A bit that no phase knows, or the sum of two: the first one of the first order."""
    alone = -1
    for rests in unknown:
        says = 0
        for rest in rests:
            says |= rest
        alone &= says
    for order in orders:
        for bit in order:
            if alone >> bit & 1:
                return 1 << bit, 1
        if pair := _first_pair(order, unknown):
            return pair, 1
    return None


def _first_pair(order: Sequence[int], unknown: Sequence[Sequence[int]]) -> int:
    """The first two bits that say different things in every phase, or none."""
    later = sum(1 << bit for bit in order)
    for k, bit in enumerate(order):
        later ^= 1 << bit
        free = later
        for rests in unknown:
            differ = 0
            for rest in rests:
                differ |= ~rest if rest >> bit & 1 else rest
            free &= differ
            if not free:
                break
        else:
            return 1 << bit | 1 << next(other for other in order[k + 1 :] if free >> other & 1)
    return 0


def _starts(
    phases: Sequence[Phase],
    widths: Sequence[int],
    classes: Sequence[Class],
    slots: int,
    pace: Pace,
) -> list[int]:
    """The first cycle of every phase, in messages."""
    bits = slots - pace.merged  # that tell the messages of a node apart, with one to cross
    count = 1 << bits - 1
    starts = [0]
    busy: dict[int, list[range]] = {}
    for k, phase in enumerate(phases):
        if k:
            used = [slots - width for width in widths[k - 1 : k + 1]]
            wait, staged = 1 << widths[k - 1] - 1, sum(1 << bit for bit in phases[k - 1].stages)
            for t in range(pace.merged, used[0]):
                in_order = k == 1 and classes[t] == _first_to_cross(phase)
                if classes[t][0] & staged or (t >= used[1] and not in_order):
                    wait += pace.stride << slots - 2 - t
            if not pace.overlap:
                wait = pace.stride * (count - 1) + 1
            starts.append(starts[-1] + wait)
        old = [times for d in phase.dims for times in busy.get(d, [])]
        times = _first_free(starts[k], count, pace.stride, old)
        starts[k] = times.start
        for d in phase.dims:
            busy.setdefault(d, []).append(times)
    return starts


def _first_free(least: int, count: int, stride: int, old: Sequence[range]) -> range:
    """The first ``count`` times, a stride apart and not before ``least``, that nobody has."""
    bases = sorted({least, *(times[-1] + 1 for times in old if times[-1] >= least)})
    starts = (base + late for base in bases for late in range(stride))
    ways = (range(start, start + stride * count, stride) for start in starts)
    return next(way for way in ways if not any(_meet(way, times) for times in old))


def _meet(one: range, other: range) -> bool:
    """Whether two ranges of the same step have a number in common."""
    return (
        (one.start - other.start) % one.step == 0
        and one.start <= other[-1]
        and other.start <= one[-1]
    )


def _crossings(
    phase: Phase, start: int, classes: Sequence[Class], n: int, pace: Pace
) -> Iterator[Step]:
    """The crossings of one phase; every element has its turn."""
    tests = list(dict.fromkeys(crossing.when for crossing in phase.crossings))
    slots, width = phase.place.width - n, len(tests)
    digits, constant = _shift_register(width), phase.place.constant
    masks = [phase.place.address_mask(wanted) for wanted, _ in classes[: slots - width]]
    lateness = pace.lateness(slots - width, slots)
    for crossing in phase.crossings:
        delays = [
            Delay(cycles, mask, late ^ parity(mask & constant))
            for cycles, mask, (_, late) in zip(lateness, masks, classes, strict=False)
        ]
        delays += (
            Delay(pace.message << k, sum_of(tests, bits))
            for k, bits in enumerate(digits[tests.index(crossing.when)])
        )
        dim = next(bit_indices(crossing.flip))
        yield Step(crossing, (Crossing(dim, start, tuple(delays)),))
        masks = [m ^ crossing.when if parity(m & crossing.flip) else m for m in masks]
        constant = crossing(constant)


@lru_cache(maxsize=256)
def _shift_register(width: int) -> list[tuple[int, ...]]:
    """For each d, the bits of T^d e above the lowest, as sums of bits of e.

    There is such a T, as a primitive polynomial exists for every degree.
    """
    return [power.rows[1:] for power in next(powers(width, width))]
