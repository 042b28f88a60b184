"""The shape that every algorithm has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from graycube.errors import InvalidValueError
from graycube.machine import Machine
from graycube.schedule import Replication, Schedule, Task

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """A way to do a task: when it applies, what it emits, and what it claims.

    ``applicable(task, machine)`` is None or the reason why not. ``cycles(widths, block)`` is
    the closed form with exact ceilings, if there is one, for fields of so many bits, each two
    or more. ``formula`` is the same for people, for one field of n bits, with s the start-up, t
    the time per byte and K the bytes of a block. ``floor(task, machine)`` are seconds, for any
    task and links that are alike, that it never takes less than: what of the library's own
    cannot be the cheapest is not written out.

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
    floor: Callable[[Task, Machine], float] | None = field(default=None, repr=False)
    network: bool = False


def cheaper(best: Found | None, task: Task, way: str) -> Found:
    """The best manner of an algorithm that is there only where others cost more."""
    if best is None:
        raise InvalidValueError(
            f"a block of {task.block} goes {way}", "others need no more", "take 'auto'"
        )
    return best
