"""The options that say which machine is meant, the same for every verb."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import click

import graycube as gc
from graycube.cli.sizes import as_figures, as_lengths, as_sides
from graycube.errors import InvalidValueError
from graycube.machine import machine_named

_PROFILES = "ipsc2, tpu-v5p-64, ..., or one that calibrate saved: gc.profiles()."
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
    share: str | None = None
    torus: tuple[tuple[int, ...], tuple[bool, ...]] | None = None
    per_row: float | None = None
    tree: tuple[int, ...] | None = None
    oversubscribed: float | None = None

    def machine(self, dims: int, otherwise: gc.Machine | None = None) -> gc.Machine:
        """The profile for so many dimensions, or the other machine, with what was said.

        Where there is neither, it is ``Machine(dims)``: one port, and no costs.
        """
        given = {
            "ports": "all" if self.ports == "all" else _numbers(self.ports, "ports"),
            "switching": self.switching,
            "startup": _one_or_each(self.startup),
            "per_byte": _one_or_each(self.per_byte),
            "packet": self.packet,
            "share": _numbers(self.share, "share"),
            "per_row": self.per_row,
        }
        changes: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
        if self.oversubscribed is not None and self.tree is None:
            raise InvalidValueError(
                f"--oversubscribed {self.oversubscribed:g} is given without --tree",
                "only uplinks of a tree are",
                "say --tree 8x16x4, the inner level first",
            )
        if self.tree is not None or self.torus is not None:
            machine = self._network(dims, changes)
        elif self.name is not None:
            machine = gc.Machine.profile(self.name, dims=dims)
        else:
            machine = otherwise or gc.Machine(dims)
        return replace(machine, name="custom", **changes) if changes else machine

    def interconnect(self) -> gc.Interconnect | None:
        """The torus or tree that was given or named, if it is for any number of nodes.

        >>> MachineOptions(tree=(4, 3), per_byte=(1e-10, 1e-9)).interconnect()
        <Interconnect tree of 4 x 3: 12 nodes, 1e-10, 1e-09 s a byte>
        """
        sizes = self.tree or (self.torus[0] if self.torus else ())
        named = machine_named(self.name) if self.name and not sizes else None
        if isinstance(named, gc.Interconnect):
            return self._alone(named)
        if not any(size & size - 1 for size in sizes):
            return None
        self._require_one()
        for option in ("ports", "share"):
            if getattr(self, option) is not None:
                raise InvalidValueError(
                    f"--{option} is given, and {'x'.join(map(str, sizes))} nodes",
                    "only machines of 2^n nodes have ports and cards",
                    f"leave out --{option}",
                )
        rates = self.per_byte or 1.0
        if self.torus is not None:
            return gc.Interconnect.torus(sizes, joined=self.torus[1], per_byte=rates)
        return gc.Interconnect.tree(sizes, per_byte=rates, oversubscribed=self._ratio())

    def _alone(self, named: gc.Interconnect) -> gc.Interconnect:
        """An interconnect by its name, of which nothing else was said."""
        said = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        if said != ["name"]:
            option = next(name for name in said if name != "name").replace("_", "-")
            raise InvalidValueError(
                f"--{option} is given beside --machine {self.name}",
                "that is an interconnect, which is taken as it was saved",
                f"leave out --{option}",
            )
        return named

    def _network(self, dims: int, changes: dict[str, Any]) -> gc.Machine:
        """The tree or torus that was given, of as many nodes as the layouts have.

        A tree takes start-ups and rates out of the changes, one a level.
        """
        self._require_one()
        if self.tree is not None:
            costs = {k: changes.pop(k) for k in ("startup", "per_byte") if k in changes}
            made = gc.Machine.tree(self.tree, oversubscribed=self._ratio(), **costs)
        else:
            sides, joined = self.torus or ((), ())
            made = gc.Machine.torus(sides, joined=joined)
        if made.dims != dims:
            what = "torus" if self.tree is None else "tree"
            raise InvalidValueError(
                f"the {what} has {1 << made.dims} nodes",
                f"{1 << dims} are needed",
                f"say a {what} of as many nodes",
            )
        return made

    def _ratio(self) -> float:
        return 1.0 if self.oversubscribed is None else self.oversubscribed

    def _require_one(self) -> None:
        options = {"--tree": self.tree, "--torus": self.torus, "--machine": self.name}
        given = [option for option, value in options.items() if value is not None]
        if len(given) > 1:
            raise InvalidValueError(
                f"{given[0]} and {given[1]} are given",
                "each says which machine it is",
                "leave one of them out",
            )


def machine_options(command: _F) -> _F:
    """Add the options to a command, as one argument ``machine``."""
    options = (
        click.option("--machine", "name", metavar="NAME", help=_PROFILES),
        click.option(
            "--ports",
            metavar="N[,N...]|all",
            help="Links that a node uses at once; one a dimension: those of each kind.",
        ),
        click.option("--switching", type=click.Choice(["store-and-forward", "circuit"])),
        click.option(
            "--startup",
            type=as_figures,
            metavar="S[,S...]",
            help="Seconds before a message: one figure, or one a dimension, from 0 up.",
        ),
        click.option(
            "--per-byte",
            type=as_figures,
            metavar="S[,S...]",
            help="Seconds for each byte, in the same way.",
        ),
        click.option("--packet", type=int, metavar="BYTES", help="Largest packet."),
        click.option(
            "--share",
            metavar="N[,N...]",
            help="Nodes that share a network card; advice has no prices for it.",
        ),
        click.option(
            "--torus",
            type=as_sides,
            metavar="4x4x8o",
            help="Nodes on a torus, numbered row by row; sides with an o are open.",
        ),
        click.option(
            "--tree",
            type=as_lengths,
            metavar="8x16x4",
            help="A tree of switches, the inner level first; costs are one a level.",
        ),
        click.option(
            "--oversubscribed",
            type=float,
            metavar="K",
            help="Uplinks of a tree without a rate are so much narrower than what they join.",
        ),
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


def _numbers(text: str | None, name: str) -> int | tuple[int, ...] | None:
    """One number, or one a dimension, if any was given."""
    if text is None:
        return None
    try:
        counts = tuple(map(int, text.split(",")))
    except ValueError:
        what = "a number of links or 'all'" if name == "ports" else "a number of nodes"
        raise InvalidValueError(
            f"{name} is {text!r:.40}",
            f"it is {what}, or a number a dimension",
            f"say --{name} 1",
        ) from None
    return counts[0] if len(counts) == 1 else counts
