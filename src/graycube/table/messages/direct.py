"""One direct send from every node to where its block belongs: the simple rival.

On a circuit-switched cube all paths, taken through the dimensions in any fixed order, are
edge-disjoint (TR-20-92 section 3.5), so it takes one start-up. Gray to binary takes them in
ascending order, binary to Gray in descending order. The circuit is written as its
hops, all in one cycle. With store-and-forward switching the same path is taken hop by hop, and
that is GB1.
"""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import Rounds, converted, in_rounds, why_no_conversion


def applicable(task: Task, machine: Machine) -> str | None:
    """Circuits only: hop by hop, this is GB1."""
    if machine.switching != "circuit":
        return "needs circuits; else it is gb1"
    return why_no_conversion(task, machine)


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """One way whose hops all start in the same cycle."""
    path = tuple(exchange for field in converted(task) for exchange in field.steps())
    rounds: Rounds = [(task.block, [path])] if path else []
    return in_rounds(task, "direct", [(0, task.block)], rounds)


ALGORITHM = Algorithm(
    name="direct",
    paper="TR-20-92 section 3.5",
    ports=1,
    formula="s + K t",
    applicable=applicable,
    emit=emit,
    cycles=lambda widths, block: block if max(widths) > 1 else 0,
)
