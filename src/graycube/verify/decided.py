"""Whether a schedule is right: by algebra, and element by element where that is affordable."""

from dataclasses import replace

from graycube.machine import Machine
from graycube.schedule import Replication, Schedule, expand
from graycube.verify.algebra import check_algebra, is_known
from graycube.verify.elements import check_elements
from graycube.verify.pairs import check_pairs
from graycube.verify.report import Report
from graycube.verify.ways import can_follow, check_ways

UNDECIDED = "element by element (algebra does not decide)"


def check_schedule(
    schedule: Schedule | Replication, machine: Machine, *, twice: bool = False
) -> Report:
    """Prove a schedule; where algebra does not, every element decides, if they are few.

    With ``twice`` the elements of what is proved are followed as well. Butterflies are proved
    by algebra only.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Crossing, Step, Task, Way
    >>> task = Task(Layout.nodes(2), Layout.parse("(|| b0 b1)"), block=4)
    >>> def swap(start, stop, *dims):
    ...     crossings = (Crossing(d, 2 * k) for k, d in enumerate(dims))
    ...     return Way(start, stop, (Step(Exchange(3, 3).affine(2), tuple(crossings)),))
    >>> halves = Schedule(task, "mine", (0, 2), 4, (swap(0, 2, 0, 1), swap(2, 4, 1, 0)))
    >>> check_schedule(halves, Machine(dims=2, ports=2)).method
    'element by element (algebra does not decide)'
    """
    report = check_algebra(schedule, machine)
    if isinstance(schedule, Replication) or (report and not twice) or not can_follow(schedule):
        return report
    if not report:
        if schedule.task.stages or _has_stages(schedule):
            return report
        followed = replace(check_ways(schedule, machine), method=UNDECIDED)
        return followed if followed or not is_known(schedule) else report
    moves = expand(schedule)
    followed = check_elements(moves, machine)
    if schedule.task.stages:
        followed = check_pairs(moves, schedule.task.stages).joined(followed)
    return report.joined(followed)


def _has_stages(schedule: Schedule) -> bool:
    return any(step.stage is not None for way in schedule.ways for step in way.steps)
