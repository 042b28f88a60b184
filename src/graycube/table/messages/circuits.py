"""Messages on circuits: each in the first round that has room for it.

Rules. A circuit holds all links of its path for a round, and a port at each end.

1. *In an order* of dimensions, upwards or downwards; parts of a message begin with different
   ones. So paths are as short as can be. Where the network leads messages, they are *led* over
   the lowest dimension first, as ``Machine.route`` says: parts have no paths of their own.
2. *By detours*: if that path is not free, then over the shortest one that is. So several parts
   of a message go at once where their short paths meet, and links that nobody needs are in
   use. Few messages try to do with a round less (``slots``).
3. *Within subcubes*, and then between them: what goes one way goes as one.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

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
from graycube.table.messages.slots import first_nodes, in_slots, lower_nodes

FEW = 1 << 8
"""So many messages, at most, are tried again in fewer rounds."""


@lru_cache(maxsize=1 << 8)
def on_circuits(
    pairs: Pairs, parts: int, ports: int, *, led: bool = False
) -> tuple[Manner, ...]:
    """Circuits whose paths take the dimensions upwards or downwards, or as they are led."""
    some = messages(pairs, parts)
    orders = _orders(dimensions(some), led=led)[: 2 - parts if led else None]
    return counted(parts, (_on_circuits(by_part(some), order, ports) for order in orders))


@lru_cache(maxsize=1 << 8)
def by_detours(pairs: Pairs, parts: int, ports: int) -> tuple[Manner, ...]:
    """Circuits that may go round: first parts first, or those that have least far to go."""
    some = by_part(messages(pairs, parts))
    near = sorted(some, key=lambda message: (message[0] ^ message[1]).bit_count())
    found = [_round_about(order, ports) for order in (some, near)]
    rounds = min(
        1 + max(number for hops in one.values() for number, _ in hops) for one in found
    )
    while len(some) <= FEW and rounds > _fewest(some, ports):
        rounds -= 1
        less = in_slots(pairs, parts, ports, rounds, circuits=True)
        if less is None:
            break
        found.append(less)
    return counted(parts, found)


def _fewest(some: Sequence[Message], ports: int) -> int:
    """So many rounds at least: for a node, and for the links."""
    n = max(u | v for u, v, _ in some).bit_length()
    leaving = max(Counter(u for u, _, _ in some).values())
    hops = sum((u ^ v).bit_count() for u, v, _ in some)
    return max(-(-leaving // ports), -(-hops // (n << n)))


@lru_cache(maxsize=1 << 8)
def in_subcubes(pairs: Pairs, ports: int, *, led: bool) -> tuple[Manner, ...]:
    """Circuits within subcubes, and then between them: what goes one way goes as one."""
    some = messages(pairs, 1)
    dims = dimensions(some)
    cuts = product(_orders(dims, led=led), range(1, len(dims)))
    return counted(1, (_in_subcubes(some, *each, ports) for each in cuts))


def _orders(dims: list[int], *, led: bool) -> list[list[int]]:
    return [dims] if led else [dims, dims[::-1]]


def _on_circuits(
    some: Sequence[Message], order: Sequence[int], ports: int
) -> dict[Message, Hops]:
    """In the first round in which the path that has this order is free."""
    parts = 1 + max(k for _, _, k in some)
    n = max(u | v for u, v, _ in some).bit_length()
    rounds, hops = list[InUse](), dict[Message, Hops]()
    for u, v, k in some:
        path = [d for d in turned(order, k, parts) if (u ^ v) >> d & 1]
        links = _links(u, path, n)
        rounds.append(InUse(ports))  # there is always room in a new one
        number = next(r for r, one in enumerate(rounds) if one.admits(u, v, links))
        if number < len(rounds) - 1:
            rounds.pop()
        hops[u, v, k] = tuple((number, d) for d in path)
    return hops


def _round_about(some: Sequence[Message], ports: int) -> dict[Message, Hops]:
    """In the first round in which any path is free, over a shortest one.

    Rounds only fill: where one part of a message found no path, no other will.
    """
    n = max(u | v for u, v, _ in some).bit_length()
    rounds, hops, first = list[InUse](), dict[Message, Hops](), dict[tuple[int, int], int]()
    for u, v, k in some:
        number, path = first.get((u, v), 0), None
        while path is None:
            if number == len(rounds):
                rounds.append(InUse(ports))
            one = rounds[number]
            if ports not in {one.sends[u], one.takes[v]}:
                path = _free_path(one.links, u, v, n)
            number += path is None
        rounds[number].admits(u, v, _links(u, path, n))
        hops[u, v, k] = tuple((number, d) for d in path)
        first[u, v] = number
    return hops


def _links(node: int, path: Sequence[int], n: int) -> int:
    """A bit for each link, those of a dimension side by side."""
    links = 0
    for d in path:
        links |= 1 << (d << n | node)
        node ^= 1 << d
    return links


def _free_path(links: int, start: int, stop: int, n: int) -> list[int] | None:
    """The dimensions of a shortest path without these links, if there is one: low ones first.

    The nodes from which it is so many links to the end are the bits of a word.
    """
    if not ~links & first_nodes(n, n) << start:  # no link leaves the start
        return None
    nodes = (1 << (1 << n)) - 1
    free = [~links >> (d << n) & nodes for d in range(n)]
    across = [(1 << d, lower, free[d]) for d, lower in enumerate(lower_nodes(n, 1))]
    seen, near = 1 << stop, [1 << stop]
    while not seen >> start & 1:
        reached, last = 0, near[-1]
        for far, lower, open_ in across:
            reached |= ((last & lower) << far | last >> far & lower) & open_
        near.append(reached & ~seen)
        seen |= reached
        if not near[-1]:
            return None
    path = list[int]()
    for nearer in reversed(near[:-1]):
        d = next(d for d in range(n) if free[d] >> start & nearer >> (start ^ 1 << d) & 1)
        path.append(d)
        start ^= 1 << d
    return path


def _in_subcubes(
    some: Sequence[Message], order: Sequence[int], cut: int, ports: int
) -> dict[Message, Hops]:
    later = sum(1 << d for d in order[:cut])
    hops: dict[Message, Hops] = dict.fromkeys(some, ())
    begin = 0
    between = {(u, v, k): u & later | v & ~later for u, v, k in some}
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
