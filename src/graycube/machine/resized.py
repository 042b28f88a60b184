"""Machines with another number of nodes."""

from dataclasses import replace
from typing import TYPE_CHECKING

from graycube.errors import InvalidValueError
from graycube.gf2 import require_int
from graycube.machine.figures import lowest, repeated
from graycube.texts import counted

if TYPE_CHECKING:
    from graycube.machine.model import Machine


def resized(machine: "Machine", dims: int) -> "Machine":
    """The same machine with so many dimensions; a small cube has fewer ports.

    Its dimensions are the lowest ones, and more than there are have the same figures.

    >>> from graycube.machine import Machine
    >>> resized(Machine(4, ports=3), 2).ports
    2
    """
    most = max(require_int(dims, "dims"), 1)
    each = machine.startup, machine.per_byte, machine.ports, machine.share
    if dims > machine.dims and any(isinstance(one, tuple) and len({*one}) > 1 for one in each):
        raise InvalidValueError(
            f"the machine has costs for {machine.dims} dimensions",
            f"nothing is known of {dims}, since they differ",
            "give Machine a start-up and a rate for each",
        )
    if machine.sides and dims != machine.dims:
        raise InvalidValueError(
            f"the machine has {' x '.join(map(str, machine.sides))} nodes",
            f"which of them are meant by {dims} dimensions is not known",
            "use Machine.torus with the sides of the part",
        )
    ports, share = machine.ports, machine.share
    nodes, name = 1 << machine.dims, machine.name
    if dims < machine.dims and not machine.alike:
        name = f"{name}, the first {1 << dims} of {nodes} nodes"
    elif dims > machine.dims:
        name = f"{name}, stretched from {counted(nodes, 'node')}"
    if isinstance(ports, tuple):
        ports = repeated(ports, dims)
    elif isinstance(ports, int):
        ports = min(ports, most)
    return replace(
        machine,
        dims=dims,
        name=name,
        ports=ports,
        share=repeated(share, dims) if isinstance(share, tuple) else share,
        startup=lowest(machine.startup, dims),
        per_byte=lowest(machine.per_byte, dims),
    )
