"""GB2: n + 1 rounds of half blocks, with a detour over dimension n - 1 (TR-20-92 section 3.2).

GB1 uses, in every dimension, one of each pair of links that differ in bit n - 1 (Lemma 4). So
half of every block first crosses to the other half of the cube, uses the links that GB1 leaves
idle, under the complementary conditions, and crosses back.
"""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import (
    Field,
    Rounds,
    always,
    converted,
    in_rounds,
    turned,
    where_not,
    why_no_detour,
)


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """Two ways with complementary conditions, the second with the detour."""
    rest = task.block // 2
    rounds = [r for field in converted(task) for r in turned(field, _rounds(field, task.block))]
    shares = [(0, task.block - rest), (task.block - rest, task.block)]
    return in_rounds(task, "gb2", shares, rounds)


def _rounds(field: Field, block: int) -> Rounds:
    rest = block // 2
    aside: Rounds = [(rest, [(), (always(field.top),)])]
    halves: Rounds = [(block - rest, [(e,), (where_not(e),)]) for e in field.upward()]
    return aside + halves + aside


ALGORITHM = Algorithm(
    name="gb2",
    paper="TR-20-92 (2)",
    ports=1,
    formula="(n + 1) (s + K t / 2)",
    applicable=why_no_detour,
    emit=emit,
    cycles=lambda widths, block: sum(
        (w - 1) * (block - block // 2) + 2 * (block // 2) for w in widths
    ),
)
