"""Schedules and bounds for small cubes, found and proved by linear and integer programs.

:func:`least_flow` finds what the busiest link or port has to carry at least, with tolls that
prove it; :func:`least_cycles` the fewest cycles in which a small cube can do a task, and
:func:`feasible` a schedule of a given number of cycles, where there is one.
"""

from graycube.search.flow import Flow, least_flow
from graycube.search.optimum import Optimum, feasible, least_cycles

__all__ = ["Flow", "Optimum", "feasible", "least_cycles", "least_flow"]
