"""How large the messages of a pipeline should be on a machine."""

from collections.abc import Callable

from graycube.machine import Machine
from graycube.schedule import Schedule


def seconds(made: Schedule, machine: Machine) -> float:
    """What a pipeline takes: in every round, one message on each link in use.

    >>> from graycube.table.networks import emulation
    >>> from graycube.layout import Layout
    >>> seconds(emulation(Layout.cyclic(8, 5)), Machine(dims=5, startup=2.0, per_byte=1.0))
    24.0
    """
    length = made.rounds.step if isinstance(made.rounds, range) else made.cycles
    return len(made.rounds) * machine.message_time(length * made.task.itemsize)


def with_best_messages(
    make: Callable[[int], Schedule], most: int, machine: Machine
) -> Schedule:
    """The cheapest of ``make(merged)`` for messages of 2^merged slots, 0 <= merged <= most.

    >>> from graycube.table.networks import Method, emulation
    >>> from graycube.layout import Layout
    >>> def make(merged):
    ...     return emulation(Layout.cyclic(14, 4), method=Method(merged=merged))
    >>> machine = Machine(dims=4, startup=20.0, per_byte=1.0)
    >>> with_best_messages(make, 8, machine).rounds
    range(0, 704, 64)
    """
    few = make(0)
    if not few.rounds or most < 1 or not machine.startup:
        return few
    many = make(most)
    # Rounds are a number for each message of a block plus the fill of the pipeline.
    per_message = (len(few.rounds) - len(many.rounds)) / (1 - 2.0**-most)
    fill = len(few.rounds) - per_message
    unit = few.cycles // len(few.rounds) * few.task.itemsize

    def guess(merged: int) -> float:
        return (per_message / (1 << merged) + fill) * machine.message_time(unit << merged)

    found = {0: few, most: many}

    def price(merged: int) -> float:
        if merged not in found:
            found[merged] = make(merged)
        return seconds(found[merged], machine)

    best = min(range(most + 1), key=guess)
    while (near := min(_near(best, most), key=price)) != best:
        best = near
    return found[min((best, 0, most), key=price)]


def _near(merged: int, most: int) -> list[int]:
    """The size, and those next to it."""
    return [k for k in (merged, merged - 1, merged + 1) if 0 <= k <= most]
