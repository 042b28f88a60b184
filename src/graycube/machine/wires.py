"""Links that messages of several nodes or dimensions share: network cards, rings and paths.

Rules.

1. Where links are not shared, dimension d of the cube is a link of its own at each node.
2. A *card* serves all neighbouring dimensions whose links are alike. ``ports`` of its
   messages pass at once in each direction, and ``share`` nodes have it together: those that
   differ in the lowest bits. A message leaves by the card of its sender and enters by that of
   its receiver, once, whichever of their dimensions it crosses.
3. Cards may be *nested*, as the uplinks of a tree of switches are. Then each level has some,
   and a message takes those of all levels up to the outermost dimension that it crosses: out
   of all parts that it leaves, and into all that it enters.
4. A *side* of a torus or mesh is a ring or a path of nodes. A joined side of 4 is a square,
   which is a cube when it is numbered in Gray code; a side of 2 is one as it is. On any other
   side a message over a dimension goes along the side, the shorter way round, over all links
   between: one after the other where each hop is a message, at once in a circuit.

What a link is called does not matter, only who shares it: here it is a number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix, log2_exact, require_ints
from graycube.machine.sides import MAX_SIDE, TorusSide, require_joined
from graycube.texts import as_given, counted, in_digits

if TYPE_CHECKING:
    from graycube.machine.model import Machine

_Figure = TypeVar("_Figure", bound="int | str")
Steps = tuple[tuple[int, ...], ...]
"""The links of a message, those that it takes at once together."""


class Link(NamedTuple):
    """What a message pays to start on a link, and for each byte, in seconds.

    >>> Link(startup=1e-6, per_byte=1e-10).per_byte
    1e-10
    """

    startup: float
    per_byte: float


@dataclass(frozen=True, slots=True)
class Wiring:
    """The dimensions whose messages share links, and the links that each message takes.

    They are those of one level; of cards that are nested, also those of all outer levels.
    Nodes that share differ in the bits ``nodes``. A link carries ``ports`` messages at once.

    >>> ring = Wiring(range(3), Link(1.0, 1.0), range(3), TorusSide(8, joined=True))
    >>> ring.steps(0b100, 0), ring.steps(0b010, 1)  # from 0 over dimension 2, from 1 over 1
    (((0, 2, 4, 6),), ((2, 4),))
    """

    dims: range
    link: Link
    nodes: range
    side: TorusSide | None = None
    hops: bool = False
    ports: int = 1
    nested: bool = False

    @property
    def shared(self) -> str:
        """What it is that is shared.

        >>> Wiring(range(3), Link(1.0, 1.0), range(3), TorusSide(8, joined=False)).shared
        'a path of 8'
        >>> Wiring(range(2, 4), Link(1.0, 1.0), range(2)).shared
        'a card with 1 port for 4 nodes'
        """
        if self.side is not None:
            return f"a {'ring' if self.side.joined else 'path'} of {self.side.length}"
        users = counted(1 << len(self.nodes), "node")
        if not self.nested:
            return f"a card with {counted(self.ports, 'port')} for {users}"
        what = "an uplink" if self.ports == 1 else f"{self.ports} uplinks"
        return f"{what} for {users if self.nodes else 'each node'}"

    def steps(self, flip: int, place: int) -> Steps:
        """The links of a message over some dimensions, from one of the nodes that share."""
        if self.side is None:
            return ((0,),)
        return _along(self.side, place, place ^ flip >> self.dims.start, self.hops)

    def crowds(self, flip: int) -> tuple[int, ...]:
        """The most messages on one link, in each step, if all nodes send over some dimensions.

        >>> Wiring(range(3), Link(1.0, 1.0), range(3), TorusSide(8, joined=True)).crowds(0b100)
        (2,)
        """
        if self.side is None:
            return (1 << len(self.nodes),)
        return _crowds(self, self.side, flip)

    def loads(self, side: TorusSide, flip: int) -> NDArray[np.floating]:
        """How many messages each link of a side has, if all nodes send over some dimensions.

        >>> side = TorusSide(4, joined=False)
        >>> Wiring(range(2), Link(1.0, 1.0), range(2), side).loads(side, 0b10).tolist()
        [1.0, 2.0, 1.0, 0.0, 0.0, 1.0, 2.0, 1.0]
        """
        places = np.arange(side.length)
        there = places ^ flip >> self.dims.start
        up, down = side.loads(places, there, np.ones(side.length), 0 * places)
        return np.concatenate([up[0], down[0]])

    def narrowness(self, dim: int) -> Fraction:
        """How many nodes there are for each link that leads over a dimension, if more than one.

        >>> ring = Wiring(range(4), Link(1.0, 1.0), range(4), TorusSide(16, joined=True))
        >>> [str(ring.narrowness(d)) for d in range(4)]
        ['1', '1', '2', '4']
        """
        if self.side is None:
            return max(Fraction(1), Fraction(1 << len(self.nodes), self.ports))
        bit, ends = 1 << dim - self.dims.start, range(self.side.length)
        across = sum(
            not place & bit and bool(target & bit) and len(self.side.route(place, target)) == 1
            for place in ends
            for target in {(place + 1) % len(ends), place - 1 if place else len(ends) - 1}
        )
        return max(Fraction(1), Fraction(len(ends), 2 * across))


@lru_cache(maxsize=1 << 12)
def _crowds(wires: Wiring, side: TorusSide, flip: int) -> tuple[int, ...]:
    """Hop by hop, messages of all nodes are never on one link; at once, they are."""
    if wires.hops:
        places = np.arange(side.length)
        return (1,) * int(side.ways(places, places ^ flip >> wires.dims.start)[1].max())
    return (round(float(wires.loads(side, flip).max())),)


@lru_cache(maxsize=1 << 12)
def _along(side: TorusSide, source: int, target: int, hops: bool) -> Steps:  # noqa: FBT001
    links = tuple(2 * place + (step < 0) for place, step in side.route(source, target))
    return tuple((link,) for link in links) if hops else (links,)


def require_shares(machine: "Machine") -> None:
    """That as many nodes can have a card together as it is said."""
    for d in range(machine.dims):
        share = _figure(machine.share, d)
        if 1 << log2_exact(share, f"share, of dimension {d},") > 1 << d:
            raise InvalidValueError(
                f"share is {in_digits(share)} for dimension {d}",
                f"nodes with one card differ in the bits below it, and {1 << d} do",
                "give a figure for each dimension: 1 for those within a machine",
            )


def require_sides(machine: "Machine") -> None:
    """That the sides have as many nodes as the machine, and no cards."""
    sides = require_ints(machine.sides, "the sides")
    object.__setattr__(machine, "sides", sides)
    bits = [log2_exact(length, f"side {k}") for k, length in enumerate(sides)]
    if sides and max(sides) > MAX_SIDE:
        raise InvalidValueError(
            f"a side is {in_digits(max(sides))}",
            f"it must be at most {MAX_SIDE}",
            "take a smaller machine",
        )
    if sides and sum(bits) != machine.dims:
        raise InvalidValueError(
            f"the sides have {prod(sides)} nodes",
            f"the machine has {1 << machine.dims}",
            "leave dims to Machine.torus",
        )
    object.__setattr__(machine, "joined", require_joined(machine.joined, len(sides)))
    if sides and (isinstance(machine.ports, tuple) or machine.share != 1):
        raise InvalidValueError(
            "the machine has sides and cards",
            "nodes of a torus share only the links along its sides",
            "leave ports to one figure and share out",
        )


def require_nested(machine: "Machine") -> None:
    """That only cards are said to be nested."""
    if not isinstance(machine.nested, bool):
        raise InvalidTypeError(
            f"nested is {as_given(machine.nested, 40)}",
            "cards are nested or not",
            "use Machine.tree, or say True",
        )
    if machine.nested and machine.sides:
        raise InvalidValueError(
            "the machine has sides, and its cards are nested",
            "nodes of a torus have no cards",
            "leave one of them out",
        )


@lru_cache(maxsize=1 << 8)
def levels_of(machine: "Machine") -> tuple[range, ...]:
    """Neighbouring dimensions with links of one kind."""
    sides = [k for k, side in enumerate(sides_of(machine)) for _ in range(side.bits)]
    kinds = [
        (link, _figure(machine.ports, d), _figure(machine.share, d),
         sides[d] if sides and not sides_of(machine)[sides[d]].is_cube else None)
        for d, link in enumerate(machine.links)
    ]  # fmt: skip
    found, first = [], 0
    for _, run in groupby(kinds):
        after = first + len(list(run))
        found.append(range(first, after))
        first = after
    return tuple(found) or (range(0),)


@lru_cache(maxsize=1 << 8)
def wires_of(machine: "Machine") -> tuple[Wiring, ...]:
    """The levels in which messages share links."""
    return tuple(_wires(machine))


def _wires(machine: "Machine") -> Iterator[Wiring]:
    if machine.sides:
        yield from (
            wires for wires in all_sides(machine) if wires.side and not wires.side.is_cube
        )
        return
    if isinstance(machine.ports, int | str) and machine.share == 1 and not machine.nested:
        return
    for level in levels_of(machine) if machine.dims else ():
        share = _figure(machine.share, level.start)
        dims = range(level.start, machine.dims) if machine.nested else level
        ports = machine.ports[dims.start] if isinstance(machine.ports, tuple) else machine.ports
        once = len(dims) if isinstance(ports, str) else min(ports, len(dims))
        limited = isinstance(machine.ports, tuple) and once < len(dims)
        if share > 1 or limited or machine.nested:
            nodes = range(share.bit_length() - 1)
            link = machine.links[dims.start]
            yield Wiring(dims, link, nodes, ports=once, nested=machine.nested)


@lru_cache(maxsize=1 << 8)
def all_sides(machine: "Machine") -> tuple[Wiring, ...]:
    """The sides of a torus, also those that are cubes, for nodes as users number them.

    >>> from graycube.machine import Machine
    >>> [wires.shared for wires in all_sides(Machine.torus((1, 4, 8)))]
    ['a ring of 8', 'a ring of 4']
    """
    hops, first, found = machine.switching == "store-and-forward", 0, list[Wiring]()
    for side in sides_of(machine):
        dims = range(first, first + side.bits)
        if dims:
            found.append(Wiring(dims, machine.links[first], dims, side, hops))
        first = dims.stop
    return tuple(found)


@lru_cache(maxsize=1 << 8)
def numbers_of(machine: "Machine") -> AffineMap:
    """From the number that users know to the one in the cube."""
    columns: list[int] = []
    for side in sides_of(machine):
        first = len(columns)
        columns += [side.number(1 << j) << first for j in range(side.bits)]
    return (
        AffineMap(Matrix(tuple(columns), machine.dims))
        if columns
        else AffineMap.identity(machine.dims)
    )


def sides_of(machine: "Machine") -> list[TorusSide]:
    """The sides, that of the lowest bits first.

    >>> from graycube.machine import Machine
    >>> [side.length for side in sides_of(Machine.torus((2, 8)))]
    [8, 2]
    """
    pairs = zip(machine.sides, machine.joined, strict=True)
    return [TorusSide(length, joined) for length, joined in pairs][::-1]


def _figure(given: _Figure | tuple[_Figure, ...], dim: int) -> _Figure:
    return given[dim] if isinstance(given, tuple) else given
