"""Schedules carried out on real data: in one process, the reference of all transports."""

from graycube.runtime.butterflies import emulate, replicate
from graycube.runtime.local import apply

__all__ = ["apply", "emulate", "replicate"]
