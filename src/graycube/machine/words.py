"""Machines in words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graycube.show import Sheet, Table
from graycube.texts import counted

if TYPE_CHECKING:
    from graycube.machine.model import Machine


def ports_of(machine: "Machine") -> str:
    """The ports of a node in words; where each kind of link has its own, one after the other.

    >>> from graycube.machine import Machine
    >>> ports_of(Machine(4, 2)), ports_of(Machine(4, (2, 2, 1, 1), per_byte=(1, 1, 9, 9)))
    ('2 ports', '2 + 1 ports')
    """
    ports, levels = machine.ports, machine.levels
    if not isinstance(ports, tuple) or len(levels) == 1:
        return counted(machine.links_at_once, "port")
    each = (str(min(ports[dims.start], len(dims))) for dims, _ in levels)
    return f"{' + '.join(each)} ports"


def over(dims: range) -> str:
    """Some dimensions in words.

    >>> over(range(3)), over(range(3, 4))
    ('dimensions 0 to 2', 'dimension 3')
    """
    if len(dims) == 1:
        return f"dimension {dims[0]}"
    return f"dimensions {dims[0]} to {dims[-1]}"


def sheet_of(machine: "Machine") -> Sheet:
    """What a machine shows of itself.

    >>> from graycube.machine import Machine
    >>> sheet_of(Machine(3, name="cube")).title
    'Machine cube'
    """
    every = ", which are all" * (machine.ports == "all")
    each = isinstance(machine.ports, tuple)
    packet = "any size" if machine.packet is None else f"{machine.packet} bytes"
    rows = [
        ("nodes", _nodes(machine)),
        ("ports", ports_of(machine) if each else f"{machine.links_at_once}{every}"),
        ("switching", machine.switching),
        *_costs(machine),
        ("packets", packet),
        ("arithmetic", f"{machine.arithmetic:.4g} s"),
        *([("per row", f"{machine.per_row:.4g} s")] if machine.per_row else []),
    ]
    return Sheet(f"Machine {machine.name}", Table((), rows, "ll"))


def _nodes(machine: "Machine") -> str:
    sides = zip(machine.sides, machine.joined, strict=True)
    shape = " x ".join(f"{length}{'' if ring else ' (open)'}" for length, ring in sides)
    return f"{1 << machine.dims} = {shape or f'2^{machine.dims}'}"


def _costs(machine: "Machine") -> Iterator[tuple[str, str]]:
    shared = {wires.dims.start: wires.shared for wires in machine.wires}
    for dims, link in machine.levels:
        where = "" if len(machine.levels) == 1 else f", {over(dims)}"
        yield f"start-up{where}", f"{link.startup:.4g} s"
        yield f"per byte{where}", f"{link.per_byte:.4g} s"
        if dims.start in shared:
            yield f"shared{where}", shared[dims.start]
