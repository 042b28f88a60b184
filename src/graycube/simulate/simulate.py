"""The traffic of a schedule of any form."""

from collections.abc import Iterator

from graycube.schedule import AnySchedule, Direct, Emulation
from graycube.simulate.direct import direct_rounds
from graycube.simulate.emulation import emulation_rounds
from graycube.simulate.strands import strand_rounds
from graycube.simulate.traffic import RoundTraffic, Traffic


def simulate(schedule: AnySchedule) -> Traffic:
    """Count the messages of every round.

    >>> from graycube.table import gb3
    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> from graycube.schedule import Task
    >>> machine = Machine(dims=40)
    >>> task = Task(Layout.nodes(40, "gray"), Layout.nodes(40), block=64)
    >>> traffic = simulate(gb3.emit(task, machine))
    >>> traffic.cycles, len(traffic.rounds), traffic.rounds[1].links == 2**40
    (1280, 40, True)
    """
    return Traffic(schedule, tuple(_rounds(schedule)))


def _rounds(schedule: AnySchedule) -> Iterator[RoundTraffic]:
    if isinstance(schedule, Direct):
        return direct_rounds(schedule)
    if isinstance(schedule, Emulation):
        return emulation_rounds(schedule)
    return strand_rounds(schedule)
