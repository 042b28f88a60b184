"""Whole blocks that change nodes: parts on ways of their own, which go on while they arrive.

Rules.

1. A block has a few parts, each a *stream* of units. Streams share out links by slots
   (:mod:`graycube.table.messages.slots`): L slots for u parts take L / u of the time of a
   block, and some rounds more for what follows behind.
2. The least L / u comes first, and so on while nothing else costs less. So large blocks on
   small cubes take little more than the least flow there is.
3. Units have the size that is cheapest: small ones for large blocks, whole parts where
   start-ups count.

Each part has a way of its own, so nodes must be few.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np

from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm, cheaper
from graycube.table.conversion import always, is_renumbering, why_conversion
from graycube.table.exchanges import dimension_exchange, half_exchange, pipeline, rotated_parts
from graycube.table.gray.routes import Route, on_routes, unit_size
from graycube.table.messages import all_to_all, by_message
from graycube.table.messages.manners import Hops, Message, Pairs
from graycube.table.messages.slots import in_rounds, in_slots
from graycube.table.shares import evenly

OTHERS = (rotated_parts, dimension_exchange, half_exchange, all_to_all, pipeline, by_message)
"""What is written down more simply is taken where it costs no more."""
MOST, PARTS = 1 << 8, 6
"""So many streams at most, and so many parts of a block."""
MANY = 64  # units of a part, of which some more change little
PLACED = 1 << 11
"""About so many streams are placed, at most: planning should not take long."""


class _Streams(NamedTuple):
    """Parts and the rounds of their hops; units of so many elements take so many rounds."""

    parts: int
    hops: dict[Message, Hops]
    rounds: int
    unit: int

    def shared(self, block: int) -> list[int]:
        """How many units each part has."""
        return evenly(-(-block // self.unit), self.parts)

    def price(self, task: Task, machine: Machine) -> float:
        """What the rounds take, where the last unit of a block may be a short one."""
        units = self.shared(task.block)
        units[-1] -= 1
        begin_less_end = np.zeros(self.rounds + 1, dtype=np.int64)
        for (_, _, k), hops in self.hops.items():
            for start, _ in hops:
                begin_less_end[start] += 1
                begin_less_end[start + units[k]] -= 1
        whole = int(np.count_nonzero(begin_less_end.cumsum()))
        short = task.block % self.unit or self.unit
        return whole * machine.message_time(self.unit * task.itemsize) + (
            self.rounds - whole
        ) * machine.message_time(short * task.itemsize)


def applicable(task: Task, machine: Machine) -> str | None:
    """Whole blocks that change nodes on a small cube, where that is cheaper; hop by hop."""
    if reason := why_conversion(task, machine):
        return reason
    if not is_renumbering(task.move, task.n):
        return "it moves whole blocks"
    if not machine.alike:
        return "its links are alike"
    if 1 << task.n > MOST:
        return f"it finds ways for {MOST} parts at most"
    return "others need no more" if _best(task, machine) is None else None


def emit(task: Task, machine: Machine) -> Schedule:
    """With the least time for the streams."""
    best = cheaper(_best(task, machine), task, "in streams")
    routes, mask = list[Route](), (1 << task.n) - 1
    for u in range(1 << task.n):
        for k, units in enumerate(best.shared(task.block)):
            hops = best.hops.get((u, task.move(u), k), ())
            steps = tuple((start, always(d)) for start, d in hops)
            routes.append(Route(units, steps, mask, u))
    return on_routes(task, "streams", best.unit, best.rounds, routes)


@lru_cache(maxsize=1 << 5)
def _best(task: Task, machine: Machine) -> _Streams | None:
    """Those with the least time in their slots, if they are cheaper than the others."""
    pairs = tuple((u, task.move(u)) for u in range(1 << task.n))
    least, ports = inf, min(machine.links_at_once, task.n)
    for other in OTHERS:
        least = min(least, other.price(task, machine))
    placed = 0
    for parts, slots in _choices(pairs, ports, task.block):
        if _below(task, machine, parts, slots, pairs) >= least or placed > PLACED:
            continue
        placed += parts << task.n
        hops = in_slots(pairs, parts, ports, slots)
        if hops is not None:
            made = _in_units(task, machine, parts, slots, hops)
            return made if made.price(task, machine) < least else None
    return None


def _choices(pairs: Pairs, ports: int, block: int) -> Iterator[tuple[int, int]]:
    """Numbers of parts and of slots, by the time that these take."""
    nodes = len(pairs)
    hops = sum((u ^ v).bit_count() for u, v in pairs)
    choices = []
    for parts in range(1, min(PARTS, MOST // nodes, block) + 1):
        fewest = max(-(-parts * hops // (ports * nodes)), -(-parts // ports))
        choices += [(slots / parts, parts, slots) for slots in range(fewest, 2 * fewest + 1)]
    return ((parts, slots) for _, parts, slots in sorted(choices))


def _below(task: Task, machine: Machine, parts: int, slots: int, pairs: Pairs) -> float:
    """What so many slots take at least."""
    farthest = max((u ^ v).bit_count() for u, v in pairs)
    link, nbytes = machine.cheapest, slots * task.block_bytes / parts
    startups = max(farthest, slots, machine.startups(int(nbytes)))
    return startups * link.startup + nbytes * link.per_byte


def _in_units(
    task: Task, machine: Machine, parts: int, slots: int, hops: dict[Message, Hops]
) -> _Streams:
    """With the units that are cheapest."""
    ports = machine.links_at_once
    behind = in_rounds(hops, ports, MANY)[1] - slots * MANY

    def rounds(units: int) -> int:
        return slots * -(-units // parts) + behind

    unit = unit_size(task, machine, rounds)
    units = -(-task.block // unit)
    return _Streams(parts, *in_rounds(hops, ports, -(-units // parts)), unit)


ALGORITHM = Algorithm(
    name="streams",
    paper="beyond the papers",
    ports="any",
    formula="about the least flow, for large blocks",
    applicable=applicable,
    emit=emit,
)
