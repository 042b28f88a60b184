"""The optimum on a 2-cube: K/2 + 1 cycles (TR-20-91 section 3.1, Figure 4).

Nodes 2 and 3 exchange their blocks, and nodes 0 and 1 nothing. Half of each block crosses
dimension 0 in nodes 2 and 3, the other half goes round by nodes 0 and 1, and there is no
traffic against it: so units come back while others still leave. Since nothing comes back from
nodes 0 and 1 in exchange, these hold some units more in the meantime.
"""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import always, converted, where_not, why_no_detour
from graycube.table.gray.routes import Route, on_routes, too_few_ports, unit_size, widths_of


def applicable(task: Task, machine: Machine) -> str | None:
    """A single field of two bits."""
    if reason := why_no_detour(task, machine):
        return reason
    if widths_of(task) != (2,):
        return "it converts one field of two bits"
    return too_few_ports(machine, 2)


def emit(task: Task, machine: Machine) -> Schedule:
    """Two routes for the upper half of the cube; the lower half keeps what it has."""
    (field,) = converted(task)
    (step,) = field.steps()
    unit = unit_size(task, machine, rounds)
    units = -(-task.block // unit)
    short = min(units, rounds(units))
    upper, aside = 1 << field.top, always(field.top)
    routes = [
        Route(units, (), mask=upper),
        Route(short, ((0, step),), mask=upper, value=upper),
        Route(units - short, ((0, aside), (1, where_not(step)), (2, aside)), upper, upper),
    ]
    return on_routes(task, "two-cube", unit, rounds(units), routes)


def rounds(units: int) -> int:
    """The long way takes three rounds, so it starts two rounds before the end at the latest."""
    return 1 if units == 1 else -(-units // 2) + 1


ALGORITHM = Algorithm(
    name="two-cube",
    paper="TR-20-91 Figure 4",
    ports=2,
    formula="ceil(K / 2) + 1 cycles, n = 2",
    applicable=applicable,
    emit=emit,
    cycles=lambda widths, block: rounds(block),  # noqa: ARG005 - two bits
)
