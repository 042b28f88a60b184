"""Butterfly networks on coded data: the emulations of TR-764 as verified schedules.

``phases`` decides by algebra what is exchanged, ``pipeline`` when, and ``emulate`` puts both
together with the stages.
"""

from graycube.butterflies.emulate import Method, dimensions_at_once, emulation
from graycube.butterflies.phases import Code, Conversion

__all__ = ["Code", "Conversion", "Method", "dimensions_at_once", "emulation"]
