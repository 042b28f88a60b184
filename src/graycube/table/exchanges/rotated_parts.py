"""Parts of a block in rotated orders of dimensions: for any layouts, on several ports.

Rules.

1. The parts have orders of their own, or follow each other in one, or in waves where bits trade
   places (:mod:`graycube.table.exchanges.arranged`).
2. They are told apart by positions behind each slot, and by slot bits that no exchange over a
   link tests or changes (:mod:`graycube.table.shares`). Then an exchange moves half of every
   part, or all of it on some nodes, as it does with a block.
3. In a round every part does its next crossing. Parts that meet in a dimension cross it one
   after the other, unless all nodes send at most one of them.

That is the number of rounds of one exchange after the other, with the bytes shared out over the
ports. Where bits trade places in m waves, it is m + 1 rounds of K / pm for each trade; on all
ports two waves take but one round more than one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, chain, islice, pairwise, permutations
from math import inf
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Machine
from graycube.schedule import Crossing, Schedule, Step, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import why_conversion
from graycube.table.exchanges.arranged import Arrangement, arrangements, dimensions
from graycube.table.shares import cuts, needed, shares

MAX_DIMS = 16
"""More take long to lay out."""
MAX_PARTS = 8
EVEN, TRIED, CLOSE = 1 << 6, 8, 1.2
"""Parts are shifted by 1/64 of a block at least, in so many ways that are close to the best."""


class _Parting(NamedTuple):
    """Parts of so many units, whose groups have these ``bits``."""

    task: Task
    laid: Arrangement
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
        load = defaultdict[tuple[int, int, int], int](int)
        for size, (which, rounds) in zip(self.sizes, self.laid.parts, strict=True):
            crossed = self.laid.lists[which].crossed
            for number, (d, side, half) in zip(rounds, crossed, strict=True):
                load[number, d, side] += self.crossing(size, half=half)
        longest = [0] * (1 + max(number for number, _, _ in load))
        for (number, _, _), size in load.items():
            longest[number] = max(longest[number], size)
        return longest

    def price(self, machine: Machine) -> float:
        """What the rounds take."""
        lengths, itemsize = Counter(self.rounds()), self.task.itemsize
        return sum(
            machine.message_time(x * itemsize) * times for x, times in lengths.items() if x
        )


def applicable(task: Task, machine: Machine) -> str | None:
    """Two dimensions or more, and what tells parts apart; on one port only trades of bits."""
    if reason := why_conversion(task, machine):
        return reason
    if task.n > MAX_DIMS:
        return f"more than {MAX_DIMS} dimensions take long to lay out"
    if len(dimensions(task.move, task.n)) < 2:
        return "it takes two dimensions or more"
    if machine.links_at_once < 2 and not arrangements(task.move, task.n, 1):
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
        rounds = 1 + max(rounds[-1] for _, rounds in one.laid.parts)
        if rounds * machine.cheapest.startup < least:
            price = one.price(machine)
            if price < least:
                best, least = one, price
            if 1 < len(one.laid.parts) <= len(one.laid.lists):
                rotated.append((price, one))
    rotated.sort(key=itemgetter(0))
    close = [one for price, one in rotated[:TRIED] if price <= least * CLOSE]
    ways = ([] if best is None else [best]) + [_shifted(one) for one in close]
    return min(ways, key=lambda one: one.price(machine))


def _shifted(one: _Parting) -> _Parting:
    """With parts that are not equal, if rounds are shorter then: some meet, or move as a whole.

    Units go from one part to another, as many as help most, fewer and fewer at a time.
    """
    every = [*chain.from_iterable(some.crossed for some in one.laid.lists)]
    halves = {crossed.half for crossed in every}
    if len(halves) == 1 and {*one.rounds()} == {one.crossing(max(one.sizes), half=max(halves))}:
        return one
    parts, bits = len(one.sizes), one.laid.free
    while len(bits) > len(one.bits) and one.task.payload << len(bits) - 1 >= EVEN:
        bits = bits[:-1]
    links = [*dict.fromkeys(crossed.link for crossed in every)]
    last = max(rounds[-1] for _, rounds in one.laid.parts)
    carried = np.zeros((1 + last, len(links), parts))
    for part, (which, rounds) in enumerate(one.laid.parts):
        for number, crossed in zip(rounds, one.laid.lists[which].crossed, strict=True):
            carried[number, links.index(crossed.link), part] += 0.5 if crossed.half else 1.0
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
    for laid in arrangements(task.move, task.n, most):
        parts = len(laid.parts)
        count = needed(parts, task.payload, len(laid.free))
        units, one = task.payload << count, laid.lists[0]
        if parts <= max(MAX_PARTS, 2 * units) and (
            units > 1 or len(one.crossed) > len(one.cells)
        ):
            sizes = tuple(stop - start for start, stop in cuts(units, parts))
            yield _Parting(task, laid, laid.free[:count], sizes)


def _scheduled(found: _Parting) -> Schedule:
    task, n, lengths = found.task, found.task.n, found.rounds()
    starts = list(accumulate(lengths, initial=0))
    ahead = defaultdict[tuple[int, int, int], int](int)
    ways = []
    laid, runs = found.laid, pairwise(accumulate(found.sizes, initial=0))
    for (which, rounds), run in zip(laid.parts, runs, strict=True):
        for share in shares(*run, task.payload, found.bits) if run[0] < run[1] else ():
            crossings = list[Crossing]()
            for number, crossed in zip(rounds, laid.lists[which].crossed, strict=True):
                link = number, crossed.dim, crossed.side
                crossings.append(Crossing(crossed.dim, starts[number] + ahead[link]))
                ahead[link] += found.crossing(share.units(found.bits), half=crossed.half)
            coming, cells = iter(crossings), iter(laid.lists[which].cells)
            steps = [
                Step(exchange, tuple(islice(coming, len(next(cells)))))
                if exchange.flip & (1 << n) - 1
                else Step(exchange)
                for exchange in laid.lists[which].exchanges
            ]
            ways.append(share.way(task, steps))
    marks = tuple(at for at, length in zip(starts, lengths, strict=False) if length)
    return Schedule(task, "rotated-parts", marks, starts[-1], tuple(ways))


ALGORITHM = Algorithm(
    name="rotated-parts",
    paper="TR-20-91 Theorem 1",
    ports="any",
    formula="s + K t / 2p for each dimension traded, on p ports",
    applicable=applicable,
    emit=emit,
)
