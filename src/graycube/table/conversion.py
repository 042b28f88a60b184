"""What algorithms share: recognising the task, laying out rounds, and what these take.

A conversion codes *fields* of the node number again, each on its own: the distributed axes
of an array (TR-20-91 section 3.2). A schedule for Gray to binary, run backwards, is one for
binary to Gray: every exchange is its own inverse, so the reversed list undoes the composition,
and a round uses the same links.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from graycube.gf2 import (
    AffineMap,
    Exchange,
    Matrix,
    binary_to_gray,
    bit_indices,
    gray_to_binary,
)
from graycube.gf2.conversion import Order
from graycube.gf2.exchange import shared_exchange
from graycube.machine import Machine
from graycube.schedule import Schedule, Task, Way, hop

Step = tuple[Exchange, ...]
"""What a way does in a round: nothing, one exchange, or the exchanges along a circuit."""
Rounds = list[tuple[int, list[Step]]]
"""Rounds with their lengths in cycles, and the step of every way."""


@dataclass(frozen=True, slots=True)
class Field:
    """Bits of the node number that change their code, from the least significant one.

    A field of one bit is the same in both codes.

    >>> field = Field((1, 2, 4), to_binary=True)
    >>> for exchange in field.steps():
    ...     print(exchange)
    flip 1 where a2 ^ a4 = 1
    flip 2 where a4 = 1
    """

    dims: tuple[int, ...]
    to_binary: bool

    @property
    def top(self) -> int:
        """The dimension that needs no exchange.

        >>> Field((1, 2, 4), to_binary=True).top
        4
        """
        return self.dims[-1]

    @property
    def width(self) -> int:
        """Number of bits.

        >>> Field((1, 2, 4), to_binary=True).width
        3
        """
        return len(self.dims)

    def exchanges(self, order: Order) -> tuple[Exchange, ...]:
        """The exchanges in any order of the field's bits 0 .. width - 2.

        >>> print(*Field((1, 2, 4), to_binary=False).exchanges([0, 1]), sep=", ")
        flip 1 where a2 = 1, flip 2 where a4 = 1
        """
        convert = gray_to_binary if self.to_binary else binary_to_gray
        found = convert(self.width, order)
        if self.dims == (*range(self.width),):
            return found
        return tuple(
            shared_exchange(self.placed(each.flip), self.placed(each.when), each.want)
            for each in found
        )

    @property
    def order(self) -> tuple[int, ...]:
        """The order in which every condition has the top bit (TR-20-91 Theorem 7)."""
        ascending = tuple(range(self.width - 1))
        return ascending if self.to_binary else ascending[::-1]

    def steps(self) -> tuple[Exchange, ...]:
        """The exchanges in that order: complementing the top bit complements all conditions."""
        return self.exchanges(self.order)

    def upward(self) -> tuple[Exchange, ...]:
        """The same from the lowest bit to the highest, which is Gray to binary."""
        return self.steps() if self.to_binary else self.steps()[::-1]

    def below(self, top: int, *, odd: bool, without: int = 0) -> tuple[Exchange, ...]:
        """The exchanges of all but the ``top`` highest bits from Gray code, lowest bit first.

        They are for elements that have crossed the highest dimensions an ``odd`` number of
        times: every crossing complements all conditions (TR-20-91 Theorem 7). They do not test
        the bits of the field in the mask ``without``.

        >>> print(*Field((1, 2, 4), to_binary=True).below(1, odd=True), sep=", ")
        flip 1 where a2 ^ a4 = 0, flip 2 where a4 = 0
        """
        above, exchanges = self.placed((1 << self.width) - 1 & ~without), []
        for dim in self.dims[: self.width - top]:
            above ^= 1 << dim
            exchanges.append(shared_exchange(1 << dim, above, 1 - odd))
        return tuple(exchanges)

    def placed(self, word: int) -> int:
        """The node number that has the bits of a word in this field.

        >>> Field((1, 2, 4), to_binary=True).placed(0b101)
        18
        """
        low, width = self.dims[0], self.width
        if self.dims == (*range(low, low + width),):
            return word << low
        return sum(1 << self.dims[j] for j in bit_indices(word))


@lru_cache(maxsize=64)  # many candidates ask
def fields(task: Task) -> tuple[Field, ...] | None:
    """The fields that the task converts, by their lowest dimensions, or None if it is not that.

    >>> from graycube.layout import Layout
    >>> gray, binary = (Layout.mesh((8, 4), nodes=(8, 4), code=c) for c in ("gray", "binary"))
    >>> fields(Task(gray, binary, block=4))
    (Field(dims=(0, 1), to_binary=True), Field(dims=(2, 3, 4), to_binary=True))
    """
    n = task.n
    if task.move.constant or not is_renumbering(task.move, n):
        return None
    nodes = Matrix(task.move.matrix.columns[:n], n)
    left, found = set(range(n)), []
    gray_rows = {True: nodes.inverse().rows, False: nodes.rows}
    for to_binary in (True, False):
        for dims in _chains(gray_rows[to_binary], left):
            found.append(Field(dims, to_binary))
            left.difference_update(dims)
    return None if left else tuple(sorted(found, key=lambda field: min(field.dims)))


def is_renumbering(move: AffineMap, n: int) -> bool:
    """Whether a map of addresses only gives the nodes other numbers."""
    columns = move.matrix.columns
    stay = columns[n:] == tuple(1 << j for j in range(n, move.width))
    return stay and max((*columns[:n], move.constant)) >> n == 0


def _chains(rows: Sequence[int], among: set[int]) -> Iterator[tuple[int, ...]]:
    """Bits coded together: in a Gray code, bit j of the code is the sum of bit j and the next.

    ``rows[j]`` are the bits that make up bit j.
    """
    above = {j: rows[j] ^ 1 << j for j in among}
    below: dict[int, list[int]] = {}
    for j, rest in above.items():
        below.setdefault(rest, []).append(j)
    for top in [j for j, rest in above.items() if not rest]:
        chain = [top]
        while len(next_ones := below.get(1 << chain[0], [])) == 1:
            chain.insert(0, next_ones[0])
        if not next_ones and _closed(rows, chain):
            yield tuple(chain)


def _closed(rows: Sequence[int], chain: Sequence[int]) -> bool:
    """Whether no other bit is made up of bits of the chain."""
    mask = sum(1 << j for j in chain)
    return all(j in chain or not row & mask for j, row in enumerate(rows))


def converted(task: Task) -> tuple[Field, ...]:
    """The fields of two bits or more: those with anything to convert."""
    return tuple(field for field in fields(task) or () if field.width > 1)


def why_other_size(task: Task, machine: Machine) -> str | None:
    """The reason why no algorithm applies if the machine is no cube for the task, or None."""
    if machine.dims != task.n:
        return f"the machine has {machine.dims} dimensions and the task {task.n}"
    return None


def why_no_conversion(task: Task, machine: Machine) -> str | None:
    """The reason why a conversion algorithm does not apply, or None."""
    if other := why_other_size(task, machine):
        return other
    if task.n == 0:
        return "a cube of one node has nothing to convert"
    if fields(task) is None:
        return "it converts fields of the node number between Gray and binary code"
    return None


def why_conversion(task: Task, machine: Machine) -> str | None:
    """The reason why an algorithm for all other tasks does not apply, or None."""
    return why_other_size(task, machine) or (
        None if fields(task) is None else "conversions have algorithms of their own"
    )


def why_no_detour(task: Task, machine: Machine) -> str | None:
    """The same for the algorithms that send a part over one more dimension."""
    return why_no_conversion(task, machine) or (
        None if converted(task) else "no field has two bits"
    )


def in_rounds(
    task: Task, name: str, shares: Sequence[tuple[int, int]], rounds: Rounds
) -> Schedule:
    """The schedule of ways with these shares of the block, in these rounds.

    Ways that make the same exchange in a round do so one after the other. Rounds without
    cycles are left out, and so are ways without elements.
    """
    starts = list(accumulate((length for length, _ in rounds), initial=0))
    ways = []
    for s, (start, stop) in enumerate(shares):
        hops = [
            hop(cycle + _ahead(shares[:s], steps, exchange), exchange, task.n)
            for cycle, (_, steps) in zip(starts, rounds, strict=False)
            for exchange in steps[s]
        ]
        if start < stop:
            ways.append(Way(start, stop, tuple(hops)))
    return with_rounds(task, name, starts, ways)


def with_rounds(task: Task, name: str, starts: Sequence[int], ways: Iterable[Way]) -> Schedule:
    """The schedule whose rounds begin at ``starts``, the last of which is the end."""
    end = starts[-1]
    rounds = dict.fromkeys(start for start in starts if start < end)  # none without cycles
    return Schedule(task, name, tuple(rounds), end, tuple(ways))


def in_sequence(lengths: Iterable[int], task: Task, machine: Machine) -> float:
    """What messages of so many elements take, one after the other.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2), Layout.nodes(2), block=4, itemsize=8)
    >>> in_sequence([1, 3], task, Machine(dims=2, startup=7.0, per_byte=1.0))
    46.0
    """
    return sum(machine.message_time(length * task.itemsize) for length in lengths)


def _ahead(shares: Sequence[tuple[int, int]], steps: Sequence[Step], exchange: Exchange) -> int:
    """How much of the shares before makes the exchange first."""
    return sum(
        stop - start
        for (start, stop), some in zip(shares, steps, strict=False)
        if exchange in some
    )


def in_halves(task: Task, name: str, aside: Callable[[Field], int], *, back: bool) -> Schedule:
    """Two ways with complementary conditions, the second with a detour, at the end ``back``.

    The detour is over the dimension that ``aside`` names for a field. Without a way back, of
    several fields those with two bits take none: a round of whole blocks sends no more bytes.
    """
    rest, rounds = task.block // 2, list[tuple[int, list[Step]]]()
    several = len(converted(task)) > 1
    for field in converted(task):
        if field.width == 2 and several and not back:
            (exchange,) = field.upward()
            rounds += turned(field, [(task.block, [(exchange,), (exchange,)])])
            continue
        detour: Rounds = [(rest, [(), (always(aside(field)),)])]
        halves: Rounds = [(task.block - rest, [(e,), (where_not(e),)]) for e in field.upward()]
        rounds += turned(field, detour + halves + detour * back)
    shares = [(0, task.block - rest), (task.block - rest, task.block)]
    return in_rounds(task, name, shares, rounds)


def turned(field: Field, rounds: Rounds) -> Rounds:
    """Rounds for the field from Gray to binary, run backwards if it goes the other way.

    >>> field = Field((0, 1, 2), to_binary=False)
    >>> for _, (step,) in turned(field, [(1, [(exchange,)]) for exchange in field.upward()]):
    ...     print(*step)
    flip 1 where a2 = 1
    flip 0 where a1 ^ a2 = 1
    """
    if field.to_binary:
        return rounds
    return [(length, [step[::-1] for step in steps]) for length, steps in reversed(rounds)]


def where_not(exchange: Exchange) -> Exchange:
    """The same flip under the complementary condition.

    >>> print(where_not(Exchange(flip=1, when=2)))
    flip 0 where a1 = 0
    """
    return shared_exchange(exchange.flip, exchange.when, 1 - exchange.want)


def always(dimension: int) -> Exchange:
    """The flip of one dimension everywhere.

    >>> print(always(3))
    flip 3 where 0 = 0
    """
    return shared_exchange(1 << dimension, 0, 0)
