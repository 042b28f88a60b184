"""The traffic of a pipeline in which elements take turns.

Rules.

1. Its rounds are equally long, and in each in which something moves some link carries a whole
   message.
2. What crosses a dimension comes later by sums of delays, in runs of rounds. Where those of the
   first and the last crossing fill all rounds, as they mostly do, no other is looked at.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from graycube.cost.traffic import RoundTraffic
from graycube.schedule import Crossing, Schedule

MAX_RUNS = 1 << 12
"""Most runs of rounds without a pause that are told apart on a dimension."""
_Run = tuple[int, int]


class _Sums(NamedTuple):
    """The rounds of all sums of some delays, and how many delays are shorter than a round."""

    runs: tuple[_Run, ...]
    within: int


def pipeline_rounds(schedule: Schedule) -> Iterator[RoundTraffic]:
    """The rounds in which something moves, which are alike but for the links they use.

    >>> from graycube.table.networks import emulation
    >>> from graycube.layout import Layout
    >>> for traffic in pipeline_rounds(emulation(Layout.cyclic(8, 5))):
    ...     print(traffic.longest, traffic.crossings * traffic.times, traffic.times)
    1 640 8
    """
    n, p = schedule.task.n, schedule.task.p
    steps = [(way, step) for way in schedule.ways for step in way.steps]
    uses = [(way, step.move, crossing) for way, step in steps for crossing in step.crossings]
    if not uses:
        return
    times, longest = _busy(schedule, [crossing for *_, crossing in uses])
    halves = [1 if move and move.changes(crossing.dim)[0] else 2 for _, move, crossing in uses]
    sizes = [way.everywhere(n, p) for way, *_ in uses]
    total = sum(half * size for half, size in zip(halves, sizes, strict=True)) >> 1
    links = Fraction(total, times * longest)
    yield RoundTraffic(longest, links * longest, links, times=times)


def pipeline_loads(schedule: Schedule) -> Iterator[tuple[int, dict[int, int]]]:
    """How many rounds are alike, and the longest message on each dimension."""
    every, runs, within = _every(schedule), dict[int, list[_Run]](), 0
    for crossing in (c for way in schedule.ways for step in way.steps for c in step.crossings):
        first, sums = _late(crossing, every)
        found = [(first + start, first + stop) for start, stop in sums.runs]
        runs.setdefault(crossing.dim, []).extend(found)
        within = max(within, sums.within)
    size = min(every, schedule.task.payload << within)
    changes: dict[int, set[int]] = {}
    for dim, found in runs.items():
        for mark in (mark for run in _merged(found) for mark in run):
            changes.setdefault(mark, set()).add(dim)
    active: set[int] = set()
    for mark, after in pairwise(sorted(changes)):
        active ^= changes[mark]
        yield after - mark, dict.fromkeys(active, size)


def _every(schedule: Schedule) -> int:
    """Cycles of a round."""
    return -(-schedule.cycles // max(len(schedule.rounds), 1))


def _busy(schedule: Schedule, crossings: Sequence[Crossing]) -> tuple[int, int]:
    """In how many rounds something moves, and the elements of a message."""
    every, whole = _every(schedule), [(0, len(schedule.rounds))]
    late = list[tuple[int, _Sums]]()
    for some in ((crossings[0], crossings[-1]), crossings[1:-1]):
        late += [_late(crossing, every) for crossing in some]
        busy = _merged([(first + a, first + b) for first, sums in late for a, b in sums.runs])
        # A message is a payload, and as many more as come later in the same round.
        longest = min(every, schedule.task.payload << max([sums.within for _, sums in late]))
        if busy == whole and longest == every:  # there is no more
            break
    return sum([stop - start for start, stop in busy]), longest


def _late(crossing: Crossing, every: int) -> tuple[int, _Sums]:
    """The first round in which something crosses, and the sums of the delays."""
    first, waits = crossing.start // every, {late.mask: late.cycles for late in crossing.delays}
    if len(waits) == len(crossing.delays):  # mostly
        return first, _sums(tuple(waits.values()), every)
    pairs: dict[int, list[int]] = {}  # of one mask, some have one delay and others the other
    for late in crossing.delays:
        pairs.setdefault(late.mask, [0, 0])[late.want] += late.cycles
    rounds = [sorted(cycles // every for cycles in pair) for pair in pairs.values()]
    runs, _ = _sums(tuple((many - few) * every for few, many in rounds), every)
    within = sum(late.cycles % every > 0 for late in crossing.delays)
    return first + sum(few for few, _ in rounds), _Sums(runs, within)


@lru_cache(maxsize=1 << 8)  # most crossings of a pipeline have delays of as many cycles
def _sums(cycles: tuple[int, ...], every: int) -> _Sums:
    """Those of delays that do not exclude each other."""
    runs = [(0, 1)]
    for wait in sorted(late // every for late in cycles):
        if len(runs) == 1 and wait <= runs[0][1]:  # they meet: most do
            runs = [(0, runs[0][1] + wait)]
            continue
        runs = _merged([(a + s, b + s) for a, b in runs for s in {0, wait}])
        if len(runs) > MAX_RUNS:  # never more than there are: the price is then an upper one
            runs = [(0, runs[-1][1])]
    return _Sums(tuple(runs), sum(late % every > 0 for late in cycles))


def _merged(runs: Iterable[_Run]) -> list[_Run]:
    """The same rounds, each once: runs that meet are one."""
    merged: list[_Run] = []
    for start, stop in sorted(runs):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return merged
