"""Messages that share out links by slots, so that nothing waits for the end of a message.

Rules.

1. Time is cut into *slots*, each as long as a message. In a slot a link carries one message,
   and a node sends and takes as many as it has ports.
2. A message may cross several links in one slot: its first elements go on while the others
   follow. It may also wait on a node for a later slot.
3. One after the other, messages take a way over as few free links as can be. One that finds
   none goes first the next time; after some times the slots are too few.
4. Circuits do not wait: they are in one slot, and hold ports at their ends only.
5. *Rounds* are shorter than slots. A hop begins when its link and a port at each end are free,
   and a round after the hop before it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache, reduce
from heapq import heapreplace
from operator import or_

from graycube.table.messages.manners import Hops, Message, Pairs, by_part, messages

TIMES = 4
"""So often messages are placed in other orders."""


@lru_cache(maxsize=1 << 8)
def in_slots(
    pairs: Pairs, parts: int, ports: int, slots: int, *, circuits: bool = False
) -> dict[Message, Hops] | None:
    """The slots and dimensions of the hops of all parts, if so many slots are found to do.

    >>> found = in_slots(((0, 3), (3, 0)), parts=2, ports=2, slots=1)
    >>> found[0, 3, 0], found[0, 3, 1]
    (((0, 0), (0, 1)), ((0, 1), (0, 0)))
    >>> in_slots(((0, 3), (3, 0)), parts=2, ports=1, slots=1) is None
    True
    >>> in_slots(((0, 1), (3, 3)), parts=2, ports=2, slots=1, circuits=True)[0, 1, 1]
    ((0, 1), (0, 0), (0, 1))
    """
    order, n = by_part(messages(pairs, parts)), max(map(max, pairs)).bit_length()
    kind = _Circuits if circuits else _Room
    for _ in range(TIMES):
        room, found = kind(n, ports, slots), dict[Message, Hops]()
        for message in order:
            hops = room.take(*message[:2])
            if hops is None:
                break
            found[message] = hops
        else:
            return found
        order = [message, *(other for other in order if other != message)]
    return None


class _Room:
    """What is free: a bit for each slot and node, the nodes of a slot side by side."""

    def __init__(self, n: int, ports: int, slots: int) -> None:
        self.n, self.ports, self.slots = n, ports, slots
        self.free = [(1 << (slots << n)) - 1] * n  # over each dimension, with ports at its ends
        self.sends, self.takes = Counter[int](), Counter[int]()

    def take(self, start: int, stop: int) -> Hops | None:
        """A way over the fewest links, the earliest one; None where there is none."""
        column = first_nodes(self.n, self.slots)
        leading = self._from(1 << start, column << stop, waits=True)
        if leading is None:
            return None
        at, hops = start, list[tuple[int, int]]()
        for over in reversed(leading):
            first = ((words >> at & column, d) for d, words in enumerate(over))
            wait, d = min((here & -here, d) for here, d in first if here)
            at += wait.bit_length() - 1
            hops.append((at >> self.n, d))
            self._use(at, d)
            at ^= 1 << d
        return tuple(hops)

    def _from(self, begin: int, end: int, *, waits: bool = False) -> list[list[int]] | None:
        """Over each dimension, from where a link leads to the end, then to these, and so on."""
        n, seen, last, found = self.n, end, end, list[list[int]]()
        lower = lower_nodes(n, self.slots)
        across = [(1 << d, lower[d], free) for d, free in enumerate(self.free)]
        while not seen & begin:
            over = [
                ((last & low) << far | last >> far & low) & free for far, low, free in across
            ]
            reached, waited = _union(over), 1 << n
            while waits and waited < self.slots << n:
                reached |= reached >> waited
                waited *= 2
            last = reached & ~seen
            if not last:
                return None
            found.append(over)
            seen |= last
        return found

    def _use(self, at: int, d: int) -> None:
        to = at ^ 1 << d
        self.free[d] &= ~(1 << at)
        self.sends[at] += 1
        self.takes[to] += 1
        if self.sends[at] == self.ports:
            self.free = [free & ~(1 << at) for free in self.free]
        if self.takes[to] == self.ports:
            self.free = [free & ~(1 << (to ^ 1 << e)) for e, free in enumerate(self.free)]


class _Circuits(_Room):
    """The same for circuits, which begin and end in one slot."""

    def take(self, start: int, stop: int) -> Hops | None:
        """A circuit over the fewest links, in the first slot that has one."""
        column = first_nodes(self.n, self.slots)
        begin, end = column << start, column << stop
        for slot in range(self.slots):
            if self.sends[slot << self.n | start] == self.ports:
                begin &= ~(1 << (slot << self.n | start))
            if self.takes[slot << self.n | stop] == self.ports:
                end &= ~(1 << (slot << self.n | stop))
        leading = self._from(begin, end)
        if leading is None:
            return None
        here = begin & _union(leading[-1])
        at, hops = (here & -here).bit_length() - 1, list[tuple[int, int]]()
        self.sends[at] += 1
        for over in reversed(leading):
            d = next(d for d, words in enumerate(over) if words >> at & 1)
            hops.append((at >> self.n, d))
            self.free[d] &= ~(1 << at)
            at ^= 1 << d
        self.takes[at] += 1
        return tuple(hops)


def _union(words: Iterable[int]) -> int:
    return reduce(or_, words)


@cache
def lower_nodes(n: int, slots: int) -> list[int]:
    """For each dimension a bit for each node of each slot whose bit is 0 there.

    >>> [f"{word:b}" for word in lower_nodes(2, 2)]
    ['1010101', '110011']
    """
    return [sum(1 << at for at in range(slots << n) if not at >> d & 1) for d in range(n)]


@cache
def first_nodes(n: int, slots: int) -> int:
    """A bit for node 0 in each slot.

    >>> f"{first_nodes(2, 3):b}"
    '100010001'
    """
    return sum(1 << (slot << n) for slot in range(slots))


def in_rounds(
    found: Mapping[Message, Hops], ports: int, size: int
) -> tuple[dict[Message, Hops], int]:
    """The rounds in which the hops of messages of ``size`` units begin, and how many there are.

    >>> in_rounds({(0, 3, 0): ((0, 0), (0, 1)), (1, 3, 0): ((1, 1),)}, ports=1, size=4)
    ({(0, 3, 0): ((0, 0), (1, 1)), (1, 3, 0): ((5, 1),)}, 9)
    """
    free = defaultdict[tuple[int, int], int](int)  # links, and when they are free
    sends, takes = (defaultdict[int, list[int]](lambda: [0] * ports) for _ in range(2))
    at = {message: (message[0], 0) for message in found}
    timed = {message: list[tuple[int, int]]() for message in found}
    last = 0
    by_slot = sorted(
        (slot, index, message)
        for message, hops in found.items()
        for index, (slot, _) in enumerate(hops)
    )
    for _, index, message in by_slot:
        (node, ready), d = at[message], found[message][index][1]
        to = node ^ 1 << d
        start = max(ready, free[node, d], sends[node][0], takes[to][0])
        free[node, d] = start + size
        heapreplace(sends[node], start + size)
        heapreplace(takes[to], start + size)
        timed[message].append((start, d))
        at[message] = to, start + 1
        last = max(last, start + size)
    return {message: tuple(hops) for message, hops in timed.items()}, last
