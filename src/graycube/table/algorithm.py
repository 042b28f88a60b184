"""The shape that every algorithm has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from graycube.machine import Machine
from graycube.schedule import Replication, Schedule, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """A way to do a task: when it applies, what it emits, and what it claims.

    ``applicable(task, machine)`` is None or the reason why not. ``cycles(widths, block)`` is
    the closed form with exact ceilings, if there is one, for fields of so many bits, each two
    or more. ``formula`` is the same for people, for one field of n bits, with s the start-up, t
    the time per byte and K the bytes of a block.

    >>> from graycube.table import algorithms
    >>> gb3 = next(a for a in algorithms() if a.name == "gb3")
    >>> gb3.formula, gb3.cycles((4,), 64)
    ('n (s + K t / 2)', 128)
    """

    name: str
    paper: str = ""
    ports: int | Literal["all", "any"] = "any"
    formula: str = ""
    applicable: Callable[[Task, Machine], str | None] = field(repr=False)
    emit: Callable[[Task, Machine], Schedule | Replication] = field(repr=False)
    cycles: Callable[[Sequence[int], int], int] | None = field(default=None, repr=False)
    network: bool = False
