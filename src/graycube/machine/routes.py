"""The way of a message from node to node: the links that it takes, one after the other."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from graycube.machine.wires import Link, sides_of

if TYPE_CHECKING:
    from graycube.machine.model import Machine


class RouteLink(NamedTuple):
    """A link on the way of a message: its name, the same for all who take it, and its cost.

    A byte on a card that sends several messages at once takes its share of the time.

    >>> RouteLink((3, 0), Link(startup=1e-6, per_byte=1e-10)).name  # node 3, dimension 0
    (3, 0)
    """

    name: tuple[int | str, ...]
    link: Link


def route_of(machine: "Machine", source: int, target: int) -> tuple[RouteLink, ...]:
    """The links between two nodes, as users number them."""
    if machine.nested:
        return _up_and_down(machine, source, target)
    return tuple((_along_sides if machine.sides else _across)(machine, source, target))


def _up_and_down(machine: "Machine", source: int, target: int) -> tuple[RouteLink, ...]:
    """Up from all parts that hold the one end and not the other, and down into the others."""
    taken = [card for card in machine.wires if (source ^ target) >> card.dims.start]

    def ends(node: int, way: str) -> list[RouteLink]:
        return [
            RouteLink(
                (node >> len(card.nodes) << len(card.nodes), way, card.dims.start),
                Link(card.link.startup, card.link.per_byte / card.ports),
            )
            for card in taken
        ]

    return (*ends(source, "up"), *ends(target, "down")[::-1])


def _along_sides(machine: "Machine", node: int, target: int) -> Iterator[RouteLink]:
    first = 0
    for number, side in enumerate(sides_of(machine)):
        mask = (1 << side.bits) - 1
        here, there = node >> first & mask, target >> first & mask
        for place, step in side.route(here, there):
            at = node & ~(mask << first) | place << first
            yield RouteLink((at, len(machine.sides) - 1 - number, step), machine.links[first])
        node, first = node & ~(mask << first) | there << first, first + side.bits


def _across(machine: "Machine", source: int, target: int) -> Iterator[RouteLink]:
    node, cards = source, {wires.dims: wires for wires in machine.wires}
    for dims, _ in machine.levels:
        mask = (1 << dims.stop) - (1 << dims.start)
        crossed, card = (node ^ target) & mask, cards.get(dims)
        if card is not None and crossed:
            node ^= crossed
            at_once = Link(card.link.startup, card.link.per_byte / card.ports)
            for end, way in ((source, "card out"), (target, "card in")):
                first = end >> len(card.nodes) << len(card.nodes)
                yield RouteLink((first, way, dims.start), at_once)
        for d in dims if card is None else ():
            if crossed >> d & 1:
                yield RouteLink((node, d), machine.links[d])
                node ^= 1 << d
