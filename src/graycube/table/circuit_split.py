"""Two ports and circuits: three sub-blocks in two rounds (TR-20-92 section 3.5).

First, block 0 goes directly and block 1 to the neighbour across dimension n - 1. Then block 2
goes directly and block 1 from there: its path uses the links that the direct paths leave idle.
For Gray to binary the paths take the dimensions in ascending order, for binary to Gray in
descending order; with the other order the detour would not find the idle links.
"""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import (
    Rounds,
    always,
    converted,
    in_rounds,
    turned,
    where_not,
    why_no_detour,
)


def applicable(task: Task, machine: Machine) -> str | None:
    """Two ports, circuits, and a cube of two dimensions or more."""
    if machine.switching != "circuit" or machine.links_at_once < 2:
        return "it needs circuits and two ports"
    why_not = why_no_detour(task, machine)
    several = why_not is None and len(converted(task)) > 1
    return "a detour serves one field only" if several else why_not


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """Three ways; what does not divide by three makes the first ones longer."""
    first, second = -(-task.block // 3), -(-(2 * task.block) // 3)
    (field,) = converted(task)
    direct = field.upward()
    aside = always(field.top)
    back = (*map(where_not, direct), aside)
    rounds: Rounds = [(first, [direct, (aside,), ()]), (second - first, [(), back, direct])]
    shares = [(0, first), (first, second), (second, task.block)]
    return in_rounds(task, "circuit-split", shares, turned(field, rounds))


ALGORITHM = Algorithm(
    name="circuit-split",
    paper="TR-20-92 section 3.5",
    ports=2,
    formula="2 s + 2 K t / 3",
    applicable=applicable,
    emit=emit,
    cycles=lambda widths, block: -(-2 * block // 3),  # noqa: ARG005 - whatever they are
)
