"""The traffic of any schedule."""

from collections.abc import Iterator

from graycube.cost.copies import copy_rounds
from graycube.cost.messages import message_rounds
from graycube.cost.pipelines import pipeline_rounds
from graycube.cost.straight import straight_rounds
from graycube.cost.traffic import RoundTraffic, Traffic
from graycube.gf2 import AffineMap
from graycube.schedule import Replication, Schedule
from graycube.schedule.way import are_straight


def simulate(schedule: Schedule | Replication) -> Traffic:
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


def _rounds(schedule: Schedule | Replication) -> Iterator[RoundTraffic]:
    """By the shape of the steps: exchanges without delays, or with some, or any maps."""
    if isinstance(schedule, Replication):
        return copy_rounds(schedule)
    if are_straight(schedule.ways):
        return straight_rounds(schedule)
    steps = [step for way in schedule.ways for step in way.steps]
    if any(isinstance(step.move, AffineMap) or len(step.crossings) > 1 for step in steps):
        return message_rounds(schedule)
    return pipeline_rounds(schedule)
