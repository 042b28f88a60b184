"""Exchanges in any order of dimensions (TR-20-91 Theorem 1).

The table holds the descending order, in which every condition is a single bit, and
:func:`emit_order` gives any other. On one port all orders cost what GB1 costs.
"""

from collections.abc import Sequence

from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange
from graycube.gf2.conversion import Order
from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import (
    Field,
    Rounds,
    converted,
    in_rounds,
    why_no_conversion,
)


def emit_order(task: Task, order: Order) -> Schedule:
    """One way of whole blocks through the dimensions in the given order.

    The order is that of Gray to binary; the other direction runs through it backwards.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=8)
    >>> for step in emit_order(task, [1, 0, 2]).ways[0].steps:
    ...     print(step)
    cycle 0: flip 1 where a2 ^ a3 = 1
    cycle 8: flip 0 where a1 = 1
    cycle 16: flip 2 where a3 = 1
    """
    exchanged = sorted(d for field in converted(task) for d in field.dims[:-1])
    named = {"ascending": exchanged, "descending": exchanged[::-1]}
    dimensions = named.get(order, []) if isinstance(order, str) else [*order]
    if sorted(dimensions) != exchanged:
        raise InvalidValueError(
            f"the order is {order!r}",
            f"each of the dimensions {exchanged} must occur once",
            "give a permutation of them, or 'descending' or 'ascending'",
        )
    ways = {field: iter(_way(field, dimensions)) for field in converted(task)}
    holder = {d: field for field in ways for d in field.dims}
    rounds: Rounds = [(task.block, [(next(ways[holder[d]]),)]) for d in dimensions]
    return in_rounds(task, "any-order", [(0, task.block)], rounds)


def _way(field: Field, dimensions: Sequence[int]) -> tuple[Exchange, ...]:
    """The exchanges of one field, in the order that its dimensions have among all."""
    order = [field.dims.index(d) for d in dimensions if d in field.dims]
    return field.exchanges(order if field.to_binary else order[::-1])


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """The descending order."""
    return emit_order(task, "descending")


ALGORITHM = Algorithm(
    name="any-order",
    paper="TR-20-91 Theorem 1",
    ports=1,
    formula="(n - 1) (s + K t)",
    applicable=why_no_conversion,
    emit=emit,
    cycles=lambda widths, block: sum(w - 1 for w in widths) * block,
)
