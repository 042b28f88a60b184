"""One order of dimensions, on several ports: what has crossed one goes on while more follows.

Rules.

1. A crossing is that of a part over a dimension. All those of the first part come first, in
   their order, then those of the second, and so on. P ports take P of them at a time: a
   *phase*. There are as few parts as make all phases full, and no dimension is in one twice.
2. In a phase each crossing begins a message after the one before it. So what comes over one
   dimension is sent on over the next a message later, or in the next phase.
3. A *piece* is what a part has on a node in slots that agree in all bits which exchanges look
   at. It is never parted. Pieces take turns, the same ones over all dimensions: sums of address
   bits number the turns, so that no two pieces leave a node over a dimension in one turn.

For N dimensions these are N K / 2P elements in sequence and P - 1 messages, whatever their size
is, with few ways.
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
from graycube.schedule import Schedule, Step, Task, Way, hop
from graycube.table.exchanges.arranged import dimensions
from graycube.table.gray.routes import unit_sizes
from graycube.table.shares import cuts, needed, shares

MOST_BITS = 6
"""So many bits at most tell pieces apart: each piece of a part has a way of its own."""


class _Pieces(NamedTuple):
    """Exchanges, over how many dimensions, and the slot bits that these look at.

    Pieces are told apart by some ``bits``; sums of them are the digits of the ``turns``.
    """

    exchanges: tuple[Exchange, ...]
    dims: int
    slots: tuple[int, ...]
    bits: tuple[int, ...]
    turns: tuple[int, ...]

    def turn(self, value: int) -> int:
        """That of the pieces whose bits are so."""
        return sum(parity(value & mask) << k for k, mask in enumerate(self.turns))


class _Timed(NamedTuple):
    """When each crossing of each part begins, with messages of so many elements."""

    message: int
    starts: tuple[int, ...]
    cycles: int

    def price(self, task: Task, machine: Machine) -> float:
        """What the rounds take; the last one may be shorter."""
        whole, rest = divmod(self.cycles - 1, self.message)
        time = machine.message_time
        return whole * time(self.message * task.itemsize) + time((rest + 1) * task.itemsize)


def goes_in_pieces(move: AffineMap, n: int) -> bool:
    """Whether each exchange of a map over a link moves half of all pieces, which take turns.

    >>> from graycube.gf2 import Matrix
    >>> shifted = AffineMap(Matrix.permutation([1, 2, 3, 0]))
    >>> goes_in_pieces(shifted, n=3), goes_in_pieces(shifted, n=4)
    (True, False)
    """
    return _pieces(move, n) is not None


def piecewise(task: Task, name: str, machine: Machine) -> Schedule | None:
    """With the cheapest messages, if pieces can take turns and a part has enough of them."""
    pieces = _pieces(task.move, task.n)
    if pieces is None or machine.links_at_once < 2:
        return None
    ports = min(machine.links_at_once, pieces.dims)
    parts = ports // gcd(ports, pieces.dims)
    free = [b for b in range(task.p - 1, task.n - 1, -1) if b not in pieces.slots]
    told = free[: needed(parts, task.payload, len(free))]
    units = task.payload << len(told)
    sizes = sorted((stop - start for start, stop in cuts(units, parts)), reverse=True)
    crossing = [size * task.block // units // 2 for size in sizes]
    timed = (
        _timed(crossing, pieces.dims, ports, message)
        for message in unit_sizes(task, machine)
        if ports * message <= crossing[-1]
    )
    best = min(timed, key=lambda one: one.price(task, machine), default=None)
    if best is None:
        return None
    ways, starts = list[Way](), iter(best.starts)
    for run in pairwise(accumulate(sizes, initial=0)):
        ways += _of_part(task, pieces, run, told, [*islice(starts, pieces.dims)])
    return Schedule(task, name, range(0, best.cycles, best.message), best.cycles, tuple(ways))


def _of_part(
    task: Task, pieces: _Pieces, run: tuple[int, int], told: Sequence[int], starts: list[int]
) -> Iterator[Way]:
    """The ways of a run of units, whose groups some bits tell apart."""
    unit, ahead = task.block // (task.payload << len(told)), 0
    for share in shares(*run, task.payload, told):
        size = share.units(told) * unit >> len(pieces.slots)
        for value in _values(pieces.bits):
            late = ahead + size * pieces.turn(value)
            steps = _steps(pieces.exchanges, [start + late for start in starts], task.n)
            yield share.way(task, steps, sum(1 << b for b in pieces.bits), value)
        ahead += size << len(pieces.turns)


def _steps(exchanges: Sequence[Exchange], starts: Sequence[int], n: int) -> list[Step]:
    """Those over links begin in these cycles."""
    begin = iter(starts)
    return [hop(next(begin) if e.flip & (1 << n) - 1 else 0, e, n) for e in exchanges]


def _values(bits: Sequence[int]) -> list[int]:
    """All that the bits can be."""
    values = [0]
    for bit in bits:
        values += [value | 1 << bit for value in values]
    return values


def _timed(sizes: Sequence[int], dims: int, ports: int, message: int) -> _Timed:
    """Phases follow each other, each as long as its largest part, in whole messages."""
    parts = [part for part in range(len(sizes)) for _ in range(dims)]
    lengths = (-(-sizes[part] // message) * message for part in parts[::ports])
    phases = [*accumulate(lengths, initial=0)]
    starts = tuple(phases[k // ports] + k % ports * message for k in range(len(parts)))
    ends = (start + sizes[part] for part, start in zip(parts, starts, strict=True))
    return _Timed(message, starts, max(ends))


@lru_cache(maxsize=1 << 5)  # whatever the block, and the machine
def _pieces(move: AffineMap, n: int) -> _Pieces | None:
    """With the dimensions in one order or the other: the fewest pieces, if there are some."""
    dims = dimensions(move, n)
    orders = (factor(move, n), in_order(move, n, dims[::-1]))
    found = [pieces for order in orders if (pieces := _of(order, move.width, n)) is not None]
    return min(found, key=lambda pieces: len(pieces.bits), default=None)


def _of(exchanges: tuple[Exchange, ...], p: int, n: int) -> _Pieces | None:
    """If each dimension is crossed once, by half of all pieces, and turns are found."""
    nodes = (1 << n) - 1
    crossing = [k for k, exchange in enumerate(exchanges) if exchange.flip & nodes]
    crossed = {exchanges[k].flip & nodes for k in crossing}
    before = exchanges[: crossing[-1] + 1] if crossing else ()
    used = nodes | reduce(or_, (e.flip | e.when for e in before), 0)
    slots = tuple(bit_indices(used >> n << n))
    if not 2 <= len(crossing) <= len(crossed) or len(slots) > MOST_BITS:
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
    bits = tuple(bit_indices(reduce(or_, turns, used >> n << n)))
    if len(bits) > MOST_BITS:
        return None
    return _Pieces(exchanges, len(crossing), slots, bits, tuple(turns))


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
