"""The shape that every algorithm has."""

from collections.abc import Callable
from dataclasses import dataclass

from graycube.machine import Machine
from graycube.schedule import Schedule, Task


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A way to do a task: when it applies, what it emits, and what it claims.

    ``applicable(task, machine)`` is None or the reason why not; ``cycles(n, block)`` is the
    closed form of the paper with exact ceilings, and ``formula`` the same for people, with s
    the start-up, t the time per byte and K the bytes of a block.

    >>> from graycube.algorithms import algorithms
    >>> gb3 = next(a for a in algorithms() if a.name == "gb3")
    >>> gb3.formula, gb3.cycles(4, 64)
    ('n (s + K t / 2)', 128)
    """

    name: str
    paper: str
    ports: int
    formula: str
    applicable: Callable[[Task, Machine], str | None]
    emit: Callable[[Task, Machine], Schedule]
    cycles: Callable[[int, int], int]
