"""GB3: n rounds of half blocks, with a detour over dimension n - 2 (TR-20-92 section 3.3).

Like GB2, but the detour crosses dimension n - 2, which is exchanged last anyway: crossing back
and the exchange where bit n - 1 is 1 are together one exchange where bit n - 1 is 0. It shares
the last round with the exchange of the other half, on complementary nodes.
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
    return in_rounds(task, "gb3", shares, rounds)


def _rounds(field: Field, block: int) -> Rounds:
    rest = block // 2
    aside: Rounds = [(rest, [(), (always(field.dims[-2]),)])]
    halves: Rounds = [(block - rest, [(e,), (where_not(e),)]) for e in field.upward()]
    return aside + halves


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
