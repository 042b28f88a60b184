"""How long a round of a halo takes where messages share links: as long as the busiest one.

Rules.

1. The number of a node is a sum: of what each axis adds to it, what tells copies apart, and a
   constant. A message along an axis is there for all that the others add. So what the axes
   send over a link adds up, and there is a link on which each axis sends its most.
2. A link is busy for the start-ups of the node that pays most there, one after the other, and
   for all bytes that pass it, over its ports; and never for less than its longest message takes
   alone. What a node sends to a receiver is one message, and so is what it sends out of a card
   over the same dimensions, or into one card.
3. A card is two links: out of the nodes that share it, and into them. Messages along a side of
   a torus take all links between: at once in a circuit, else one after the other. To a side
   they come by those of lower dimensions.

Where nodes along an open axis have halos of different lengths, each counts as the longest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.gf2.span import reduced_basis
from graycube.layout import Layout
from graycube.machine import Link, Machine, Wiring
from graycube.machine.sides import TorusSide
from graycube.machine.wires import all_sides

MOST_DIMS = 62
"""Numbers of nodes are words of 64 bits."""
Seconds = NDArray[np.floating]


class Faces(NamedTuple):
    """Messages along an axis: where each starts, in which bits its ends differ, and its bytes.

    >>> Faces(np.array([0, 1]), np.array([1, 1]), np.array([8.0, 8.0])).over(0b10).start.size
    0
    """

    start: IntArray
    flip: IntArray
    nbytes: Seconds

    def over(self, mask: int) -> "Faces":
        """Those that cross some dimensions."""
        here = np.flatnonzero(self.flip & mask)
        return Faces(self.start[here], self.flip[here], self.nbytes[here])

    def as_one(self, kind: IntArray) -> tuple[IntArray, IntArray, Seconds]:
        """What a node sends of a kind is one message: the nodes, the kinds, and the bytes."""
        pairs, which = np.unique(np.stack([self.start, kind]), axis=1, return_inverse=True)
        nbytes = np.zeros(pairs.shape[1])
        np.add.at(nbytes, which.ravel(), self.nbytes)
        return pairs[0], pairs[1], nbytes


def wires_for(machine: Machine) -> tuple[Wiring, ...]:
    """What messages between nodes, as users number them, share: on a torus all its sides.

    >>> [wires.shared for wires in wires_for(Machine.torus((2, 4)))]
    ['a ring of 4', 'a ring of 2']
    >>> wires_for(Machine.torus((2, 2)))
    ()
    """
    if machine.dims > MOST_DIMS and machine.wires:
        raise InvalidValueError(
            f"the machine has {machine.dims} dimensions",
            f"messages on links that are shared are counted for {MOST_DIMS} at most",
            "leave out share, or take a smaller machine",
        )
    if machine.sides:
        return all_sides(machine) if machine.wires or machine.renumbers else ()
    return machine.wires


def seconds(
    sent: Mapping[int, Sequence[Faces]], wires: Wiring, layout: Layout, machine: Machine
) -> float:
    """What the messages of a round, by their axes, take on links that are shared.

    >>> ring = Machine.torus((8,), startup=1.0, per_byte=1.0)
    >>> up = Faces(np.arange(8), np.arange(8) ^ (np.arange(8) + 1) % 8, np.full(8, 4.0))
    >>> seconds({0: [up]}, ring.wires[0], Layout.nodes(3), ring)
    5.0
    """
    mask = sum(1 << d for d in wires.dims)
    joined = ((axis, Faces(*map(np.concatenate, zip(*some, strict=True))).over(mask))
              for axis, some in sent.items())  # fmt: skip
    here = {axis: one for axis, one in joined if one.start.size}
    if not here:
        return 0.0
    if wires.side is None:
        as_one, steps = mask, _card(here, wires, layout, machine)
    else:
        as_one, steps = -1, _side(here, wires, wires.side, layout, machine)
    longest = max(float(one.as_one(one.flip & as_one)[2].max()) for one in here.values())
    alone = machine.message_time(round(longest), wires.dims.start)
    return sum(max(alone, float(busy) / wires.ports) for busy in steps)


def _startups(nbytes: Seconds, machine: Machine) -> Seconds:
    return np.sign(nbytes) if machine.packet is None else np.ceil(nbytes / machine.packet)


def _others(layout: Layout, axis: int) -> list[int]:
    """What other axes and copies can add to the number of a node."""
    own, low = layout.word_bits(axis), (1 << layout.n) - 1
    columns = enumerate(layout.map.matrix.columns)
    return reduced_basis(column & low for bit, column in columns if bit not in own)


def _less(vectors: IntArray, basis: Sequence[int]) -> IntArray:
    """The vectors without what a reduced basis can add to them."""
    for vector in basis:
        top = vector.bit_length() - 1
        vectors = np.where(vectors >> top & 1, vectors ^ vector, vectors)
    return vectors


def _card(
    sent: Mapping[int, Faces], wires: Wiring, layout: Layout, machine: Machine
) -> Iterator[float]:
    """Out of the busiest card, or into it: into it, one node sends the most start-ups."""
    mask, bits, link = sum(1 << d for d in wires.dims), len(wires.nodes), wires.link
    leaving, entering, more = 0.0, 0.0, 0.0
    for axis, one in sent.items():
        others = _others(layout, axis)
        basis = reduced_basis(vector >> bits for vector in others)
        nodes = float(1 << len(others) - len(basis))  # of one card, with each of the messages
        start, _, nbytes = one.as_one(one.flip & mask)
        node, of = np.unique(start, return_inverse=True)
        paid, passing = np.zeros((2, len(node)))
        np.add.at(paid, of, _startups(nbytes, machine))
        np.add.at(passing, of, nbytes * nodes)
        leaving += max(_by_card(_less(node >> bits, basis), paid, passing, link))
        _, card, nbytes = one.as_one((one.start ^ one.flip) >> bits)
        into = _less(card, basis), _startups(nbytes, machine), nbytes * nodes
        free = max(_by_card(into[0], into[1] * 0, into[2], link))
        entering += free
        more = max(more, max(_by_card(*into, link)) - free)
    yield max(leaving, entering + more)


def _by_card(card: IntArray, startups: Seconds, nbytes: Seconds, link: Link) -> Seconds:
    """The start-ups of whoever pays most at each card, and all its bytes."""
    _, which = np.unique(card, return_inverse=True)
    most, passing = np.zeros((2, int(which.max()) + 1))
    np.maximum.at(most, which, startups)
    np.add.at(passing, which, nbytes)
    return most * link.startup + passing * link.per_byte


@dataclass(frozen=True, slots=True, eq=False)
class _OnSides:
    """Messages along parallel sides: on which line, from which place, and so on.

    ``come`` are the dimensions that they crossed before: whoever came by others to the same
    place of a line is another node.
    """

    length: int
    line: IntArray
    place: IntArray
    come: IntArray
    up: NDArray[np.bool_]
    hops: IntArray
    nbytes: Seconds

    @classmethod
    def of(
        cls, sent: Faces, axis: int, dims: range, side: TorusSide, layout: Layout
    ) -> "_OnSides":
        """Those of an axis, for all places that other axes can add."""
        first, bits = dims.start, len(dims)
        places = (1 << bits) - 1
        node, flip, nbytes = sent.as_one(sent.flip)
        way, come = flip >> first & places, flip & (1 << first) - 1

        def aside(node: IntArray) -> IntArray:  # the line first, then the place on it
            low = node & (1 << first) - 1
            return (node >> dims.stop << first | low) << bits | node >> first & places

        added = [int(aside(np.array(vector))) for vector in _others(layout, axis)]
        basis = reduced_basis(added)
        lines = [vector for vector in basis if vector > places]
        on_line = [vector for vector in basis if vector <= places]
        start = _less(aside(node ^ come ^ layout.map.constant & (1 << layout.n) - 1), lines)
        shifted = reduced_basis(int(_less(np.array(v & places), on_line)) for v in lines)
        line, place = start >> bits, start & places
        which = np.arange(len(place))
        for vector in shifted:  # copies that stand elsewhere on their lines: lines of their own
            line, place = np.append(2 * line, 2 * line + 1), np.append(place, place ^ vector)
            which = np.tile(which, 2)
        for vector in on_line:
            line, place = np.tile(line, 2), np.append(place, place ^ vector)
            which = np.tile(which, 2)
        way, come, nbytes = way[which], come[which], nbytes[which]
        up, hops = side.ways(place, place ^ way)
        line = np.unique(line, return_inverse=True)[1]
        return cls(side.length, line, place, come, up, hops, nbytes)

    def at(self, steps: range) -> tuple[IntArray, IntArray]:
        """The messages under way in some steps, and the links that they take there."""
        pairs = [
            (np.flatnonzero(self.hops > k), self.place + np.where(self.up, k, -k))
            for k in steps
        ]
        which = np.concatenate([under for under, _ in pairs])
        at = np.concatenate([place[under] for under, place in pairs])
        return which, 2 * (at % self.length) + ~self.up[which]


def _side(
    sent: Mapping[int, Faces], wires: Wiring, side: TorusSide, layout: Layout, machine: Machine
) -> Iterator[float]:
    """On the busiest link in each step."""
    ways = [_OnSides.of(one, axis, wires.dims, side, layout) for axis, one in sent.items()]
    far = max(int(way.hops.max()) for way in ways)
    comes = np.unique(np.concatenate([way.come for way in ways]))
    for steps in [range(k, k + 1) for k in range(far)] if wires.hops else [range(far)]:
        # for whoever pays most, on each link
        busy = np.zeros((len(comes), side.length, 2 * side.length))
        for way in ways:
            busy += _busiest(way, steps, comes, wires.link, machine)
        yield float(busy.max())


def _busiest(
    way: _OnSides, steps: range, comes: IntArray, cost: Link, machine: Machine
) -> Seconds:
    """Of all lines the most on each link, with the start-ups of each place."""
    length, lines = way.length, int(way.line.max()) + 1
    which, link = way.at(steps)
    come, line, place = (
        np.searchsorted(comes, way.come)[which],
        way.line[which],
        way.place[which],
    )
    passing = np.zeros((lines, 2 * length))
    np.add.at(passing, (line, link), way.nbytes[which] * cost.per_byte)
    shape = len(comes), lines, length, 2 * length
    payers, of = np.unique(
        np.ravel_multi_index((come, line, place, link), shape), return_inverse=True
    )
    paid = np.zeros(len(payers))
    np.add.at(paid, of, _startups(way.nbytes[which], machine) * cost.startup)
    come, line, place, link = np.unravel_index(payers, shape)
    most = np.tile(passing.max(axis=0), (len(comes), length, 1))
    np.maximum.at(most, (come, place, link), paid + passing[line, link])
    return most
