"""The halo exchange of a stencil on data in a layout: what it moves, and what it costs.

Rules.

1. A star stencil (``corners=False``) reads along one axis at a time: all axes are exchanged
   independently, each of the faces once.
2. A box stencil (``corners=True``) reads every combination. The axes are exchanged in turn,
   and each also sends on what came along those before: no message goes to a diagonal
   neighbour.
3. Ends of a periodic axis are neighbours. A node is never sent what is its own.
4. With a stride, neighbours along an axis are so many elements apart, and reach counts strides.
5. Where nodes have copies, those of each copy send each other what it needs: copies differ by
   node bits that no index reaches.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.gf2 import require_int
from graycube.gf2.arrays import IntArray
from graycube.gf2.span import without
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits
from graycube.layout.required import per_axis, require_flag, require_powers
from graycube.machine import Machine, require_machine
from graycube.machine.model import Switching
from graycube.stencil.crowded import seconds, wires_for
from graycube.stencil.line import Reach, strips
from graycube.stencil.messages import HaloMessage, Reading, messages
from graycube.stencil.rounds import Filled, HaloRound, Shift, pack
from graycube.stencil.routes import routed

if TYPE_CHECKING:
    from graycube.stencil.owned import OwnedHalo

ReachLike = int | Sequence[int | tuple[int, int]]
"""How far a stencil reads: one number, or for each axis a number or a pair of them."""
MAX_REACH = 1 << 32  # so that all counts along one axis fit 64 bits
Sides = tuple[range, ...]
"""The dimensions of the sides of a torus."""


@dataclass(frozen=True, slots=True)
class Halo:
    """What nodes send each other for a stencil; :func:`halo` makes one.

    ``reach``, ``periodic`` and ``stride`` have an entry per axis.

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
    corners: bool
    itemsize: int
    stride: tuple[int, ...]

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

        On a torus the dimensions are those of the numbers that users know.

        >>> for r in halo(Layout.nodes(3), reach=[(0, 1)]).rounds("ipsc1"):
        ...     print(r.longest, r.crossings, *r.moves)
        1 8 axis 0 step +1 across 0
        1 4 axis 0 step +1 across 1
        1 2 axis 0 step +1 across 2
        """
        return _rounds(self, *_way(require_machine(machine, self.layout.n)))

    def time(self, machine: Machine | str) -> float:
        """Seconds: the sum over the rounds of the time of the slowest message or link.

        >>> halo(Layout.nodes(3), reach=[(0, 1)]).time(Machine(dims=3, startup=4.0))
        15.0
        >>> ring = Machine.torus((8,), startup=4.0)
        >>> halo(Layout.nodes(3), reach=[(0, 1)]).time(ring)
        5.0
        """
        machine = require_machine(machine, self.layout.n)
        shared = wires_for(machine)
        if not shared:
            return sum((self._alone(found, machine) for found in self.rounds(machine)), 0.0)
        within = {d for wires in shared for d in wires.dims}
        return sum(
            max(
                self._alone(filled.closed(), machine, within),
                *(seconds(filled.sent(self.itemsize), w, self.layout, machine) for w in shared),
            )
            for filled in _filled(self, *_way(machine))
        )

    def _alone(self, found: HaloRound, machine: Machine, shared: Collection[int] = ()) -> float:
        """The slowest message of a round on links of its own."""
        loads = [(d, load * self.itemsize) for d, load in found.loads if d not in shared]
        return max((machine.message_time(nbytes, d) for d, nbytes in loads), default=0.0)

    def own(self, node: int) -> list[IntArray]:
        """The coordinates that a node has along each axis.

        >>> halo(Layout.mesh((8, 6), nodes=(4, 2)), reach=1).own(1)
        [array([0, 1]), array([3, 4, 5])]
        """
        here = node ^ _number(self.layout, node)
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
                f"node is {node}", f"it must lie in 0..{nodes - 1}", "number nodes from 0"
            )
        renumbered = _number(self.layout, node)
        return messages(readings(self), node, renumbered, corners=self.corners, sent=sent)

    def __repr__(self) -> str:
        return f"<Halo of {about(self)}, {self.elements} elements sent>"


def about(exchange: "Halo | OwnedHalo") -> str:
    """What a halo says of itself.

    >>> about(halo(Layout.nodes(3), reach=1, stride=4))
    '(8,) on 8 nodes: reach 1, stride 4, faces'
    """
    reach = " ".join(str(a) if a == b else f"{a}-{b}" for a, b in exchange.reach)
    far = ", stride " + " ".join(map(str, exchange.stride)) if max(exchange.stride) > 1 else ""
    kind = "corners" if exchange.corners else "faces"
    array = f"{exchange.layout.shape} on {exchange.layout.node_count} nodes"
    return f"{array}: reach {reach}{far}, {kind}"


def _number(layout: Layout, node: int) -> int:
    """What is added to the number of a node: the constant, and which copy it has."""
    constant = layout.map.constant & (layout.node_count - 1)
    return node ^ without(layout.copy_flips[::-1], node ^ constant)


def halo(  # noqa: PLR0913 - a stencil
    layout: Layout,
    reach: ReachLike,
    *,
    periodic: bool | Sequence[bool] = True,
    corners: bool = False,
    itemsize: int = 1,
    stride: int | Sequence[int] = 1,
) -> Halo:
    """The halo exchange of a stencil that reads so far along every axis.

    ``reach`` is one number for all axes, or an entry for each: a number, or a pair of how far
    below and how far above; 0 does not read. ``corners`` is for stencils that read along
    several axes at once. With a ``stride``, a power of two or one for each axis, neighbours are
    so many elements apart.

    >>> layout = Layout.mesh((16, 16), nodes=(4, 4), code="gray")
    >>> halo(layout, reach=(1, (0, 2)), periodic=(True, False), corners=True)
    <Halo of (16, 16) on 16 nodes: reach 1 0-2, corners, 272 elements sent>
    >>> found = halo(Layout.nodes(8, "gray"), reach=[(0, 1)], stride=32)
    >>> {(m.source ^ m.target).bit_count() for m in found.messages(5)}  # CAM-87-02, Theorem 2
    {2}
    """
    layout = in_bits(layout, "a halo in a cube")
    made = Halo(layout, *asked(len(layout.shape), reach, periodic, corners, itemsize, stride))
    for reading in readings(made):
        reading.strip.steps(reading.reach)  # raises where there is too much to count
    return made


def asked(  # noqa: PLR0913, PLR0917 - a stencil
    d: int,
    reach: object,
    periodic: object,
    corners: object,
    itemsize: int,
    stride: int | Sequence[int],
) -> tuple[tuple[Reach, ...], tuple[bool, ...], bool, int, tuple[int, ...]]:
    """What is asked of a halo, with an entry for each of d axes.

    >>> asked(1, 1, True, False, 8, 1)
    (((1, 1),), (True,), False, 8, (1,))
    """
    apart = require_powers(stride, d, "stride", MAX_REACH)
    entries = enumerate(zip(per_axis(reach, d, "reach"), apart, strict=True))
    far = tuple(_reach(entry, k, steps) for k, (entry, steps) in entries)
    ring = tuple(require_flag(x, "periodic") for x in per_axis(periodic, d, "periodic"))
    size = require_int(itemsize, "itemsize", least=1)
    return far, ring, require_flag(corners, "corners"), size, apart


def _reach(entry: object, axis: int, stride: int) -> Reach:
    pair = tuple(entry) if isinstance(entry, Iterable) else (entry, entry)
    if len(pair) != 2:
        raise InvalidValueError(
            f"reach[{axis}] has {len(pair)} entries",
            "it must be a number, or how far below and how far above",
            "give a pair, such as (1, 0)",
        )
    below, above = (require_int(far, f"reach[{axis}]", least=0) for far in pair)
    if max(below, above) * stride > MAX_REACH:
        raise InvalidValueError(
            f"reach[{axis}] is {max(below, above)}"[:60],
            f"it must be at most {MAX_REACH // stride}",
            "a reach of the length of the axis reads all of it",
        )
    return below, above


def readings(exchange: Halo) -> tuple[Reading, ...]:
    """Each axis of the layout as the stencil reads it.

    >>> len(readings(halo(Layout.mesh((8, 8), nodes=(2, 2)), reach=1)))
    2
    """
    facts = exchange.reach, exchange.periodic, exchange.stride
    entries = zip(strips(exchange.layout), *facts, strict=True)
    return tuple(Reading.strided(*entry) for entry in entries)


def _way(machine: Machine) -> tuple[int, Switching, Sides]:
    """What rounds depend on: ports, switching, and the sides of a torus."""
    sides = tuple(wires.dims for wires in wires_for(machine) if wires.side)
    return machine.links_at_once, machine.switching, sides


@lru_cache(maxsize=1024)
def _rounds(
    exchange: Halo, ports: int, switching: Switching, sides: Sides
) -> tuple[HaloRound, ...]:
    return tuple(filled.closed() for filled in _filled(exchange, ports, switching, sides))


def _filled(
    exchange: Halo, ports: int, switching: Switching, sides: Sides
) -> tuple[Filled, ...]:
    return pack(_phases(exchange, switching, sides), ports, crowded=bool(sides))


def _phases(exchange: Halo, switching: Switching, sides: Sides = ()) -> list[list[Shift]]:
    """The messages of all steps; those of different phases are never under way together."""
    axes = readings(exchange)
    sizes = [(reading.strip.own, reading.strip.length) for reading in axes]
    copies = exchange.layout.copy_count
    phases: list[list[Shift]] = []
    for axis, reading in enumerate(axes):
        most, total = (prod(s[k] for j, s in enumerate(sizes) if j != axis) for k in (0, 1))
        phases.append(list(_shifts(axis, reading, most, total * copies, switching, sides)))
        if exchange.corners:
            surplus = reading.surplus()
            own, length = sizes[axis]
            sizes[axis] = own + int(surplus.max()), length + int(surplus.sum())
    return phases if exchange.corners else [[shift for shifts in phases for shift in shifts]]


def _shifts(  # noqa: PLR0913, PLR0917
    axis: int, reading: Reading, most: int, total: int, switching: Switching, sides: Sides
) -> Iterator[Shift]:
    strip = reading.strip
    own = (sum(1 << k for k, d in enumerate(strip.dims) if d in side) for side in sides)
    rest = {
        "periodic": reading.periodic,
        "switching": switching,
        "together": tuple(filter(None, own)),
    }
    for far in strip.steps(reading.reach):
        for way in routed(strip.line, far, **rest):
            amount = strip.amount(way.step, reading.reach)
            yield Shift(axis, strip.dims, way, amount * most, amount * total)
