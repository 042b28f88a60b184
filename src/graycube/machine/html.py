"""Machines as notebooks show them."""

from typing import TYPE_CHECKING

from graycube.markup import Markup, card, figures

if TYPE_CHECKING:
    from graycube.machine.model import Machine


def machine_card(machine: "Machine") -> Markup:
    """The machine as a table of what it is and costs."""
    every = ", which are all" if machine.ports == "all" else ""
    rows = [
        ("nodes", f"{1 << machine.dims} = 2^{machine.dims}"),
        ("ports", f"{machine.links_at_once}{every}"),
        ("switching", machine.switching),
        ("start-up", f"{machine.startup:.4g} s"),
        ("per byte", f"{machine.per_byte:.4g} s"),
        ("packets", "any size" if machine.packet is None else f"{machine.packet} bytes"),
        ("arithmetic", f"{machine.arithmetic:.4g} s"),
    ]
    return card(f"Machine {machine.name}", figures((), rows, "ll"))
