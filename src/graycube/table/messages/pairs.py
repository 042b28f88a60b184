"""All-to-alls on circuits, two messages of every node at the same time.

Rules.

1. A delivery in turns sends from node u to u ^ v in turn v (``all_to_all``).
   With circuits its path has the dimensions of v. Where w has all dimensions, v and v ^ w have
   none in common: a node with two ports sends to both at once, and every link is in use.
2. So it is within subcubes (``groups``), whose number of dimensions is
   chosen. A delivery that has no pairs, or whose pairs would meet, is done turn by turn.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from math import inf

from graycube.gf2 import AffineMap, Matrix, without
from graycube.gf2.factor import factor
from graycube.machine import Machine
from graycube.schedule import Delivery, Schedule, Task, delivered
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import why_conversion
from graycube.table.exchanges.arranged import crossing
from graycube.table.messages.all_to_all import delivery
from graycube.table.messages.groups import SIZES, deliveries, seconds

MAX_DIMS = 48


def applicable(task: Task, machine: Machine) -> str | None:
    """Circuits and two ports, where some delivery has pairs."""
    if reason := why_conversion(task, machine):
        return reason
    if machine.switching != "circuit" or machine.links_at_once < 2:
        return "needs circuits and two ports; else it is all-to-all or groups"
    if task.n > MAX_DIMS:
        return f"more than {MAX_DIMS} dimensions take long to lay out"
    if not any(one.pairs for way in _ways(task.move, task.n) for one in way):
        return "no two messages of a node have paths apart, whatever the turn"
    return None


def emit(task: Task, machine: Machine) -> Schedule:
    """With the cheapest number of dimensions at a time."""
    way = min(_paired_ways(task), key=lambda one: seconds(one, task, machine))
    return delivered(task, "pairs", way, circuits=True)


def price(task: Task, machine: Machine) -> float:
    """What it takes, if it applies."""
    if applicable(task, machine) is not None:
        return inf
    return min(seconds(way, task, machine) for way in _paired_ways(task))


def _paired_ways(task: Task) -> Iterator[tuple[Delivery, ...]]:
    return (way for way in _ways(task.move, task.n) if any(one.pairs for one in way))


@lru_cache(maxsize=1 << 6)
def _ways(move: AffineMap, n: int) -> tuple[tuple[Delivery, ...], ...]:
    """Everything at once, or so many dimensions at a time."""
    exchanges = factor(move, n)
    sizes = [size for size in SIZES if size < len(crossing(exchanges, n))]
    cut = (deliveries(exchanges, n, move.width, size) for size in sizes)
    return tuple(tuple(map(_paired, way)) for way in ((delivery(move, n),), *cut))


def _paired(one: Delivery) -> Delivery:
    """The delivery in pairs, if its messages then have links of their own."""
    n, across = one.partner.width, sum(1 << d for d in one.dims)
    if not one.dims or without(one.classes, across) or one.parts:
        return one
    made = replace(one, pairs=True)
    turns, goals = made.turn.rows, one.move.matrix.rows[:n]
    at = [1 << d for d in range(n)]
    rank = Matrix((*turns, *at, *goals), one.move.width).rank()
    for d in one.dims:
        before, at[d] = at[d], goals[d]
        if Matrix((*turns, *at, before), one.move.width).rank() < rank:
            return one
    return made


ALGORITHM = Algorithm(
    name="pairs",
    paper="all-to-alls in pairs",
    ports="any",
    formula="2^(r - 1) (s + K t / 2^r)",
    applicable=applicable,
    emit=emit,
)
