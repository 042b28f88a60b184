"""All nodes send over the same few patterns, and pass on what is for others: few rounds.

Rules.

1. A *stride* is a pattern of dimensions, all of which a circuit crosses. In a round each node
   sends over some strides, and so do all others. No two of them have a dimension in common: so
   no two circuits meet, and a node has one message for each.
2. Strides of different rounds add up. What has to cross a pattern takes the strides of one sum
   that is that pattern, at most one of each round.
3. ``tables/strides.json`` has the rounds, and a sum for every pattern from 0 on, for small
   cubes: those with the fewest bytes that a search found (``tools/strides.py``). For n = 5,
   three rounds on four ports move half a block, which is the least there is.

Bruck's all-to-all on one port has a stride a round, which are the dimensions.
"""

import json
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from graycube.gf2 import bit_indices
from graycube.table.messages.manners import Hops, Manner, Pairs, counted, dimensions, messages


class Strides(NamedTuple):
    """Rounds for a cube of n dimensions, and for each pattern which stride of each it takes."""

    n: int
    ports: int
    rounds: tuple[tuple[int, ...], ...]
    sums: tuple[tuple[int, ...], ...]

    @property
    def elements(self) -> float:
        """What the fullest strides carry, of a block that goes to all nodes alike."""
        loads = [[0] * (1 + len(some)) for some in self.rounds]
        for chosen in self.sums:
            for load, k in zip(loads, chosen, strict=True):
                load[k] += k > 0
        return sum(map(max, loads)) / (1 << self.n)

    def hops(self, pattern: int) -> Hops:
        """The crossings of what has to cross a pattern."""
        return tuple(
            (number, d)
            for number, (some, k) in enumerate(
                zip(self.rounds, self.sums[pattern], strict=True)
            )
            for d in (bit_indices(some[k - 1]) if k else ())
        )


@cache
def known(n: int, ports: int) -> tuple[Strides, ...]:
    """All for a cube on so many ports or fewer, none of which another is better than.

    >>> [(one.rounds, one.elements) for one in known(3, 4)]
    [(((1, 2, 4), (1, 6)), 0.5)]
    """
    rows = json.loads((files(__package__) / "tables" / "strides.json").read_text())
    found = list[Strides]()
    for row in rows:
        if row["n"] == n and row["ports"] <= ports:
            sums = [tuple(map(int, chosen)) for chosen in row["sums"].split()]
            rounds = [tuple(some) for some in row["rounds"]]
            found.append(Strides(n, row["ports"], tuple(rounds), tuple(sums)))
    front = list[Strides]()
    for one in sorted(found, key=lambda one: (len(one.rounds), one.elements)):
        if not front or one.elements < front[-1].elements:
            front.append(one)
    return tuple(front)


def choices(pairs: Pairs, ports: int) -> tuple[Strides, ...]:
    """Those on the dimensions that messages have to cross."""
    return known(len(dimensions(messages(pairs, 1))), ports)


@lru_cache(maxsize=1 << 5)
def in_strides(pairs: Pairs, strides: Strides) -> Manner:
    """Each message takes the sum that is the pattern of its dimensions."""
    some = messages(pairs, 1)
    dims = dimensions(some)
    hops = {}
    for pattern in {u ^ v for u, v, _ in some}:
        small = sum(1 << k for k, d in enumerate(dims) if pattern >> d & 1)
        hops[pattern] = tuple((number, dims[k]) for number, k in strides.hops(small))
    return counted(1, [{(u, v, k): hops[u ^ v] for u, v, k in some}])[0]
