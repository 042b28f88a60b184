"""Schedules in rounds, from ways that share out the block of a node.

Rules. A *way* is a share of the blocks of some nodes, and the rounds in which it does its
exchanges. Ways that use the same links in a round have the same *lane* there: they cross one
after the other. A round lasts until its fullest lane is through. Ways that stay together for
several rounds have one lane for all of them, so that long ways are priced in few steps.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeVar

from graycube.gf2 import Exchange
from graycube.schedule import Schedule, Task, Way, hop
from graycube.table.whole_shares import Lane, LaneShare, whole_shares

_Size = TypeVar("_Size", int, float)


class LaneStep(NamedTuple):
    """The exchanges of a way from a round on, one a round, and the lane that it takes there.

    Steps of one lane that begin in the same round are equally long.
    """

    round: int
    exchanges: tuple[Exchange, ...]
    lane: Hashable

    @property
    def stop(self) -> int:
        """The round after the last of them."""
        return self.round + len(self.exchanges)


class LaneWay(NamedTuple):
    """A share of every block, by ``weight``, on the nodes u with u & mask == value."""

    weight: int
    steps: tuple[LaneStep, ...]
    mask: int
    value: int


def in_lanes(task: Task, name: str, ways: Sequence[LaneWay]) -> Schedule:
    """The schedule of ways; those of a node share out its block by their weights.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(1), Layout.nodes(1), block=10)
    >>> there, back = (LaneStep(r, (Exchange(1, when=0, want=0),), "only") for r in (0, 1))
    >>> ways = [LaneWay(2, (there, back), 1, 1), LaneWay(3, (), 1, 1), LaneWay(1, (), 1, 0)]
    >>> [(s.start, s.stop, len(s.steps)) for s in in_lanes(task, "to and fro", ways).ways]
    [(0, 4, 2), (4, 10, 0), (0, 10, 0)]
    """
    spans = _shared_out(ways, task.block)
    offsets, rounds = _filled(ways, [stop - start for start, stop in spans])
    starts = list(accumulate(rounds, initial=0))
    made, n = [], task.n
    for way, (start, stop), behind in zip(ways, spans, offsets, strict=True):
        if start < stop:
            hops = tuple(
                hop(starts[number] + late, exchange, n)
                for step, late in zip(way.steps, behind, strict=True)
                for number, exchange in enumerate(step.exchanges, step.round)
            )
            made.append(Way(start, stop, hops, way.mask, way.value))
    marks = tuple(at for at, length in zip(starts, rounds, strict=False) if length)
    return Schedule(task, name, marks, starts[-1], tuple(made))


def lengths(ways: Sequence[LaneWay]) -> tuple[float, ...]:
    """What the fullest lane of each round carries of a block.

    >>> step = LaneStep(0, (Exchange(1, when=0, want=0),), "only")
    >>> lengths([LaneWay(2, (step,), 1, 1), LaneWay(3, (), 1, 1)])
    (0.4,)
    """
    total = _total(ways)
    parts = [way.weight / total[way.mask, way.value] for way in ways]
    return tuple(_filled(ways, parts)[1])


def cycles(ways: Sequence[LaneWay], block: int) -> list[int]:
    """How long each round of :func:`in_lanes` lasts.

    >>> there, back = (LaneStep(r, (Exchange(1, when=0, want=0),), r) for r in (0, 1))
    >>> cycles([LaneWay(1, (there,), 1, 1), LaneWay(2, (back,), 1, 1)], 10)
    [3, 7]
    """
    return _filled(ways, [stop - start for start, stop in _shared_out(ways, block)])[1]


def _filled(
    ways: Sequence[LaneWay], sizes: Sequence[_Size]
) -> tuple[list[list[_Size]], list[_Size]]:
    """What is ahead of each step of each way in its lane, and how long each round lasts."""
    filled: defaultdict[Lane, Any] = defaultdict(int)
    ahead = []
    for way, size in zip(ways, sizes, strict=True):
        lanes = _lanes(way)
        ahead.append([filled[lane] for lane in lanes])
        for lane in lanes:
            filled[lane] += size
    rounds: list[Any] = [0] * max((first + times for first, times, _ in filled), default=0)
    for (first, times, _), length in filled.items():
        for number in range(first, first + times):
            rounds[number] = max(rounds[number], length)
    return ahead, rounds


def _lanes(way: LaneWay) -> tuple[Lane, ...]:
    return tuple([(first, len(exchanges), lane) for first, exchanges, lane in way.steps])


def backwards(ways: Sequence[LaneWay]) -> list[LaneWay]:
    """The ways of the opposite task, in the opposite order of rounds.

    All nodes of a way end alike in the bits of its mask: so one is followed, in these alone.
    """
    after = max((step.stop for way in ways for step in way.steps), default=0)
    turned = []
    for way in ways:
        end = way.value
        for exchange in chain(*(step.exchanges for step in way.steps)):
            if exchange.flip & way.mask:
                end = exchange(end)
        steps = tuple(
            LaneStep(after - step.stop, step.exchanges[::-1], step.lane)
            for step in reversed(way.steps)
        )
        turned.append(LaneWay(way.weight, steps, way.mask, end & way.mask))
    return turned


def _shared_out(ways: Sequence[LaneWay], block: int) -> list[tuple[int, int]]:
    """The positions of each way: those of a node come one after the other."""
    taken: defaultdict[tuple[int, int], int] = defaultdict(int)
    spans = []
    for way, size in zip(ways, _sizes(tuple(ways), block), strict=True):
        start = taken[way.mask, way.value]
        taken[way.mask, way.value] += size
        spans.append((start, start + size))
    return spans


@lru_cache(maxsize=16)  # a schedule is priced, then written out
def _sizes(ways: tuple[LaneWay, ...], block: int) -> Sequence[int]:
    """Whole elements for each way, in the manner that takes fewer cycles."""
    shares = [LaneShare(way.weight, (way.mask, way.value), _lanes(way)) for way in ways]
    both = tuple(_in_order(ways, block)), tuple(whole_shares(shares, block))
    return min(both, key=lambda sizes: sum(_filled(ways, sizes)[1]))


def _in_order(ways: Sequence[LaneWay], block: int) -> Iterator[int]:
    """The same if what a node has is rounded one way after the other."""
    total = _total(ways)
    taken: defaultdict[tuple[int, int], int] = defaultdict(int)
    for way in ways:
        nodes = way.mask, way.value
        start = taken[nodes] * block // total[nodes]
        taken[nodes] += way.weight
        yield taken[nodes] * block // total[nodes] - start


def _total(ways: Sequence[LaneWay]) -> dict[tuple[int, int], int]:
    """The sum of the weights on each set of nodes."""
    total: defaultdict[tuple[int, int], int] = defaultdict(int)
    for way in ways:
        total[way.mask, way.value] += way.weight
    return total
