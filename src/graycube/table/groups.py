"""All-to-alls within subcubes, one after the other: fewer messages, each passed on more often.

The exchanges of :mod:`graycube.table.dimension_exchange` trade one dimension each. Several
of them together are an all-to-all within subcubes of so many dimensions: with one at a time it
is that algorithm, with all at once it is the direct one.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from graycube.gf2 import AffineMap, Exchange, Matrix, compose, without
from graycube.gf2.factor import factor
from graycube.machine import Machine
from graycube.schedule import Delivery, Schedule, Task, delivered
from graycube.table.algorithm import Algorithm
from graycube.table.all_to_all import delivery
from graycube.table.conversion import why_conversion

SIZES = (2, 3, 4, 6, 8, 12)
"""So many dimensions of a subcube are tried; more messages are for the direct all-to-all."""


def applicable(task: Task, machine: Machine) -> str | None:
    """Where three dimensions or more are traded; on less there is nothing in between."""
    if reason := why_conversion(task, machine):
        return reason
    if machine.switching != "circuit":
        return "needs circuits; else it is exchange"
    if len(_crossing(task)) < 3:
        return "it is exchange or all-to-all where less than three dimensions are traded"
    return None


def emit(task: Task, machine: Machine) -> Schedule:
    """The cheapest of the sizes between one dimension and all of them."""
    total = len(_crossing(task))
    ways = [_deliveries(task.move, task.n, size) for size in SIZES if size < total]

    def price(way: Iterable[Delivery]) -> float:
        return sum(
            (d.turns - _stays(d)) * machine.message_time(task.block_bytes >> len(d.classes))
            for d in way
        )

    return delivered(task, "groups", min(ways, key=price), circuits=True)


def _stays(delivery: Delivery) -> bool:
    """Whether there is a turn in which every node would send to itself."""
    low = (1 << delivery.partner.width) - 1
    pairwise = delivery.partner == Matrix.identity(delivery.partner.width)
    return pairwise and not without(delivery.classes, delivery.move.constant & low)


def _crossing(task: Task) -> list[Exchange]:
    nodes = (1 << task.n) - 1
    return [exchange for exchange in factor(task.move, task.n) if exchange.flip & nodes]


@lru_cache(maxsize=1 << 8)
def _deliveries(move: AffineMap, n: int, size: int) -> tuple[Delivery, ...]:
    """The exchanges, so many dimensions at a time."""
    return tuple(delivery(part, n) for part in _parts(move, n, size))


def _parts(move: AffineMap, n: int, size: int) -> Iterator[AffineMap]:
    """The map as a product; local exchanges come before the next trade, or at the end."""
    nodes, group, count = (1 << n) - 1, list[Exchange](), 0
    for exchange in factor(move, n):
        if count == size and exchange.flip & nodes:
            yield compose(group, move.width)
            group, count = [], 0
        group.append(exchange)
        count += bool(exchange.flip & nodes)
    yield compose(group, move.width)


ALGORITHM = Algorithm(
    name="groups",
    paper="all-to-alls in subcubes",
    ports=1,
    formula="the same for g of the r dimensions at a time",
    applicable=applicable,
    emit=emit,
    cycles=None,
)
