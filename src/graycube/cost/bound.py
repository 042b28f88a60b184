"""A lower bound on the time of a task."""

from dataclasses import dataclass


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
