"""Shortest paths at the least cost, max(n - 1, K) cycles (TR-20-91 Theorem 6).

The pipeline closed to a ring: with T = max(n - 1, K) rounds, unit s crosses its k-th dimension
in round (s + k) mod T. Every dimension is then used by one unit at a time, in every round, and
each unit goes through the dimensions in its own rotation of their order. The rounds without
an exchange are the dummy dimensions of the paper's second case; its first case, K a multiple of
n - 1, and its third, K below n - 1, are the same rule.
"""

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import Field, converted
from graycube.table.gray.pipelined import applicable
from graycube.table.gray.routes import (
    Route,
    cut_short,
    dimensions,
    least_seconds,
    on_routes,
    short_steps,
    unit_size,
    widths_of,
)


def emit(task: Task, machine: Machine) -> Schedule:
    """The ring with as many units as rounds, or fewer."""
    unit, units, rounds = _sizes(task, machine)
    return on_routes(task, "minimum-path", unit, rounds, ring(converted(task), units, rounds))


def floor(task: Task, machine: Machine) -> float:
    """Of two units or more that are in use in each round one is whole."""
    if applicable(task, machine) is not None:
        return 0.0
    unit, _, rounds = _sizes(task, machine)
    return least_seconds(task, machine, unit, rounds, alone=int(_steps(task) == 1))


def _sizes(task: Task, machine: Machine) -> tuple[int, int, int]:
    """The elements of a unit, and how many units and rounds there are."""
    steps = _steps(task)
    unit = unit_size(task, machine, lambda units: max(units, steps))
    units = -(-task.block // unit)
    return unit, units, max(units, steps) if steps else 0


def _steps(task: Task) -> int:
    return dimensions(widths_of(task))


def ring(fields: tuple[Field, ...], units: int, rounds: int) -> list[Route]:
    """The routes of so many units: one for all that do not cross the end of the ring."""
    steps = short_steps(fields)
    if not steps:
        return [Route(units, ())]
    straight = max(0, min(units, rounds - len(steps) + 1))
    routes = [Route(straight, tuple(enumerate(steps)))]
    for s in range(straight, units):
        first = rounds - s  # the step that unit s does in round 0
        early = cut_short(fields, first)
        times = [*range(len(steps) - first), *range(s, rounds)]
        routes.append(Route(1, tuple(zip(times, early, strict=True))))
    return routes


ALGORITHM = Algorithm(
    name="minimum-path",
    paper="TR-20-91 Theorem 6",
    ports="all",
    formula="max(n - 1, K) cycles",
    applicable=applicable,
    emit=emit,
    floor=floor,
    cycles=lambda widths, block: max(dimensions(widths), block) if dimensions(widths) else 0,
)
