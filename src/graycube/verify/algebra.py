"""Prove a schedule by algebra, at any size of the cube.

There is a theorem for each shape that the ways of a schedule can have, and each speaks for
itself: a schedule is right if one that applies says so.
"""

from collections.abc import Callable

from graycube.machine import Machine
from graycube.schedule import Replication, Schedule
from graycube.verify.copies import check_replication
from graycube.verify.messages import check_direct, is_direct
from graycube.verify.pipelines import check_pipeline, is_pipeline
from graycube.verify.report import Report, Violation, require_same_cube, tally
from graycube.verify.straight import check_straight, is_straight

THEOREMS: tuple[
    tuple[Callable[[Schedule], bool], Callable[[Schedule, Machine], Report]], ...
] = (
    (is_straight, check_straight),
    (is_pipeline, check_pipeline),
    (is_direct, check_direct),
)
"""To what a theorem applies, and what it finds."""


def check_algebra(schedule: Schedule | Replication, machine: Machine) -> Report:
    """Check the rules on steps, messages or turns themselves.

    >>> from graycube.table.gray import gb3
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> machine = Machine(dims=40)
    >>> task = Task(Layout.nodes(40, "gray"), Layout.nodes(40), block=64)
    >>> print(check_algebra(gb3.emit(task, machine), machine))
    by algebra: nothing is wrong (share, end, time, link, ports, round);
    a node holds at most 64 elements
    """
    require_same_cube(schedule.task, machine)
    if isinstance(schedule, Replication):
        return check_replication(schedule, machine)
    refused: Report | None = None
    for applies, check in THEOREMS:
        if applies(schedule):
            report = check(schedule, machine)
            if report:
                return report
            refused = report if refused is None else refused
    if refused is not None:
        return refused
    detail = "no theorem knows steps like these: write them as hops, or take fewer elements"
    return tally("by algebra", ("time",), [Violation("time", detail=detail)])


def is_known(schedule: Schedule) -> bool:
    """Whether there is a theorem for the shape of a schedule.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task, Way
    >>> task = Task(Layout.nodes(1), Layout.nodes(1), block=1)
    >>> is_known(Schedule(task, "nothing", (), 0, (Way(0, 1, ()),)))
    True
    """
    return any(applies(schedule) for applies, _ in THEOREMS)
