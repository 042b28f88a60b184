"""Short and long routes, about 2K/3 cycles (TR-20-91 Theorem 8).

Two thirds of the units take shortest paths as a pipeline, one third the detours over the top
dimension. The paper's split, M = ceil((2K - n + 2) / 3) short units, misses its own formula by
a cycle or more for some K from n + 3 to 2n - 1; here the split is the best one for K and n.
"""

from graycube.algorithms import pipelined
from graycube.algorithms.algorithm import Algorithm
from graycube.algorithms.conversion import converted, why_no_detour
from graycube.algorithms.routes import (
    Route,
    best_detour,
    dimensions,
    long_rounds,
    long_routes,
    on_routes,
    short_steps,
    too_few_ports,
    unit_size,
    widths_of,
)
from graycube.machine import Machine
from graycube.schedule import Schedule, Task


def applicable(task: Task, machine: Machine) -> str | None:
    """All dimensions of the fields may be in use at once, the top ones too."""
    return why_no_detour(task, machine) or too_few_ports(machine, sum(widths_of(task)))


def emit(task: Task, machine: Machine) -> Schedule:
    """One route for the short units, and one for the long ones of each field."""
    fields, widths = converted(task), widths_of(task)
    unit = unit_size(task, machine, lambda units: rounds(widths, units))
    units = -(-task.block // unit)
    aside = detour(widths, units)
    routes = [Route(units - aside, tuple(enumerate(short_steps(fields))))]
    routes += long_routes(fields, aside)
    return on_routes(task, "nonminimum-path", unit, rounds(widths, units), routes)


def detour(widths: tuple[int, ...], units: int) -> int:
    """How many of the units take long routes."""
    steps = dimensions(widths)
    return best_detour(
        units, lambda u: pipelined.rounds(u, steps), lambda u: long_rounds(widths, u)
    )


def rounds(widths: tuple[int, ...], units: int) -> int:
    """Until both kinds of units have arrived."""
    aside = detour(widths, units)
    short = pipelined.rounds(units - aside, dimensions(widths))
    return max(short, long_rounds(widths, aside))


ALGORITHM = Algorithm(
    name="nonminimum-path",
    paper="TR-20-91 Theorem 8",
    ports="all",
    formula="about 2K/3 + 2n/3 cycles",
    applicable=applicable,
    emit=emit,
    cycles=lambda widths, block: rounds(tuple(widths), block),
)
