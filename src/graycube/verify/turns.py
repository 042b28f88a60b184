"""Crossings seen from the indices: who crosses when, as parities of the index.

The round in which an element crosses is a start plus, for every sum of index bits, a
coefficient if the sum is 1. So two crossings are compared by comparing coefficients: what is
the same for both cancels, what a condition tells is put in, and of the rest the worst is
assumed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from graycube.gf2 import Exchange, Span, bit_indices, parity
from graycube.schedule import Crossing, Task, Way
from graycube.verify.conditions import consistent, reduced

_Condition = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TimedCrossing:
    """A crossing, seen from the indices: conditions are (sum of index bits, value).

    The round in which an element crosses is ``start`` plus, for every sum, its coefficient if
    the sum is 1. Times within a round do not matter between crossings. ``nodes`` are the sums
    that the dimensions have before it, and ``fixed`` those that are the same for all of a way.
    """

    number: int
    exchange: Exchange
    crossing: Crossing
    condition: _Condition
    nodes: tuple[int, ...]
    start: int
    coefficients: dict[int, int]
    times: tuple[_Condition, ...]  # the digits of the exact time
    stages: int  # how many are done before
    run: int  # of crossings with nothing in between
    fixed: tuple[int, ...]

    @property
    def first(self) -> int:
        """The first round in which anything may cross."""
        return self.start + sum(min(0, c) for c in self.coefficients.values())

    @property
    def last(self) -> int:
        """The last round in which anything may cross."""
        return self.start + sum(max(0, c) for c in self.coefficients.values())


def timed_crossings(task: Task, way: Way, every: int) -> Iterator[TimedCrossing]:
    """The crossings of a way, in rounds of ``every`` cycles."""
    place, stages, number, run = task.source.map, 0, 0, 0
    seen = _Seen(place.matrix.rows, place.constant)
    fixed = tuple(seen.sum_of(1 << bit, 0)[0] for bit in bit_indices(way.mask))
    for step in way.steps:
        run += not step.crossings
        stages += step.stage is not None
        exchange = step.exchange
        if exchange is None:
            continue
        for crossing in step.crossings:
            condition = seen.sum_of(exchange.when, exchange.want)
            start, coefficients = _rounds(crossing, seen, every)
            times = tuple(seen.sum_of(late.mask, late.want) for late in crossing.delays)
            nodes = seen.rows[: task.n]
            known = (number, exchange, crossing, condition, nodes, start, coefficients, times)
            yield TimedCrossing(*known, stages, run, fixed)
            number += 1
        place = step.affine(place.width) @ place
        seen = _Seen(place.matrix.rows, place.constant)


@dataclass(frozen=True, slots=True)
class _Seen:
    """Addresses, seen from the indices: each bit is the sum of a row, or the other value."""

    rows: tuple[int, ...]
    constant: int

    def sum_of(self, when: int, want: int) -> _Condition:
        """A parity of the address as one of the index."""
        total = reduce(xor, (self.rows[bit] for bit in bit_indices(when)), 0)
        return total, want ^ parity(when & self.constant)


def _rounds(crossing: Crossing, seen: _Seen, every: int) -> tuple[int, dict[int, int]]:
    """The round of a crossing, as a start and a coefficient for every sum of index bits."""
    start, coefficients = crossing.start // every, dict[int, int]()
    for late in crossing.delays:
        index, want = seen.sum_of(late.mask, late.want)
        rounds = late.cycles // every
        if not want:  # late where the sum is 0
            start, rounds = start + rounds, -rounds
        coefficients[index] = coefficients.get(index, 0) + rounds
    coefficients.pop(0, None)  # the sum of nothing is 0
    return start, {index: c for index, c in coefficients.items() if c}


def tells_apart(t: TimedCrossing, p: int, known: tuple[int, ...] = ()) -> bool:
    """Whether node number, condition and turns tell all elements of a crossing apart.

    There are p index bits, and sums that are ``known``.
    """
    times = (index for index, _ in t.times)
    return _rank([*t.nodes, t.condition[0], *times, *t.fixed, *known]) == p


def says(t: TimedCrossing, mask: int) -> bool:
    """Whether elements that cross in one cycle have one value of a sum of index bits."""
    known = [t.condition[0], *(index for index, _ in t.times)]
    return _rank([*known, mask]) == _rank(known)


def decided(one: TimedCrossing, other: TimedCrossing) -> bool:
    """Whether elements that cross in the same cycle also cross the other one alike.

    The rank tells elements apart by their nodes in the order of the steps. If they do not come
    in that order, two elements of one link and cycle must at least come in the same.
    """
    known = [index for index, _ in (one.condition, *one.times)]
    both = [*known, *(index for index, _ in (other.condition, *other.times))]
    return _rank(both) == _rank(known)


def meet(one: TimedCrossing, other: TimedCrossing) -> bool:
    """Whether some round may belong to both."""
    if _apart(one, other):
        return False
    mine, theirs = _progression(one), _progression(other)
    if mine is None or theirs is None or mine.step != theirs.step:
        return True
    return (mine.start - theirs.start) % mine.step == 0


def _progression(t: TimedCrossing) -> range | None:
    """The rounds of a crossing, if they are equally far apart."""
    steps = sorted(abs(c) for c in t.coefficients.values())
    if not steps:
        return range(t.first, t.last + 1)
    even = all(c == steps[0] << k for k, c in enumerate(steps))
    return range(t.first, t.last + 1, steps[0]) if even else None


def _apart(one: TimedCrossing, other: TimedCrossing) -> bool:
    """Whether one is over before the other begins."""
    return one.last < other.first or other.last < one.first


def commute(one: Exchange, other: Exchange) -> bool:
    """Whether they may be done in either order. Delays are those of the order of the steps."""
    tests = [(one.flip, other.when), (other.flip, one.when)]
    return not any(parity(flip & when) for flip, when in tests)


def latest(early: TimedCrossing, late: TimedCrossing, joined: Sequence[int]) -> int:
    """The most rounds by which the early crossing of an element may be behind the late one.

    The elements that ``joined`` stages bring together with it count too: sums which these
    stages change are taken to be the worst. All others are the same for both, and so is, if
    it is one of them, the condition of the early crossing.
    """
    if early.coefficients == late.coefficients and not joined:
        return early.start - late.start

    def moved(index: int) -> bool:
        return any(index >> bit & 1 for bit in joined)

    known = [late.condition, *([] if moved(early.condition[0]) else [early.condition])]
    behind, total = early.start - late.start, dict[int, int]()
    for index, c in early.coefficients.items():
        if moved(index):
            behind += max(0, c)
        else:
            total[index] = total.get(index, 0) + c
    for index, c in late.coefficients.items():
        total[index] = total.get(index, 0) - c
    more, left = put_in({index: c for index, c in total.items() if c}, known)
    return behind + more + sum(max(0, c) for c in left.values())


def put_in(
    coefficients: dict[int, int], known: Sequence[_Condition]
) -> tuple[int, dict[int, int]]:
    """What coefficients of sums add where some sums are known: a number, and other sums.

    >>> put_in({0b11: 4, 0b01: 1}, [(0b10, 1)])  # 4 where bit 0 is 0, and 1 where it is 1
    (4, {1: -3})
    """
    start, left = 0, dict[int, int]()
    for index, c in coefficients.items():
        rest, value = reduced(index, known)
        if value:  # the sum is 1 plus the rest
            start += c
        if rest:
            left[rest] = left.get(rest, 0) + (-c if value else c)
    return start, {index: c for index, c in left.items() if c}


def may_be_equal(one: TimedCrossing, other: TimedCrossing) -> bool:
    """Whether an element may cross both in one round.

    It would meet both conditions, and if both crossings have the same steps of time, all digits
    of its two times would be equal: linear equations.
    """
    if _apart(one, other):
        return False
    mine = {abs(c): (index, c) for index, c in one.coefficients.items()}
    theirs = {abs(c): (index, c) for index, c in other.coefficients.items()}
    alike = set(mine) == set(theirs) and one.first == other.first
    if not alike or len(mine) < len(one.coefficients) or len(theirs) < len(other.coefficients):
        return True
    sizes = sorted(mine)
    if any(size <= sum(sizes[:k]) for k, size in enumerate(sizes)):
        return True
    equations = [one.condition, other.condition]
    for size, (index, c) in mine.items():
        its, its_c = theirs[size]
        equations.append((index ^ its, int((c < 0) != (its_c < 0))))
    return consistent(equations)


def _rank(vectors: Sequence[int]) -> int:
    return len(Span(vectors))
