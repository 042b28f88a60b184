"""What a machine is made of: places, cables between them, and the ways of its messages.

A node is a place, and each of its links is a cable to a neighbour. A card is a place as well:
nodes that share it reach it at once, and one cable, as fast as the card, leads from it to the
switch that joins all cards. The ways are those of ``machine.route``.
"""

from collections.abc import Iterator
from functools import cached_property
from math import prod
from typing import NamedTuple

import graycube as gc
from graycube.machine import RouteLink

DATA = 0.978
"""What share of a packet is data; the others are the headers of Ethernet, IP and TCP."""
SWITCH = "switch"


def alike(dims: int, rate: float) -> gc.Machine:
    """A cube with links that are alike, and carry ``rate`` Mbit/s with all headers."""
    return gc.Machine(dims, "all", "circuit", per_byte=8e-6 / (DATA * rate))


class Hop(NamedTuple):
    """From a place to the next one, on a cable of so many bits a second, or without limit."""

    here: str
    there: str
    rate: int | None


class Cables:
    """The cables of a machine, and which of them a message for a node takes at each place."""

    def __init__(self, machine: gc.Machine) -> None:
        cards = [wires for wires in machine.wires if wires.side is None]
        below = [(wires.dims.stop, 1 << wires.dims.start, wires.ports) for wires in cards]
        if below and below != [(machine.dims, 1 << len(cards[0].nodes), 1)]:
            raise SystemExit(
                f"only cards of the highest dimensions, with one port, can be built: {machine}"
            )
        self.nodes = [f"node{u}" for u in range(1 << machine.dims)]
        self.rates: dict[tuple[str, str], int | None] = {}
        self.onward: dict[tuple[str, str], str] = {}
        for mask in range(1, len(self.nodes)):  # links of cubes in the order of dimensions
            for u in range(len(self.nodes)):
                for here, there, rate in way(machine, u, u ^ mask):
                    self.rates[here, there] = rate
                    self.onward[here, self.nodes[u ^ mask]] = there

    @cached_property
    def neighbours(self) -> dict[str, list[str]]:
        """The places next to each place; nodes come first."""
        found: dict[str, list[str]] = {node: [] for node in self.nodes}
        for here, there in self.rates:
            found.setdefault(here, []).append(there)
        return found


def way(machine: gc.Machine, u: int, v: int) -> Iterator[Hop]:
    """The hops of a message between two nodes."""
    for link in machine.route(u, v):
        rate = round(8 / (DATA * link.link.per_byte))
        card = f"card{link.name[0]}"
        if "card out" in link.name:
            yield Hop(f"node{u}", card, None)
            yield Hop(card, SWITCH, rate)
        elif "card in" in link.name:
            yield Hop(SWITCH, card, rate)
            yield Hop(card, f"node{v}", None)
        else:
            after = (_along_side if machine.sides else _across)(machine, link)
            yield Hop(f"node{u}", f"node{after}", rate)
            u = after


def _across(_: gc.Machine, link: RouteLink) -> int:
    node, dim = map(int, link.name)
    return node ^ 1 << dim


def _along_side(machine: gc.Machine, link: RouteLink) -> int:
    node, side, step = map(int, link.name)
    length, stride = machine.sides[side], prod(machine.sides[side + 1 :])
    place = node // stride % length
    return node + ((place + step) % length - place) * stride
