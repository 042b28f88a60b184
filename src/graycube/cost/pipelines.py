"""The traffic of a pipeline in which elements take turns.

Its rounds are equally long, and in each in which something moves some link carries a whole
message.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise

from graycube.cost.traffic import RoundTraffic
from graycube.schedule import Crossing, Schedule

MAX_RUNS = 1 << 12
"""Most runs of rounds without a pause that are told apart on a dimension."""
_Run = tuple[int, int]


def pipeline_rounds(schedule: Schedule) -> Iterator[RoundTraffic]:
    """The rounds in which something moves, which are alike but for the links they use.

    >>> from graycube.table.networks import emulation
    >>> from graycube.layout import Layout
    >>> for traffic in pipeline_rounds(emulation(Layout.cyclic(8, 5))):
    ...     print(traffic.longest, traffic.crossings * traffic.times, traffic.times)
    1 640 8
    """
    times, elements = _busy(schedule), schedule.task.block << schedule.task.n
    if not times:
        return
    total = 0
    for step in (step for way in schedule.ways for step in way.steps):
        for crossing in step.crossings:
            half = step.move is not None and step.move.changes(crossing.dim)[0]
            total += elements // 2 if half else elements
    longest = _longest(schedule)
    mean = Fraction(total, times)
    yield RoundTraffic(longest, mean, mean / longest, schedule.dimensions_at_once, times=times)


def pipeline_loads(schedule: Schedule) -> Iterator[tuple[int, dict[int, int]]]:
    """How many rounds are alike, and the longest message on each dimension."""
    size, runs = _longest(schedule), _by_dimension(schedule)
    changes: dict[int, set[int]] = {}
    for dim, found in runs.items():
        for mark in (mark for run in found for mark in run):
            changes.setdefault(mark, set()).add(dim)
    active: set[int] = set()
    for mark, after in pairwise(sorted(changes)):
        active ^= changes[mark]
        yield after - mark, dict.fromkeys(active, size)


def _every(schedule: Schedule) -> int:
    """Cycles of a round."""
    return -(-schedule.cycles // max(len(schedule.rounds), 1))


def _longest(schedule: Schedule) -> int:
    """Elements of a message: a payload, and as many more as come later in the same round."""
    every = _every(schedule)
    steps = (step for way in schedule.ways for step in way.steps)
    within = (
        sum(late.cycles % every > 0 for late in crossing.delays)
        for step in steps
        for crossing in step.crossings
    )
    return min(every, schedule.task.payload << max(within, default=0))


def _busy(schedule: Schedule) -> int:
    """In how many rounds something moves."""
    runs = (run for found in _by_dimension(schedule).values() for run in found)
    return sum(stop - start for start, stop in _merged(runs))


def _by_dimension(schedule: Schedule) -> dict[int, list[_Run]]:
    """The rounds in which each dimension is crossed."""
    size, used = _every(schedule), dict[int, list[_Run]]()
    for step in (step for way in schedule.ways for step in way.steps):
        for crossing in step.crossings:
            used.setdefault(crossing.dim, []).extend(_runs(crossing, size))
    return {dim: _merged(found) for dim, found in used.items()}


def _runs(crossing: Crossing, size: int) -> list[_Run]:
    """The rounds in which something crosses: those of all sums of its delays."""
    waits: dict[int, list[int]] = {}
    for late in crossing.delays:
        waits.setdefault(late.mask, [0, 0])[late.want] += late.cycles
    runs = [(crossing.start // size, crossing.start // size + 1)]
    for few, many in sorted(map(sorted, waits.values()), key=lambda wait: wait[1] - wait[0]):
        early, later = few // size, many // size
        if len(runs) == 1 and later - early <= runs[0][1] - runs[0][0]:  # they meet: most do
            runs = [(runs[0][0] + early, runs[0][1] + later)]
            continue
        runs = _merged([(a + s, b + s) for a, b in runs for s in {early, later}])
        if len(runs) > MAX_RUNS:  # never more than there are: the price is then an upper one
            runs = [(runs[0][0], runs[-1][1])]
    return runs


def _merged(runs: Iterable[_Run]) -> list[_Run]:
    """The same rounds, each once: runs that meet are one."""
    merged: list[_Run] = []
    for start, stop in sorted(runs):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return merged
