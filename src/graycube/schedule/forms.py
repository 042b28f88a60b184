"""The forms that a schedule of a task can have."""

from graycube.schedule.direct import Direct, written_out_direct
from graycube.schedule.emulation import Emulation, written_out
from graycube.schedule.moves import Moves, written_out_strands
from graycube.schedule.schedule import Schedule

AnySchedule = Schedule | Direct | Emulation
"""Strands that follow exchanges, messages that go straight, or elements that take turns."""


def expand(schedule: AnySchedule) -> Moves:
    """Write a symbolic schedule out, element by element.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Hop, Strand, Task
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> strand = Strand(0, 2, (Hop(0, Exchange(flip=1, when=2)),))
    >>> len(expand(Schedule(task, "gb1", (0,), 2, (strand,))))
    4
    """
    if isinstance(schedule, Direct):
        return written_out_direct(schedule)
    if isinstance(schedule, Emulation):
        return written_out(schedule)
    return written_out_strands(schedule)
