"""Exchanges in any order of dimensions (TR-20-91 Theorem 1).

The table holds the descending order, in which every condition is a single bit, and
:func:`emit_order` gives any other. On one port all orders cost what GB1 costs.
"""

from graycube.algorithms.algorithm import Algorithm
from graycube.algorithms.conversion import in_rounds, why_no_conversion
from graycube.codes import gray_to_binary
from graycube.codes.conversion import Order
from graycube.machine import Machine
from graycube.schedule import Schedule, Task


def emit_order(task: Task, order: Order) -> Schedule:
    """One strand of whole blocks through the dimensions in the given order.

    The order is that of Gray to binary; the other direction runs through it backwards.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=8)
    >>> for hop in emit_order(task, [1, 0, 2]).strands[0].hops:
    ...     print(hop)
    cycle 0: flip 1 where a2 ^ a3 = 1
    cycle 8: flip 0 where a1 = 1
    cycle 16: flip 2 where a3 = 1
    """
    steps = list(enumerate(gray_to_binary(task.n, order)))
    return in_rounds(task, "any-order", [task.block] * len(steps), [(0, task.block, steps)])


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
    cycles=lambda n, block: (n - 1) * block,
)
