"""Shares of a block in whole elements, where rounds wait for their fullest lane.

Rounded one after the other, each share is right to an element, and the lanes that many have in
common are not. So shares are rounded down at first. What is left of a block then goes, element
by element, to a share whose lanes still have room, or else to one that makes the fewest rounds
longer. That is quick, and not always the least.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from math import lcm
from typing import Any, NamedTuple

Lane = tuple[int, int, Any]
"""A round, how many there are from that one on, and what is used in each of them."""


class LaneShare(NamedTuple):
    """So much of what some nodes have, and the lanes that it goes over."""

    weight: int
    nodes: Any
    lanes: tuple[Lane, ...]


def whole_shares(shares: Sequence[LaneShare], block: int) -> list[int]:
    """Elements for each share, which for the same nodes add up to a block.

    >>> shares = [LaneShare(1, nodes, ((0, 1, lane),)) for nodes in "uv" for lane in "xy"]
    >>> whole_shares(shares, 3)  # three over each lane, and not two and four
    [2, 1, 1, 2]
    """
    total = total_weights(shares)
    divided = [divmod(share.weight * block, total[share.nodes]) for share in shares]
    sizes, unit = [whole for whole, _ in divided], lcm(*total.values())
    left = [
        rest * (unit // total[share.nodes])
        for share, (_, rest) in zip(shares, divided, strict=True)
    ]
    if any(left):
        _deal_out(shares, sizes, left, unit)
    return sizes


def total_weights(shares: Sequence[LaneShare]) -> dict[Hashable, int]:
    """The sum of the weights on each set of nodes."""
    total: dict[Hashable, int] = {}
    for weight, nodes, _ in shares:
        total[nodes] = total.get(nodes, 0) + weight
    return total


def _deal_out(
    shares: Sequence[LaneShare], sizes: list[int], left: list[int], unit: int
) -> None:
    """Add to the sizes what is left of the blocks, in parts of an element: nodes take turns."""
    lanes = _Lanes(shares, sizes, left, unit)
    of, parts = defaultdict[Hashable, list[int]](list), defaultdict[Hashable, int](int)
    for k, share in enumerate(shares):
        of[share.nodes].append(k)
        parts[share.nodes] += left[k]
    turns = {nodes: part // unit for nodes, part in parts.items() if part}
    while turns:
        for nodes in sorted(turns, key=turns.__getitem__, reverse=True):
            order = sorted(of[nodes], key=left.__getitem__, reverse=True)
            chosen = next((k for k in order if not lanes.longer(k)), None)
            if chosen is None:
                chosen = min(order, key=lanes.longer)
            lanes.add(chosen)
            sizes[chosen] += 1
            left[chosen] -= unit
            turns[nodes] -= 1
        turns = {nodes: number for nodes, number in turns.items() if number}


class _Lanes:
    """How full lanes are, and may be in each round; those with the same shares are one."""

    def __init__(
        self, shares: Sequence[LaneShare], sizes: Sequence[int], left: Sequence[int], unit: int
    ) -> None:
        users = defaultdict[Lane, list[int]](list)
        for k, share in enumerate(shares):
            for lane in share.lanes:
                users[lane].append(k)
        alike = defaultdict[tuple[int, ...], list[int]](list)
        for (first, times, _), some in users.items():
            alike[tuple(some)] += range(first, first + times)
        self.rounds = [*alike.values()]
        self.full = [sum(sizes[k] for k in group) for group in alike]
        self.over: list[list[int]] = [[] for _ in shares]
        self.most = defaultdict[int, int](int)
        for j, (group, numbers) in enumerate(alike.items()):
            exact = self.full[j] * unit + sum(left[k] for k in group)
            for number in numbers:
                self.most[number] = max(self.most[number], -(-exact // unit))
            for k in group:
                self.over[k].append(j)

    def longer(self, share: int) -> int:
        """How many rounds get longer by one more element of a share."""
        return sum(
            self.full[lane] >= self.most[number]
            for lane in self.over[share]
            for number in self.rounds[lane]
        )

    def add(self, share: int) -> None:
        """One more element goes over the lanes of a share; rounds without room get longer."""
        for lane in self.over[share]:
            self.full[lane] += 1
            for number in self.rounds[lane]:
                self.most[number] = max(self.most[number], self.full[lane])
