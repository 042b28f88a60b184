"""Prove a schedule of any form by algebra, at any size of the cube."""

from graycube.machine import Machine
from graycube.schedule import AnySchedule, Direct, Emulation
from graycube.verify.butterflies import check_emulation
from graycube.verify.direct import check_direct
from graycube.verify.report import Report
from graycube.verify.strands import check_strands


def check_algebra(schedule: AnySchedule, machine: Machine) -> Report:
    """Check the rules on exchanges, messages or turns themselves.

    >>> from graycube.table import gb3
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> machine = Machine(dims=40)
    >>> task = Task(Layout.nodes(40, "gray"), Layout.nodes(40), block=64)
    >>> print(check_algebra(gb3.emit(task, machine), machine))
    by algebra: nothing is wrong (share, end, time, link, ports, round);
    a node holds at most 64 elements
    """
    if isinstance(schedule, Direct):
        return check_direct(schedule, machine)
    if isinstance(schedule, Emulation):
        return check_emulation(schedule, machine)
    return check_strands(schedule, machine)
