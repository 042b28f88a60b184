"""From any layout to any other in half blocks: more exchanges, but fewer elements in sequence.

Where nodes permute whole blocks, half of them would wait in every exchange. One trade with
memory first makes all conditions depend on memory, so that in each exchange every node moves
half of its block: what GB3 does for Gray code (TR-20-92 section 2.6), for any map. A block
without slots of its own is taken as two halves.
"""

from math import inf

from graycube.gf2.factor import factor
from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import in_sequence, why_conversion
from graycube.table.exchanges.dimension_exchange import in_turn


def applicable(task: Task, machine: Machine) -> str | None:
    """Where it is something else than exchange."""
    if reason := why_conversion(task, machine):
        return reason
    finer = _with_slots(task)
    if finer is None:
        return f"a block of {task.block} has no halves"
    if factor(finer.move, task.n, halves=True) == factor(task.move, task.n):
        return "no whole blocks are exchanged, so it is exchange"
    return None


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """With the fewest elements in sequence."""
    finer = _with_slots(task) or task
    return in_turn(finer, "half-exchange", factor(finer.move, task.n, halves=True))


def price(task: Task, machine: Machine) -> float:
    """What it takes, if it applies."""
    if applicable(task, machine) is not None:
        return inf
    return in_sequence(emit(task, machine).round_lengths, task, machine)


def _with_slots(task: Task) -> Task | None:
    """The task with a slot bit at least, if it can be had."""
    if task.p > task.n:
        return task
    return None if task.payload % 2 else task.refined()


ALGORITHM = Algorithm(
    name="half-exchange",
    paper="TR-20-92 section 2.6",
    ports=1,
    formula="s + K t / 2 for each dimension, and once more",
    applicable=applicable,
    emit=emit,
)
