"""One order of dimensions, on several ports: what has crossed one goes on while more follows.

Rules.

1. A crossing is that of a part over a dimension. All those of the first part come first, in
   their order, then those of the second, and so on. P ports take P of them at a time: a
   *phase*. There are as few parts as make all phases full, and no dimension is in one twice.
2. In a phase each crossing begins a message after the one before it. So what comes over one
   dimension is sent on over the next a message later, or in the next phase.
3. A *piece* is what a part has on a node in slots that agree in all bits which exchanges look
   at. All of it crosses a dimension, or nothing. Pieces take turns, the same ones over all
   dimensions: sums of address bits number the turns, so that no two pieces leave a node over a
   dimension in one turn. The messages of a piece follow each other, numbered by its other bits.

For N dimensions these are N K / 2P elements in sequence and P - 1 messages, with few ways.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import accumulate, islice, pairwise
from math import gcd
from operator import or_, xor
from typing import NamedTuple

from graycube.gf2 import AffineMap, Exchange, bit_indices, parity
from graycube.gf2.factor import factor, in_order
from graycube.machine import Machine
from graycube.schedule import Crossing, Delay, Schedule, Step, Task, Way
from graycube.table.exchanges.arranged import dimensions
from graycube.table.shares import evenly, shares


class _InPieces(NamedTuple):
    """Exchanges, over how many dimensions, and the slot bits that these look at.

    Sums of address bits are the digits of the ``turns``.
    """

    exchanges: tuple[Exchange, ...]
    dims: int
    slots: tuple[int, ...]
    turns: tuple[int, ...]


class _Phased(NamedTuple):
    """When each crossing of a part begins, with messages of so many elements.

    Some ``bits`` number the messages of a piece, and ``others`` the slots of a message. The
    ``runs`` of messages that parts have, the ``starts`` and the ``length`` of all are in
    messages.
    """

    message: int
    bits: Sequence[int]
    others: Sequence[int]
    runs: Sequence[tuple[int, int]]
    starts: Sequence[int]
    length: int


def piecewise(task: Task, name: str, machine: Machine) -> Schedule | None:
    """With the cheapest messages, if pieces can take turns and a part has enough of them.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.cyclic(7, 3), Layout.consecutive(7, 3), block=16)
    >>> made = piecewise(task, "mine", Machine(3, ports=2))
    >>> made.cycles, 3 * 16 // (2 * 2) + 2 - 1
    (13, 13)
    """
    pieces = _pieces(task.move, task.n)
    if pieces is None or machine.links_at_once < 2:
        return None
    sizes = [*_sizes(task, pieces, min(machine.links_at_once, pieces.dims))]
    if not sizes:
        return None
    best = min(
        sizes, key=lambda it: it.length * machine.message_time(it.message * task.itemsize)
    )
    ways, starts = list[Way](), iter(best.starts)
    for run in best.runs:
        ways += _of_part(task, pieces, run, best, [*islice(starts, pieces.dims)])
    cycles = best.length * best.message
    return Schedule(task, name, range(0, cycles, best.message), cycles, tuple(ways))


def _sizes(task: Task, pieces: _InPieces, ports: int) -> Iterator[_Phased]:
    """Phases follow each other, each as long as its largest part; larger parts come first."""
    free = [b for b in range(task.p - 1, task.n - 1, -1) if b not in pieces.slots]
    parts = ports // gcd(ports, pieces.dims)
    for told in range(len(free) + 1):
        counts = sorted(evenly(1 << told, parts), reverse=True)
        crossing = [count << len(pieces.turns) for count in counts for _ in range(pieces.dims)]
        if crossing[-1] >= ports:
            phases = [*accumulate(crossing[::ports], initial=0)]
            starts = [phases[k // ports] + k % ports for k in range(len(crossing))]
            length = max(map(sum, zip(starts, crossing, strict=True)))
            message = task.payload << len(free) - told
            runs = [*pairwise(accumulate(counts, initial=0))]
            yield _Phased(message, free[:told], free[told:], runs, starts, length)


def _of_part(
    task: Task, pieces: _InPieces, run: tuple[int, int], timed: _Phased, starts: Sequence[int]
) -> Iterator[Way]:
    """The ways of a run of messages."""
    ahead, message = 0, timed.message
    for share in shares(*run, 1, timed.bits):
        count = share.units(timed.bits)
        free = [bit for bit in (*timed.bits, *timed.others) if not share.mask >> bit & 1]
        late = [Delay(task.payload << k, 1 << bit) for k, bit in enumerate(reversed(free))]
        turns = [Delay(message * count << k, mask) for k, mask in enumerate(pieces.turns)]
        begin = [(start + ahead) * message for start in starts]
        steps = _steps(pieces.exchanges, begin, late, turns, task.n)
        yield Way(0, task.block, tuple(steps), share.mask, share.value)
        ahead += count << len(turns)


def _steps(
    exchanges: Sequence[Exchange],
    starts: Sequence[int],
    late: Sequence[Delay],
    turns: Sequence[Delay],
    n: int,
) -> Iterator[Step]:
    """Those over links begin in these cycles; turns are those of the addresses at first."""
    begin = iter(starts)
    for exchange in exchanges:
        links = exchange.flip & (1 << n) - 1
        if links:
            delays = (*late, *turns)
            yield Step(exchange, (Crossing(links.bit_length() - 1, next(begin), delays),))
        else:
            yield Step(exchange)
        turns = [_after(exchange, turn) for turn in turns]


def _after(exchange: Exchange, late: Delay) -> Delay:
    """A delay of the same elements when an exchange has been done."""
    if not parity(exchange.flip & late.mask):
        return late
    return Delay(late.cycles, late.mask ^ exchange.when, late.want ^ exchange.want ^ 1)


@lru_cache(maxsize=1 << 5)  # whatever the block, and the machine
def _pieces(move: AffineMap, n: int) -> _InPieces | None:
    """With the dimensions in one order or the other: the fewest turns, if there are some."""
    dims = dimensions(move, n)
    orders = (factor(move, n), in_order(move, n, dims[::-1]))
    found = [pieces for order in orders if (pieces := _of(order, move.width, n)) is not None]
    return min(found, key=lambda pieces: len(pieces.turns), default=None)


def _of(exchanges: tuple[Exchange, ...], p: int, n: int) -> _InPieces | None:
    """If each dimension is crossed once, by half of all pieces, and turns are found."""
    nodes = (1 << n) - 1
    crossing = [k for k, exchange in enumerate(exchanges) if exchange.flip & nodes]
    crossed = {exchanges[k].flip & nodes for k in crossing}
    before = exchanges[: crossing[-1] + 1] if crossing else ()
    used = nodes | reduce(or_, (e.flip | e.when for e in before), 0)
    slots = tuple(bit_indices(used >> n << n))
    if not 2 <= len(crossing) <= len(crossed):
        return None
    together = [*_together(before, p, n, used)]
    if any(len(some) != len(slots) - 1 for some in together):
        return None
    turns = list[int]()
    while any(together):
        mask = _telling(together)
        if mask is None:
            return None
        turns.append(mask)
        together = [_alike(some, mask) for some in together]
    return _InPieces(exchanges, len(crossing), slots, tuple(turns))


def _together(exchanges: Sequence[Exchange], p: int, n: int, used: int) -> Iterator[list[int]]:
    """For each dimension, in which of the ``used`` bits those differ that leave a node over it.

    As a basis of all differences.
    """
    rows = [1 << b for b in range(p)]  # the bits now, as sums of those at first
    for exchange in exchanges:
        test = reduce(xor, (rows[b] for b in bit_indices(exchange.when)), 0)
        if exchange.flip & (1 << n) - 1:
            yield reduce(_alike, (*rows[:n], test), [1 << b for b in bit_indices(used)])
        for b in bit_indices(exchange.flip):
            rows[b] ^= test


def _alike(differences: Sequence[int], mask: int) -> list[int]:
    """A basis of those sums of differences that a sum of bits does not tell apart.

    >>> _alike([0b001, 0b011, 0b100], mask=0b001)
    [4, 2]
    """
    odd = [one for one in differences if parity(one & mask)]
    even = [one for one in differences if not parity(one & mask)]
    return even + [one ^ odd[0] for one in odd[1:]]


def _telling(together: Sequence[Sequence[int]]) -> int | None:
    """A sum of bits that tells some apart on every dimension, of slots as far as possible.

    >>> f"{_telling([[0b100], [0b110, 0b001], [0b010]]):b}"
    '111'
    """
    solved = dict[int, tuple[int, int]]()  # by the highest bit: a difference, and its parity
    for some in sorted(together, key=len):
        for difference in sorted(some, reverse=True):
            rest, want = difference, 1
            while rest and rest.bit_length() in solved:
                other, its = solved[rest.bit_length()]
                rest, want = rest ^ other, want ^ its
            if rest:
                solved[rest.bit_length()] = rest, want
            if rest or not want:
                break
        else:
            return None
    mask = 0
    for place, (difference, want) in sorted(solved.items()):
        if parity(mask & difference) != want:
            mask |= 1 << place - 1
    return mask
