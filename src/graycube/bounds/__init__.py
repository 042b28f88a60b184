"""Lower bounds on the time of a task, each with its citation and what it rests on."""

from graycube.bounds.transfer import Bound, lower_bounds

__all__ = ["Bound", "lower_bounds"]
