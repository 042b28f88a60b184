"""GB3: n rounds of half blocks, with a detour over dimension n - 2 (TR-20-92 section 3.3).

Like GB2, but the detour crosses dimension n - 2, which is exchanged last anyway: crossing back
and the exchange where bit n - 1 is 1 are together one exchange where bit n - 1 is 0. It shares
the last round with the exchange of the other half, on complementary nodes.
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
    strands = [
        (0, block - rest, normal),
        (block - rest, block, [(0, always(n - 2)), *aside]),
    ]
    return in_rounds(task, "gb3", [rest, *[block - rest] * (n - 1)], strands)


ALGORITHM = Algorithm(
    name="gb3",
    paper="TR-20-92 (3)",
    ports=1,
    formula="n (s + K t / 2)",
    applicable=why_no_detour,
    emit=emit,
    cycles=lambda n, block: (n - 1) * (block - block // 2) + block // 2,
)
