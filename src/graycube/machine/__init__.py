"""The machine: a cube of 2^dims nodes, how its links may be used, and what a message costs."""

from graycube.machine.model import Machine, profiles, require_machine

__all__ = ["Machine", "profiles", "require_machine"]
