"""The machine: a cube of 2^dims nodes, how its links may be used, and what a message costs."""

from graycube.machine.interconnect import Interconnect
from graycube.machine.model import Machine, require_machine
from graycube.machine.profiles import profiles, read_measured
from graycube.machine.routes import RouteLink
from graycube.machine.saving import entries_of, machine_named, save_profile
from graycube.machine.wires import Link, Wiring

__all__ = [
    "Interconnect",
    "Link",
    "Machine",
    "RouteLink",
    "Wiring",
    "entries_of",
    "machine_named",
    "profiles",
    "read_measured",
    "require_machine",
    "save_profile",
]
