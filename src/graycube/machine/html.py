"""Machines as notebooks show them."""

from graycube.machine.model import Machine
from graycube.markup import Markup, card, card_of, figures


@card_of.register(Machine)
def machine_card(machine: Machine) -> Markup:
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
