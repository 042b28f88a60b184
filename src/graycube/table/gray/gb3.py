"""GB3: n rounds of half blocks, with a detour over dimension n - 2 (TR-20-92 section 3.3).

Like GB2, but the detour crosses dimension n - 2, which is exchanged last anyway: crossing back
and the exchange where bit n - 1 is 1 are together one exchange where bit n - 1 is 0. It shares
the last round with the exchange of the other half, on complementary nodes.
"""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import in_halves, why_no_detour


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """Two ways with complementary conditions, the second with the detour."""
    return in_halves(task, "gb3", lambda field: field.dims[-2], back=False)


ALGORITHM = Algorithm(
    name="gb3",
    paper="TR-20-92 (3)",
    ports=1,
    formula="n (s + K t / 2)",
    applicable=why_no_detour,
    emit=emit,
    cycles=lambda widths, block: sum(
        (w - 1) * (block - block // 2) + block // 2 for w in widths
    ),
)
