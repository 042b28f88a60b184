"""Machines in words."""

from typing import TYPE_CHECKING

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
