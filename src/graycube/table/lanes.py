"""Schedules in rounds, from ways that share out the block of a node.

Rules. A *way* is a share of the blocks of some nodes, and the rounds in which it does its
exchanges. Ways that use the same links in a round have the same *lane* there: they cross one
after the other. A round lasts until its fullest lane is through. Ways that stay together for
several rounds have one lane for all of them, so that long ways are priced in few steps.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeVar

from graycube.gf2 import Exchange
from graycube.schedule import Schedule, Task, Way, hop
from graycube.table.conversion import with_rounds
from graycube.table.whole_shares import Lane, LaneShare, total_weights, whole_shares

_Size = TypeVar("_Size", int, float)


class LaneStep(NamedTuple):
    """The exchanges of a way in rounds one after the other, and the lane that it takes in them.

    >>> step = LaneStep((Exchange(1, 2), Exchange(2, 4)), (4, 2, "up"))  # in the rounds 4 and 5
    """

    exchanges: tuple[Exchange, ...]
    lane: Lane


class LaneWay(NamedTuple):
    """A share of every block, by ``weight``, on the nodes u with u & mask == value."""

    weight: int
    steps: tuple[LaneStep, ...]
    mask: int
    value: int


def shares_of(ways: Sequence[LaneWay]) -> list[LaneShare]:
    """What rounds take depends on these alone.

    >>> shares_of([LaneWay(2, (LaneStep((Exchange(1, 2),), (0, 1, "only")),), 2, 0)])
    [LaneShare(weight=2, nodes=(2, 0), lanes=((0, 1, 'only'),))]
    """
    return [
        LaneShare(way.weight, (way.mask, way.value), tuple([step.lane for step in way.steps]))
        for way in ways
    ]


def in_lanes(task: Task, name: str, ways: Sequence[LaneWay]) -> Schedule:
    """The schedule of ways; those of a node share out its block by their weights.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(1), Layout.nodes(1), block=10)
    >>> there, back = (LaneStep((Exchange(1, when=0, want=0),), (r, 1, "only")) for r in (0, 1))
    >>> ways = [LaneWay(2, (there, back), 1, 1), LaneWay(3, (), 1, 1), LaneWay(1, (), 1, 0)]
    >>> [(s.start, s.stop, len(s.steps)) for s in in_lanes(task, "to and fro", ways).ways]
    [(0, 4, 2), (4, 10, 0), (0, 10, 0)]
    """
    shares = shares_of(ways)
    sizes = _sizes(tuple(shares), task.block)
    ahead, rounds = _filled(shares, sizes)
    starts = list(accumulate(rounds, initial=0))
    taken: defaultdict[Hashable, int] = defaultdict(int)
    made, n = [], task.n
    for way, size, behind in zip(ways, sizes, ahead, strict=True):
        if size:
            hops = tuple(
                hop(starts[number] + late, exchange, n)
                for (exchanges, (first, _, _)), late in zip(way.steps, behind, strict=True)
                for number, exchange in enumerate(exchanges, first)
            )
            start = taken[way.mask, way.value]
            taken[way.mask, way.value] += size
            made.append(Way(start, start + size, hops, way.mask, way.value))
    return with_rounds(task, name, starts, made)


def lengths(shares: Sequence[LaneShare]) -> tuple[float, ...]:
    """What the fullest lane of each round carries of a block.

    >>> lengths([LaneShare(2, "u", ((0, 1, "only"),)), LaneShare(3, "u", ())])
    (0.4,)
    """
    total = total_weights(shares)
    return tuple(_filled(shares, [share.weight / total[share.nodes] for share in shares])[1])


def cycles(shares: Sequence[LaneShare], block: int) -> list[int]:
    """How long each round of :func:`in_lanes` lasts.

    >>> cycles([LaneShare(1, "u", ((0, 1, "a"),)), LaneShare(2, "u", ((1, 1, "b"),))], 10)
    [3, 7]
    """
    return _filled(shares, _sizes(tuple(shares), block))[1]


def _filled(
    shares: Sequence[LaneShare], sizes: Sequence[_Size]
) -> tuple[list[list[_Size]], list[_Size]]:
    """What is ahead of each share in each of its lanes, and how long each round lasts."""
    filled: defaultdict[Lane, Any] = defaultdict(int)
    ahead = []
    for (_, _, lanes), size in zip(shares, sizes, strict=True):
        ahead.append([filled[lane] for lane in lanes])
        for lane in lanes:
            filled[lane] += size
    rounds: list[Any] = [0] * end_of(filled)
    for (first, times, _), length in filled.items():
        for number in range(first, first + times):
            rounds[number] = max(rounds[number], length)
    return ahead, rounds


def fullest(loads: Mapping[Any, int]) -> list[int]:
    """The most that is used of anything in each round; a round is the first entry of a key."""
    longest = [0] * (1 + max((number for number, *_ in loads), default=-1))
    for (number, *_), load in loads.items():
        longest[number] = max(longest[number], load)
    return longest


def end_of(lanes: Iterable[Lane]) -> int:
    """The round after all of them.

    >>> end_of([(0, 1, "a"), (1, 4, "b")])
    5
    """
    return max([first + times for first, times, _ in lanes], default=0)


def turned(lane: Lane, end: int) -> Lane:
    """The lane where all goes backwards, and is over in so many rounds.

    >>> turned((1, 2, "a"), 5)
    (2, 2, 'a')
    """
    first, times, used = lane
    return end - first - times, times, used


def backwards(ways: Sequence[LaneWay]) -> list[LaneWay]:
    """The ways of the opposite task, in the opposite order of rounds.

    All nodes of a way end alike in the bits of its mask: so one is followed, in these alone.
    """
    after = end_of(step.lane for way in ways for step in way.steps)
    opposite = []
    for way in ways:
        end = way.value
        for exchange in chain(*(step.exchanges for step in way.steps)):
            if exchange.flip & way.mask:
                end = exchange(end)
        steps = tuple(
            LaneStep(step.exchanges[::-1], turned(step.lane, after))
            for step in reversed(way.steps)
        )
        opposite.append(LaneWay(way.weight, steps, way.mask, end & way.mask))
    return opposite


@lru_cache(maxsize=16)  # a schedule is priced, then written out
def _sizes(shares: tuple[LaneShare, ...], block: int) -> Sequence[int]:
    """Whole elements for each, in the manner that takes fewer cycles."""
    both = tuple(_in_order(shares, block)), tuple(whole_shares(shares, block))
    return min(both, key=lambda sizes: sum(_filled(shares, sizes)[1]))


def _in_order(shares: Sequence[LaneShare], block: int) -> Iterator[int]:
    """The same if what a node has is rounded one share after the other."""
    total = total_weights(shares)
    taken: defaultdict[Hashable, int] = defaultdict(int)
    for weight, nodes, _ in shares:
        start = taken[nodes] * block // total[nodes]
        taken[nodes] += weight
        yield taken[nodes] * block // total[nodes] - start
