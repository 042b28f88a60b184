"""The options that say which machine is meant, the same for every verb."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import click

import graycube as gc
from graycube.cli.sizes import Figures
from graycube.errors import InvalidValueError

_PROFILES = "cm2, ideal, ipsc1, ipsc2, or one that calibrate saved."
_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class MachineOptions:
    """What was said of a machine; ``None`` where nothing was.

    >>> MachineOptions("ipsc2", "all").machine(dims=4).links_at_once
    4
    """

    name: str | None = None
    ports: str | None = None
    switching: str | None = None
    startup: tuple[float, ...] | None = None
    per_byte: tuple[float, ...] | None = None
    packet: int | None = None
    per_row: float | None = None

    def machine(self, dims: int, otherwise: gc.Machine | None = None) -> gc.Machine:
        """The profile for so many dimensions, or the other machine, with what was said.

        Where there is neither, it is ``Machine(dims)``: one port, and no costs.
        """
        given = {
            "ports": self.ports if self.ports in (None, "all") else _number(self.ports),
            "switching": self.switching,
            "startup": _one_or_each(self.startup),
            "per_byte": _one_or_each(self.per_byte),
            "packet": self.packet,
            "per_row": self.per_row,
        }
        changes: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
        if self.name is not None:
            machine = gc.Machine.profile(self.name, dims=dims)
        else:
            machine = otherwise or gc.Machine(dims)
        return replace(machine, name="custom", **changes) if changes else machine


def machine_options(command: _F) -> _F:
    """Add the options to a command, as one argument ``machine``."""
    options = (
        click.option("--machine", "name", metavar="NAME", help=_PROFILES),
        click.option(
            "--ports",
            metavar="N|all",
            help="Links that a node uses at once: 1, or as the machine says.",
        ),
        click.option("--switching", type=click.Choice(["store-and-forward", "circuit"])),
        click.option(
            "--startup",
            type=Figures(),
            metavar="S[,S...]",
            help="Seconds before a message: one figure, or one a dimension, from 0 up.",
        ),
        click.option(
            "--per-byte",
            type=Figures(),
            metavar="S[,S...]",
            help="Seconds for each byte, in the same way.",
        ),
        click.option("--packet", type=int, metavar="BYTES", help="Largest packet."),
        click.option(
            "--per-row",
            type=float,
            metavar="S",
            help="Seconds for each stretch of memory that a message gathers.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _one_or_each(costs: tuple[float, ...] | None) -> float | tuple[float, ...] | None:
    return costs[0] if costs is not None and len(costs) == 1 else costs


def _number(text: str | None) -> int:
    try:
        return int(text or "")
    except ValueError:
        raise InvalidValueError(
            f"ports is {text!r:.40}", "it is a number of links or 'all'", "say --ports 1"
        ) from None
