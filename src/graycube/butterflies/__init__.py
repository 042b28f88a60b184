"""Butterfly networks on coded data: the emulations of TR-764 as verified schedules.

``phases`` decides by algebra what is exchanged, with ``state`` for where everything is and
``restoring`` for the way back, ``pipeline`` when, and ``emulate`` puts both together with the
stages; ``one_point`` is for nodes without memory bits.
"""

from graycube.butterflies.emulate import Method, emulation, rearrangement
from graycube.butterflies.messages import seconds, with_best_messages
from graycube.butterflies.one_point import one_point

__all__ = [
    "Method",
    "emulation",
    "one_point",
    "rearrangement",
    "seconds",
    "with_best_messages",
]
