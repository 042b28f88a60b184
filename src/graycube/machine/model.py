"""What a schedule may do and what it costs.

A message of m bytes costs ``startup`` plus m times ``per_byte``; cut into packets, it pays a
start-up for each. ``ports`` is how many links a node may use at once in each direction. With
"store-and-forward" switching every hop is a message; with "circuit" switching a message holds
all the links of its path at once, at a cost that does not depend on their number.

Links of different dimensions may differ: ``startup`` and ``per_byte`` are one figure for all,
or one for each dimension, dimension 0 first. A round takes as long as the slowest message in
it, and a circuit is as slow as the slowest of its links.

``per_row`` is what a node pays for each stretch of memory that it gathers into a message, the
receiver's part included; messages that are one stretch need no gathering.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import inf
from numbers import Real
from sys import float_info
from typing import Literal, NamedTuple, get_args

import numpy as np

from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.gf2 import require_int
from graycube.machine.profile_text import no_profile
from graycube.machine.profiles import read_profile
from graycube.parsing import require_line
from graycube.show import Sheet, Shown, Table

Switching = Literal["store-and-forward", "circuit"]
MAX_DIMS = 256  # no machine is larger, and a hostile file must not make us loop for long


class Link(NamedTuple):
    """What a message pays to start on a link, and for each byte, in seconds.

    >>> Machine(dims=2, startup=1e-6, per_byte=(1e-10, 1e-9)).links[1]
    Link(startup=1e-06, per_byte=1e-09)
    """

    startup: float
    per_byte: float


@dataclass(frozen=True, slots=True)
class Machine(Shown):
    """A cube of 2^``dims`` nodes with its ports, switching and costs in seconds.

    ``startup`` and ``per_byte`` are one figure, or one for each dimension, dimension 0 first.
    ``per_row`` is for each stretch of memory that a message gathers.

    >>> machine = Machine(dims=6, ports=1, startup=1e-3, per_byte=4e-7)
    >>> round(machine.message_time(1000), 6)
    0.0014
    >>> cluster = Machine(dims=3, startup=(1e-6, 1e-6, 5e-6), per_byte=(1e-10, 1e-10, 1e-9))
    >>> [round(cluster.message_time(10**6, dim), 6) for dim in range(3)]
    [0.000101, 0.000101, 0.001005]
    """

    dims: int
    ports: int | Literal["all"] = 1
    switching: Switching = "store-and-forward"
    startup: float | tuple[float, ...] = 0.0
    per_byte: float | tuple[float, ...] = 1.0
    packet: int | None = None
    arithmetic: float = 0.0
    per_row: float = 0.0
    name: str = field(default="custom", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", require_int(self.dims, "dims", least=0))
        if self.dims > MAX_DIMS:
            raise InvalidValueError(
                f"dims is {str(self.dims)[:40]}",
                f"it must be at most {MAX_DIMS}",
                "use a smaller cube",
            )
        most = max(self.dims, 1)
        if self.ports != "all":
            object.__setattr__(self, "ports", require_int(self.ports, "ports (or 'all')"))
        if self.ports != "all" and not 1 <= self.ports <= most:
            raise InvalidValueError(
                f"ports is {self.ports}",
                f"a node of a {self.dims}-cube has 1..{most} ports",
                "use a number in that range, or 'all'",
            )
        if self.switching not in get_args(Switching):
            raise InvalidValueError(
                f"switching is {self.switching!r}",
                f"the known ones are {' and '.join(map(repr, get_args(Switching)))}",
                "choose one of them",
            )
        for name in ("startup", "per_byte"):
            object.__setattr__(self, name, _costs(getattr(self, name), name, self.dims))
        for name in ("arithmetic", "per_row"):
            object.__setattr__(self, name, _cost(getattr(self, name), name))
        require_line(self.name, "the name of the machine")
        if self.packet is not None:
            object.__setattr__(self, "packet", require_int(self.packet, "packet", least=1))

    @classmethod
    def profile(cls, name: str, dims: int | None = None) -> "Machine":
        """A machine by name, built in or saved, in its usual size or another.

        >>> Machine.profile("cm2").links_at_once
        12
        >>> Machine.profile("cm5")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        graycube.errors.InvalidValueError: the profile is 'cm5': the known ones are cm2, ideal,
        ipsc1, ipsc2...; choose one of them, measure and save one with calibrate, or build a
        Machine
        """
        entries, where = read_profile(name)
        try:
            machine = cls(name=name, **entries)
        except GraycubeError as error:
            raise no_profile(where, str(error)) from None
        return machine if dims is None else machine._resized(dims)

    @property
    def links_at_once(self) -> int:
        """How many links a node may use at once in each direction.

        >>> Machine(dims=4, ports="all").links_at_once
        4
        """
        return self.dims if self.ports == "all" else self.ports

    @property
    def alike(self) -> bool:
        """Whether links cost the same in all dimensions.

        >>> [Machine(dims=2, per_byte=(1.0, rate)).alike for rate in (1.0, 4.0)]
        [True, False]
        """
        return not isinstance(self.startup, tuple) and not isinstance(self.per_byte, tuple)

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
        if self.alike:
            return ((range(self.dims), self.cheapest),)
        found, first = [], 0
        for link, run in groupby(self.links):
            after = first + len(list(run))
            found.append((range(first, after), link))
            first = after
        return tuple(found)

    @property
    def cheapest(self) -> Link:
        """The least start-up and the least rate of any dimension: no message costs less.

        >>> Machine(dims=2, startup=(3.0, 1.0), per_byte=(1.0, 4.0)).cheapest
        Link(startup=1.0, per_byte=1.0)
        """
        return Link(_least(self.startup), _least(self.per_byte))

    @property
    def dearest(self) -> Link:
        """The largest start-up and the largest rate of any dimension: no message costs more.

        >>> Machine(dims=2, startup=(3.0, 1.0), per_byte=(1.0, 4.0)).dearest
        Link(startup=3.0, per_byte=4.0)
        """
        return Link(_most(self.startup), _most(self.per_byte))

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
        if nbytes == 0:
            return 0
        return 1 if self.packet is None else -(-nbytes // self.packet)

    def message_time(self, nbytes: int, dim: int | None = None) -> float:
        """Seconds that a message of ``nbytes`` takes over a dimension, or at most over any.

        >>> Machine(dims=3, startup=2.0, per_byte=1.0, packet=4).message_time(6)
        10.0
        >>> Machine(dims=2, per_byte=(1.0, 4.0)).message_time(6, dim=0)
        6.0
        """
        startup, per_byte = self.startup, self.per_byte
        if isinstance(startup, tuple) or isinstance(per_byte, tuple):
            startups = self.startups(nbytes)
            links = self.links if dim is None else (self.links[dim],)
            return max(startups * link.startup + nbytes * link.per_byte for link in links)
        return self.startups(nbytes) * startup + nbytes * per_byte

    def _sheet(self) -> Sheet:
        every = ", which are all" if self.ports == "all" else ""
        rows = [
            ("nodes", f"{1 << self.dims} = 2^{self.dims}"),
            ("ports", f"{self.links_at_once}{every}"),
            ("switching", self.switching),
            *self._costs(),
            ("packets", "any size" if self.packet is None else f"{self.packet} bytes"),
            ("arithmetic", f"{self.arithmetic:.4g} s"),
            *([("per row", f"{self.per_row:.4g} s")] if self.per_row else []),
        ]
        return Sheet(f"Machine {self.name}", Table((), rows, "ll"))

    def _costs(self) -> Iterator[tuple[str, str]]:
        for dims, link in self.levels:
            where = "" if self.alike else f", {over(dims)}"
            yield f"start-up{where}", f"{link.startup:.4g} s"
            yield f"per byte{where}", f"{link.per_byte:.4g} s"

    def _each(self, cost: float | tuple[float, ...]) -> tuple[float, ...]:
        return cost if isinstance(cost, tuple) else (cost,) * self.dims

    def _resized(self, dims: int) -> "Machine":
        """The same machine with another number of nodes; a small cube has fewer ports.

        Its dimensions are the lowest ones.
        """
        most = max(require_int(dims, "dims"), 1)
        if dims > self.dims and not self.alike:
            raise InvalidValueError(
                f"the machine has costs for {self.dims} dimensions",
                f"nothing is known of {dims}, since they differ",
                "give Machine a start-up and a rate for each",
            )
        ports = self.ports if self.ports == "all" else min(self.ports, most)
        startup, per_byte = (
            cost[:dims] or _least(cost) if isinstance(cost, tuple) else cost
            for cost in (self.startup, self.per_byte)
        )
        return replace(self, dims=dims, ports=ports, startup=startup, per_byte=per_byte)


def require_machine(machine: object, dims: int) -> Machine:
    """The machine, or the profile of that name, for a cube of so many dimensions.

    >>> require_machine("ipsc1", dims=5).startup
    0.012
    """
    if isinstance(machine, str):
        machine = Machine.profile(machine, dims=dims)
    if not isinstance(machine, Machine):
        raise InvalidTypeError(
            f"the machine is {machine!r:.60}",
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


def over(dims: range) -> str:
    """Some dimensions in words.

    >>> over(range(3)), over(range(3, 4))
    ('dimensions 0 to 2', 'dimension 3')
    """
    if len(dims) == 1:
        return f"dimension {dims[0]}"
    return f"dimensions {dims[0]} to {dims[-1]}"


def _least(cost: float | tuple[float, ...]) -> float:
    return min(cost) if isinstance(cost, tuple) else cost


def _most(cost: float | tuple[float, ...]) -> float:
    return max(cost) if isinstance(cost, tuple) else cost


def _costs(value: object, name: str, dims: int) -> float | tuple[float, ...]:
    """One number, or one for each dimension; those that all agree are one."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, tuple | list):
        return _cost(value, name)
    if len(value) != dims or not dims:
        raise InvalidValueError(
            f"{name} has {len(value)} figures",
            f"the machine has {dims} dimensions",
            "give one figure, or one for each dimension, dimension 0 first",
        )
    costs = tuple(_cost(cost, f"{name} of dimension {d}") for d, cost in enumerate(value))
    return costs if len(set(costs)) > 1 else costs[0]


def _cost(value: object, name: str) -> float:
    """A number of seconds; NumPy's numbers become Python's, so that files can hold them."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidTypeError(f"{name} is {value!r}", "it must be a number", "pass seconds")
    try:
        seconds = float(value)
    except OverflowError:  # an integer
        seconds = inf
    if not 0 <= seconds <= float_info.max:
        raise InvalidValueError(
            f"{name} is {str(value)[:40]}", "it must be finite and >= 0", "pass seconds"
        )
    return seconds
