"""What a schedule does to the machine: messages, links, memory, time.

:func:`simulate` counts a symbolic schedule at any size of the cube, :func:`replay` an explicit
one cycle by cycle.
"""

from graycube.simulate.replay import Replay, replay
from graycube.simulate.simulate import simulate
from graycube.simulate.traffic import RoundTraffic, Traffic

__all__ = ["Replay", "RoundTraffic", "Traffic", "replay", "simulate"]
