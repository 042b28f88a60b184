"""From any layout to any other as a pipeline: several dimensions at the same time.

The dimensions are traded with memory one after the other, or a few at a time, and what has been
through one is passed on while the next elements follow (TR-764 section 3.1, without its
butterflies). Messages have the size that suits the machine; blocks are cut as finely as they
can be for that. Where there are fewer ports than dimensions, a few parts take turns
(:mod:`graycube.table.exchanges.piecewise`).
"""

from dataclasses import replace
from functools import lru_cache
from math import inf

from graycube.errors import GraycubeError
from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import why_conversion
from graycube.table.exchanges.dimension_exchange import (
    emit as exchange_in_turn,
    fewest_elements,
)
from graycube.table.exchanges.piecewise import piecewise
from graycube.table.networks import Method, network, seconds, with_best_messages
from graycube.table.networks.outline import Outline

RADICES = (1, 2, 3)
"""So many dimensions at a time are tried, and as many as there are ports."""
MAX_DIMS = 48
_NO_BETTER = "on one port it is exchange"
MAX_SLOTS = 20
"""A block is cut into at most 2^20 parts."""


def applicable(task: Task, machine: Machine) -> str | None:
    """For what is no conversion of codes and has memory to trade with."""
    if reason := why_conversion(task, machine):
        return reason
    if task.n > MAX_DIMS:
        return f"more than {MAX_DIMS} dimensions take minutes to lay out"
    finer = _cut(task)
    if finer.p == finer.n:
        return f"a block of {task.block} elements has no halves"
    alone = machine.links_at_once == 1
    in_turn = exchange_in_turn(task, machine).cycles if alone else inf
    if in_turn == fewest_elements(task):
        return _NO_BETTER
    try:
        made = emit(task, machine)
    except GraycubeError as error:
        return str(error)
    return _NO_BETTER if made.cycles >= in_turn else None


@lru_cache(maxsize=1 << 5)
def emit(task: Task, machine: Machine) -> Schedule:
    """The cheapest: so many dimensions at a time, or one after the other, piece by piece."""
    finer = _cut(task)
    most = min(finer.p - finer.n, machine.links_at_once)
    refused: list[GraycubeError] = []
    ways: list[Outline] = []
    for radix in sorted({min(radix, most) for radix in (*RADICES, most)}):
        try:
            ways.append(_fitting(finer, machine, radix))
        except GraycubeError as error:
            refused.append(error)
    made = list[Schedule]()
    if ways:
        best = min(ways, key=lambda way: seconds(way.head, machine))
        made.append(replace(best.schedule, algorithm="pipeline"))
    made += filter(None, [piecewise(finer, "pipeline", machine)])
    if not made:
        raise refused[0]
    return min(made, key=lambda schedule: seconds(schedule, machine))


def price(task: Task, machine: Machine) -> float:
    """What it takes, if it applies."""
    return (
        inf if applicable(task, machine) is not None else seconds(emit(task, machine), machine)
    )


def _fitting(task: Task, machine: Machine, radix: int) -> Outline:
    """So many dimensions at a time; what comes next overlaps if there are ports for it.

    The longer the messages are, the fewer of them are on their way at the same time.
    """
    made = _piped(task, machine, Method(radix=radix))
    if made.dimensions_at_once <= machine.links_at_once:
        return made
    ways = [_piped(task, machine, Method(radix=radix, overlap=False))]
    for merged in range(task.p - task.n - radix + 1):
        made = network(task, Method(radix=radix, merged=merged))
        if made.dimensions_at_once <= machine.links_at_once:
            ways.append(made)
    return min(ways, key=lambda way: seconds(way.head, machine))


def _cut(task: Task) -> Task:
    """The task with as many slots as the block allows."""
    bits = (task.payload & -task.payload).bit_length() - 1
    return task.refined(max(0, min(bits, MAX_SLOTS - (task.p - task.n))))


def _piped(task: Task, machine: Machine, method: Method) -> Outline:
    """The pipeline of a method, with the best size of messages."""
    most = task.p - task.n - method.radix
    return with_best_messages(lambda k: network(task, replace(method, merged=k)), most, machine)


ALGORITHM = Algorithm(
    name="pipeline",
    paper="TR-764 sections 3.1 and 6",
    ports="any",
    formula="about K / 2 cycles, K where whole blocks move",
    applicable=applicable,
    emit=emit,
)
