"""GB1: n - 1 rounds of whole blocks, dimensions in ascending order (TR-20-92 section 2.4)."""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import converted, in_rounds, turned, why_no_conversion


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """One way: in round i, dimension i is exchanged where bit i + 1 of the index is 1."""
    rounds = [
        r
        for field in converted(task)
        for r in turned(field, [(task.block, [(e,)]) for e in field.upward()])
    ]
    return in_rounds(task, "gb1", [(0, task.block)], rounds)


ALGORITHM = Algorithm(
    name="gb1",
    paper="TR-20-92 (1)",
    ports=1,
    formula="(n - 1) (s + K t)",
    applicable=why_no_conversion,
    emit=emit,
    cycles=lambda widths, block: sum(w - 1 for w in widths) * block,
)
