"""Best schedules for small cubes, found and proved by integer programming.

:func:`least_cycles` finds the fewest cycles in which a small cube can do a task, and
:func:`feasible` a schedule of a given number of cycles, where there is one.
"""

from graycube.synthesis.optimum import Optimum, feasible, least_cycles

__all__ = ["Optimum", "feasible", "least_cycles"]
