"""Schedules carried out on real data: in one process, the reference of all transports."""

from graycube.runtime.local import apply

__all__ = ["apply"]
