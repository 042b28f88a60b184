"""How messages cross the cube, each by itself: in which rounds, over which dimensions."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from graycube.gf2 import bit_indices
from graycube.table.lanes import fullest

Pairs = tuple[tuple[int, int], ...]
"""Nodes, and where something of theirs goes."""
Message = tuple[int, int, int]
"""From a node to another, and which part of what goes there it is."""
Hops = tuple[tuple[int, int], ...]
"""Rounds, and the dimension that is crossed in each."""


class Manner(NamedTuple):
    """How many parts are on the fullest link of each round, and what finds all hops.

    If a message has ``units`` that are dealt to its parts, these are counted instead.
    """

    parts: int
    fullest: tuple[int, ...]
    hops: Callable[[], Mapping[Message, Hops]]
    units: int | None = None

    @property
    def dealt(self) -> int:
        """The units that are dealt, or the parts."""
        return self.units or self.parts


def messages(pairs: Pairs, parts: int) -> list[Message]:
    """All that leave their node, those of a node together.

    >>> messages(((0, 1), (1, 1)), 2)
    [(0, 1, 0), (0, 1, 1)]
    """
    return [(u, v, k) for u, v in pairs if u != v for k in range(parts)]


def by_part(some: Sequence[Message]) -> list[Message]:
    """First parts first.

    >>> by_part([(0, 1, 0), (0, 1, 1), (1, 0, 0)])
    [(0, 1, 0), (1, 0, 0), (0, 1, 1)]
    """
    return sorted(some, key=lambda message: message[2])


def dimensions(some: Sequence[Message]) -> list[int]:
    """Those that any message has to cross.

    >>> dimensions([(0, 5, 0), (1, 0, 0)])
    [0, 2]
    """
    crossed = 0
    for u, v, _ in some:
        crossed |= u ^ v
    return list(bit_indices(crossed))


def turned(order: Sequence[int], part: int, parts: int) -> list[int]:
    """The order from another dimension on, and round.

    >>> turned([0, 1, 2], 1, 2)
    [1, 2, 0]
    """
    first = part * len(order) // parts
    return [*order[first:], *order[:first]]


def counted(parts: int, ways: Iterable[dict[Message, Hops]]) -> tuple[Manner, ...]:
    """Manners whose hops are known.

    >>> counted(1, [{(0, 3, 0): ((0, 0), (1, 1)), (1, 3, 0): ((1, 1),)}])[0].fullest
    (1, 2)
    """
    return tuple(
        Manner(parts, tuple(fullest(_loads(hops))), partial(dict, hops)) for hops in ways
    )


def _loads(hops: Mapping[Message, Hops]) -> Counter[tuple[int, int, int]]:
    """How many messages each link takes in each round."""
    loads = Counter[tuple[int, int, int]]()
    for (node, _, _), some in hops.items():
        at = node
        for number, d in some:
            loads[number, at, d] += 1
            at ^= 1 << d
    return loads


class InUse:
    """What is in use in a round: links, a bit for each, and how many ports of each node."""

    def __init__(self, ports: int) -> None:
        self.ports = ports
        self.links = 0
        self.sends, self.takes = Counter[int](), Counter[int]()

    def admits(self, start: int, stop: int, links: int) -> bool:
        """Take one message more over these links, if there is room."""
        if self.links & links or self.ports in {self.sends[start], self.takes[stop]}:
            return False
        self.links |= links
        self.sends[start] += 1
        self.takes[stop] += 1
        return True
