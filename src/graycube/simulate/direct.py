"""The traffic of direct deliveries, exactly, at any number of nodes and messages.

In a round of store-and-forward switching, either all senders of a part cross the dimension,
or half of them, or none: the sum that decides depends on the sender, or is the same for all.
"""

from collections.abc import Iterator
from fractions import Fraction

from graycube.gf2 import Matrix, without
from graycube.schedule import Delivery, Direct
from graycube.schedule.direct import message_size
from graycube.simulate.traffic import RoundTraffic


def direct_rounds(direct: Direct) -> Iterator[RoundTraffic]:
    """The rounds in which something moves, those that are alike together.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task, delivered
    >>> task = Task(Layout.cyclic(40, 20), Layout.consecutive(40, 20), block=1 << 20)
    >>> units = [1 << d for d in range(20)]
    >>> swap = Delivery(task.move, Matrix.identity(20), units, dims=range(20))
    >>> direct = delivered(task, "all-to-all", [swap], circuits=True)
    >>> for traffic in direct_rounds(direct):
    ...     print(traffic.times, traffic.longest, traffic.crossings * traffic.times == 10 << 40)
    1048575 1 True
    """
    rounds = (r for d in direct.deliveries for r in _rounds(direct, d))
    yield from (r for r in rounds if r.times and r.crossings)


def _rounds(direct: Direct, delivery: Delivery) -> Iterator[RoundTraffic]:
    task, size = direct.task, message_size(direct.task, delivery)
    senders = 1 << task.n - len(delivery.parts)
    shares = [_crossed(delivery, d) for d in delivery.dims]
    if not direct.circuits:
        for count, part in shares:
            links = int(senders * part)
            yield RoundTraffic(size, links * size, links, 1, times=count)
        return
    times = delivery.turns - _idle_turns(delivery)
    total = senders * sum((count * part for count, part in shares), Fraction(0))
    mean = Fraction(total, times) if times else Fraction(0)
    yield RoundTraffic(size, mean * size, mean, 1, times=times)


def _crossed(delivery: Delivery, d: int) -> tuple[int, Fraction]:
    """In how many turns a dimension is crossed, and by which share of the senders of a part."""
    n = delivery.partner.width
    decides = delivery.partner.rows[d] ^ 1 << d
    if Matrix((*delivery.parts, decides), n).rank() > len(delivery.parts):
        return delivery.turns, Fraction(1, 2)
    if decides or any(c >> d & 1 for c in delivery.classes):  # the turn decides
        return delivery.turns // 2, Fraction(1)
    return delivery.turns * (delivery.move.constant >> d & 1), Fraction(1)


def _idle_turns(delivery: Delivery) -> int:
    """Turns in which everybody would send to itself.

    Who has nothing to send in some turn solves linear equations; such turns are idle if all
    senders of a part are the same in this.
    """
    n = delivery.partner.width
    shifts = [delivery.partner(1 << j) ^ 1 << j for j in range(n)]
    changes = Matrix(tuple(shifts), n)
    if Matrix((*changes.rows, *delivery.parts), n).rank() > len(delivery.parts):
        return 0
    left = [without(delivery.classes, shift) for shift in shifts]
    constant = without(delivery.classes, delivery.move.constant & (1 << n) - 1)
    rank = Matrix(tuple(left), n).rank()
    if Matrix((*left, constant), n).rank() > rank:
        return 0
    return 1 << len(delivery.parts) - rank
