"""Parts of a block in rotated orders of dimensions: for any layouts, on several ports.

Rules.

1. The parts have orders of their own, or follow each other in one, or in waves where bits trade
   places (:mod:`graycube.table.exchanges.arranged`).
2. They are told apart by positions behind each slot, and by slot bits that no exchange over a
   link tests or changes (:mod:`graycube.table.shares`). Then an exchange moves half of every
   part, or all of it on some nodes, as it does with a block.
3. In a round every part does its next crossing. Parts that meet in a dimension cross it one
   after the other, unless all nodes send at most one of them.
4. Where units cannot be shared out equally, parts are equal, and some addresses of what they
   leave over go with one part, some with another (:mod:`graycube.table.exchanges.leftovers`).

That is the number of rounds of one exchange after the other, with the bytes shared out over the
ports. Where bits trade places in m waves, it is m + 1 rounds of K / pm for each trade; on all
ports two waves take but one round more than one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, islice, pairwise, permutations
from math import inf
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Machine
from graycube.schedule import Crossing, Schedule, Step, Task, Way
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import why_conversion, with_rounds
from graycube.table.exchanges.arranged import Arrangement, Listed, arrangements, dimensions
from graycube.table.exchanges.leftovers import Leftover, RoundAndDim, dealt
from graycube.table.lanes import fullest
from graycube.table.shares import FINE, evenly, needed, shares

MAX_DIMS = 16
"""More take long to lay out."""
MAX_PARTS = 8
EVEN, TRIED, CLOSE = 1 << 6, 8, 1.25
"""Parts are shifted by 1/64 of a block at least, in so many ways that are close to the best."""


class _Parting(NamedTuple):
    """Parts of so many units, whose groups have these ``bits``, and what they leave over."""

    task: Task
    laid: Arrangement
    bits: tuple[int, ...]
    sizes: tuple[int, ...]
    left: Leftover | None = None

    @property
    def units(self) -> int:
        """Of all parts."""
        return self.task.payload << len(self.bits)

    def with_equal_parts(self) -> "_Parting":
        """The same, where some units may be left over."""
        parts = len(self.sizes)
        return self._replace(sizes=(self.units // parts,) * parts)

    @property
    def unit(self) -> int:
        """The elements of one."""
        return self.task.block // self.units

    def rounds(self) -> list[int]:
        """The longest message of each round."""
        load, left = self.in_parts(), self.left
        return fullest(load + left.elements(left.longest, self.unit) if left else load)

    def cycles(self) -> list[int]:
        """How long each round lasts."""
        load, left = self.in_parts(), self.left
        return fullest(load + left.elements(left.through, self.unit) if left else load)

    def in_parts(self) -> Counter[RoundAndDim]:
        """What crosses a dimension in a round, without what is left over, which goes last."""
        unit, sides = self.unit, defaultdict[tuple[int, int, int], int](int)
        for size, (which, rounds) in zip(self.sizes, self.laid.parts, strict=True):
            crossed = self.laid.lists[which].crossed
            for number, (d, side, half) in zip(rounds, crossed, strict=True):
                sides[number, d, side] += size * unit >> half
        load = Counter[RoundAndDim]()
        for (number, d, _), size in sides.items():
            load[number, d] = max(load[number, d], size)
        return load

    def price(self, machine: Machine) -> float:
        """What the rounds take."""
        lengths, itemsize = Counter(self.rounds()), self.task.itemsize
        return sum(machine.message_time(x * itemsize) * times for x, times in lengths.items())


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
    ways += _evened(
        [one for _, one in rotated], min(one.price(machine) for one in ways), machine
    )
    return min(ways, key=lambda one: one.price(machine))


def _evened(some: Sequence[_Parting], most: float, machine: Machine) -> Iterator[_Parting]:
    """The best of some, with parts that are equal and what these leave over dealt out."""
    equal = [(one.with_equal_parts(), one.units % len(one.sizes)) for one in some]
    priced = [
        (one.price(machine), rest / len(one.sizes), one)
        for one, rest in equal
        if rest and one.sizes[0] < FINE
    ]
    price, _, best = min(priced, key=itemgetter(0, 1), default=(inf, 0.0, None))
    if best is not None and price < most:
        left = dealt(best.laid, best.task.n, best.units - sum(best.sizes))
        if left is not None:
            yield best._replace(left=left)


def _shifted(one: _Parting) -> _Parting:
    """With parts that are not equal, if rounds are shorter then: some meet, or move as a whole.

    Units go from one part to another, as many as help most, fewer and fewer at a time.
    """
    every = [*chain.from_iterable(some.crossed for some in one.laid.lists)]
    halves = {crossed.half for crossed in every}
    if len(halves) == 1 and {*one.rounds()} == {max(one.sizes) * one.unit >> max(halves)}:
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
            yield _Parting(task, laid, laid.free[:count], tuple(evenly(units, parts)))


def _scheduled(found: _Parting) -> Schedule:
    task, laid, unit = found.task, found.laid, found.unit
    starts = list(accumulate(found.cycles(), initial=0))
    ahead = defaultdict[tuple[int, int, int], int](int)
    ways, runs = list[Way](), pairwise(accumulate(found.sizes, initial=0))
    for (which, rounds), run in zip(laid.parts, runs, strict=True):
        one = laid.lists[which]
        for share in shares(*run, task.payload, found.bits) if run[0] < run[1] else ():
            begin, elements = list[int](), share.units(found.bits) * unit
            for number, crossed in zip(rounds, one.crossed, strict=True):
                link = number, crossed.dim, crossed.side
                begin.append(starts[number] + ahead[link])
                ahead[link] += elements >> crossed.half
            ways.append(share.way(task, _steps(one, begin, task.n)))
    if found.left is not None:
        ways += _left_over(found, found.left, starts)
    return with_rounds(task, "rotated-parts", starts, ways)


def _left_over(found: _Parting, left: Leftover, starts: Sequence[int]) -> Iterator[Way]:
    """The ways of what is left over, behind the parts of a dimension in each round."""
    first, task, unit = sum(found.sizes), found.task, found.unit
    parts = found.in_parts()
    for number, value, which, late in left.hands:
        one, (_, rounds) = found.laid.lists[which], found.laid.parts[which]
        begin = [
            None if ahead is None else starts[r] + parts[r, d] + (unit * ahead >> left.slots)
            for r, (d, _, _), ahead in zip(rounds, one.crossed, late, strict=True)
        ]
        steps = _steps(one, begin, task.n)
        for share in shares(first + number, first + number + 1, task.payload, found.bits):
            yield share.way(task, steps, left.mask, value)


def _steps(one: Listed, begin: Sequence[int | None], n: int) -> list[Step]:
    """The exchanges of a list whose crossings begin in these cycles; None for no crossing."""
    timed, cells, steps = zip(one.crossed, begin, strict=True), iter(one.cells), list[Step]()
    for exchange in one.exchanges:
        over = next(cells) if exchange.flip & (1 << n) - 1 else ()
        some = [(crossed.dim, at) for crossed, at in islice(timed, len(over))]
        crossings = tuple(Crossing(d, at) for d, at in some if at is not None)
        if len(crossings) == len(over):
            steps.append(Step(exchange, crossings))
    return steps


ALGORITHM = Algorithm(
    name="rotated-parts",
    paper="TR-20-91 Theorem 1",
    ports="any",
    formula="s + K t / 2p for each dimension traded, on p ports",
    applicable=applicable,
    emit=emit,
)
