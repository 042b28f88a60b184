"""From any layout to any other, one dimension after the other.

Every affine map is a product of exchanges (:mod:`graycube.gf2.factor`). One that trades a node
bit for a memory bit moves half of every block over a dimension, the bi-section of TR-764; one
that flips a node bit under a condition on nodes moves whole blocks. What changes memory only is
done in between. With one element on a node there is nothing to trade with.
"""

from graycube.algorithms.algorithm import Algorithm
from graycube.algorithms.conversion import fields
from graycube.errors import GraycubeError
from graycube.gf2.factor import factor
from graycube.machine import Machine
from graycube.schedule import Hop, Schedule, Strand, Task


def applicable(task: Task, machine: Machine) -> str | None:
    """Whatever can be factored and is no conversion of codes, which gb1 does as well."""
    if machine.dims != task.n:
        return f"the machine has {machine.dims} dimensions and the task {task.n}"
    if fields(task) is not None:
        return "for conversions it is gb1"
    try:
        factor(task.move, task.n)
    except GraycubeError as error:
        return str(error)
    return None


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """One strand of whole blocks; a round for each exchange that crosses a link."""
    nodes = (1 << task.n) - 1
    cycle, rounds, hops = 0, [], []
    for exchange in factor(task.move, task.n):
        hops.append(Hop(cycle, exchange))
        if exchange.flip & nodes:
            rounds.append(cycle)
            cycle += task.block // 2 if exchange.when >> task.n else task.block
    strand = Strand(0, task.block, tuple(hops))
    return Schedule(task, "exchange", tuple(rounds), cycle, (strand,))


ALGORITHM = Algorithm(
    name="exchange",
    paper="TR-764 section 3.1",
    ports=1,
    formula="s + K t / 2 for each dimension traded",
    applicable=applicable,
    emit=emit,
    cycles=None,
)
