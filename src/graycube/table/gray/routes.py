"""What the pipelined algorithms share: units, routes, and how large a unit should be.

Rules.

1. A block is cut into *units* of equally many elements, the last one perhaps smaller. In a
   round of as many cycles each link carries at most one unit, so "element transfers in
   sequence" are counted in rounds of units of one element.
2. A *route* is followed by consecutive units, each a round behind the one before it.
3. Large units pay few start-ups, small ones fill the pipeline sooner: the planner's choice is
   the cheapest on the machine (:func:`unit_size`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from graycube.gf2 import Exchange
from graycube.machine import Machine
from graycube.schedule import Schedule, Task, Way, hop
from graycube.table.conversion import Field, always, converted, where_not, why_no_conversion

InRound = tuple[int, Exchange]
"""A round and the exchange that the first unit of a route does in it."""


@dataclass(frozen=True, slots=True)
class Route:
    """So many units that follow the same exchanges, on the nodes with node & mask == value."""

    units: int
    steps: tuple[InRound, ...]
    mask: int = 0
    value: int = 0


def on_routes(
    task: Task, name: str, unit: int, rounds: int, routes: Sequence[Route]
) -> Schedule:
    """The schedule of routes that share out the block, one after the other.

    First come those of all nodes; behind them each subcube shares out the rest.
    """
    ways = []
    taken = {(0, 0): 0}
    for route in sorted(routes, key=lambda route: route.mask != 0):
        start = taken.get((route.mask, route.value), taken[0, 0])
        stop = min(task.block, start + route.units * unit)
        taken[route.mask, route.value] = stop
        if start < stop:
            hops = tuple(hop(unit * r, exchange, task.n) for r, exchange in route.steps)
            ways.append(Way(start, stop, hops, route.mask, route.value))
    cycles = unit * rounds
    return Schedule(task, name, range(0, cycles, unit), cycles, tuple(ways))


def reversed_in_time(routes: Sequence[Route], rounds: int) -> list[Route]:
    """The routes of the opposite conversion: the same links in the opposite order of time.

    A route of some nodes must take them to a subcube of the same shape.
    """
    turned = []
    for route in routes:
        end = route.value
        for _, exchange in route.steps:
            end = exchange(end)
        steps = tuple((rounds - at - route.units, e) for at, e in reversed(route.steps))
        turned.append(Route(route.units, steps, route.mask, end & route.mask))
    return turned


def unit_size(task: Task, machine: Machine, rounds: Callable[[int], int]) -> int:
    """The elements of a unit for which so many rounds of whole units are cheapest.

    ``rounds(units)`` is the length of the pipeline; it grows with the number of units.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=1000)
    >>> [unit_size(task, Machine(4, startup=s), lambda units: units + 2) for s in (0, 10, 500)]
    [1, 77, 500]
    """

    def price(size: int) -> tuple[float, int]:
        length = rounds(-(-task.block // size))
        return length * machine.message_time(size * task.itemsize), length

    cheapest: int = min(unit_sizes(task, machine), key=price)
    return cheapest


def unit_sizes(task: Task, machine: Machine) -> list[int]:
    """The sizes of units that are worth a try: for few units all, for more about every one.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=10)
    >>> unit_sizes(task, Machine(4))
    [1, 2, 3, 4, 5, 10]
    """
    counts = {*range(1, 65), task.block}
    counts.update(int(65 * 1.05**k) for k in range(task.block.bit_length() * 15))
    sizes = {-(-task.block // count) for count in counts}
    if machine.packet is not None:
        sizes.add(max(1, min(task.block, machine.packet // task.itemsize)))
    return sorted(sizes)


def least_seconds(task: Task, machine: Machine, unit: int, rounds: int, alone: int) -> float:
    """What so many rounds take at least, if only the last unit moves in ``alone`` of them.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=7)
    >>> least_seconds(task, Machine(4, startup=10.0, per_byte=1.0), 3, rounds=5, alone=2)
    61.0
    """
    last = 1 + (task.block - 1) % unit
    full, rest = (machine.message_time(size * task.itemsize) for size in (unit, last))
    alone = min(alone, rounds)
    return (rounds - alone) * full + alone * rest


def hop_by_hop(task: Task, machine: Machine) -> float:
    """What every conversion takes at least whose messages cross one link in a round.

    There is a start-up for each link of the longest path, and half of the block over some link.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=8)
    >>> hop_by_hop(task, Machine(4, startup=10.0, per_byte=1.0))
    34.0
    """
    if why_no_conversion(task, machine) is not None:
        return 0.0
    link = machine.cheapest
    return dimensions(widths_of(task)) * link.startup + task.block_bytes / 2 * link.per_byte


def too_few_ports(machine: Machine, needed: int) -> str | None:
    """The reason why a pipeline does not apply whose nodes send on so many links at once."""
    return None if machine.links_at_once >= needed else f"it needs {needed} ports"


def dimensions(widths: Sequence[int]) -> int:
    """How many dimensions fields of so many bits exchange: all but their top ones."""
    return sum(width - 1 for width in widths)


def widths_of(task: Task) -> tuple[int, ...]:
    """The widths of the fields that the task converts."""
    return tuple(field.width for field in converted(task))


def short_steps(fields: Sequence[Field]) -> list[Exchange]:
    """All exchanges of a route over a shortest path, field by field."""
    return [exchange for field in fields for exchange in field.steps()]


def cut_short(fields: Sequence[Field], first: int) -> list[Exchange]:
    """The same cyclically from the exchange number ``first`` on (TR-20-91 Theorem 1).

    The field that it falls into is exchanged in another order, so its conditions change.
    """
    before: list[Exchange] = []
    after: list[Exchange] = []
    for field, start in zip(
        fields, accumulate((f.width - 1 for f in fields), initial=0), strict=False
    ):
        cut = min(max(first - start, 0), field.width - 1)
        order = field.order[cut:] + field.order[:cut]
        exchanges = field.exchanges(order)
        after += exchanges[: len(order) - cut]
        before += exchanges[len(order) - cut :]
    return after + before


def long_rounds(widths: Sequence[int], units: int) -> int:
    """Rounds that so many units need over longer paths (see :func:`long_routes`)."""
    share = -(-units // len(widths)) if widths else 0
    return len(widths) * (share + max(share, *widths)) if units else 0


def long_routes(fields: Sequence[Field], units: int) -> list[Route]:
    """Detours over the top dimensions of the fields (TR-20-91 sections 5.1 and 5.2).

    Across the top dimension of a field all conditions of :meth:`Field.steps` are complementary
    (Theorem 7), so these routes use the links that short routes leave idle. The top dimension
    itself is crossed there and back, first there by all units and then back by all. With
    several fields the units are shared out: in every phase each share converts another one.
    """
    count = len(fields)
    share = -(-units // count)
    phase = share + max(share, *(field.width for field in fields))
    routes = []
    for j in range(count):
        steps: list[InRound] = []
        for p in range(count):
            field, start = fields[(j + p) % count], p * phase
            crossing = [where_not(exchange) for exchange in field.steps()]
            steps.append((start, always(field.top)))
            steps += [(start + 1 + k, exchange) for k, exchange in enumerate(crossing)]
            steps.append((start + max(share, field.width), always(field.top)))
        size = (units + count - 1 - j) // count  # shares that differ by at most one
        routes.append(Route(size, tuple(steps)))
    return routes


def split(widths: Sequence[int], units: int, short: Callable[[int], int]) -> tuple[int, int]:
    """How many of the units should take long routes, and the rounds until all have arrived.

    ``short(units)`` are the rounds of so many short ones. These take less time and the long
    ones more, the more units are long.
    """

    def rounds(aside: int) -> int:
        return max(short(units - aside), long_rounds(widths, aside))

    low, high = 0, units
    while low < high:  # the fewest long units that are no faster than the others
        middle = (low + high) // 2
        if long_rounds(widths, middle) >= short(units - middle):
            high = middle
        else:
            low = middle + 1
    aside = min({0, max(low - 1, 0), low}, key=lambda count: (rounds(count), count))
    return aside, rounds(aside)
