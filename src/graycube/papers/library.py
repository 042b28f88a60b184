"""Schedules of the library, each of them proved before anything is counted."""

import graycube as gc
from graycube.papers.checks import require
from graycube.schedule import Moves, expand
from graycube.schedule.replication import of_ways
from graycube.table import algorithms
from graycube.verify import check_algebra, check_elements, check_pairs


def emitted(name: str, task: gc.Task, machine: gc.Machine) -> gc.Schedule:
    """What an algorithm of the table makes of a task.

    >>> task = gc.Task(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), 4)
    >>> emitted("gb1", task, gc.Machine(3)).cycles
    8
    """
    (found,) = (algorithm for algorithm in algorithms() if algorithm.name == name)
    return of_ways(found.emit(task, machine))


def proved(made: gc.Schedule, machine: gc.Machine) -> gc.Schedule:
    """The same schedule, if algebra proves it.

    >>> task = gc.Task(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), 4)
    >>> proved(emitted("gb1", task, gc.Machine(3)), gc.Machine(3)).cycles
    8
    """
    report = check_algebra(made, machine)
    require(report, f"{made.algorithm} is wrong on {machine}: {report}")
    return made


def followed(made: gc.Schedule, machine: gc.Machine) -> Moves:
    """The moves of a proved schedule, which are right element by element and pair by pair.

    >>> task = gc.Task(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), 4)
    >>> len(followed(emitted("gb1", task, gc.Machine(3)), gc.Machine(3)).cycle)
    32
    """
    moves = expand(proved(made, machine))
    pairs = not made.stages or check_pairs(moves, made.stages)
    require(check_elements(moves, machine) and pairs, f"{made.algorithm} is wrong")
    return moves
