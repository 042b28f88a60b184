"""Nodes that change places: every block, or part of one, is a message and finds its own way.

Rules. A *message* is an equal part of a block, from one node to another. Messages are put into
rounds, in several manners, of which the cheapest is taken:

1. *In order*: all cross the dimensions in one order; the parts of a block begin with different
   dimensions, so that they are never on the same one.
2. *Farthest first*: in every round a link takes one message, those first that have farthest to
   go, over any dimension that brings them nearer.
3. *Circuits*: each in the first round that has all links of its path, and ports, to spare.

What this takes depends on how many messages meet: it is counted. Each has a way of its own, so
they must be few.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import permutations
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import bit_indices
from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import always, why_conversion
from graycube.table.lanes import LaneStep, LaneWay, in_lanes
from graycube.table.relabel import is_renumbering

MOST = 1 << 9
"""So many messages, at most, find their ways."""
ALL_ORDERS = 3
"""Up to so many dimensions all orders are tried."""

_Pairs = tuple[tuple[int, int], ...]
_Message = tuple[int, int, int]
"""From a node to another, and which part of the block it is."""
_Hops = tuple[tuple[int, int], ...]
"""Rounds, and the dimension that is crossed in each."""


class Manner(NamedTuple):
    """How many messages are on the fullest link of each round, and what finds all hops."""

    parts: int
    fullest: tuple[int, ...]
    hops: Callable[[], Mapping[_Message, _Hops]]


def applicable(task: Task, machine: Machine) -> str | None:
    """Whole blocks that change nodes, but no conversion of codes, on a small cube."""
    if reason := why_conversion(task, machine):
        return reason
    if not is_renumbering(task.move, task.n):
        return "it moves whole blocks"
    return None if 1 << task.n <= MOST else f"it finds ways for {MOST} messages at most"


def emit(task: Task, machine: Machine) -> Schedule:
    """In the cheapest manner."""
    manner = _cheapest(task, machine)
    ways, found_hops = [], manner.hops()
    for start in range(1 << task.n):
        goal = task.move(start)
        for part in range(manner.parts):
            hops = found_hops.get((start, goal, part), ())
            ways.append(LaneWay(1, _steps(start, hops), (1 << task.n) - 1, start))
    return in_lanes(task, "by-message", ways)


def _cheapest(task: Task, machine: Machine) -> Manner:
    """Of all numbers of parts; also on fewer ports, where that may be cheaper."""

    def price(counts: Iterable[int], parts: int) -> float:
        size = -(-task.block // parts) * task.itemsize
        return sum(machine.message_time(size * count) for count in counts)

    circuits, ports = machine.switching == "circuit", machine.links_at_once
    pairs = tuple((u, task.move(u)) for u in range(1 << task.n))
    crossed = 1 << task.n if circuits else sum((u ^ v).bit_count() for u, v in pairs)
    found, least = list[Manner](), inf
    for used in range(ports, 0, -1):
        for parts in range(1, min(used, MOST >> task.n, task.block) + 1):
            rounds = -(-crossed * parts // (used << task.n))
            if used == ports or price([1] * rounds, parts) < least:
                found += manners(pairs, parts, used, circuits=circuits)
                least = min(price(manner.fullest, manner.parts) for manner in found)
    return min(found, key=lambda manner: price(manner.fullest, manner.parts))


def _steps(node: int, hops: _Hops) -> tuple[LaneStep, ...]:
    steps = []
    for number, d in hops:
        steps.append(LaneStep(number, always(d), (node, d)))
        node ^= 1 << d
    return tuple(steps)


def manners(pairs: _Pairs, parts: int, ports: int, *, circuits: bool) -> tuple[Manner, ...]:
    """All manners for messages between some nodes, each in so many parts."""
    found = (*in_orders(pairs, parts, parts), *hop_by_hop(pairs, parts, ports))
    return (*found, *on_circuits(pairs, parts, ports)) if circuits else found


@lru_cache(maxsize=1 << 8)  # whatever the block, and what a message costs
def in_orders(pairs: _Pairs, parts: int, units: int) -> tuple[Manner, ...]:
    """All messages cross the dimensions in one order, each part from another one on.

    A message has so many units. Who has a unit more than other parts goes round.
    """
    moving = np.array([(u, v) for u, v in pairs if u != v], dtype=np.int64)
    dims = _dimensions(_messages(pairs, 1))
    if parts > len(dims):
        return ()
    sizes = np.array([shared_out(units, parts, k) for k in range(parts)])
    amounts = sizes[np.arange(len(moving)) % parts].T
    return tuple(
        Manner(parts, _loads(moving, amounts, order), partial(_in_order, pairs, parts, order))
        for order in _orders(dims)
    )


def shared_out(units: int, parts: int, number: int) -> list[int]:
    """How many units of message k, by its ``number``, each part has.

    >>> [shared_out(5, 3, number) for number in range(3)]
    [[1, 2, 2], [2, 2, 1], [2, 1, 2]]
    """
    turns = ((k + number) % parts for k in range(parts))
    return [(turn + 1) * units // parts - turn * units // parts for turn in turns]


@lru_cache(maxsize=1 << 8)
def hop_by_hop(pairs: _Pairs, parts: int, ports: int) -> tuple[Manner, ...]:
    """Farthest first, with the parts of a message together or one after the other."""
    messages = _messages(pairs, parts)
    return _counted(
        parts, (_farthest_first(some, ports) for some in (messages, _by_part(messages)))
    )


@lru_cache(maxsize=1 << 8)
def on_circuits(pairs: _Pairs, parts: int, ports: int) -> tuple[Manner, ...]:
    """Circuits whose paths take the dimensions upwards or downwards."""
    messages = _messages(pairs, parts)
    dims = _dimensions(messages)
    return _counted(
        parts, (_on_circuits(_by_part(messages), order, ports) for order in (dims, dims[::-1]))
    )


@lru_cache(maxsize=1 << 8)
def in_subcubes(pairs: _Pairs, ports: int) -> tuple[Manner, ...]:
    """Circuits within subcubes, and then between them: what goes one way goes as one."""
    messages = _messages(pairs, 1)
    dims = _dimensions(messages)
    orders = ((order, cut) for order in (dims, dims[::-1]) for cut in range(1, len(dims)))
    return _counted(1, (_in_subcubes(messages, *each, ports) for each in orders))


def _messages(pairs: _Pairs, parts: int) -> list[_Message]:
    return [(u, v, k) for u, v in pairs if u != v for k in range(parts)]


def _by_part(messages: Sequence[_Message]) -> list[_Message]:
    return sorted(messages, key=lambda message: message[2])


def _counted(parts: int, ways: Iterable[dict[_Message, _Hops]]) -> tuple[Manner, ...]:
    return tuple(Manner(parts, _fullest(hops), partial(dict, hops)) for hops in ways)


def _fullest(hops: Mapping[_Message, _Hops]) -> tuple[int, ...]:
    loads = Counter[tuple[int, int, int]]()
    for (node, _, _), some in hops.items():
        at = node
        for number, d in some:
            loads[number, at, d] += 1
            at ^= 1 << d
    longest = [0] * (1 + max((number for number, _, _ in loads), default=-1))
    for (number, _, _), load in loads.items():
        longest[number] = max(longest[number], load)
    return tuple(longest)


def _dimensions(messages: Sequence[_Message]) -> list[int]:
    crossed = 0
    for u, v, _ in messages:
        crossed |= u ^ v
    return list(bit_indices(crossed))


def _turned(order: Sequence[int], part: int, parts: int) -> list[int]:
    """The order from another dimension on, and round."""
    first = part * len(order) // parts
    return [*order[first:], *order[:first]]


def _orders(dims: Sequence[int]) -> list[list[int]]:
    if len(dims) <= ALL_ORDERS:
        return [list(order) for order in permutations(dims)]
    return [_turned(way, k, len(dims)) for k in range(len(dims)) for way in (dims, dims[::-1])]


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
            d = _turned(order, k, parts)[r]
            crosses = across >> d & 1
            load += np.bincount(at[k] * n + d, amount * crosses, minlength=n << n)
            at[k] = at[k] ^ crosses << d
        longest.append(int(load.max()))
    return tuple(longest)


def _in_order(pairs: _Pairs, parts: int, order: Sequence[int]) -> dict[_Message, _Hops]:
    timed = [list(enumerate(_turned(order, k, parts))) for k in range(parts)]
    return {
        (u, v, k): tuple((r, d) for r, d in timed[k] if (u ^ v) >> d & 1)
        for u, v, k in _messages(pairs, parts)
    }


class _InUse:
    """What is in use in a round: links, a bit for each, and how many ports of each node."""

    def __init__(self, ports: int) -> None:
        self.ports = ports
        self.links = 0
        self.sends, self.takes = Counter[int](), Counter[int]()

    def admits(self, start: int, stop: int, links: int) -> bool:
        """Take one message more over these links, if there is room."""
        if self.links & links or self.ports in {self.sends[start], self.takes[stop]}:
            return False
        self.links |= links
        self.sends[start] += 1
        self.takes[stop] += 1
        return True


def _farthest_first(messages: Sequence[_Message], ports: int) -> dict[_Message, _Hops]:
    at = {message: message[0] for message in messages}
    hops = {message: list[tuple[int, int]]() for message in messages}
    number, n = 0, max(u | v for u, v, _ in messages).bit_length()
    while at:
        now = _InUse(ports)
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


def _on_circuits(
    messages: Sequence[_Message], order: Sequence[int], ports: int
) -> dict[_Message, _Hops]:
    parts = 1 + max(k for _, _, k in messages)
    n = max(u | v for u, v, _ in messages).bit_length()
    rounds, hops = list[_InUse](), dict[_Message, _Hops]()
    for u, v, k in messages:
        path = [d for d in _turned(order, k, parts) if (u ^ v) >> d & 1]
        links, node = 0, u
        for d in path:
            links |= 1 << node * n + d
            node ^= 1 << d
        rounds.append(_InUse(ports))  # there is always room in a new one
        number = next(r for r, one in enumerate(rounds) if one.admits(u, v, links))
        if number < len(rounds) - 1:
            rounds.pop()
        hops[u, v, k] = tuple((number, d) for d in path)
    return hops


def _in_subcubes(
    messages: Sequence[_Message], order: Sequence[int], cut: int, ports: int
) -> dict[_Message, _Hops]:
    later = sum(1 << d for d in order[:cut])
    hops: dict[_Message, _Hops] = dict.fromkeys(messages, ())
    begin = 0
    between = {(u, v, k): u & later | v & ~later for u, v, k in messages}
    for legs in (
        {(u, v, k): (u, at, k) for (u, v, k), at in between.items() if u != at},
        {(u, v, k): (at, v, k) for (u, v, k), at in between.items() if v != at},
    ):
        if legs:
            sizes = Counter(legs.values())
            largest = sorted(sizes, key=lambda leg: (-sizes[leg], leg))
            found = _on_circuits(largest, order, ports)
            for message, leg in legs.items():
                hops[message] += tuple((begin + r, d) for r, d in found[leg])
            begin += 1 + max(r for some in found.values() for r, _ in some)
    return hops


ALGORITHM = Algorithm(
    name="by-message",
    paper="the simple alternative",
    ports="any",
    formula="by counting; r (s + K t / p) where rotated orders of r dimensions do",
    applicable=applicable,
    emit=emit,
)
