"""At most n + 2 units in n rounds, as TR-20-91 Theorem 8 claims for small blocks: n >= 4.

The paper's own routes do not reach its n cycles for n + 1 and n + 2 elements: the long ones
take n + 1. Schedules of n cycles exist for n >= 5, and for n = 4 with one element less. Most
units are on the ring of Theorem 6. For n <= 8 an integer program found the routes of the others
from every even node (``tools/tr_20_91/search.py``), with unconditional exchanges; nodes that
differ in bit 0 do the same.

For n >= 9 one table serves all (``tools/tr_20_91/search_wide.py``). The ring leaves its slots
2 to 4 free, and five units of each class of the five top bits walk from class to class. They do
all lower dimensions at one class, in step with one of the slots 1 to 4, on links that the ring
does not use then: across a top dimension all conditions are complementary (Theorem 7).
"""

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import Field, always, converted, why_no_conversion
from graycube.table.gray import minimum_path
from graycube.table.gray.routes import (
    Route,
    on_routes,
    reversed_in_time,
    too_few_ports,
    widths_of,
)

SMALL = range(4, 9)
"""Fields with tables of their own."""
_TOP = 5  # bits that tell the classes of wide fields apart
_FIRST = 2  # units whose route is that of slots 0 and 1
_FREE = slice(1, 4)  # of the routes of a full ring, but that one
_MORE = 5  # units that are not on the ring


def applicable(task: Task, machine: Machine) -> str | None:
    """One field over all node bits, of the sizes of the tables."""
    if reason := why_no_conversion(task, machine):
        return reason
    if widths_of(task) != (task.n,) or task.n < SMALL[0]:
        return f"it is for one field of {SMALL[0]} bits or more, on all dimensions"
    return too_few_ports(machine, task.n)


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """As many units as there can be, or fewer."""
    n, (field,) = task.n, converted(task)
    unit, units = _sizes(task)
    forward = Field(field.dims, to_binary=True)
    routes = (_small if n in SMALL else _wide)(forward, units)
    routes = [route for route in routes if route.units]
    first = min(at for route in routes for at, _ in route.steps)
    routes = [replace(r, steps=tuple((at - first, e) for at, e in r.steps)) for r in routes]
    rounds = max(at + route.units for route in routes for at, _ in route.steps)
    if not field.to_binary:
        routes = reversed_in_time(routes, rounds)
    return on_routes(task, "tight", unit, rounds, routes)


def floor(task: Task, machine: Machine) -> float:
    """Of the first two units on the ring, both whole, one is in use in each of n rounds."""
    if applicable(task, machine) is not None:
        return 0.0
    unit, units = _sizes(task)
    return task.n * machine.message_time(unit * task.itemsize) if units > _FIRST else 0.0


def _sizes(task: Task) -> tuple[int, int]:
    """The elements of a unit, and how many units there are."""
    unit = -(-task.block // _most(task.n))
    return unit, -(-task.block // unit)


def _small(field: Field, units: int) -> list[Route]:
    """The ring, and what the table of this size has."""
    n = field.width
    _, on_ring, table = _table(n)
    pair = sum(1 << d for d in field.dims[1:])
    return minimum_path.ring((field,), min(units, on_ring), n) + [
        Route(1, tuple((t, always(field.dims[d])) for t, d in way), pair, field.placed(home))
        for home, ways in table.items()
        for way in ways[: max(0, units - on_ring)]
    ]


def _wide(field: Field, units: int) -> list[Route]:
    """The ring without some slots, and the ways of the classes."""
    n, top = field.width, field.dims[-_TOP:]
    ring = minimum_path.ring((field,), n, n)
    del ring[_FREE]
    left, routes = units, []
    for route in ring:
        routes.append(replace(route, units=min(route.units, left)))
        left -= routes[-1].units
    mask = sum(1 << d for d in top)
    for k, (start, slot, crossings) in enumerate(_ways()):
        steps = [(t % n, always(top[d])) for t, d in crossings]
        early = sum(t >= 0 for t, _ in crossings)
        lower = field.below(_TOP, odd=early % 2 == 1)
        steps[early:early] = [(slot + j, exchange) for j, exchange in enumerate(lower)]
        value = sum(1 << d for j, d in enumerate(top) if start >> j & 1)
        routes.append(Route(int(k % _MORE < left), tuple(steps), mask, value))
    return routes


@cache
def _ways() -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Class, slot, and crossings of top dimensions: cycles from either end, and dimensions."""
    text = (files(__package__) / "tables" / "wide.json").read_text()
    return [(start, slot, crossings) for start, slot, crossings in json.loads(text)]


@cache
def _table(n: int) -> tuple[int, int, dict[int, list[list[list[int]]]]]:
    """How many units there are, how many on the ring, and the routes of the others by node."""
    entries = json.loads((files(__package__) / "tables" / f"{n}.json").read_text())
    routes = {int(home): ways for home, ways in entries["routes"].items()}
    return entries["units"], entries["ring"], routes


def _most(n: int) -> int:
    return _table(n)[0] if n in SMALL else n + 2


def _cycles(n: int, block: int) -> int:
    """A single element has no other to wait for."""
    return n * -(-block // _most(n)) - (block == 1)


ALGORITHM = Algorithm(
    name="tight",
    paper="TR-20-91 Theorem 8",
    ports="all",
    formula="n cycles, K <= n + 2 (n = 4: K <= 5), n > 3; larger K in as many parts",
    applicable=applicable,
    emit=emit,
    floor=floor,
    cycles=lambda widths, block: _cycles(widths[0], block),
)
