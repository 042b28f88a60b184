"""The halo exchange of a stencil on data in a layout: what it moves, and what it costs.

Rules.

1. A star stencil (``corners=False``) reads along one axis at a time: all axes are exchanged
   independently, each of the faces once.
2. A box stencil (``corners=True``) reads every combination. The axes are exchanged in turn,
   and each also sends on what came along those before: no message goes to a diagonal
   neighbour.
3. Ends of a periodic axis are neighbours. A node is never sent what is its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import require_int
from graycube.gf2.arrays import IntArray
from graycube.layout import Layout
from graycube.layout.layout import require_cube
from graycube.layout.placement import Placement
from graycube.layout.required import require_single
from graycube.machine import Machine
from graycube.machine.model import Switching, require_cube_links
from graycube.stencil.line import Reach, strips
from graycube.stencil.messages import HaloMessage, messages
from graycube.stencil.reading import Reading
from graycube.stencil.rounds import HaloRound, Shift, pack
from graycube.stencil.routes import routed

ReachLike = int | Sequence[int | tuple[int, int]]
"""How far a stencil reads: one number, or for each axis a number or a pair of them."""
MAX_REACH = 1 << 32  # so that all counts along one axis fit 64 bits


@dataclass(frozen=True, slots=True)
class Halo:
    """What nodes send each other for a stencil; :func:`halo` makes one.

    ``reach`` and ``periodic`` have an entry per axis.

    >>> exchange = halo(Layout.mesh((512, 512), nodes=(8, 8), code="gray"), reach=1, itemsize=8)
    >>> exchange
    <Halo of (512, 512) on 64 nodes: reach 1 1, faces, 16384 elements sent>
    >>> machine = Machine(dims=6, startup=1e-3, per_byte=1e-6)
    >>> round(exchange.time(machine), 6)
    0.006048
    """

    layout: Layout
    reach: tuple[Reach, ...]
    periodic: tuple[bool, ...]
    corners: bool = False
    itemsize: int = 1

    @property
    def elements(self) -> int:
        """How many elements arrive, at all nodes together.

        >>> halo(Layout.nodes(3, "gray"), reach=1).elements
        16
        """
        phases = _phases(self, "circuit")
        return sum(shift.total * shift.way.runs for shifts in phases for shift in shifts)

    def rounds(self, machine: Machine | str) -> tuple[HaloRound, ...]:
        """The schedule on a machine, or on the profile of that name.

        >>> for r in halo(Layout.nodes(3), reach=[(0, 1)]).rounds("ipsc1"):
        ...     print(r.longest, r.crossings, *r.moves)
        1 8 axis 0 step +1 across 0
        1 4 axis 0 step +1 across 1
        1 2 axis 0 step +1 across 2
        """
        machine = require_cube_links(machine, self.layout.n, "a halo exchange")
        return _rounds(self, machine.links_at_once, machine.switching)

    def time(self, machine: Machine | str) -> float:
        """Seconds: the sum over the rounds of the time of the slowest message.

        >>> halo(Layout.nodes(3), reach=[(0, 1)]).time(Machine(dims=3, startup=4.0))
        15.0
        """
        machine = require_cube_links(machine, self.layout.n, "a halo exchange")
        slowest = (
            max(machine.message_time(load * self.itemsize, d) for d, load in found.loads)
            for found in self.rounds(machine)
        )
        return sum(slowest, 0.0)

    def own(self, node: int) -> list[IntArray]:
        """The coordinates that a node has along each axis.

        >>> halo(Layout.mesh((8, 6), nodes=(4, 2)), reach=1).own(1)
        [array([0, 1]), array([3, 4, 5])]
        """
        here = node ^ self.layout.map.constant & ((1 << self.layout.n) - 1)
        return [reading.own(reading.strip.component(here)) for reading in readings(self)]

    def messages(self, node: int) -> tuple[HaloMessage, ...]:
        """What a node sends, in the order of axes, sides and steps.

        >>> for message in halo(Layout.nodes(3, "gray"), reach=1).messages(7):
        ...     print(message)
        1 element from node 7 to 5 along axis 0, step -1
        1 element from node 7 to 6 along axis 0, step +1
        """
        return tuple(self._messages(node, sent=True))

    def received(self, node: int) -> tuple[HaloMessage, ...]:
        """What a node receives: the same messages, from the other end.

        >>> for message in halo(Layout.nodes(3, "gray"), reach=1).received(7):
        ...     print(message)
        1 element from node 6 to 7 along axis 0, step -1
        1 element from node 5 to 7 along axis 0, step +1
        """
        return tuple(self._messages(node, sent=False))

    def _messages(self, node: int, *, sent: bool) -> Iterator[HaloMessage]:
        nodes = 1 << self.layout.n
        if not 0 <= require_int(node, "node") < nodes:
            raise OutOfRangeError(
                f"node is {node}", f"it must lie in 0..{nodes - 1}", "check the layout"
            )
        constant = self.layout.map.constant & (nodes - 1)
        return messages(readings(self), node, constant, corners=self.corners, sent=sent)

    def __repr__(self) -> str:
        reach = " ".join(str(a) if a == b else f"{a}-{b}" for a, b in self.reach)
        kind = "corners" if self.corners else "faces"
        array = f"{self.layout.shape} on {1 << self.layout.n} nodes"
        return f"<Halo of {array}: reach {reach}, {kind}, {self.elements} elements sent>"


def halo(
    layout: Layout,
    reach: ReachLike,
    *,
    periodic: bool | Sequence[bool] = True,
    corners: bool = False,
    itemsize: int = 1,
) -> Halo:
    """The halo exchange of a stencil that reads so far along every axis.

    ``reach`` is one number for all axes, or an entry for each: a number, or a pair of how far
    below and how far above; 0 does not read. ``corners`` is for stencils that read along
    several axes at once.

    >>> layout = Layout.mesh((16, 16), nodes=(4, 4), code="gray")
    >>> halo(layout, reach=(1, (0, 2)), periodic=(True, False), corners=True)
    <Halo of (16, 16) on 16 nodes: reach 1 0-2, corners, 272 elements sent>
    """
    layout = require_cube(layout, "a halo in a cube")
    made = Halo(layout, *asked(layout, reach, periodic, corners, itemsize))
    for reading in readings(made):
        reading.strip.steps(reading.reach)  # raises where there is too much to count
    return made


def asked(
    layout: Placement, reach: object, periodic: object, corners: object, itemsize: int
) -> tuple[tuple[Reach, ...], tuple[bool, ...], bool, int]:
    """What is asked of a halo, with an entry for each axis.

    >>> asked(Layout.nodes(2), 1, True, False, 8)
    (((1, 1),), (True,), False, 8)
    """
    require_single(layout, "a halo")
    d = len(layout.shape)
    far = tuple(_reach(entry, k) for k, entry in enumerate(_per_axis(reach, d, "reach")))
    ring = tuple(_flag(x, "periodic") for x in _per_axis(periodic, d, "periodic"))
    size = require_int(itemsize, "itemsize", least=1)
    return far, ring, _flag(corners, "corners"), size


def _reach(entry: object, axis: int) -> Reach:
    pair = tuple(entry) if isinstance(entry, Iterable) else (entry, entry)
    if len(pair) != 2:
        raise InvalidValueError(
            f"reach[{axis}] has {len(pair)} entries",
            "it must be a number, or how far below and how far above",
            "give a pair, such as (1, 0)",
        )
    below, above = (require_int(far, f"reach[{axis}]", least=0) for far in pair)
    if max(below, above) > MAX_REACH:
        raise InvalidValueError(
            f"reach[{axis}] is {max(below, above)}"[:60],
            f"it must be at most {MAX_REACH}",
            "a reach of the length of the axis reads all of it",
        )
    return below, above


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidTypeError(f"{name} is {value!r:.60}", "it must be a bool", "pass one")
    return value


def _per_axis(value: object, d: int, name: str) -> tuple[object, ...]:
    """The entries of an argument that is one value for all axes or one for each."""
    if not isinstance(value, Iterable):
        return (value,) * d
    entries = tuple(value)
    if len(entries) != d:
        raise InvalidValueError(
            f"{name} has {len(entries)} entries for {d} axes",
            "one for all axes or one for each is needed",
            f"pass one value or {d} of them",
        )
    return entries


def readings(exchange: Halo) -> tuple[Reading, ...]:
    """Each axis of the layout as the stencil reads it.

    >>> len(readings(halo(Layout.mesh((8, 8), nodes=(2, 2)), reach=1)))
    2
    """
    entries = zip(strips(exchange.layout), exchange.reach, exchange.periodic, strict=True)
    return tuple(Reading(*entry) for entry in entries)


@lru_cache(maxsize=1024)
def _rounds(exchange: Halo, ports: int, switching: Switching) -> tuple[HaloRound, ...]:
    return pack(_phases(exchange, switching), ports)


def _phases(exchange: Halo, switching: Switching) -> list[list[Shift]]:
    """The messages of all steps; those of different phases are never under way together."""
    axes = readings(exchange)
    sizes = [(reading.strip.own, reading.strip.length) for reading in axes]
    phases: list[list[Shift]] = []
    for axis, reading in enumerate(axes):
        most, total = (prod(s[k] for j, s in enumerate(sizes) if j != axis) for k in (0, 1))
        phases.append(list(_shifts(axis, reading, most, total, switching)))
        if exchange.corners:
            surplus = reading.surplus()
            own, length = sizes[axis]
            sizes[axis] = own + int(surplus.max()), length + int(surplus.sum())
    return phases if exchange.corners else [[shift for shifts in phases for shift in shifts]]


def _shifts(
    axis: int, reading: Reading, most: int, total: int, switching: Switching
) -> Iterator[Shift]:
    strip = reading.strip
    for far in strip.steps(reading.reach):
        for way in routed(strip.line, far, periodic=reading.periodic, switching=switching):
            amount = strip.amount(way.step, reading.reach)
            yield Shift(axis, strip.dims, way, amount * most, amount * total)
