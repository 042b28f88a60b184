"""GB1: n - 1 rounds of whole blocks, dimensions in ascending order (TR-20-92 section 2.4)."""

from graycube.algorithms.algorithm import Algorithm
from graycube.algorithms.conversion import in_rounds, why_no_conversion
from graycube.codes import gray_to_binary
from graycube.machine import Machine
from graycube.schedule import Schedule, Task


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """One strand: in round i, dimension i is exchanged where bit i + 1 of the index is 1."""
    steps = list(enumerate(gray_to_binary(task.n, "ascending")))
    return in_rounds(task, "gb1", [task.block] * len(steps), [(0, task.block, steps)])


ALGORITHM = Algorithm(
    name="gb1",
    paper="TR-20-92 (1)",
    ports=1,
    formula="(n - 1) (s + K t)",
    applicable=why_no_conversion,
    emit=emit,
    cycles=lambda n, block: (n - 1) * block,
)
