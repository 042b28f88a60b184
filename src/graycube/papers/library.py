"""Schedules of the library, each of them proved before anything is counted."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import graycube as gc
from graycube.cost import simulate
from graycube.papers.checks import require
from graycube.schedule import Moves, expand
from graycube.schedule.replication import of_ways
from graycube.table import algorithms
from graycube.verify import check_algebra, check_elements, check_pairs

Cost = TypeVar("Cost", int, Fraction, float)
Widths = tuple[int, ...]
"""The bits of each field."""
FOLLOWED = 1 << 13
"""Up to so many elements are followed one by one."""


def task_of(widths: Widths, block: int, *, backwards: bool = False) -> gc.Task:
    """All fields from Gray to binary code, or backwards.

    >>> print(task_of((2, 1), 4).source)
    (|| b0:1 g0:0 b1:0)
    """
    lengths = [1 << width for width in widths]
    gray, binary = (
        gc.Layout.mesh(lengths, nodes=lengths, code=code) for code in ("gray", "binary")
    )
    return gc.Task(binary, gray, block) if backwards else gc.Task(gray, binary, block)


def emitted(name: str, task: gc.Task, machine: gc.Machine) -> gc.Schedule:
    """What an algorithm of the table makes of a task.

    >>> emitted("gb1", task_of((3,), 4), gc.Machine(3)).cycles
    8
    """
    (found,) = (algorithm for algorithm in algorithms() if algorithm.name == name)
    return of_ways(found.emit(task, machine))


def proved(made: gc.Schedule, machine: gc.Machine) -> gc.Schedule:
    """The same schedule, if algebra proves it.

    >>> proved(emitted("gb1", task_of((3,), 4), gc.Machine(3)), gc.Machine(3)).cycles
    8
    """
    report = check_algebra(made, machine)
    require(report, f"{made.algorithm} is wrong on {machine}: {report}")
    return made


def followed(made: gc.Schedule, machine: gc.Machine) -> Moves:
    """The moves of a proved schedule, which are right element by element and pair by pair.

    >>> len(followed(emitted("gb1", task_of((3,), 4), gc.Machine(3)), gc.Machine(3)).cycle)
    32
    """
    moves = expand(proved(made, machine))
    pairs = not made.stages or check_pairs(moves, made.stages)
    require(check_elements(moves, machine) and pairs, f"{made.algorithm} is wrong")
    return moves


@dataclass(frozen=True, slots=True)
class Count:
    """Start-ups and elements in sequence.

    >>> Count.of(emitted("gb1", task_of((3,), 4), gc.Machine(3))).times(2) + Count(1, 1)
    Count(startups=5, elements=17)
    """

    startups: int
    elements: int

    @classmethod
    def of(cls, made: gc.Schedule, moves: Moves | None = None) -> "Count":
        """Of a schedule, as it is or written out."""
        traffic = simulate(made, moves)
        return cls(traffic.nonempty, traffic.cycles)

    def __add__(self, other: "Count") -> "Count":
        return Count(self.startups + other.startups, self.elements + other.elements)

    def times(self, factor: int) -> "Count":
        """The same so many times in sequence."""
        return Count(factor * self.startups, factor * self.elements)

    def price(self, s: Cost, c: Cost) -> Cost:
        """The time at s for a start-up and c for an element."""
        return self.startups * s + self.elements * c


def cycles_of(made: gc.Schedule, machine: gc.Machine) -> int:
    """The cycles of a proved schedule; of a small one as its elements show when followed.

    >>> cycles_of(emitted("gb1", task_of((3,), 4), gc.Machine(3)), gc.Machine(3))
    8
    """
    if made.task.block << made.task.n > FOLLOWED:
        return proved(made, machine).cycles
    return int(followed(made, machine).cycle.max(initial=-1)) + 1
