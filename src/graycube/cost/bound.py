"""A lower bound on the time of a task."""

from dataclasses import dataclass

from graycube.errors import InvalidTypeError
from graycube.machine import Machine
from graycube.schedule import Task


@dataclass(frozen=True, slots=True)
class Bound:
    """No schedule of the task is faster than ``seconds``, for the reason given.

    So much of it is ``startup``; the rest is bytes on links.

    >>> print(Bound("start-ups", 0.003, "TR-20-92 Lemma 3"))
    start-ups: 0.003 s (TR-20-92 Lemma 3)
    """

    name: str
    seconds: float
    citation: str
    startup: float = 0.0

    def __str__(self) -> str:
        return f"{self.name}: {self.seconds:.4g} s ({self.citation})"


def require_kinds(task: object, machine: object, what: str) -> None:
    """That what is bounded are a task and a machine."""
    for value, kind in ((task, Task), (machine, Machine)):
        if not isinstance(value, kind):
            raise InvalidTypeError(
                f"got a {type(value).__name__}",
                f"{what} need a {kind.__name__} there",
                "take plan.task and plan.machine, or Machine.profile(name)",
            )
