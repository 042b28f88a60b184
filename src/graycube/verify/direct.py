"""Prove a schedule of direct deliveries by algebra, at any size.

All that it claims is linear. Messages of one turn come from nodes with the same parities; the
link that a message uses for its k-th hop is told by the bits of its destination that are
reached by then and the bits of its sender that are not left. If these sums and the parities
tell all senders apart, no two messages of a turn meet: a rank.
"""

from collections.abc import Iterator

from graycube.gf2 import Matrix
from graycube.machine import Machine
from graycube.schedule import Delivery, Direct
from graycube.verify.conditions import reduced
from graycube.verify.report import Report, Violation, require_same_cube, tally

_RULES = ("end", "time", "link", "ports", "round")


def check_direct(direct: Direct, machine: Machine) -> Report:
    """Check deliveries on their maps alone.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task, delivered
    >>> n, everything = 40, range(40)
    >>> task = Task(Layout.cyclic(2 * n, n), Layout.consecutive(2 * n, n), block=1 << n)
    >>> units = [1 << d for d in everything]
    >>> swap = Delivery(task.move, Matrix.identity(n), units, dims=everything)
    >>> schedule = delivered(task, "all-to-all", [swap], circuits=True)
    >>> print(check_direct(schedule, Machine(dims=n, switching="circuit")))
    by algebra: nothing is wrong (end, time, link, ports, round)
    """
    require_same_cube(direct.task, machine)
    found = [*_check_end(direct)]
    if direct.circuits and machine.switching != "circuit":
        found.append(Violation("time", detail="circuits are used where there are none"))
    for number, delivery in enumerate(direct.deliveries):
        found += _check_messages(direct, number, delivery)
        found += _check_links(number, delivery)
    return tally("by algebra", _RULES, found)


def _check_end(direct: Direct) -> Iterator[Violation]:
    """Affine maps are the same if they agree at 0 and its neighbours."""
    task = direct.task
    for start in (0, *(1 << j for j in range(task.p))):
        end = start
        for delivery in direct.deliveries:
            end = delivery.move(end)
        if direct.relabel is not None:
            end = direct.relabel(end)
        if end != task.move(start):
            detail = f"address {start} is taken to {end}, not {task.move(start)}"
            yield Violation("end", node=start & ((1 << task.n) - 1), detail=detail)


def _check_messages(direct: Direct, number: int, delivery: Delivery) -> Iterator[Violation]:
    """Every node sends one message in a turn, receives one, and all are equally long."""
    n, p = direct.task.n, direct.task.p
    low = (1 << n) - 1
    if delivery.partner.rank() < n:
        detail = f"in delivery {number} a node receives two messages in one turn"
        yield Violation("ports", detail=detail)
    origin = delivery.move(0) & low
    shifts = [
        (delivery.move(1 << j) ^ (delivery.partner(1 << j) if j < n else 0)) & low ^ origin
        for j in range(p)
    ]
    known = [(c, 0) for c in delivery.classes]
    if any(reduced(shift, known)[0] for shift in shifts if shift):
        detail = f"in delivery {number} something goes to a node that has no turn"
        yield Violation("end", detail=detail)
    if Matrix(tuple(shifts[n:]), n).rank() < len(delivery.classes):
        detail = f"in delivery {number} some messages are longer than others"
        yield Violation("round", detail=detail)
    unused = low & ~sum(1 << d for d in delivery.dims)
    goals = (*delivery.classes, origin, *(delivery.partner(1 << j) ^ 1 << j for j in range(n)))
    if any(goal & unused for goal in goals):
        detail = f"delivery {number} crosses more than the dimensions {delivery.dims}"
        yield Violation("end", detail=detail)


def _check_links(number: int, delivery: Delivery) -> Iterator[Violation]:
    n = delivery.partner.width
    sums = [1 << i for i in range(n)]
    for d in delivery.dims:
        before = sums[d]
        sums[d] = delivery.partner.rows[d]
        if Matrix((*sums, before, *delivery.parts), n).rank() < n:
            detail = f"in delivery {number} two messages of a turn meet in dimension {d}"
            yield Violation("link", detail=detail)
