"""The ways of a schedule share out all elements: each is in one of them."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

from graycube.schedule import Schedule, Way
from graycube.verify.report import Violation
from graycube.verify.uses import Effort, span_of_slots


def check_shares(schedule: Schedule, effort: Effort) -> Iterator[Violation]:
    """Every position of every node is in exactly one way.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.nodes(2), Layout.nodes(2), block=6)
    >>> halves = Way(0, 3, ()), Way(2, 6, (), mask=1), Way(3, 6, (), mask=1, value=1)
    >>> for found in check_shares(Schedule(task, "mine", (), 0, halves), Effort(99)):
    ...     print(found)
    share: everywhere: positions 2 to 3 of a block are in two ways

    They are those of each slot where every way has the same ones of all its slots. Where some
    way has not, one of some slots has all positions, so it covers its addresses in full.
    """
    ways = [way for way in schedule.ways if way.size]
    spans = [span_of_slots(schedule.task, way) for way in ways]
    whole = all(span is not None for span in spans)
    if not whole and any(way.per_slot for way in ways):
        yield Violation("share", detail="some ways have positions of slots, others of blocks")
        return
    length, p = schedule.task.payload if whole else schedule.task.block, schedule.task.p
    begin, over = defaultdict[int, list[Way]](list), defaultdict[int, list[Way]](list)
    for way, span in zip(ways, spans, strict=True):
        share = span if whole and span is not None else range(way.start, way.stop)
        begin[share.start].append(way)
        over[share.stop].append(way)
    held = _Subcubes(p)
    for start, stop in pairwise(sorted({0, length, *begin, *over})):
        between = f"positions {start} to {stop} of a {'slot' if whole else 'block'}"
        for way in over[start]:
            held.count(way, -1)
        for way in begin[start]:
            if effort.beyond(held.comparisons(way)):
                yield Violation("share", detail=effort.words)
                return
            if held.meets(way):
                yield Violation("share", detail=f"{between} are in two ways")
            held.count(way, 1)
        if held.addresses < 1 << p:
            yield Violation("share", detail=f"{between} are in no way")


class _Subcubes:
    """The subcubes of ways, by their masks: which of them meet another one."""

    def __init__(self, p: int) -> None:
        self.p, self.addresses = p, 0
        self.values = defaultdict[int, Counter[int]](Counter)

    def count(self, way: Way, change: int) -> None:
        """Hold one way more, or less."""
        values = self.values[way.mask]
        values[way.value] += change
        if not values[way.value]:
            del values[way.value]
        if not values:
            del self.values[way.mask]
        self.addresses += change << self.p - way.mask.bit_count()

    def comparisons(self, way: Way) -> int:
        """How many it takes to tell."""
        return sum(
            len(values) if mask & ~way.mask else 1 for mask, values in self.values.items()
        )

    def meets(self, way: Way) -> bool:
        """Whether a way has an address that one of these has, too."""
        return any(
            any(not (way.value ^ value) & way.mask & mask for value in values)
            if mask & ~way.mask
            else way.value & mask in values
            for mask, values in self.values.items()
        )
