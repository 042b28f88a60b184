"""Parts of a block in rotated orders of dimensions: for any layouts, on several ports.

Rules.

1. A map of addresses is a product of exchanges, whatever dimension comes first
   (:func:`graycube.gf2.factor.in_order`). So each part of a block may have an order of its own:
   part k begins with the k-th dimension of one common order, or farther on, and goes round.
2. The parts are told apart by slot bits that no exchange over a link tests or changes. Then an
   exchange moves half of every part, or all of it on some nodes, as it does with a block. A
   block has such bits, or its payload is cut for that.
3. There are 2^k equal *units*, and a part is so many of them, one after the other.
4. In a round every part does its next exchange. Parts that meet in a dimension cross it one
   after the other.

That is the number of rounds of one exchange after the other, with the bytes shared out over the
ports.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise, permutations, zip_longest
from math import inf
from typing import NamedTuple

from graycube.gf2 import AffineMap, Exchange
from graycube.gf2.factor import factor, in_order
from graycube.machine import Machine
from graycube.schedule import Schedule, Task, Way, hop
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import why_conversion

MAX_DIMS = 16
"""More take long to lay out."""
ALL_ORDERS, ALL_TURNS = 3, 6
"""Up to so many dimensions all orders are tried, and all rotations of one, both ways."""
MAX_PARTS = 8
MAX_BITS = 5
"""Parts are multiples of 1/2^5 of a block at the finest: at most 3 percent off."""

_Lists = tuple[tuple[Exchange, ...], ...]
"""The exchanges of each part."""


class _Arrangement(NamedTuple):
    """The exchanges of parts, and the slot bits that they leave alone, from the highest.

    ``crossed`` are the dimension of each round of each part, and whether half of it moves.
    """

    lists: _Lists
    free: tuple[int, ...]
    crossed: tuple[tuple[tuple[int, bool], ...], ...]


class _Parting(NamedTuple):
    """Parts of so many units; ``bits`` are the slot bits that number them."""

    task: Task
    laid: _Arrangement
    units: tuple[int, ...]
    bits: tuple[int, ...]

    def crossing(self, k: int, *, half: bool) -> int:
        """How many elements of part k a node sends at most."""
        return self.task.block * self.units[k] >> len(self.bits) + half

    def rounds(self) -> list[int]:
        """How many elements cross the fullest dimension in each round."""
        longest = []
        for now in zip_longest(*self.laid.crossed):
            load = defaultdict[int, int](int)
            for k, crossed in enumerate(now):
                if crossed is not None:
                    load[crossed[0]] += self.crossing(k, half=crossed[1])
            longest.append(max(load.values()))
        return longest

    def price(self, machine: Machine) -> float:
        """What the rounds take."""
        itemsize = self.task.itemsize
        return sum(machine.message_time(size * itemsize) for size in self.rounds())


def applicable(task: Task, machine: Machine) -> str | None:
    """Two ports and two dimensions or more, and what tells parts apart."""
    if reason := why_conversion(task, machine):
        return reason
    if task.n > MAX_DIMS:
        return f"more than {MAX_DIMS} dimensions take long to lay out"
    if len({_dimension(e, task.n) for e in _crossing(factor(task.move, task.n), task.n)}) < 2:
        return "it takes two dimensions or more"
    if machine.links_at_once < 2:
        return "on one port it is exchange"
    if next(_candidates(task, machine), None) is None:
        return f"a block of {task.block} has no parts that the exchanges leave alone"
    return None


def emit(task: Task, machine: Machine) -> Schedule:
    """With the cheapest number of parts and order."""
    return _scheduled(_cheapest(task, machine))


def price(task: Task, machine: Machine) -> float:
    """What it takes, if it applies."""
    if applicable(task, machine) is not None:
        return inf
    return _cheapest(task, machine).price(machine)


@lru_cache(maxsize=1 << 5)
def _cheapest(task: Task, machine: Machine) -> _Parting:
    return min(_candidates(task, machine), key=lambda one: one.price(machine))


def _candidates(task: Task, machine: Machine) -> Iterator[_Parting]:
    most = min(machine.links_at_once, MAX_PARTS)
    finer = _finer(task, (most - 1).bit_length())
    for laid in _orders(finer.move, finer.n, most):
        parts = len(laid.lists)
        needed = (parts - 1).bit_length()
        bits = laid.free[: needed if parts == 1 << needed else MAX_BITS]
        if 1 << len(bits) >= parts:
            cuts = [(k << len(bits)) // parts for k in range(parts + 1)]
            yield _Parting(finer, laid, tuple(b - a for a, b in pairwise(cuts)), bits)


def _finer(task: Task, needed: int) -> Task:
    """The task with enough slot bits that no exchange over a link looks at, if it has them."""
    there = len(_free((factor(task.move, task.n),), task.p, task.n))
    even = (task.payload & -task.payload).bit_length() - 1
    wanted = MAX_BITS if needed > 1 else needed
    return task.refined(max(0, min(even, wanted - there)))


def _free(lists: _Lists, p: int, n: int) -> tuple[int, ...]:
    """Slot bits that no exchange over a link tests or changes, from the highest."""
    used = 0
    for some in lists:
        for exchange in _crossing(some, n):
            used |= exchange.flip | exchange.when
    return tuple(j for j in range(p - 1, n - 1, -1) if not used >> j & 1)


def _crossing(exchanges: Sequence[Exchange], n: int) -> list[Exchange]:
    return [exchange for exchange in exchanges if exchange.flip & (1 << n) - 1]


def _dimension(exchange: Exchange, n: int) -> int:
    return (exchange.flip & (1 << n) - 1).bit_length() - 1


@lru_cache(maxsize=1 << 6)  # whatever the block, and what a message costs
def _orders(move: AffineMap, n: int, most: int) -> tuple[_Arrangement, ...]:
    """For all numbers of parts and orders to try, what each part does."""
    first = _crossing(factor(move, n), n)
    dims = tuple(dict.fromkeys(_dimension(exchange, n) for exchange in first))
    orders = [dims, dims[::-1]]
    if len(dims) <= ALL_ORDERS:
        orders = [*permutations(dims)]
    elif len(dims) <= ALL_TURNS:
        ways = (tuple(sorted(dims)), tuple(sorted(dims, reverse=True)))
        orders = [way[k:] + way[:k] for k in range(len(dims)) for way in ways]
    found = list[_Lists]()
    for parts in range(2, min(most, len(dims)) + 1):
        for order in orders:
            turns = (k * len(order) // parts for k in range(parts))
            found.append(tuple(in_order(move, n, order[t:] + order[:t]) for t in turns))
    return tuple(_laid(lists, move.width, n) for lists in dict.fromkeys(found))


def _laid(lists: _Lists, p: int, n: int) -> _Arrangement:
    crossed = (
        tuple((_dimension(e, n), bool(e.when >> n)) for e in _crossing(some, n))
        for some in lists
    )
    return _Arrangement(lists, _free(lists, p, n), tuple(crossed))


def _scheduled(found: _Parting) -> Schedule:
    task, n, lengths = found.task, found.task.n, found.rounds()
    starts = list(accumulate(lengths, initial=0))
    ahead = [defaultdict[int, int](int) for _ in lengths]
    ways, first = [], 0
    for k, exchanges in enumerate(found.laid.lists):
        for unit, count in _pieces(first, first + found.units[k]):
            number, hops = 0, []
            for exchange in exchanges:
                if not exchange.flip & (1 << n) - 1:
                    hops.append(hop(0, exchange, n))
                    continue
                d, half = found.laid.crossed[k][number]
                hops.append(hop(starts[number] + ahead[number][d], exchange, n))
                ahead[number][d] += found.crossing(k, half=half) * count // found.units[k]
                number += 1
            fixed = found.bits[: len(found.bits) - count.bit_length() + 1]
            mask, value = _spread(-1, fixed), _spread(unit // count, fixed)
            ways.append(Way(0, task.block, tuple(hops), mask, value))
        first += found.units[k]
    return Schedule(task, "rotated-parts", tuple(starts[:-1]), starts[-1], tuple(ways))


def _pieces(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Units as subcubes: the first one of each, and how many it has.

    >>> list(_pieces(3, 8))
    [(3, 1), (4, 4)]
    """
    while start < stop:
        count = start & -start or 1 << stop.bit_length()
        while start + count > stop:
            count //= 2
        yield start, count
        start += count


def _spread(number: int, bits: Sequence[int]) -> int:
    """The address bits of a number, whose highest bit is the first of these."""
    last = len(bits) - 1
    return sum(1 << bit for k, bit in enumerate(bits) if number >> last - k & 1)


ALGORITHM = Algorithm(
    name="rotated-parts",
    paper="TR-20-91 Theorem 1",
    ports="any",
    formula="s + K t / 2p for each dimension traded, on p ports",
    applicable=applicable,
    emit=emit,
)
