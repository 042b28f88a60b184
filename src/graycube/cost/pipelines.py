"""The traffic of a pipeline in which elements take turns.

Its rounds are equally long, and in each of them some link carries a whole message.
"""

from collections.abc import Iterator
from fractions import Fraction

from graycube.cost.traffic import RoundTraffic
from graycube.schedule import Schedule


def pipeline_rounds(schedule: Schedule) -> Iterator[RoundTraffic]:
    """The rounds, which are alike but for the links they use.

    >>> from graycube.table.networks import emulation
    >>> from graycube.layout import Layout
    >>> for traffic in pipeline_rounds(emulation(Layout.cyclic(8, 5))):
    ...     print(traffic.longest, traffic.crossings * traffic.times, traffic.times)
    1 640 8
    """
    times, elements = len(schedule.rounds), schedule.task.block << schedule.task.n
    if not times:
        return
    total = 0
    for step in (step for way in schedule.ways for step in way.steps):
        for crossing in step.crossings:
            half = step.move is not None and step.move.changes(crossing.dim)[0]
            total += elements // 2 if half else elements
    longest = -(-schedule.cycles // times)
    mean = Fraction(total, times)
    yield RoundTraffic(longest, mean, mean / longest, schedule.dimensions_at_once, times=times)
