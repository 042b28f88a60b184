"""Schedules for a task on a machine that no table has: all that programs find in time.

Rules. What is found is a list of candidates, and what they cost is for the simulator to say.

1. *Whole elements*: for few units on a small cube, an integer program finds the fewest cycles,
   with circuits too.
2. *Rounds*: fronts from several numbers of layers; of each the cheapest point.
3. *Periods*: groups of a few units, as many as are cheapest on the machine.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import ceil
from time import monotonic

import numpy as np

from graycube.errors import InvalidValueError, UndecidedError
from graycube.machine import Machine
from graycube.schedule import Moves, Schedule, Task
from graycube.synthesis.demand import require_machine_of
from graycube.synthesis.flow import Flow
from graycube.synthesis.limits import silent
from graycube.synthesis.optimum import least_cycles
from graycube.synthesis.periodic import Period, period
from graycube.synthesis.rounds import Point, front, shares
from graycube.synthesis.ways import Share, schedule_of

MAX_STRANDS = 20_000
"""Most strands of a schedule of many groups."""
_WHOLE_DIMS = 3
_WHOLE_UNITS = (1, 2, 3, 4, 5, 6, 8)
_WHOLE_SECONDS = 5.0
_UNITS = 13  # of a group, at most
_LAYERS = 4  # more than there are dimensions, at most

Tell = Callable[[str], object]


def candidates(
    task: Task, machine: Machine, flow: Flow, deadline: float, tell: Tell = silent
) -> Iterator[Schedule]:
    """Schedules, in no order of price; none where blocks do not stay whole.

    >>> from math import inf
    >>> from graycube.layout import Layout
    >>> from graycube.synthesis.flow import least_flow
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=4)
    >>> machine = Machine(dims=2)
    >>> found = candidates(task, machine, least_flow(task, machine), inf)
    >>> sorted({schedule.algorithm for schedule in found})
    ['integer program', 'periods', 'rounds']
    """
    require_whole(task, machine)
    if not len(flow.demand.homes):
        yield schedule_of(task, "nothing moves", flow.demand, ())
        return
    circuits = machine.switching == "circuit"
    for search in (_whole,) if circuits else (_whole, _in_rounds, _in_periods):
        try:
            yield from search(task, machine, flow, deadline, tell)
        except UndecidedError as error:
            tell(f"stopped: {error}")


def require_whole(task: Task, machine: Machine) -> None:
    """A task whose blocks stay together, and a machine of its cube.

    >>> from graycube.layout import Layout
    >>> require_whole(Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=4), Machine(dims=2))
    """
    require_machine_of(task, machine)
    n, move = task.n, task.move
    slots_stay = move.matrix.columns[n:] == tuple(1 << j for j in range(n, task.p))
    if not slots_stay or max((*move.matrix.columns[:n], move.constant)) >> n:
        raise InvalidValueError(
            f"the task goes from {task.source} to {task.target}",
            "schedules are found where every block stays together and in its order",
            "take layouts that differ in their node bits, or bound it with graycube.certify",
        )


def _whole(
    task: Task, machine: Machine, flow: Flow, deadline: float, tell: Tell
) -> Iterator[Schedule]:
    """The fewest cycles of a few units, each of which is a round."""
    if task.n > _WHOLE_DIMS:
        return
    nodes = np.arange(1 << task.n)
    apart = replace(flow.demand, classes=nodes, alike=nodes[:1])
    for units in _WHOLE_UNITS:
        left = deadline - monotonic()
        if units > task.block or left <= 0:
            return
        small = Task(task.source, task.target, units * task.source.block_size)
        best = least_cycles(small, machine, time_limit=min(left, _WHOLE_SECONDS))
        tell(f"{units} units need {best.cycles} cycles, by {best.proof}")
        yield schedule_of(task, "integer program", apart, _of_moves(best.moves))


def _of_moves(moves: Moves) -> Iterator[Share]:
    """The ways of single elements."""
    hops: dict[int, list[tuple[int, int]]] = {}
    order = np.argsort(moves.cycle, kind="stable")
    for row in order.tolist():
        hop = int(moves.cycle[row]), int(moves.dimension[row])
        hops.setdefault(int(moves.element[row]), []).append(hop)
    for element, way in sorted(hops.items()):
        yield Share(element // moves.task.block, 1, tuple(way))


def _in_rounds(
    task: Task, machine: Machine, flow: Flow, deadline: float, tell: Tell
) -> Iterator[Schedule]:
    """The cheapest points of fronts."""

    def price(point: Point) -> float:
        sizes = (ceil(part * task.block) for part in point.steps.lengths)
        return sum(machine.message_time(size * task.itemsize) for size in sizes)

    for layers in range(_farthest(task), task.n + _LAYERS + 1):
        points, late = _points(flow, machine, layers, deadline, tell)
        if points:
            best = shares(flow.demand, min(points, key=price).steps)
            yield schedule_of(task, "rounds", flow.demand, best)
        if late is not None:
            raise late


def _points(
    flow: Flow, machine: Machine, layers: int, deadline: float, tell: Tell
) -> tuple[list[Point], UndecidedError | None]:
    """The points of a front, as far as there is time, and what ended it before its end."""
    points: list[Point] = []

    def watch(point: Point) -> None:
        points.append(point)
        tell(f"{layers} layers: {point.rounds} rounds, {point.steps.volume:.4f} blocks")

    ports = machine.links_at_once
    try:
        front(flow.demand, ports, layers, deadline=deadline, watch=watch)
    except UndecidedError as error:
        return points, error
    return points, None


def _farthest(task: Task) -> int:
    return max((u ^ task.move(u)).bit_count() for u in range(1 << task.n))


def _in_periods(
    task: Task, machine: Machine, flow: Flow, deadline: float, tell: Tell
) -> Iterator[Schedule]:
    """Groups of few units, whose periods are nearly as short as the flow allows."""
    share = float(flow.bound)
    fits = sorted(range(1, _UNITS + 1), key=lambda units: ceil(units * share) / units)
    for units in fits[:2]:
        found = period(flow.demand, machine.links_at_once, units, deadline=deadline)
        groups = _groups(task, machine, found)
        tell(f"{groups} groups of {units} units, one every {found.rounds} rounds")
        yield schedule_of(task, "periods", flow.demand, found.shares(groups))


def _groups(task: Task, machine: Machine, found: Period) -> int:
    """As many groups as are cheapest."""

    def price(groups: int) -> float:
        size = ceil(task.block / (groups * found.units))
        return found.total(groups) * machine.message_time(size * task.itemsize)

    most = max(1, min(task.block // found.units, MAX_STRANDS // max(1, len(found.ways))))
    counts = {min(most, ceil(1.3**k)) for k in range(60)}
    return min(sorted(counts), key=price)
