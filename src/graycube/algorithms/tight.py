"""At most n + 2 units in n rounds, as TR-20-91 Theorem 8 claims for small blocks: n = 4 to 8.

The paper's own routes do not reach its n cycles for n + 1 and n + 2 elements: the long ones
take n + 1. Schedules of n cycles exist for n >= 5, and for n = 4 with one element less; these
were found by an integer program and are kept as tables (``papers/tr-20-91/search.py`` writes
them). Most units are on the ring of Theorem 6; a table has the routes of the others from every
even node, with unconditional exchanges. Nodes that differ in bit 0 do the same.
"""

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files

from graycube.algorithms import minimum_path
from graycube.algorithms.algorithm import Algorithm
from graycube.algorithms.conversion import Field, always, converted, why_no_conversion
from graycube.algorithms.routes import (
    Route,
    on_routes,
    reversed_in_time,
    too_few_ports,
    widths_of,
)
from graycube.machine import Machine
from graycube.schedule import Schedule, Task

SIZES = range(4, 9)


def applicable(task: Task, machine: Machine) -> str | None:
    """One field over all node bits, of the sizes of the tables."""
    reason = why_no_conversion(task, machine)
    if reason is not None:
        return reason
    if widths_of(task) != (task.n,) or task.n not in SIZES:
        return f"its tables are for one field of {SIZES[0]} to {SIZES[-1]} bits"
    return too_few_ports(machine, task.n)


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """As many units as the table has, or fewer."""
    n, (field,) = task.n, converted(task)
    most, on_ring, table = _table(n)
    unit = -(-task.block // most)
    units = -(-task.block // unit)
    forward = Field(field.dims, to_binary=True)
    pair = (1 << n) - 1 ^ 1 << field.dims[0]
    ring = minimum_path.ring((forward,), min(units, on_ring), n)
    routes = [route for route in ring if route.units] + [
        Route(1, tuple((t, always(field.dims[d])) for t, d in way), pair, field.placed(home))
        for home, ways in table.items()
        for way in ways[: max(0, units - on_ring)]
    ]
    first = min(at for route in routes for at, _ in route.steps)
    routes = [replace(r, steps=tuple((at - first, e) for at, e in r.steps)) for r in routes]
    rounds = max(at + route.units for route in routes for at, _ in route.steps)
    if not field.to_binary:
        routes = reversed_in_time(routes, rounds)
    return on_routes(task, "tight", unit, rounds, routes)


@cache
def _table(n: int) -> tuple[int, int, dict[int, list[list[list[int]]]]]:
    """How many units there are, how many on the ring, and the routes of the others by node."""
    entries = json.loads((files(__package__) / "tables" / f"{n}.json").read_text())
    routes = {int(home): ways for home, ways in entries["routes"].items()}
    return entries["units"], entries["ring"], routes


def _cycles(n: int, block: int) -> int:
    """A single element has no other to wait for."""
    return n * -(-block // _table(n)[0]) - (block == 1)


ALGORITHM = Algorithm(
    name="tight",
    paper="TR-20-91 Theorem 8",
    ports="all",
    formula="n cycles, K <= n + 2 (n = 4: K <= 5)",
    applicable=applicable,
    emit=emit,
    cycles=lambda widths, block: _cycles(widths[0], block),
)
