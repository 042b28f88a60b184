"""GB2: n + 1 rounds of half blocks, with a detour over dimension n - 1 (TR-20-92 section 3.2).

GB1 uses, in every dimension, one of each pair of links that differ in bit n - 1 (Lemma 4). So
half of every block first crosses to the other half of the cube, uses the links that GB1 leaves
idle, under the complementary conditions, and crosses back.
"""

from graycube.algorithms.algorithm import Algorithm
from graycube.algorithms.conversion import (
    always,
    complementary_steps,
    in_rounds,
    why_no_detour,
)
from graycube.machine import Machine
from graycube.schedule import Schedule, Task


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """Two strands with complementary conditions, the second with the detour."""
    n, block = task.n, task.block
    rest = block // 2
    normal, aside = complementary_steps(n)
    detour = [(0, always(n - 1)), *aside, (n, always(n - 1))]
    lengths = [rest, *[block - rest] * (n - 1), rest]
    strands = [(0, block - rest, normal), (block - rest, block, detour)]
    return in_rounds(task, "gb2", lengths, strands)


ALGORITHM = Algorithm(
    name="gb2",
    paper="TR-20-92 (2)",
    ports=1,
    formula="(n + 1) (s + K t / 2)",
    applicable=why_no_detour,
    emit=emit,
    cycles=lambda n, block: (n - 1) * (block - block // 2) + 2 * (block // 2),
)
