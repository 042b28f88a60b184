"""What a schedule may do and what it costs.

A message of m bytes costs ``startup`` plus m times ``per_byte``; cut into packets, it pays a
start-up for each. ``ports`` is how many links a node may use at once in each direction. With
"store-and-forward" switching every hop is a message; with "circuit" switching a message holds
all the links of its path at once, at a cost that does not depend on their number.
"""

from dataclasses import dataclass, field, replace
from math import inf
from numbers import Real
from sys import float_info
from typing import Literal, get_args

from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.gf2 import require_int
from graycube.machine.profile_text import no_profile
from graycube.machine.profiles import read_profile
from graycube.parsing import require_line
from graycube.show import Sheet, Shown, Table

Switching = Literal["store-and-forward", "circuit"]
MAX_DIMS = 256  # no machine is larger, and a hostile file must not make us loop for long


@dataclass(frozen=True, slots=True)
class Machine(Shown):
    """A cube of 2^``dims`` nodes with its ports, switching and costs in seconds.

    >>> machine = Machine(dims=6, ports=1, startup=1e-3, per_byte=4e-7)
    >>> round(machine.message_time(1000), 6)
    0.0014
    >>> Machine.profile("ipsc1", dims=5).startup
    0.012
    """

    dims: int
    ports: int | Literal["all"] = 1
    switching: Switching = "store-and-forward"
    startup: float = 0.0
    per_byte: float = 1.0
    packet: int | None = None
    arithmetic: float = 0.0
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
        for name in ("startup", "per_byte", "arithmetic"):
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

    def message_time(self, nbytes: int) -> float:
        """Seconds that a message of ``nbytes`` takes.

        >>> Machine(dims=3, startup=2.0, per_byte=1.0, packet=4).message_time(6)
        10.0
        """
        return self.startups(nbytes) * self.startup + nbytes * self.per_byte

    def _sheet(self) -> Sheet:
        every = ", which are all" if self.ports == "all" else ""
        rows = [
            ("nodes", f"{1 << self.dims} = 2^{self.dims}"),
            ("ports", f"{self.links_at_once}{every}"),
            ("switching", self.switching),
            ("start-up", f"{self.startup:.4g} s"),
            ("per byte", f"{self.per_byte:.4g} s"),
            ("packets", "any size" if self.packet is None else f"{self.packet} bytes"),
            ("arithmetic", f"{self.arithmetic:.4g} s"),
        ]
        return Sheet(f"Machine {self.name}", Table((), rows, "ll"))

    def _resized(self, dims: int) -> "Machine":
        """The same machine with another number of nodes; a small cube has fewer ports."""
        most = max(require_int(dims, "dims"), 1)
        ports = self.ports if self.ports == "all" else min(self.ports, most)
        return replace(self, dims=dims, ports=ports)


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
