"""Three fifths of the block in sequence, for every field of three bits or more, on all ports.

The lower bound. Take the nodes by their three top bits. A conversion takes the classes 3, 6 and
7 to the classes 2, 4 and 5, so all that they hold has to leave them, and only five links for
every three of their nodes lead out: 3K/5 cycles at least, by any routing.

The upper bound. A route from class to class in the 3-cube of classes does all lower dimensions
at one class on its way, in ascending order. Every crossing of a top dimension complements their
conditions, so at an even distance it uses the links of direct routes, at an odd one those that
direct routes leave idle. So only the links between classes, and for each class its two kinds of
lower links, can be overloaded: none is, if each class sends a fifth of its block over each of
five routes, so that at most three fifths cross each of these 40 links.

The order. A route is a pipeline of consecutive units, and each link serves its three routes one
after the other, in an order in which nobody waits for one who waits for him; a route may wait
in memory between two links. ``tables/three_fifths.json`` has the routes, each with the turns,
0 to 2, in which it gets its links; when that is follows from the number of units.
"""

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from graphlib import TopologicalSorter
from importlib.resources import files
from typing import NamedTuple

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import Field, always, converted, why_no_conversion
from graycube.table.gray.routes import (
    InRound,
    Route,
    least_seconds,
    on_routes,
    reversed_in_time,
    too_few_ports,
    unit_size,
    widths_of,
)

_TOP = 3  # bits that tell the classes apart
_SHARES = 5  # routes of each class
_LOW = "low"


class _Edge(NamedTuple):
    """Links that a route uses together: from a class over a top dimension, or all lower ones.

    Of the lower links of a class, ``crossings`` is 0 for those of direct routes, else 1.
    """

    at: int
    dimension: int
    crossings: int


class _RouteLinks(NamedTuple):
    """The links of a route in order; ``turns`` says who uses each of them first."""

    start: int
    share: int
    links: tuple[_Edge, ...]
    turns: tuple[int, ...]


def applicable(task: Task, machine: Machine) -> str | None:
    """One field of at least three bits, all of whose dimensions are in use at once."""
    if reason := why_no_conversion(task, machine):
        return reason
    widths = widths_of(task)
    if len(widths) != 1 or widths[0] < _TOP:
        return "it converts one field of three bits or more"
    return too_few_ports(machine, widths[0])


def emit(task: Task, machine: Machine) -> Schedule:
    """The routes of all classes; backwards for binary to Gray."""
    (field,) = converted(task)
    width = field.width
    unit, units = _sizes(task, machine)
    starts, rounds = _times(width, units)
    forward = Field(field.dims, to_binary=True)
    routes = [
        _route(forward, way, _size(way, units), starts[k])
        for k, way in enumerate(_ways())
        if _size(way, units)
    ]
    if not field.to_binary:
        routes = reversed_in_time(routes, rounds)
    return on_routes(task, "three-fifths", unit, rounds, routes)


def floor(task: Task, machine: Machine) -> float:
    """Nothing moves while all routes wait; the last unit of each may be a smaller one."""
    if applicable(task, machine) is not None:
        return 0.0
    unit, units = _sizes(task, machine)
    (width,) = widths_of(task)
    some, whole = (_busy(width, units, less) for less in (0, 1))
    return least_seconds(task, machine, unit, some, some - whole)


def _busy(width: int, units: int, less: int) -> int:
    """The rounds in which something moves, if each route has so many units less.

    Whether the highest of the lower dimensions is crossed depends on the class: it is left out.
    """
    starts, _ = _times(width, units)
    spans = [
        (start, start + size - 1 + length)
        for way, at in zip(_ways(), starts, strict=True)
        for link, start in zip(way.links, at, strict=True)
        if (size := _size(way, units) - less) > 0
        and (length := _length(link, width - _TOP - 1)) > 0
    ]
    busy = until = 0
    for start, stop in sorted(spans):
        busy, until = busy + max(0, stop - max(start, until)), max(until, stop)
    return busy


def _sizes(task: Task, machine: Machine) -> tuple[int, int]:
    """The elements of a unit, and how many units there are."""
    (width,) = widths_of(task)
    unit = unit_size(task, machine, lambda units: _times(width, units)[1])
    return unit, -(-task.block // unit)


def _route(field: Field, way: _RouteLinks, units: int, starts: Sequence[int]) -> Route:
    """A route with its exchanges, which test the number of crossings so far."""
    top = field.dims[-_TOP:]
    steps: list[InRound] = []
    for link, start in zip(way.links, starts, strict=True):
        if link.dimension < _TOP:
            steps.append((start, always(top[link.dimension])))
            continue
        lower = field.below(_TOP, odd=link.crossings == 1)
        steps += [(start + k, exchange) for k, exchange in enumerate(lower)]
    mask = sum(1 << d for d in top)
    value = sum(1 << d for j, d in enumerate(top) if way.start >> j & 1)
    return Route(units, tuple(steps), mask, value)


def _size(way: _RouteLinks, units: int) -> int:
    """The units of a route: shares that differ by at most one."""
    return (units + _SHARES - 1 - way.share) // _SHARES


@lru_cache(maxsize=1 << 8)
def _times(width: int, units: int) -> tuple[list[list[int]], int]:
    """When each route begins with each of its links, and the rounds until all have arrived."""
    ways, lower = _ways(), width - _TOP
    starts = [[0] * len(way.links) for way in ways]
    rounds = 0
    for k, j in _order():
        way, start = ways[k], 0
        size, length = _size(way, units), _length(way.links[j], lower)
        if not size:
            continue
        if j:
            start = starts[k][j - 1] + _length(way.links[j - 1], lower)
        for other, i in _before()[k, j]:
            start = max(start, starts[other][i] + _size(ways[other], units))
        starts[k][j] = start
        if length:
            rounds = max(rounds, start + size - 1 + length)
    return starts, rounds


def _length(link: _Edge, lower: int) -> int:
    return 1 if link.dimension < _TOP else lower


@cache
def _ways() -> tuple[_RouteLinks, ...]:
    """The table."""
    entries = json.loads((files(__package__) / "tables" / "three_fifths.json").read_text())
    ways, shares = [], dict.fromkeys(range(1 << _TOP), 0)
    for entry in entries:
        at, crossings, links = entry["class"], 0, []
        for step, _ in entry["steps"]:
            if step == _LOW:
                links.append(_Edge(at, _TOP, crossings % 2))
            else:
                links.append(_Edge(at, step, 0))
                at, crossings = at ^ 1 << step, crossings + 1
        start = entry["class"]
        turns = tuple(turn for _, turn in entry["steps"])
        ways.append(_RouteLinks(start, shares[start], tuple(links), turns))
        shares[start] += 1
    return tuple(ways)


@cache
def _before() -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Whom each route waits for at each of its links."""
    users: dict[_Edge, list[tuple[int, int, int]]] = {}
    for k, way in enumerate(_ways()):
        for j, (link, turn) in enumerate(zip(way.links, way.turns, strict=True)):
            users.setdefault(link, []).append((turn, k, j))
    return {
        (k, j): [(other, i) for earlier, other, i in users[link] if earlier < turn]
        for k, way in enumerate(_ways())
        for j, (link, turn) in enumerate(zip(way.links, way.turns, strict=True))
    }


@cache
def _order() -> tuple[tuple[int, int], ...]:
    """The links of all routes, each behind those that it waits for."""
    graph = {
        (k, j): [*others, *([(k, j - 1)] if j else [])] for (k, j), others in _before().items()
    }
    return tuple(TopologicalSorter(graph).static_order())


ALGORITHM = Algorithm(
    name="three-fifths",
    paper="beyond the papers",
    ports="all",
    formula="3 ceil(K/5) + max(2, n - 2) cycles, n > 2, K >= 5n",
    applicable=applicable,
    emit=emit,
    floor=floor,
    cycles=lambda widths, block: _times(widths[0], block)[1],
)
