"""The traffic of a pipeline in which elements take turns.

Its rounds are equally long, and in each of them some link carries a whole message.
"""

from collections.abc import Iterator
from fractions import Fraction

from graycube.schedule import Emulation
from graycube.simulate.traffic import RoundTraffic


def emulation_rounds(emulation: Emulation) -> Iterator[RoundTraffic]:
    """The rounds, which are alike but for the links they use.

    >>> from graycube.butterflies import emulation
    >>> from graycube.layout import Layout
    >>> for traffic in emulation_rounds(emulation(Layout.cyclic(8, 5))):
    ...     print(traffic.longest, traffic.crossings * traffic.times, traffic.times)
    1 640 8
    """
    times = len(emulation.rounds)
    if not times:
        return
    task = emulation.task
    elements = task.block << task.n
    total = sum(elements // 2 if c.exchange.when else elements for c in emulation.crossings)
    longest = -(-emulation.cycles // times)
    mean = Fraction(total, times)
    busiest = emulation.dimensions_at_once
    yield RoundTraffic(longest, mean, mean / longest, busiest, times=times)
