"""Crossings seen from the indices: who crosses when, as parities of the index.

The round in which an element crosses is a start plus, for every sum of index bits, a
coefficient if the sum is 1. So two crossings are compared by comparing coefficients: what is
the same for both cancels, what a condition tells is put in, and of the rest the worst is
assumed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graycube.gf2 import AffineMap, Exchange, Span, parity
from graycube.schedule import Crossing, Schedule
from graycube.verify.conditions import consistent, reduced

_Condition = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TimedCrossing:
    """A crossing, seen from the indices: conditions are (sum of index bits, value).

    The round in which an element crosses is ``start`` plus, for every sum, its coefficient if
    the sum is 1. Times within a round do not matter between crossings. ``nodes`` are the sums
    that the dimensions have before it.
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

    @property
    def first(self) -> int:
        """The first round in which anything may cross."""
        return self.start + sum(min(0, c) for c in self.coefficients.values())

    @property
    def last(self) -> int:
        """The last round in which anything may cross."""
        return self.start + sum(max(0, c) for c in self.coefficients.values())


def timed_crossings(schedule: Schedule, every: int) -> Iterator[TimedCrossing]:
    """The crossings of a schedule with one way, in rounds of ``every`` cycles."""
    place, stages, number, run = schedule.task.source.map, 0, 0, 0
    for step in schedule.ways[0].steps:
        run += not step.crossings
        stages += step.stage is not None
        exchange = step.exchange
        if exchange is None:
            continue
        for crossing in step.crossings:
            condition = _by_index(place, exchange.when, exchange.want)
            start, coefficients = _rounds(crossing, place, every)
            times = tuple(_by_index(place, late.mask, late.want) for late in crossing.delays)
            nodes = place.matrix.rows[: schedule.task.n]
            known = (number, exchange, crossing, condition, nodes, start, coefficients, times)
            yield TimedCrossing(*known, stages, run)
            number += 1
        place = step.affine(place.width) @ place


def _rounds(crossing: Crossing, place: AffineMap, every: int) -> tuple[int, dict[int, int]]:
    """The round of a crossing, as a start and a coefficient for every sum of index bits."""
    start, coefficients = crossing.start // every, dict[int, int]()
    for late in crossing.delays:
        index, want = _by_index(place, late.mask, late.want)
        rounds = late.cycles // every
        if not want:  # late where the sum is 0
            start, rounds = start + rounds, -rounds
        coefficients[index] = coefficients.get(index, 0) + rounds
    coefficients.pop(0, None)  # the sum of nothing is 0
    return start, {index: c for index, c in coefficients.items() if c}


def _by_index(place: AffineMap, when: int, want: int) -> tuple[int, int]:
    """A parity of the address as one of the index."""
    columns = enumerate(place.matrix.columns)
    total = sum(parity(when & column) << j for j, column in columns)
    return total, want ^ parity(when & place.constant)


def tells_apart(t: TimedCrossing, p: int, known: tuple[int, ...] = ()) -> bool:
    """Whether node number, condition and turns tell all elements of a crossing apart.

    There are p index bits, and sums that are ``known``.
    """
    times = (index for index, _ in t.times)
    return _rank([*t.nodes, t.condition[0], *times, *known]) == p


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
    left = dict[int, int]()
    for index, c in total.items():
        rest, value = reduced(index, known)
        if value:  # the sum is 1 plus the rest
            behind, signed = behind + c, -c
        else:
            signed = c
        if rest:
            left[rest] = left.get(rest, 0) + signed
    return behind + sum(max(0, c) for c in left.values())


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
