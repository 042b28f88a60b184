"""What a schedule may do and what it costs.

A message of m bytes costs ``startup`` plus m times ``per_byte``; cut into packets, it pays a
start-up for each. ``ports`` is how many links a node may use at once in each direction. With
"store-and-forward" switching every hop is a message; with "circuit" switching a message holds
all the links of its path at once, at a cost that does not depend on their number.

Links of different dimensions may differ: ``startup``, ``per_byte``, ``ports`` and ``share`` are
one figure for all, or one for each dimension, dimension 0 first. A round takes as long as the
slowest message in it, and a circuit is as slow as the slowest of its links. What messages share
is in :mod:`graycube.machine.wires`.

``per_row`` is what a node pays for each stretch of memory that it gathers into a message, the
receiver's part included; messages that are one stretch need no gathering.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, require_int
from graycube.machine.figures import (
    least,
    most,
    require_bytes,
    require_cost,
    require_costs,
    require_ports,
    require_share,
)
from graycube.machine.profile_text import no_profile
from graycube.machine.profiles import read_profile
from graycube.machine.resized import resized
from graycube.machine.routes import RouteLink, route_of
from graycube.machine.sides import figures_of_torus
from graycube.machine.trees import figures_of_tree
from graycube.machine.wires import (
    Link,
    Wiring,
    levels_of,
    numbers_of,
    require_nested,
    require_shares,
    require_sides,
    wires_of,
)
from graycube.machine.words import sheet_of
from graycube.parsing import require_line
from graycube.show import Shown
from graycube.texts import as_given, counted, in_digits

Switching = Literal["store-and-forward", "circuit"]
MAX_DIMS = 256  # no machine is larger, and a hostile file must not make us loop for long
MAX_PACKET = (1 << 62) - 1  # as many bytes as files can say


@dataclass(frozen=True, slots=True)
class Machine(Shown):
    """A cube of 2^``dims`` nodes with its ports, switching and costs in seconds.

    ``startup``, ``per_byte``, ``ports`` and ``share`` are one figure, or one for each
    dimension, dimension 0 first. Neighbouring dimensions with the same figures are links of
    one kind. With a figure for each dimension ``ports`` counts the links of its kind that a
    node uses at once, as through a network card; ``share`` is how many nodes have the card
    together: those that differ in the lowest bits. Cards that are ``nested`` pass on what leads
    further out: :meth:`tree` makes such machines, and :meth:`torus` those with ``sides``.
    ``per_row`` is for each stretch of memory that a message gathers.

    >>> machine = Machine(dims=6, ports=1, startup=1e-3, per_byte=4e-7)
    >>> round(machine.message_time(1000), 6)
    0.0014
    >>> cluster = Machine(dims=3, startup=(1e-6, 1e-6, 5e-6), per_byte=(1e-10, 1e-10, 1e-9))
    >>> [round(cluster.message_time(10**6, dim), 6) for dim in range(3)]
    [0.000101, 0.000101, 0.001005]
    >>> one_card = Machine(dims=4, ports=(2, 2, 1, 1), share=(1, 1, 4, 4), per_byte=1e-9)
    >>> one_card.links_at_once, [wires.dims for wires in one_card.wires]
    (3, [range(2, 4)])
    """

    dims: int
    ports: int | Literal["all"] | tuple[int, ...] = 1
    switching: Switching = "store-and-forward"
    startup: float | tuple[float, ...] = 0.0
    per_byte: float | tuple[float, ...] = 1.0
    packet: int | None = None
    arithmetic: float = 0.0
    share: int | tuple[int, ...] = 1
    sides: tuple[int, ...] = ()
    joined: tuple[bool, ...] = ()
    per_row: float = 0.0
    nested: bool = False
    name: str = field(default="custom", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", require_int(self.dims, "dims", least=0))
        if self.dims > MAX_DIMS:
            raise InvalidValueError(
                f"dims is {in_digits(self.dims)}",
                f"it must be at most {MAX_DIMS}",
                "use a smaller cube",
            )
        if not (isinstance(self.ports, str) and self.ports == "all"):
            object.__setattr__(self, "ports", require_ports(self.ports, self.dims))
        object.__setattr__(self, "share", require_share(self.share, self.dims))
        switching: Any = self.switching
        if not isinstance(switching, str) or switching not in get_args(Switching):
            raise InvalidValueError(
                f"switching is {as_given(switching)}",
                f"the known ones are {' and '.join(map(repr, get_args(Switching)))}",
                "choose one of them",
            )
        for name in ("startup", "per_byte"):
            object.__setattr__(self, name, require_costs(getattr(self, name), name, self.dims))
        for name in ("arithmetic", "per_row"):
            object.__setattr__(self, name, require_cost(getattr(self, name), name))
        require_line(self.name, "the name of the machine")
        if self.packet is not None:
            object.__setattr__(self, "packet", require_int(self.packet, "packet", least=1))
            if self.packet > MAX_PACKET:
                raise InvalidValueError(
                    f"packet is {in_digits(self.packet)}",
                    f"it must be at most {MAX_PACKET}",
                    "leave it out: messages then have any size",
                )
        require_shares(self)
        require_sides(self)
        require_nested(self)

    @classmethod
    def torus(  # noqa: PLR0913
        cls,
        sides: Sequence[int],
        *,
        joined: bool | Sequence[bool] = True,
        ports: int | Literal["all"] = "all",
        switching: Switching = "circuit",
        startup: float | Sequence[float] = 0.0,
        per_byte: float | Sequence[float] = 1.0,
        packet: int | None = None,
        name: str = "custom",
    ) -> "Machine":
        """Nodes on a torus, numbered row by row; a side that is not ``joined`` is open.

        Costs are one figure, or one for each side. Sides of 2, and joined sides of 4, are cubes
        exactly; over the dimensions of longer ones messages share links.

        >>> Machine.torus((4, 4, 4), startup=1e-6, per_byte=1e-11).wires
        ()
        >>> ring = Machine.torus((8,), per_byte=1.0)
        >>> [len(ring.route(0, node)) for node in range(8)]
        [0, 1, 2, 3, 4, 3, 2, 1]
        """
        figures = figures_of_torus(sides, joined, startup, per_byte)
        return cls(ports=ports, switching=switching, packet=packet, name=name, **figures)

    @classmethod
    def tree(  # noqa: PLR0913
        cls,
        sizes: Sequence[int],
        *,
        startup: float | Sequence[float] = 0.0,
        per_byte: float | Sequence[float] = 1.0,
        oversubscribed: float = 1.0,
        switching: Switching = "circuit",
        packet: int | None = None,
        name: str = "custom",
    ) -> "Machine":
        """A tree of switches; ``sizes`` says how many parts each joins, the inner level first.

        The figures of a level are those of the link that leads up from each of its parts. Where
        ``per_byte`` says nothing of outer levels, an uplink is as wide as all links below it
        together, over ``oversubscribed``. All that leaves a part passes its uplink.

        >>> tree = Machine.tree((8, 16, 4), per_byte=(1e-10, 8e-11), oversubscribed=2)
        >>> tree.dims, tree.levels[2]  # 16 computers of 8 cores on a leaf, 4 leaves
        (9, (range(7, 9), Link(startup=0.0, per_byte=1e-11)))
        >>> [(hop.name, hop.link.per_byte) for hop in tree.route(0, 8)]  # to the next computer
        ... # doctest: +NORMALIZE_WHITESPACE
        [((0, 'up', 0), 1e-10), ((0, 'up', 3), 8e-11),
         ((8, 'down', 3), 8e-11), ((8, 'down', 0), 1e-10)]
        """
        figures = figures_of_tree(sizes, startup, per_byte, oversubscribed)
        return cls(switching=switching, packet=packet, name=name, **figures)

    @classmethod
    def profile(cls, name: str, dims: int | None = None) -> "Machine":
        """A machine by name, built in or saved, in its usual size or another.

        In another size its name says whose figures these are: those of the first nodes, or of
        fewer than there are.

        >>> Machine.profile("hdr100-cluster", dims=6).name
        'hdr100-cluster, the first 64 of 512 nodes'
        >>> Machine.profile("cm2").links_at_once
        12
        >>> Machine.profile("cm5")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        graycube.errors.InvalidValueError: the profile is 'cm5': the known ones are cm2,
        dgx-h100, ...; choose one of them, measure and save one with calibrate, or build a
        Machine; GRAYCUBE_PROFILES names the folders of saved ones
        """
        entries, where = read_profile(name)
        if "sizes" in entries:
            raise InvalidValueError(
                f"the profile {name!r} is an Interconnect",
                "a Machine has 2^n nodes and knows what messages cost",
                "use Interconnect.profile, which is for placing ranks alone",
            )
        try:
            machine = cls(name=name, **entries)
        except GraycubeError as error:
            raise no_profile(where, str(error)) from None
        return machine if dims is None else resized(machine, dims)

    @property
    def links_at_once(self) -> int:
        """How many links a node may use at once in each direction.

        >>> Machine(dims=4, ports="all").links_at_once
        4
        """
        if self.nested and self.dims:  # all that a node sends passes its own link
            return min(wires_of(self)[0].ports, self.dims)
        if isinstance(self.ports, tuple):
            return sum(min(self.ports[dims[0]], len(dims)) for dims, _ in self.levels)
        return self.dims if self.ports == "all" else self.ports

    @property
    def alike(self) -> bool:
        """Whether links cost the same in all dimensions, and none is shared.

        >>> [Machine(dims=2, per_byte=(1.0, rate)).alike for rate in (1.0, 4.0)]
        [True, False]
        """
        each = (self.startup, self.per_byte)
        return not (any(isinstance(cost, tuple) for cost in each) or self.wires)

    @property
    def leads(self) -> bool:
        """Whether messages go along :meth:`route`, whatever way their schedule names.

        So it is where links are shared, and for circuits where links differ. Where links are
        alike, circuits take the way of their schedule, as in the papers.

        >>> rates = (1.0, 4.0)
        >>> each = "circuit", "store-and-forward"
        >>> [Machine(dims=2, switching=way, per_byte=rates).leads for way in each]
        [True, False]
        """
        return not self.alike and bool(self.wires or self.switching == "circuit")

    @property
    def links(self) -> tuple[Link, ...]:
        """What links cost, dimension 0 first.

        >>> Machine(dims=2, startup=3.0).links
        (Link(startup=3.0, per_byte=1.0), Link(startup=3.0, per_byte=1.0))
        """
        return tuple(map(Link, self._each(self.startup), self._each(self.per_byte)))

    @property
    def levels(self) -> tuple[tuple[range, Link], ...]:
        """Neighbouring dimensions whose links cost the same.

        >>> Machine(dims=5, startup=2.0, per_byte=(1.0, 1.0, 1.0, 4.0, 4.0)).levels[1]
        (range(3, 5), Link(startup=2.0, per_byte=4.0))
        """
        links = self.links or (self.cheapest,)  # a single node has none
        return tuple((dims, links[dims.start]) for dims in levels_of(self))

    @property
    def wires(self) -> tuple[Wiring, ...]:
        """The dimensions whose messages share links.

        >>> machine = Machine(dims=3, ports="all", share=(1, 2, 2), per_byte=1e-9)
        >>> [(wires.dims, wires.nodes) for wires in machine.wires]
        [(range(1, 3), range(0, 1))]
        """
        return wires_of(self)

    @property
    def numbers(self) -> AffineMap:
        """The number in the cube for each number of a node: the same, but for squares.

        >>> [Machine.torus((2, 4)).numbers(node) for node in range(8)]
        [0, 1, 3, 2, 4, 5, 7, 6]
        """
        return numbers_of(self)

    @property
    def renumbers(self) -> bool:
        """Whether nodes have other numbers in the cube than those that users know.

        >>> Machine.torus((2, 4)).renumbers, Machine.torus((2, 8)).renumbers
        (True, False)
        """
        return self.numbers != AffineMap.identity(self.dims)

    def route(self, source: int, target: int) -> tuple[RouteLink, ...]:
        """The links from a node to another, in the order in which a message takes them.

        On a torus it goes along the last side first, elsewhere over the lowest dimension first.
        Links that are shared have the same name wherever they are met. A card is two: a message
        takes the way out of its sender's card, and the way into its receiver's.

        >>> [hop.name for hop in Machine.torus((4, 4)).route(0, 7)]
        [(0, 1, -1), (3, 0, 1)]
        >>> cluster = Machine(dims=3, ports="all", share=(1, 2, 2))
        >>> [hop.name for hop in cluster.route(0, 5)]
        [(0, 0), (0, 'card out', 1), (4, 'card in', 1)]
        """
        for node in (source, target):
            if not 0 <= require_int(node, "a node") < 1 << self.dims:
                raise InvalidValueError(
                    f"a node is {in_digits(node)}",
                    f"the machine has {1 << self.dims} nodes",
                    "number them from 0",
                )
        return route_of(self, source, target)

    @property
    def cheapest(self) -> Link:
        """The least start-up and the least rate of any dimension: no message costs less.

        >>> Machine(dims=2, startup=(3.0, 1.0), per_byte=(1.0, 4.0)).cheapest
        Link(startup=1.0, per_byte=1.0)
        """
        return Link(least(self.startup), least(self.per_byte))

    @property
    def dearest(self) -> Link:
        """The largest start-up and the largest rate of any dimension: no message costs more.

        >>> Machine(dims=2, startup=(3.0, 1.0), per_byte=(1.0, 4.0)).dearest
        Link(startup=3.0, per_byte=4.0)
        """
        return Link(most(self.startup), most(self.per_byte))

    @property
    def priced(self) -> bool:
        """Whether costs are known; if none are given, a second stands for a byte on a link.

        >>> Machine(dims=4).priced, Machine(dims=4, startup=2e-6, per_byte=1e-10).priced
        (False, True)
        """
        return (self.startup, self.per_byte) != (0.0, 1.0)

    def startups(self, nbytes: int) -> int:
        """Start-ups that a message of ``nbytes`` pays: one per packet.

        >>> Machine(dims=3, packet=1024).startups(2500)
        3
        """
        nbytes = require_bytes(nbytes)
        return min(nbytes, 1) if self.packet is None else -(-nbytes // self.packet)

    def message_time(self, nbytes: int, dim: int | None = None) -> float:
        """Seconds that a message of ``nbytes`` takes over a dimension, or at most over any.

        >>> Machine(dims=3, startup=2.0, per_byte=1.0, packet=4).message_time(6)
        10.0
        >>> Machine(dims=2, per_byte=(1.0, 4.0)).message_time(6, dim=0)
        6.0
        """
        startup, per_byte, startups = self.startup, self.per_byte, self.startups(nbytes)
        if dim is not None and not 0 <= require_int(dim, "dim") < self.dims:
            raise InvalidValueError(
                f"dim is {in_digits(dim)}",
                f"the machine has {counted(self.dims, 'dimension')}",
                "number them from 0, the nearest one, or leave it out",
            )
        if isinstance(startup, tuple) or isinstance(per_byte, tuple):
            if dim is None or self.nested:  # as slow as the slowest link up to there
                return max(
                    startups * link.startup + nbytes * link.per_byte
                    for link in self.links[: None if dim is None else dim + 1]
                )
            startup = startup[dim] if isinstance(startup, tuple) else startup
            per_byte = per_byte[dim] if isinstance(per_byte, tuple) else per_byte
        return startups * startup + nbytes * per_byte

    _sheet = sheet_of

    def _each(self, cost: float | tuple[float, ...]) -> tuple[float, ...]:
        return cost if isinstance(cost, tuple) else (cost,) * self.dims


def require_machine(machine: object, dims: int) -> Machine:
    """The machine, or the profile of that name, for a cube of so many dimensions.

    >>> require_machine("ipsc1", dims=5).startup
    0.012
    """
    if isinstance(machine, str):
        machine = Machine.profile(machine, dims=dims)
    if not isinstance(machine, Machine):
        raise InvalidTypeError(
            f"the machine is {as_given(machine)}",
            "it must be a Machine or the name of a profile",
            "build one with graycube.Machine(dims=..., startup=..., per_byte=...)",
        )
    if machine.dims != dims:
        raise InvalidValueError(
            f"the machine has {machine.dims} dimensions",
            f"the layouts are for a {dims}-cube",
            f"use Machine(dims={dims}, ...), or a profile with dims={dims}",
        )
    return machine
