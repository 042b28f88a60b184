"""Parts of a block in rotated orders of dimensions: for any layouts, on several ports.

Rules.

1. A map of addresses is a product of exchanges, whatever dimension comes first
   (:func:`graycube.gf2.factor.in_order`). So each part of a block may have an order of its own:
   part k begins with the k-th dimension of one common order, or farther on, and goes round.
2. The parts are told apart by positions behind each slot, and by slot bits that no exchange
   over a link tests or changes (:mod:`graycube.table.shares`). Then an exchange moves half of
   every part, or all of it on some nodes, as it does with a block.
3. In a round every part does its next exchange. Parts that meet in a dimension cross it one
   after the other.
4. Many parts may have one order instead: each begins a round after the one before it, and as
   many as there are ports are on their way at a time.

That is the number of rounds of one exchange after the other, with the bytes shared out over the
ports.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, permutations
from math import inf
from typing import NamedTuple

from graycube.gf2 import AffineMap, Exchange
from graycube.gf2.factor import factor, in_order
from graycube.machine import Machine
from graycube.schedule import Schedule, Task, hop
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import why_conversion
from graycube.table.shares import MAX_BITS, cuts, needed, shares

MAX_DIMS = 16
"""More take long to lay out."""
ALL_ORDERS, ALL_TURNS = 3, 6
"""Up to so many dimensions all orders are tried, and all rotations of one, both ways."""
MAX_PARTS = 8
MANY = (8, 16, 32, 64, 128)
"""So many parts are tried in one order."""

_Lists = tuple[tuple[Exchange, ...], ...]
"""The exchanges of each part."""


class _Arrangement(NamedTuple):
    """The exchanges of parts, the rounds in which these begin, and slot bits left alone.

    ``crossed`` are the dimension of each exchange over a link, and whether half of it moves.
    """

    lists: _Lists
    begin: tuple[int, ...]
    free: tuple[int, ...]
    crossed: tuple[tuple[tuple[int, bool], ...], ...]


class _Parting(NamedTuple):
    """Equal parts of units, whose groups have these ``bits``."""

    task: Task
    laid: _Arrangement
    bits: tuple[int, ...]

    @property
    def units(self) -> int:
        """Of all parts."""
        return self.task.payload << len(self.bits)

    def crossing(self, units: int, *, half: bool) -> int:
        """How many elements of some units a node sends."""
        return units * (self.task.block // self.units) >> half

    def rounds(self) -> list[int]:
        """How many elements cross the fullest dimension in each round."""
        sizes = [stop - start for start, stop in cuts(self.units, len(self.laid.lists))]
        load = defaultdict[tuple[int, int], int](int)
        for size, first, crossed in zip(sizes, self.laid.begin, self.laid.crossed, strict=True):
            for number, (d, half) in enumerate(crossed, first):
                load[number, d] += self.crossing(size, half=half)
        longest = [0] * (1 + max(number for number, _ in load))
        for (number, _), size in load.items():
            longest[number] = max(longest[number], size)
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
    for laid in _orders(task.move, task.n, most):
        parts = len(laid.lists)
        count = needed(parts, task.payload, len(laid.free))
        made = _Parting(task, laid, laid.free[:count])
        if made.units >= parts:
            yield made


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
    ports = min(most, len(dims))
    found = list[tuple[_Lists, tuple[int, ...]]]()
    for parts in range(2, ports + 1):
        for order in orders:
            turns = (k * len(order) // parts for k in range(parts))
            lists = tuple(in_order(move, n, order[t:] + order[:t]) for t in turns)
            found.append((lists, (0,) * parts))
    for order in orders[:2]:
        one = in_order(move, n, order)
        rounds = len(_crossing(one, n))
        for parts in MANY:
            begin = (k // ports * rounds + k % ports for k in range(parts))
            found.append(((one,) * parts, tuple(begin)))
    return tuple(_laid(*each, move.width, n) for each in dict.fromkeys(found))


def _laid(lists: _Lists, begin: tuple[int, ...], p: int, n: int) -> _Arrangement:
    crossed = {
        some: tuple((_dimension(e, n), bool(e.when >> n)) for e in _crossing(some, n))
        for some in dict.fromkeys(lists)
    }
    free = _free(tuple(crossed), p, n)[:MAX_BITS]
    return _Arrangement(lists, begin, free, tuple(crossed[some] for some in lists))


def _scheduled(found: _Parting) -> Schedule:
    task, n, lengths = found.task, found.task.n, found.rounds()
    starts = list(accumulate(lengths, initial=0))
    ahead = [defaultdict[int, int](int) for _ in lengths]
    ways = []
    laid, runs = found.laid, cuts(found.units, len(found.laid.lists))
    parts = zip(laid.lists, laid.crossed, laid.begin, runs, strict=True)
    for exchanges, crossed, first, run in parts:
        for share in shares(*run, task.payload, found.bits):
            rounds, hops = enumerate(crossed, first), []
            for exchange in exchanges:
                if not exchange.flip & (1 << n) - 1:
                    hops.append(hop(0, exchange, n))
                    continue
                number, (d, half) = next(rounds)
                hops.append(hop(starts[number] + ahead[number][d], exchange, n))
                ahead[number][d] += found.crossing(share.units(found.bits), half=half)
            ways.append(share.way(task, hops))
    return Schedule(task, "rotated-parts", tuple(starts[:-1]), starts[-1], tuple(ways))


ALGORITHM = Algorithm(
    name="rotated-parts",
    paper="TR-20-91 Theorem 1",
    ports="any",
    formula="s + K t / 2p for each dimension traded, on p ports",
    applicable=applicable,
    emit=emit,
)
