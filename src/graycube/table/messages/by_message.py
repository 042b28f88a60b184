"""Nodes that change places: every block, or part of one, is a message and finds its own way.

Rules. A *message* is an equal part of a block, from one node to another. Messages are put into
rounds, in several manners, of which the cheapest is taken:

1. *In order*: all cross the dimensions in one order; the parts of a block begin with different
   dimensions, so that they are never on the same one.
2. *Farthest first*: in every round a link takes one message, those first that have farthest to
   go, over any dimension that brings them nearer.
3. *Circuits*: each in the first round that has all links of its path, and ports, to spare
   (``circuits``). So the parts of a block go at once, over several paths.

What this takes depends on how many messages meet, and on how long the parts are that do: it is
counted. Each has a way of its own, so they must be few.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import count, permutations
from math import inf
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import bit_indices
from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import (
    always,
    converted,
    in_sequence,
    is_renumbering,
    why_conversion,
)
from graycube.table.lanes import LaneStep, LaneWay, cycles, in_lanes, shares_of
from graycube.table.messages.circuits import FEW, by_detours, on_circuits
from graycube.table.messages.manners import (
    Hops,
    InUse,
    Manner,
    Message,
    Pairs,
    by_part,
    counted,
    dimensions,
    messages,
    turned,
)
from graycube.table.shares import evenly

MOST = 1 << 9
"""So many messages, at most, find their ways."""
CODES = 6
"""Dimensions up to which circuits carry codes."""
ALL_ORDERS = 3
"""Up to so many dimensions all orders are tried."""


def applicable(task: Task, machine: Machine) -> str | None:
    """Whole blocks that change nodes on a small cube; codes where circuits go round."""
    reason = why_conversion(task, machine)
    if reason and not _is_small_conversion(task, machine):
        return reason
    if not is_renumbering(task.move, task.n):
        return "it moves whole blocks"
    return None if 1 << task.n <= MOST else f"it finds ways for {MOST} messages at most"


def _is_small_conversion(task: Task, machine: Machine) -> bool:
    """On larger cubes the algorithms for codes take no more."""
    several = machine.switching == "circuit" and machine.links_at_once > 1
    return several and machine.dims == task.n <= CODES and bool(converted(task))


def emit(task: Task, machine: Machine) -> Schedule:
    """In the cheapest manner."""
    return in_lanes(task, "by-message", _ways(_cheapest(task, machine), task))


def price(task: Task, machine: Machine) -> float:
    """What it takes, if it applies."""
    if applicable(task, machine) is not None:
        return inf
    return _price(_cheapest(task, machine), task, machine)


def _ways(manner: Manner, task: Task) -> list[LaneWay]:
    """What each part of each block does."""
    moving, ways, found = count(), list[LaneWay](), manner.hops()
    for start in range(1 << task.n):
        goal = task.move(start)
        number = next(moving) if start != goal else 0
        for part, size in enumerate(shared_out(manner.dealt, manner.parts, number)):
            hops = found.get((start, goal, part), ())
            ways.append(LaneWay(size, _steps(start, hops), (1 << task.n) - 1, start))
    return ways


def _price(manner: Manner, task: Task, machine: Machine) -> float:
    """What the rounds take; where units are not equal, they are counted."""
    size, more = divmod(task.block, manner.dealt)
    if more:
        lengths = cycles(shares_of(_ways(manner, task)), task.block)
    else:
        lengths = [size * count for count in manner.fullest]
    return in_sequence(lengths, task, machine)


def _going_round(manner: Manner, task: Task) -> Iterator[Manner]:
    """If parts are not equal, the same where another part of each message is a longer one."""
    if manner.units is None and task.block % manner.parts:
        other = manner._replace(units=task.block)
        shares = shares_of(_ways(other, task))
        yield other._replace(fullest=tuple(cycles(shares, task.block)))


def _least(manner: Manner, task: Task, machine: Machine) -> float:
    """The same with units that are all as short as the shortest."""
    size = task.block // manner.dealt
    return in_sequence((size * count for count in manner.fullest), task, machine)


@lru_cache(maxsize=1 << 5)
def _cheapest(task: Task, machine: Machine) -> Manner:
    """Manners are laid out, and counted, where they may take less than the best one so far."""
    found, least = list[Manner](), inf
    for below, lay_out in sorted(_choices(task, machine), key=itemgetter(0)):
        for manner in lay_out() if below < least else ():
            if _least(manner, task, machine) < least:
                for each in (manner, *_going_round(manner, task)):
                    price = _price(each, task, machine)
                    if price < least:
                        found, least = [each], price
    return found[0]


def _choices(
    task: Task, machine: Machine
) -> Iterator[tuple[float, Callable[[], tuple[Manner, ...]]]]:
    """What they take at least, and what lays them out; also on fewer ports, if that is cheaper.

    Where links differ, circuits are led by the network. On more ports than parts they are the
    same; many messages do not try fewer.
    """
    pairs = tuple((u, task.move(u)) for u in range(1 << task.n))
    each, dims = [(u ^ v).bit_count() for u, v in pairs], dimensions(messages(pairs, 1))
    circuits = machine.switching == "circuit"
    for used in range(machine.links_at_once, 0, -1):
        for parts in range(1, min(2 * used, (MOST >> task.n) + 1, task.block + 1)):
            once = machine.message_time(task.block // parts * task.itemsize)
            hops, some = parts * sum(each), (pairs, parts, used)
            fewest = max(-(-hops // (task.n << task.n)), -(-parts // used))
            again = parts << task.n <= FEW or used == machine.links_at_once
            if circuits and machine.alike and (parts == used or (parts > used and again)):
                yield fewest * once, partial(by_detours, *some)
            if parts == used:
                if circuits:
                    yield fewest * once, partial(on_circuits, *some, led=machine.leads)
                units = parts if task.block % parts == 0 else task.block
                yield len(dims) * once, partial(in_orders, pairs, parts, units)
            if parts <= used:
                fewest = max(-(-hops // (used << task.n)), *each)
                yield fewest * once, partial(hop_by_hop, *some)


def _steps(node: int, hops: Hops) -> tuple[LaneStep, ...]:
    steps = []
    for number, d in hops:
        steps.append(LaneStep((always(d),), (number, 1, (node, d))))
        node ^= 1 << d
    return tuple(steps)


@lru_cache(maxsize=1 << 8)  # whatever the block, and what a message costs
def in_orders(pairs: Pairs, parts: int, units: int) -> tuple[Manner, ...]:
    """All messages cross the dimensions in one order, each part from another one on.

    A message has so many units. Who has a unit more than other parts goes round.
    """
    moving = np.array([(u, v) for u, v in pairs if u != v], dtype=np.int64)
    dims = dimensions(messages(pairs, 1))
    if parts > len(dims):
        return ()
    sizes = np.array([shared_out(units, parts, k) for k in range(parts)])
    amounts = sizes[np.arange(len(moving)) % parts].T
    counts = ((order, _loads(moving, amounts, order)) for order in _orders(dims))
    return tuple(
        Manner(parts, fullest, partial(_in_order, pairs, parts, order), units)
        for order, fullest in counts
    )


def shared_out(units: int, parts: int, number: int) -> list[int]:
    """How many units of message k, by its ``number``, each part has.

    >>> [shared_out(5, 3, number) for number in range(3)]
    [[1, 2, 2], [2, 2, 1], [2, 1, 2]]
    """
    sizes, first = evenly(units, parts), number % parts
    return sizes[first:] + sizes[:first]


@lru_cache(maxsize=1 << 8)
def hop_by_hop(pairs: Pairs, parts: int, ports: int) -> tuple[Manner, ...]:
    """Farthest first, with the parts of a message together or one after the other."""
    some = messages(pairs, parts)
    return counted(parts, (_farthest_first(each, ports) for each in (some, by_part(some))))


def _orders(dims: Sequence[int]) -> list[list[int]]:
    if len(dims) <= ALL_ORDERS:
        return [list(order) for order in permutations(dims)]
    return [turned(way, k, len(dims)) for k in range(len(dims)) for way in (dims, dims[::-1])]


def _loads(
    moving: NDArray[np.int64], amounts: NDArray[np.int64], order: Sequence[int]
) -> tuple[int, ...]:
    """What the fullest link of each round carries, if each part has its turn of the order."""
    start, across = moving[:, 0], moving[:, 0] ^ moving[:, 1]
    parts, n = len(amounts), int(moving.max()).bit_length()
    at, longest = [start] * parts, []
    for r in range(len(order)):
        load = np.zeros(n << n)
        for k, amount in enumerate(amounts):
            d = turned(order, k, parts)[r]
            crosses = across >> d & 1
            load += np.bincount(at[k] * n + d, amount * crosses, minlength=n << n)
            at[k] = at[k] ^ crosses << d
        longest.append(int(load.max()))
    return tuple(longest)


def _in_order(pairs: Pairs, parts: int, order: Sequence[int]) -> dict[Message, Hops]:
    timed = [list(enumerate(turned(order, k, parts))) for k in range(parts)]
    return {
        (u, v, k): tuple((r, d) for r, d in timed[k] if (u ^ v) >> d & 1)
        for u, v, k in messages(pairs, parts)
    }


def _farthest_first(messages: Sequence[Message], ports: int) -> dict[Message, Hops]:
    at = {message: message[0] for message in messages}
    hops = {message: list[tuple[int, int]]() for message in messages}
    number, n = 0, max(u | v for u, v, _ in messages).bit_length()
    while at:
        now = InUse(ports)
        for message in sorted(at, key=lambda one: -(at[one] ^ one[1]).bit_count()):
            node = at[message]
            for d in bit_indices(node ^ message[1]):
                if now.admits(node, node ^ 1 << d, 1 << (node * n + d)):
                    hops[message].append((number, d))
                    at[message] = node ^ 1 << d
                    break
        at = {message: node for message, node in at.items() if node != message[1]}
        number += 1
    return {message: tuple(some) for message, some in hops.items()}


ALGORITHM = Algorithm(
    name="by-message",
    paper="the simple alternative",
    ports="any",
    formula="by counting; r (s + K t / p) where rotated orders of r dimensions do",
    applicable=applicable,
    emit=emit,
)
