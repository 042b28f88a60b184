"""Fewer bytes for more start-ups: between the papers' schedules and the best flow.

GB3 moves n K / 2 bytes in sequence in n rounds. Flows with less exist: 76/29 K for n = 6 on one
port, say, which only endless schedules reach. The tables have schedules between the two, found
by linear programs (``tools/tr_20_92/fewer_bytes.py`` writes them): in a round some nodes use
one dimension and some another, and each node shares out its block over several ways.

On all ports every link may be used in every round, so the linear program has the least there is
for so many rounds: 0.9, 0.69, 0.637 and 37/60 K in 4 to 7 rounds for n = 5. The flow is 3/5 K.
On fewer ports the links of each round are chosen, one round after the other (``search/dive``).

For larger cubes on one port they are those of the classes of nodes with the same top bits.
Halfway all lower dimensions are done, a round for each: at that moment half of what is at a
class has come over an even number of links and half over an odd one. The conditions of the
lower exchanges are complementary for the two halves, so every node sends one of them (TR-20-91
Theorem 7).
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import ceil
from typing import Literal

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import (
    Field,
    always,
    converted,
    why_no_conversion,
)
from graycube.table.gray.routes import widths_of
from graycube.table.lanes import LaneStep, LaneWay, backwards, cycles, in_lanes, lengths

_Ports = int | Literal["all"]
SIZES: dict[_Ports, range] = {
    1: range(4, 7),
    2: range(4, 9),
    3: range(4, 9),
    4: range(5, 9),
    5: range(6, 8),
    6: range(7, 8),
    "all": range(3, 8),
}
"""Fields with tables of their own; on one port larger ones take that of their five top bits."""
TOP = 5
TRIED = 4
ROUNDED = 2
"""So many points are written out, if rounding so many elements a round could matter."""

_Point = list[tuple[int, int, tuple[tuple[int, int], ...]]]
"""The ways from each word, or class of nodes: a weight, and hops as rounds and dimensions.

Dimension ``TOP`` of a large field is all lower ones.
"""


def applicable(task: Task, machine: Machine) -> str | None:
    """One field that there is a table for, where GB3 costs more."""
    reason = why_no_conversion(task, machine)
    if reason is not None:
        return reason
    widths = widths_of(task)
    if len(widths) != 1:
        return "it converts one field"
    (width,) = widths
    ports = _ports(machine, width)
    sizes = SIZES[ports]
    if width < sizes[0]:
        return f"it converts fields of {sizes[0]} bits or more"
    if ports != 1 and width not in sizes:
        return f"on {ports} ports it converts {sizes[0]} to {sizes[-1]} bits"
    if min(_prices(task, machine)) >= _gb3(width, task, machine):
        return "its start-ups cost more than it saves"
    return None


def emit(task: Task, machine: Machine) -> Schedule:
    """The schedule of the table that is cheapest on the machine.

    Prices are of shares; in whole elements those that are nearly as cheap may be cheaper.
    """
    prices = _prices(task, machine)
    (width,) = widths_of(task)
    ports = _ports(machine, width)
    table, order = _table(width, ports), sorted(range(len(prices)), key=prices.__getitem__)
    rounds, element = (
        len(_parts(width, ports)[order[0]]),
        machine.dearest.per_byte * task.itemsize,
    )
    near = prices[order[0]] + ROUNDED * rounds * element

    def price(ways: Sequence[LaneWay]) -> float:
        sizes = filter(None, cycles(ways, task.block))
        return sum(machine.message_time(size * task.itemsize) for size in sizes)

    tried = [table[k] for k in order[:TRIED] if prices[k] <= near]
    every = (_of_task(task, machine, point) for point in tried)
    return in_lanes(task, "fewer-bytes", min(every, key=price))


def _of_task(task: Task, machine: Machine, point: _Point) -> list[LaneWay]:
    (field,) = converted(task)
    bits = _bits(field.width, _ports(machine, field.width))
    ways = _ways(point, Field(field.dims, to_binary=True), bits)
    return ways if field.to_binary else backwards(ways)


def front(task: Task, machine: Machine) -> list[tuple[int, float]]:
    """The rounds, and the blocks in sequence, of what there is in the table for a task.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1000)
    >>> [(rounds, round(blocks, 4)) for rounds, blocks in front(task, Machine(3, "all"))][:3]
    [(2, 1.0), (4, 0.7), (6, 0.6371)]
    """
    widths = widths_of(task) if why_no_conversion(task, machine) is None else ()
    ports = _ports(machine, widths[0]) if len(widths) == 1 else 1
    known = len(widths) == 1 and widths[0] >= SIZES[ports][0]
    if not known or (ports != 1 and widths[0] not in SIZES[ports]):
        return []
    return sorted((len(parts), sum(parts)) for parts in _parts(widths[0], ports))


def _ports(machine: Machine, width: int) -> _Ports:
    """Those of the table: all that a field can use, or as many of the machine's as it has."""
    links = machine.links_at_once
    if links >= width and (width in SIZES["all"] or width not in SIZES[2]):
        return "all"
    known = (p for p in range(links, 1, -1) if width in SIZES.get(p, ()))
    return next(known, 1 if links == 1 else 2)


def _prices(task: Task, machine: Machine) -> list[float]:
    """What the points of the table cost on the machine."""

    def price(parts: Sequence[float]) -> float:
        sizes = (ceil(part * task.block) for part in parts)
        return sum(machine.message_time(size * task.itemsize) for size in sizes)

    (width,) = widths_of(task)
    return [price(parts) for parts in _parts(width, _ports(machine, width))]


def _gb3(width: int, task: Task, machine: Machine) -> float:
    """What GB3 costs: so many rounds of half a block."""
    return width * machine.message_time(-(-task.block // 2) * task.itemsize)


def _bits(width: int, ports: _Ports) -> int:
    """The bits of a field that its table is about."""
    return width if width in SIZES[ports] else TOP


def _ways(point: _Point, field: Field, bits: int) -> list[LaneWay]:
    """The ways of all nodes, by their top bits; those that differ in the lowest do the same."""
    top = field.dims[-bits:]
    mask = sum(1 << d for d in top[1:])
    starts = {start for start, _, _ in point}
    staying = [(start, 1, ()) for start in range(0, 1 << bits, 2) if start not in starts]
    lower = [field.below(bits, odd=odd) for odd in (False, True)]
    ways = []
    for start, weight, hops in [*staying, *point]:
        steps: list[LaneStep] = []
        word, crossings, late = start, 0, 0
        for round_, dimension in hops:
            if dimension < bits:
                lane = word >> 1, dimension
                steps.append(LaneStep(round_ + late, always(top[dimension]), lane))
                word, crossings = word ^ 1 << dimension, crossings + 1
                continue
            odd = crossings % 2
            lane = word >> 1, odd
            every = enumerate(lower[odd])
            steps += [LaneStep(round_ + k, exchange, lane) for k, exchange in every]
            late = len(lower[odd]) - 1
        value = sum(1 << top[j] for j in range(1, bits) if start >> j & 1)
        ways.append(LaneWay(weight, tuple(steps), mask, value))
    return ways


@cache
def _parts(width: int, ports: _Ports) -> list[tuple[float, ...]]:
    """What the rounds of each point carry of a block."""
    field, bits = Field(tuple(range(width)), to_binary=True), _bits(width, ports)
    return [lengths(_ways(point, field, bits)) for point in _table(width, ports)]


@cache
def _table(width: int, ports: _Ports) -> list[_Point]:
    """The points of a table, from few rounds to many."""
    name = f"fewer_bytes_{width if width in SIZES[ports] else f'top{TOP}'}_{ports}.json"
    text = (files(__package__) / "tables" / name).read_text()
    return [
        [
            (start, weight, tuple(zip(hops[::2], hops[1::2], strict=True)))
            for start, weight, hops in routes
        ]
        for routes in json.loads(text)
    ]


ALGORITHM = Algorithm(
    name="fewer-bytes",
    paper="beyond the papers",
    ports="any",
    formula="by table: on all ports 7 s + 37 K t / 60, on one 60 s + 2.743 K t (n = 6)",
    applicable=applicable,
    emit=emit,
)
