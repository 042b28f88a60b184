"""The pipeline that TR-20-91 improves on: every unit a round behind the one before it.

All units take the same shortest path, so the links wait for the first unit and for the last.
"""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import converted, why_no_conversion
from graycube.table.gray.routes import (
    Route,
    dimensions,
    on_routes,
    short_steps,
    too_few_ports,
    unit_size,
    widths_of,
)


def applicable(task: Task, machine: Machine) -> str | None:
    """A node may have to send on every dimension that is exchanged."""
    needed = dimensions(widths_of(task))
    return why_no_conversion(task, machine) or too_few_ports(machine, needed)


def emit(task: Task, machine: Machine) -> Schedule:
    """One route for all units."""
    steps = short_steps(converted(task))
    unit = unit_size(task, machine, lambda units: rounds(units, len(steps)))
    units = -(-task.block // unit)
    routes = [Route(units, tuple(enumerate(steps)))]
    return on_routes(task, "pipelined", unit, rounds(units, len(steps)), routes)


def rounds(units: int, steps: int) -> int:
    """Until the last unit has done its last step."""
    return units + steps - 1 if units and steps else 0


ALGORITHM = Algorithm(
    name="pipelined",
    paper="TR-20-91 [6]",
    ports="all",
    formula="K + n - 2 cycles",
    applicable=applicable,
    emit=emit,
    cycles=lambda widths, block: rounds(block, dimensions(widths)),
)
