"""Pieces of the block in rotated orders of dimensions: n - 1 rounds of K/p on p ports.

Theorem 1 lets every piece have an order of its own. Piece k begins with the k-th dimension of
one common order and goes round it, so that in every round the pieces use different dimensions,
and a node sends on as many links as there are pieces. That is GB1's number of rounds with the
block shared out over the ports: cheap where start-ups and bytes both count.
"""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import Rounds, converted, in_rounds, why_no_conversion
from graycube.table.gray.routes import cut_short, dimensions, widths_of
from graycube.table.shares import cuts


def applicable(task: Task, machine: Machine) -> str | None:
    """Two ports or more, and fewer than the dimensions that are exchanged."""
    if reason := why_no_conversion(task, machine):
        return reason
    ports, needed = machine.links_at_once, dimensions(widths_of(task))
    if min(ports, needed) < 2:
        return "on one port it is gb1"
    if ports >= needed:
        return "on so many ports it is minimum-path"
    return None


def emit(task: Task, machine: Machine) -> Schedule:
    """A way for every port; their lengths differ by one element at most."""
    fields = converted(task)
    pieces = min(machine.links_at_once, task.block)
    turns = zip(*(cut_short(fields, first) for first in range(pieces)), strict=True)
    longest = -(-task.block // pieces)
    rounds: Rounds = [(longest, [(exchange,) for exchange in turn]) for turn in turns]
    return in_rounds(task, "rotations", cuts(task.block, pieces), rounds)


ALGORITHM = Algorithm(
    name="rotations",
    paper="TR-20-91 Theorem 1",
    ports="any",
    formula="(n - 1) (s + K t / p) on p < n - 1 ports",
    applicable=applicable,
    emit=emit,
)
