"""Butterfly networks on coded data: the emulations of TR-764 as verified schedules.

``phases`` decides by algebra what is exchanged, with ``state`` for where everything is and
``restoring`` for the way back, ``pipeline`` when, and ``emulate`` puts both together with the
stages: an ``outline``, whose steps are written when it is taken. ``sectioning`` makes
algorithms of the table of them. ``sides`` has a faster pipeline, and ``copies`` is for nodes
without memory bits.
"""

from graycube.table.networks.copies import one_point
from graycube.table.networks.emulate import Method, emulation, network, rearrangement
from graycube.table.networks.messages import seconds, with_best_messages
from graycube.table.networks.sides import sided

__all__ = [
    "Method",
    "emulation",
    "network",
    "one_point",
    "rearrangement",
    "seconds",
    "sided",
    "with_best_messages",
]
