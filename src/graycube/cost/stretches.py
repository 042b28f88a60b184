"""How many elements stay together in a schedule: what is next to each other all the way.

Slots whose lowest bits no step tests or changes go the same way, next to each other. What lies
scattered is gathered in stretches of so many elements.
"""

from collections.abc import Iterator

from graycube.gf2 import AffineMap
from graycube.schedule import Schedule, Step


def together(schedule: Schedule) -> int:
    """Elements that are one stretch of memory in every message.

    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> from graycube.schedule import Task
    >>> from graycube.table.messages import all_to_all
    >>> rows, columns = (Layout.mesh((8, 4), nodes=nodes) for nodes in ((4, 1), (1, 4)))
    >>> for task in (Task(rows, columns, 16), Task(rows, rows, 16)):
    ...     together(all_to_all.emit(task, Machine(2, switching="circuit")))
    2
    16
    """
    task = schedule.task
    slots = task.p - task.n
    steps = (step for way in schedule.ways if way.size for step in way.steps)
    chosen = (way.mask >> task.n for way in schedule.ways if way.size)
    lowest = [(mask & -mask).bit_length() - 1 for mask in chosen if mask]
    lowest += (low for step in steps for low in _low(step, task.n))
    cut = [way.size for way in schedule.ways if way.per_slot and 0 < way.size < task.payload]
    return min(cut, default=task.payload << min(lowest, default=slots))


def _low(step: Step, n: int) -> Iterator[int]:
    """For each part of a step, how many of the lowest slot bits it has nothing to do with."""
    masks = [late.mask >> n for crossing in step.crossings for late in crossing.delays]
    if isinstance(step.move, AffineMap):
        yield step.move.untouched(n)
    elif step.move is not None:
        masks += [step.move.flip >> n, step.move.when >> n]
    yield from ((mask & -mask).bit_length() - 1 for mask in masks if mask)
