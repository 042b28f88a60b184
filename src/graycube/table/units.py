"""Blocks cut into units that are not all equal: a schedule of equal ones, with some shorter.

Rule. What trades places with memory needs as many equal slots as a power of two, and not every
payload has them. So a schedule is made for *units*, elements that are as large as several of
ours, and each piece of a unit follows the unit as far as it is there. Messages are at most as
long as those of whole units; a unit may have nothing at all. Every unit of a slot has a way of
its own, so they must be few.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from graycube.layout import Layout
from graycube.machine import Machine
from graycube.schedule import Schedule, Step, Task, Way, expand
from graycube.schedule.gathered import gathered
from graycube.table.algorithm import Algorithm, cheaper
from graycube.table.conversion import in_sequence, why_conversion
from graycube.table.exchanges import dimension_exchange, half_exchange, pipeline, rotated_parts
from graycube.table.messages import all_to_all

MOST = 1 << 9
"""So many units on all nodes, at most, have ways of their own."""
OTHERS = (rotated_parts, dimension_exchange, all_to_all, half_exchange, pipeline)
"""What is written down more simply is taken where it costs no more."""
MADE = (half_exchange, pipeline)
"""What is made for units."""
SLACK = 1.1
"""Short units that follow each other close ranks, so they may take less than is counted."""


class _Rounded(NamedTuple):
    """What is taken, the task in units that it is taken for, and the machine."""

    emit: Callable[[Task, Machine], Schedule]
    units: Task
    machine: Machine


def applicable(task: Task, machine: Machine) -> str | None:
    """Where it may be cheaper than all that needs no units."""
    if reason := why_conversion(task, machine):
        return reason
    if not all_to_all.moves_between_nodes(task.move, task.n):
        return "nothing leaves its node"
    if next(_all_units(task), None) is None:
        return f"it has equal slots enough, or takes more than {MOST} units"
    return "others need no more" if _best(task, machine) is None else None


def emit(task: Task, machine: Machine) -> Schedule:
    """By the cheapest of what is made for units."""
    best = cheaper(_best(task, machine), task, "in units")
    return of_elements(task, best.units, best.emit(best.units, best.machine))


@lru_cache(maxsize=1 << 5)
def _best(task: Task, machine: Machine) -> _Rounded | None:
    """The cheapest, if it may be cheaper than the others; shorter units are counted so.

    Rounds of units that have nothing cost nothing. So more rounds may be cheaper than they are
    where all units are there: as many as without start-ups.
    """
    least, found = SLACK * min(other.price(task, machine) for other in OTHERS), None
    machines = dict.fromkeys((machine, replace(machine, startup=0.0)))
    for units in _all_units(task):
        longest = -(-task.payload // units.payload)
        shorter = task.payload // units.payload / longest
        for one in MADE:
            if one.price(units, machine) * shorter < least:
                for on in machines:
                    price = _price(task, units, one.emit(units, on), machine)
                    if price < least:
                        least, found = price, _Rounded(one.emit, units, on)
    return found


def _price(task: Task, units: Task, made: Schedule, machine: Machine) -> float:
    """What a schedule for units takes, whose units have what a task has."""
    count, moves = units.payload, expand(made)
    ends = np.arange(count + 1) * task.payload // count
    amount = np.diff(ends)[moves.element % count]
    number = np.searchsorted([*made.rounds], moves.cycle, side="right") - 1
    link = (number * task.n + moves.dimension << task.n) + moves.node
    loads = np.bincount(link, amount, minlength=len(made.rounds) * task.n << task.n)
    longest = loads.reshape(len(made.rounds), -1).max(axis=1).astype(int).tolist()
    return in_sequence(longest, task, machine)


def _all_units(task: Task) -> Iterator[Task]:
    """With more slots than the payload has, by powers of two."""
    own = (task.payload & -task.payload).bit_length()
    for bits in range(own, (task.payload - 1).bit_length() + 1):
        units = in_units(task, 1 << bits)
        if units is not None:
            yield units


def in_units(task: Task, count: int) -> Task | None:
    """The task with so many units behind each slot, unless they are too many.

    >>> in_units(Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=13), 4).itemsize
    4
    """
    block = count << task.p - task.n
    if count >= 2 * task.payload or block << task.n > MOST:
        return None
    source, target = (Layout(one.map, one.n) for one in (task.source, task.target))
    return Task(source, target, block, -(-task.payload // count) * task.itemsize)


def of_elements(task: Task, units: Task, made: Schedule) -> Schedule:
    """What a schedule for units, or for these as slots, is for the elements of a task.

    >>> from graycube.table.gray import gb3
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=5)
    >>> units = in_units(task, 2)
    >>> made = of_elements(task, units, gb3.emit(units, Machine(2)))
    >>> made.rounds, sorted({(way.start, way.stop) for way in made.ways})
    ((0, 3), [(0, 2), (2, 5)])
    """
    count, payload = units.payload, task.payload
    size = -(-payload // count)

    def timed(step: Step) -> Step:
        crossings = (replace(c, start=c.start * size) for c in step.crossings)
        return replace(step, crossings=tuple(crossings))

    ways = [
        Way(
            way.start * payload // count,
            way.stop * payload // count,
            tuple(map(timed, way.steps)),
            way.mask,
            way.value,
            per_slot=True,
        )
        for way in gathered(replace(expand(made), task=units)).ways
        if way.start * payload // count < way.stop * payload // count
    ]
    cycles, rounds = made.cycles * size, made.rounds
    if isinstance(rounds, range):
        rounds = range(0, cycles, rounds.step * size)
    else:
        rounds = tuple(start * size for start in rounds)
    return Schedule(task, "units", rounds, cycles, tuple(ways))


ALGORITHM = Algorithm(
    name="units",
    paper="the simple alternative",
    ports="any",
    formula="as half-exchange or pipeline",
    applicable=applicable,
    emit=emit,
)
