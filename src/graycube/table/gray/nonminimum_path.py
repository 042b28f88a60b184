"""Short and long routes, about 2K/3 cycles (TR-20-91 Theorem 8).

Two thirds of the units take shortest paths as a pipeline, one third the detours over the top
dimension. The paper's split, M = ceil((2K - n + 2) / 3) short units, misses its own formula by
a cycle or more for some K from n + 3 to 2n - 1; here the split is the best one for K and n.
"""

from collections.abc import Sequence

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import converted, why_no_detour
from graycube.table.gray import pipelined
from graycube.table.gray.routes import (
    Route,
    dimensions,
    long_routes,
    on_routes,
    short_steps,
    split,
    too_few_ports,
    unit_size,
    widths_of,
)


def applicable(task: Task, machine: Machine) -> str | None:
    """All dimensions of the fields may be in use at once, the top ones too."""
    return why_no_detour(task, machine) or too_few_ports(machine, sum(widths_of(task)))


def emit(task: Task, machine: Machine) -> Schedule:
    """One route for the short units, and one for the long ones of each field."""
    fields, widths = converted(task), widths_of(task)
    unit = unit_size(task, machine, lambda units: _split(widths, units)[1])
    units = -(-task.block // unit)
    aside, rounds = _split(widths, units)
    routes = [Route(units - aside, tuple(enumerate(short_steps(fields))))]
    routes += long_routes(fields, aside)
    return on_routes(task, "nonminimum-path", unit, rounds, routes)


def _split(widths: Sequence[int], units: int) -> tuple[int, int]:
    steps = dimensions(widths)
    return split(widths, units, lambda short: pipelined.rounds(short, steps))


ALGORITHM = Algorithm(
    name="nonminimum-path",
    paper="TR-20-91 Theorem 8",
    ports="all",
    formula="about 2K/3 + 2n/3 cycles",
    applicable=applicable,
    emit=emit,
    cycles=lambda widths, block: _split(widths, block)[1],
)
