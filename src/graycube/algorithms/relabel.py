"""Renumber the ranks and move nothing: possible where node numbers are free."""

from graycube.algorithms.algorithm import Algorithm
from graycube.gf2 import AffineMap, Matrix
from graycube.machine import Machine
from graycube.schedule import Schedule, Strand, Task


def applicable(task: Task, machine: Machine) -> str | None:
    """The task must permute whole blocks: slots stay, and node numbers map to node numbers."""
    if machine.dims != task.n:
        return f"the machine has {machine.dims} dimensions and the task {task.n}"
    low = (1 << task.n) - 1
    nodes = Matrix(tuple(c & low for c in task.move.matrix.columns[: task.n]), task.n)
    whole = Matrix.block_diagonal([nodes, Matrix.identity(task.p - task.n)])
    if task.move == AffineMap(whole, task.move.constant & low):
        return None
    return "the task changes what is in a block, not only which node holds it"


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """No rounds: node u is from now on called where its block belongs."""
    return Schedule(task, "relabel", (), 0, (Strand(0, task.block, ()),), relabel=task.move)


ALGORITHM = Algorithm(
    name="relabel",
    paper="rank order",
    ports=0,
    formula="0, if the ranks may be renumbered",
    applicable=applicable,
    emit=emit,
    cycles=lambda widths, block: 0,  # noqa: ARG005 - whatever they are
)
