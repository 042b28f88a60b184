"""Short and long routes with the short ones closed to a ring: ceil(2K/3) cycles for K >= 3n.

TR-20-91 fills and empties the pipeline of the short routes, n - 2 cycles in which links wait.
The ring of Theorem 6 has no such gaps, and it leaves to the long routes all links they need:
a unit that goes round the end of the ring has other conditions in its last exchanges, but
those come after the last long unit has left the dimension (T - n + 2 > M', the long units).
For one field and M' long units this takes max(K - M', M' + max(M', n)) cycles, or n - 1.
"""

from collections.abc import Sequence

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import Field, converted, fields
from graycube.table.gray import minimum_path
from graycube.table.gray.nonminimum_path import applicable as has_ports
from graycube.table.gray.routes import (
    dimensions,
    least_seconds,
    long_routes,
    on_routes,
    reversed_in_time,
    split,
    unit_size,
    widths_of,
)


def applicable(task: Task, machine: Machine) -> str | None:
    """All dimensions at once, and one direction: the ring has a first step."""
    if fields(task) is not None and len(_directions(task)) > 1:
        return "its fields of three bits or more must all be converted in the same direction"
    return has_ports(task, machine)


def emit(task: Task, machine: Machine) -> Schedule:
    """The ring of short units and the routes of the long ones; backwards for binary to Gray."""
    unit, units, aside, rounds = _sizes(task, machine)
    forward = tuple(Field(field.dims, to_binary=True) for field in converted(task))
    routes = minimum_path.ring(forward, units - aside, rounds) + long_routes(forward, aside)
    if _directions(task) == {False}:
        routes = reversed_in_time(routes, rounds)
    return on_routes(task, "nonminimum-ring", unit, rounds, routes)


def floor(task: Task, machine: Machine) -> float:
    """Without long routes that of Theorem 6; one field's last long unit may be behind all."""
    if applicable(task, machine) is not None:
        return 0.0
    unit, _, aside, rounds = _sizes(task, machine)
    if not aside:
        return minimum_path.floor(task, machine)
    width, *others = widths_of(task)
    return 0.0 if others else least_seconds(task, machine, unit, rounds, alone=width + 1)


def _sizes(task: Task, machine: Machine) -> tuple[int, int, int, int]:
    """The elements of a unit, how many units there are, how many are long, and the rounds."""
    widths = widths_of(task)
    unit = unit_size(task, machine, lambda units: _split(widths, units)[1])
    units = -(-task.block // unit)
    return unit, units, *_split(widths, units)


def _directions(task: Task) -> set[bool]:
    """The directions of the fields; a field of two bits has the same codes in both."""
    return {field.to_binary for field in converted(task) if field.width > 2}


def _split(widths: Sequence[int], units: int) -> tuple[int, int]:
    steps = dimensions(widths)
    return split(widths, units, lambda short: max(short, steps))


ALGORITHM = Algorithm(
    name="nonminimum-ring",
    paper="TR-20-91 Theorems 6, 8",
    ports="all",
    formula="max(ceil(2K/3), min(K, ceil((K + n) / 2)), n - 1) cycles",
    applicable=applicable,
    emit=emit,
    floor=floor,
    cycles=lambda widths, block: _split(widths, block)[1],
)
