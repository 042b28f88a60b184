"""What a schedule does to the machine: messages, links, memory, time."""

from graycube.simulate.traffic import RoundTraffic, Traffic, simulate

__all__ = ["RoundTraffic", "Traffic", "simulate"]
