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

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise, permutations
from math import inf
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
MANY = (4, 8, 16, 32, 64, 128, 256)
"""So many parts are tried in one order."""
EVEN, TRIED, CLOSE = 1 << 6, 8, 1.2
"""Parts are shifted by 1/64 of a block at least, in so many ways that are close to the best."""

_Lists = tuple[tuple[Exchange, ...], ...]
"""The exchanges of each part."""


class _Arrangement(NamedTuple):
    """Which of the lists of exchanges each part has, and the round in which it begins.

    ``crossed`` are the dimension of each exchange over a link, and whether half of it moves;
    no list looks at the slot bits that are ``free``.
    """

    lists: _Lists
    crossed: tuple[tuple[tuple[int, bool], ...], ...]
    free: tuple[int, ...]
    parts: tuple[tuple[int, int], ...]


class _Parting(NamedTuple):
    """Parts of so many units, whose groups have these ``bits``."""

    task: Task
    laid: _Arrangement
    bits: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def units(self) -> int:
        """Of all parts."""
        return self.task.payload << len(self.bits)

    def crossing(self, units: int, *, half: bool) -> int:
        """How many elements of some units a node sends."""
        return units * (self.task.block // self.units) >> half

    def rounds(self) -> list[int]:
        """How many elements cross the fullest dimension in each round."""
        load = defaultdict[tuple[int, int], int](int)
        for size, (which, first) in zip(self.sizes, self.laid.parts, strict=True):
            for number, (d, half) in enumerate(self.laid.crossed[which], first):
                load[number, d] += self.crossing(size, half=half)
        longest = [0] * (1 + max(number for number, _ in load))
        for (number, _), size in load.items():
            longest[number] = max(longest[number], size)
        return longest

    def price(self, machine: Machine) -> float:
        """What the rounds take."""
        lengths, itemsize = Counter(self.rounds()), self.task.itemsize
        return sum(machine.message_time(x * itemsize) * times for x, times in lengths.items())


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
    best, least, rotated = None, inf, []
    for one in _candidates(task, machine):
        rounds = 1 + max(first for _, first in one.laid.parts)
        if rounds * machine.cheapest.startup < least:
            price = one.price(machine)
            if price < least:
                best, least = one, price
            if len(one.laid.lists) > 1:
                rotated.append((price, one))
    rotated.sort(key=itemgetter(0))
    close = [one for price, one in rotated[:TRIED] if price <= least * CLOSE]
    ways = ([] if best is None else [best]) + [_shifted(one) for one in close]
    return min(ways, key=lambda one: one.price(machine))


def _shifted(one: _Parting) -> _Parting:
    """With parts that are not equal, if rounds are shorter then: some meet, or move as a whole.

    Units go from one part to another, as many as help most, fewer and fewer at a time.
    """
    if {*one.rounds()} == {one.crossing(max(one.sizes), half=True)}:
        return one
    parts, bits = len(one.sizes), one.laid.free
    while len(bits) > len(one.bits) and one.task.payload << len(bits) - 1 >= EVEN:
        bits = bits[:-1]
    carried = np.zeros((max(map(len, one.laid.crossed)), one.task.n, parts))
    for which, crossed in enumerate(one.laid.crossed):
        for number, (d, half) in enumerate(crossed):
            carried[number, d, which] += 0.5 if half else 1.0
    moves = np.array(
        [np.eye(parts)[j] - np.eye(parts)[i] for i, j in permutations(range(parts), 2)]
    )

    def lengths(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((carried @ sizes.T).max(axis=1).sum(axis=0))

    sizes = np.array(one.sizes) * 2.0 ** (len(bits) - len(one.bits))
    units = one.task.payload << len(bits)
    step, least = units // (2 * parts), float(lengths(sizes[None])[0])
    shifted = False
    while step * EVEN > units:
        others = sizes + step * moves
        found = np.where(others.min(axis=1) < 1, np.inf, lengths(others))
        k = int(found.argmin())
        if found[k] < least:
            sizes, least, shifted = others[k], float(found[k]), True
        else:
            step //= 2
    return one._replace(bits=bits, sizes=tuple(map(int, sizes))) if shifted else one


def _candidates(task: Task, machine: Machine) -> Iterator[_Parting]:
    most = min(machine.links_at_once, MAX_PARTS)
    for laid in _orders(task.move, task.n, most):
        parts = len(laid.parts)
        count = needed(parts, task.payload, len(laid.free))
        ends = cuts(task.payload << count, parts)
        sizes = tuple(stop - start for start, stop in ends)
        if all(sizes):
            yield _Parting(task, laid, laid.free[:count], sizes)


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
    found = list[_Lists]()
    for parts in range(2, ports + 1):
        for order in orders:
            turns = (k * len(order) // parts for k in range(parts))
            found.append(tuple(in_order(move, n, order[t:] + order[:t]) for t in turns))
    made = [_laid(lists, move.width, n) for lists in dict.fromkeys(found)]
    for order in orders[:2]:
        one = _laid((in_order(move, n, order),), move.width, n)
        rounds = len(one.crossed[0])
        for parts in MANY:
            begin = (k // ports * rounds + k % ports for k in range(parts))
            made.append(one._replace(parts=tuple((0, first) for first in begin)))
    return tuple(made)


def _laid(lists: _Lists, p: int, n: int) -> _Arrangement:
    crossed = (
        tuple((_dimension(e, n), bool(e.when >> n)) for e in _crossing(some, n))
        for some in lists
    )
    free, parts = _free(lists, p, n)[:MAX_BITS], ((k, 0) for k in range(len(lists)))
    return _Arrangement(lists, tuple(crossed), free, tuple(parts))


def _scheduled(found: _Parting) -> Schedule:
    task, n, lengths = found.task, found.task.n, found.rounds()
    starts = list(accumulate(lengths, initial=0))
    ahead = [defaultdict[int, int](int) for _ in lengths]
    ways = []
    laid, runs = found.laid, pairwise(accumulate(found.sizes, initial=0))
    for (which, first), run in zip(laid.parts, runs, strict=True):
        for share in shares(*run, task.payload, found.bits):
            rounds, hops = enumerate(laid.crossed[which], first), []
            for exchange in laid.lists[which]:
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
