"""GB2: n + 1 rounds of half blocks, with a detour over dimension n - 1 (TR-20-92 section 3.2).

GB1 uses, in every dimension, one of each pair of links that differ in bit n - 1 (Lemma 4). So
half of every block first crosses to the other half of the cube, uses the links that GB1 leaves
idle, under the complementary conditions, and crosses back.
"""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import in_halves, why_no_detour


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """Two ways with complementary conditions, the second with the detour."""
    return in_halves(task, "gb2", lambda field: field.top, back=True)


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
