"""Two ports and circuits: three sub-blocks in two rounds (TR-20-92 section 3.5).

First, block 0 goes directly and block 1 to the neighbour across dimension n - 1. Then block 2
goes directly and block 1 from there: its path uses the links that the direct paths leave idle.
For Gray to binary the paths take the dimensions in ascending order, for binary to Gray in
descending order; with the other order the detour would not find the idle links.
"""

from graycube.algorithms.algorithm import Algorithm
from graycube.algorithms.conversion import always, in_rounds, where_not, why_no_detour
from graycube.codes import gray_to_binary
from graycube.machine import Machine
from graycube.schedule import Schedule, Task


def applicable(task: Task, machine: Machine) -> str | None:
    """Two ports, circuits, and a cube of two dimensions or more."""
    if machine.switching != "circuit" or machine.links_at_once < 2:
        return "it needs circuits and two ports"
    return why_no_detour(task, machine)


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """Three strands; what does not divide by three makes the first ones longer."""
    n, block = task.n, task.block
    first, second = -(-block // 3), -(-(2 * block) // 3)
    direct = gray_to_binary(n, "ascending")
    back = [(1, where_not(exchange)) for exchange in direct] + [(1, always(n - 1))]
    strands = [
        (0, first, [(0, exchange) for exchange in direct]),
        (first, second, [(0, always(n - 1)), *back]),
        (second, block, [(1, exchange) for exchange in direct]),
    ]
    return in_rounds(task, "circuit-split", [first, second - first], strands)


ALGORITHM = Algorithm(
    name="circuit-split",
    paper="TR-20-92 section 3.5",
    ports=2,
    formula="2 s + 2 K t / 3",
    applicable=applicable,
    emit=emit,
    cycles=lambda n, block: -(-2 * block // 3),  # noqa: ARG005 - whatever n is
)
