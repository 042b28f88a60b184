"""Equal parts of a block: slots that some bits number, and positions of what is behind each.

The slots that agree in some bits are a *group*. A *unit* is one position of each slot of a
group. Units are numbered group by group, and a part is a run of them.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from graycube.schedule import Step, Task, Way

MAX_BITS = 5
"""So many slot bits, at most, number groups."""
FINE = 1 << 14
"""A part of so many units is equal enough to others."""


class Portion(NamedTuple):
    """Positions ``start`` to ``stop`` of the slots at addresses a with a & mask == value."""

    start: int
    stop: int
    mask: int
    value: int

    def units(self, bits: Sequence[int]) -> int:
        """How many units it has, where these bits number the groups."""
        return self.stop - self.start << len(bits) - self.mask.bit_count()

    def way(self, task: Task, steps: Sequence[Step], mask: int = 0, value: int = 0) -> Way:
        """The way of what is there, on the nodes and slots of one more subcube."""
        mask, value = self.mask | mask, self.value | value
        if self.stop - self.start == task.payload:
            return Way(0, task.block, tuple(steps), mask, value)
        return Way(self.start, self.stop, tuple(steps), mask, value, per_slot=True)


def needed(parts: int, payload: int, most: int) -> int:
    """How many bits have to number groups so that parts are equal, or nearly.

    >>> needed(4, payload=6, most=5), needed(3, payload=6, most=5), needed(3, payload=1, most=5)
    (1, 0, 5)
    """
    for count in range(most):
        units = payload << count
        if units % parts == 0 or units >= parts * FINE:
            return count
    return most


def cuts(units: int, parts: int) -> list[tuple[int, int]]:
    """Where parts begin and end.

    >>> cuts(32, 3)
    [(0, 10), (10, 21), (21, 32)]
    """
    return [*pairwise(k * units // parts for k in range(parts + 1))]


def evenly(units: int, parts: int) -> list[int]:
    """Sizes of parts that differ by one unit at most, in the order of :func:`cuts`."""
    return [stop - start for start, stop in cuts(units, parts)]


def shares(start: int, stop: int, payload: int, bits: Sequence[int]) -> Iterator[Portion]:
    """A run of units, where some address bits number the groups, the highest one first.

    >>> for share in shares(1, 8, payload=2, bits=(5, 4)):
    ...     print(*share)
    1 2 48 0
    0 2 48 16
    0 2 32 32
    """
    (first, begun), (last, over) = divmod(start, payload), divmod(stop, payload)
    if first == last:
        yield _portion(begun, over, first, 1, bits)
        return
    if begun:
        yield _portion(begun, payload, first, 1, bits)
    for group, count in _subcubes(first + bool(begun), last):
        yield _portion(0, payload, group, count, bits)
    if over:
        yield _portion(0, over, last, 1, bits)


def _portion(start: int, stop: int, group: int, count: int, bits: Sequence[int]) -> Portion:
    """Positions of so many groups, which are a subcube."""
    told = bits[: len(bits) - count.bit_length() + 1]
    number = group // count
    chosen = (bit for k, bit in enumerate(reversed(told)) if number >> k & 1)
    return Portion(start, stop, sum(1 << bit for bit in told), sum(1 << bit for bit in chosen))


def _subcubes(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Numbers as subcubes: the first one of each, and how many it has.

    >>> list(_subcubes(3, 8))
    [(3, 1), (4, 4)]
    """
    while start < stop:
        count = start & -start or 1 << stop.bit_length()
        while start + count > stop:
            count //= 2
        yield start, count
        start += count
