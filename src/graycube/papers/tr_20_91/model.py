"""What the other modules share: tasks, schedules that are proved and counted, and optima.

Rule: a cycle is one element over one link, and cycles are counted from the crossings of
schedules that algebra and, where they are small, a witness element by element have passed.
"""

from functools import lru_cache
from math import inf

import numpy as np

import graycube as gc
from graycube.papers import library
from graycube.papers.library import Widths, emitted, task_of
from graycube.search import least_cycles
from graycube.search.optimum import flows_of
from graycube.search.program import CycleArcs, Flows, arcs_of, solve
from graycube.table import algorithms

KNOWN = (
    *("pipelined", "minimum-path", "nonminimum-path"),
    *("nonminimum-ring", "two-cube", "tight"),
)


def all_ports(n: int, ports: int | None = None) -> gc.Machine:
    return gc.Machine(dims=n, ports=ports or "all")


@lru_cache(maxsize=1 << 12)
def schedule(name: str, widths: Widths, block: int) -> gc.Schedule:
    """The library's."""
    return emitted(name, task_of(widths, block), all_ports(sum(widths)))


def proved(made: gc.Schedule, ports: int | None = None) -> int:
    """The cycles of a schedule, or an error if it is wrong on so many ports."""
    return library.cycles_of(made, all_ports(made.task.n, ports))


@lru_cache(maxsize=1 << 14)
def cycles_of(name: str, widths: Widths, block: int) -> int:
    """The cycles of an algorithm."""
    return proved(schedule(name, widths, block))


@lru_cache(maxsize=1 << 12)
def best(n: int, block: int, *, backwards: bool = False) -> int:
    """The fewest cycles of all schedules that we know for one field; that one is proved."""
    task, machine = task_of((n,), block, backwards=backwards), all_ports(n)
    fitting = (a.name for a in algorithms() if a.applicable(task, machine) is None)
    made = (emitted(name, task, machine) for name in fitting if name in KNOWN)
    return proved(min(made, key=lambda schedule: schedule.cycles))


@lru_cache(maxsize=1 << 12)
def optimum(widths: Widths, block: int, *, backwards: bool = False) -> int:
    """The fewest cycles of any schedule, by integer program."""
    task = task_of(widths, block, backwards=backwards)
    return least_cycles(task, all_ports(task.n)).cycles


@lru_cache(maxsize=1 << 12)
def optimum_on_shortest(widths: Widths, block: int) -> int:
    """The fewest cycles on shortest paths only: the same program without all other arcs."""
    flows = flows_of(task_of(widths, block), all_ports(sum(widths)))
    cycles = flows.distance
    while solve(flows, _closer(flows, arcs_of(flows, cycles)), inf, whole=True) is None:
        cycles += 1
    return cycles


def _closer(flows: Flows, arcs: CycleArcs) -> CycleArcs:
    """The arcs that lead closer to the target, and those that wait."""
    end = flows.targets[arcs.flow]
    ahead = np.bitwise_count(arcs.start ^ end) > np.bitwise_count(arcs.stop ^ end)
    kept = ahead | (arcs.dimension == flows.task.n)
    return CycleArcs(*(column[kept] for column in arcs))
