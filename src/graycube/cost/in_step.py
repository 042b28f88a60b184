"""Rounds that all nodes begin together, where messages pass the links of others.

On a ring or a path a node that is ahead sends into a round which is not over. Then some links
carry two rounds, and others wait: rounds that should take as long as their busiest link took up
to 1.3 times as long. So all nodes meet between two rounds, unless that takes more than a little
of the time. To meet, each node sends an empty message over one dimension after the other.
"""

from functools import lru_cache

from graycube.cost.links import all_wires
from graycube.machine import Machine

LITTLE = 0.05
"""Meetings may take this share of what the rounds take."""


def meetings(rounds: int, seconds: float, machine: Machine) -> int:
    """How often all nodes meet in rounds that take so long: between any two, or never.

    >>> ring = Machine.torus((8,), startup=1.0)
    >>> meetings(5, 300.0, ring), meetings(5, 100.0, ring), meetings(5, 300.0, Machine(dims=3))
    (4, 0, 0)
    """
    if not any(wires.side for wires in machine.wires):
        return 0
    spent = (rounds - 1) * meeting_seconds(machine)
    return rounds - 1 if 0 < spent <= LITTLE * seconds else 0


@lru_cache(maxsize=1 << 8)
def meeting_seconds(machine: Machine) -> float:
    """What a meeting takes: the start-ups of a message over each dimension in turn.

    >>> meeting_seconds(Machine.torus((8,), startup=1.0))
    3.0
    >>> meeting_seconds(Machine.torus((8,), startup=1.0, switching="store-and-forward"))
    7.0
    """
    each = ((wires, dim) for wires in all_wires(machine) for dim in wires.dims)
    return sum(len(wires.crowds(1 << dim)) * wires.link.startup for wires, dim in each)
