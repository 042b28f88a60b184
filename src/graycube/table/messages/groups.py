"""All-to-alls within subcubes, one after the other: fewer messages, each passed on more often.

The exchanges of ``dimension_exchange`` trade one dimension each. Several
of them together are an all-to-all within subcubes of so many dimensions: with one at a time it
is that algorithm, with all at once it is the direct one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from graycube.gf2 import Exchange, bit_indices, compose
from graycube.gf2.factor import factor
from graycube.machine import Link, Machine
from graycube.schedule import Delivery, Schedule, Task, delivered
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import why_conversion
from graycube.table.exchanges.arranged import crossing
from graycube.table.messages.all_to_all import delivery, sent_turns

SIZES = (2, 3, 4, 6, 8, 12)
"""So many dimensions of a subcube are tried; more messages are for the direct all-to-all."""


def applicable(task: Task, machine: Machine) -> str | None:
    """Where three dimensions or more are traded; on less there is nothing in between."""
    if reason := why_conversion(task, machine):
        return reason
    if machine.switching != "circuit":
        return "needs circuits; else it is exchange"
    if len(crossing(factor(task.move, task.n), task.n)) < 3:
        return "it is exchange or all-to-all where less than three dimensions are traded"
    return None


def emit(task: Task, machine: Machine) -> Schedule:
    """For each kind of link, the cheapest number of dimensions at a time.

    So what crosses dear links goes in few large messages, and inner ones do their part first
    or last, as the exchanges come.
    """
    links, chosen = machine.links, list[Delivery]()

    def kind(dims: Iterable[int]) -> Link:
        return max(links[d] for d in dims)

    for dims, exchanges in runs(factor(task.move, task.n), task.n, kind):
        link = kind(dims)
        on = replace(machine, startup=link.startup, per_byte=link.per_byte)
        chosen += _cheapest(tuple(exchanges), task, on, alone=machine.alike)
    return delivered(task, "groups", chosen, circuits=True)


def _cheapest(
    exchanges: tuple[Exchange, ...], task: Task, machine: Machine, *, alone: bool
) -> tuple[Delivery, ...]:
    """The cheapest of the sizes; ``alone``, one or all would be other algorithms."""
    total = len(crossing(exchanges, task.n))
    sizes = [size for size in SIZES if size < total]
    if not alone:
        sizes = [*{1, *sizes, min(total, SIZES[-1])}]
    ways = (deliveries(exchanges, task.n, task.p, size) for size in sizes)
    return min(ways, key=lambda way: seconds(way, task, machine))


def seconds(way: Iterable[Delivery], task: Task, machine: Machine) -> float:
    """What some deliveries take on circuits, one after the other."""
    return sum(
        sent_turns(one) * machine.message_time(task.block_bytes >> len(one.classes))
        for one in way
    )


def runs(
    exchanges: Iterable[Exchange], n: int, kind: Callable[[Sequence[int]], object]
) -> Iterator[tuple[list[int], list[Exchange]]]:
    """Exchanges over links of one kind that follow each other, and their dimensions.

    Local ones come before the next trade, or at the end.

    >>> trades = [Exchange(0b0101, 0b0101), Exchange(0b1010, 0b1010)]
    >>> [dims for dims, _ in runs(trades, 2, max)], [dims for dims, _ in runs(trades, 2, len)]
    ([[0], [1]], [[0, 1]])
    """
    group, crossed, last = list[Exchange](), list[int](), object()
    for exchange in exchanges:
        if dims := [*bit_indices(exchange.flip & (1 << n) - 1)]:
            before, last = last, kind(dims)
            if crossed and last != before:
                yield crossed, group
                group, crossed = [], []
        crossed += dims
        group.append(exchange)
    if group:
        yield crossed, group


@lru_cache(maxsize=1 << 8)
def deliveries(
    exchanges: tuple[Exchange, ...], n: int, p: int, size: int
) -> tuple[Delivery, ...]:
    """The exchanges, so many dimensions at a time."""
    return tuple(delivery(compose(part, p), n) for part in parts_of(exchanges, n, size))


def parts_of(exchanges: Iterable[Exchange], n: int, size: int) -> Iterator[list[Exchange]]:
    """So many trades at a time; local exchanges come before the next trade, or at the end.

    >>> trades = [Exchange(0b0101, 0b0101), Exchange(0b1010, 0b1010)]
    >>> [len(part) for part in parts_of(trades, 2, 1)]
    [1, 1]
    """
    nodes, group, count = (1 << n) - 1, list[Exchange](), 0
    for exchange in exchanges:
        if count == size and exchange.flip & nodes:
            yield group
            group, count = [], 0
        group.append(exchange)
        count += bool(exchange.flip & nodes)
    yield group


ALGORITHM = Algorithm(
    name="groups",
    paper="all-to-alls in subcubes",
    ports=1,
    formula="the same for g of the r dimensions at a time",
    applicable=applicable,
    emit=emit,
)
