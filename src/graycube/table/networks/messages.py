"""How large the messages of a pipeline should be on a machine."""

from collections.abc import Callable

from graycube.machine import Machine
from graycube.schedule import Schedule
from graycube.table.networks.outline import Outline


def seconds(made: Schedule, machine: Machine) -> float:
    """What a pipeline takes: in every round, one message on each link in use.

    >>> from graycube.table.networks import emulation
    >>> from graycube.layout import Layout
    >>> seconds(emulation(Layout.cyclic(8, 5)), Machine(dims=5, startup=2.0, per_byte=1.0))
    24.0
    """
    length = made.rounds.step if isinstance(made.rounds, range) else made.cycles
    return len(made.rounds) * machine.message_time(length * made.task.itemsize)


def with_best_messages(make: Callable[[int], Outline], most: int, machine: Machine) -> Outline:
    """The cheapest of ``make(merged)`` for messages of 2^merged slots, 0 <= merged <= most.

    >>> from graycube.table.networks import Method, network
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.cyclic(14, 4), Layout.consecutive(14, 4), block=1024)
    >>> def make(merged):
    ...     return network(task, Method(merged=merged))
    >>> machine = Machine(dims=4, startup=20.0, per_byte=1.0)
    >>> with_best_messages(make, 8, machine).head.rounds
    range(0, 704, 64)
    """
    shortest = make(0)
    if not shortest.head.rounds or most < 1 or not machine.startup:
        return shortest
    found = {0: shortest, most: make(most)}
    few, many = shortest.head, found[most].head
    # Rounds are a number for each message of a block plus the fill of the pipeline.
    per_message = (len(few.rounds) - len(many.rounds)) / (1 - 2.0**-most)
    fill = len(few.rounds) - per_message
    unit = few.cycles // len(few.rounds) * few.task.itemsize

    def guess(merged: int) -> float:
        return (per_message / (1 << merged) + fill) * machine.message_time(unit << merged)

    def price(merged: int) -> float:
        if merged not in found:
            found[merged] = make(merged)
        return seconds(found[merged].head, machine)

    best = min(range(most + 1), key=guess)
    while (near := min(_near(best, most), key=price)) != best:
        best = near
    return found[min((best, 0, most), key=price)]


def _near(merged: int, most: int) -> list[int]:
    """The size, and those next to it."""
    return [k for k in (merged, merged - 1, merged + 1) if 0 <= k <= most]
