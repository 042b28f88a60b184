"""Schedules and algorithms that others wrote.

Rule. No algorithm of others can stop a plan, or make it wrong: what fails, or is not proved, is
left out.
"""

from dataclasses import replace
from typing import get_args

from graycube.cost import Traffic, simulate
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.machine import Machine, require_machine
from graycube.machine.model import Switching
from graycube.schedule import Moves, Replication, Schedule, Task, expand
from graycube.schedule.gathered import gathered, require_held
from graycube.schedule.walk import in_step_order
from graycube.schedule.way import are_straight
from graycube.table import Algorithm
from graycube.texts import one_line
from graycube.verify import check_algebra, check_schedule
from graycube.verify.ways import can_follow


def offered(algorithm: Algorithm, task: Task, machine: Machine) -> Schedule | Replication | str:
    """The schedule of an algorithm, proved, or why there is none.

    >>> from graycube.layout import Layout
    >>> from graycube.table.gray.gb3 import ALGORITHM
    >>> task, machine = Task(Layout.nodes(4, "gray"), Layout.nodes(4), 8), Machine(dims=4)
    >>> offered(replace(ALGORITHM, name="mine"), task, machine)
    <Schedule mine: 16 cycles, 16 nodes>
    >>> never = Algorithm(name="never", applicable=lambda t, m: None, emit=lambda t, m: 1 // 0)
    >>> offered(never, task, machine)
    'it failed (ZeroDivisionError: integer division or modulo by zero)'
    """
    try:
        reason = algorithm.applicable(task, machine)
        if reason is not None:
            return one_line(reason)
        schedule = algorithm.emit(task, machine)
    except Exception as error:  # noqa: BLE001 - it is not ours
        return one_line(f"it failed ({type(error).__name__}: {error})")
    fault = _fault(schedule, task, machine)
    return replace(schedule, algorithm=algorithm.name) if fault is None else one_line(fault)


def _fault(schedule: object, task: Task, machine: Machine) -> str | None:
    """What is wrong with what should be a schedule for a task."""
    if not isinstance(schedule, Schedule | Replication):
        return f"it gives {schedule!r:.60}, which is no schedule"
    if not is_for(schedule.task, task):
        return "its schedule is for another task"
    if schedule.relabel is not None:
        return "its schedule renumbers the nodes"
    report = check_schedule(schedule, machine)
    return None if report else f"its schedule is not proved: {report.violations[0]}"


def is_for(known: Task, task: Task) -> bool:
    """Whether it is the task, or the same with some bits of the payload made slot bits.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(3), Layout.nodes(3), block=8)
    >>> is_for(task.refined(2), task), is_for(task, task.refined(2))
    (True, False)
    """
    bits = known.p - task.p
    if bits < 0 or task.payload % (1 << bits):
        return False
    finer = task.refined(bits)
    return known == (replace(finer, target=known.target) if task.free else finer)


def price(schedule: Schedule | Replication | Moves, machine: Machine | str) -> float:
    """Seconds that anybody's schedule takes on a machine, counted as those of the table are.

    Whether it is right, and the machine has the ports for it, ``verify()`` of its plan says.
    Moves may also send copies, as a broadcast does, for which there are no tasks and plans.

    >>> import graycube as gc
    >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    >>> made = gc.plan(gray, binary, 64, machine="ideal").schedule
    >>> price(made, "ideal"), price(made, gc.Machine(dims=3, startup=1.0, per_byte=1.0))
    (41.0, 82.0)
    """
    if isinstance(schedule, Moves):
        machine = require_machine(machine, schedule.task.n)
        if not machine.per_row:
            return _written_out(schedule).time(machine)
    made = require_schedule(schedule)
    return counted(made).time(require_machine(machine, made.task.n))


def _written_out(moves: Moves) -> Traffic:
    """The traffic of moves as they are, row by row."""
    require_held(moves)
    head = Schedule(moves.task, moves.algorithm, moves.rounds, moves.cycles, ())
    return simulate(head, moves)


def counted(schedule: Schedule | Replication) -> Traffic:
    """The traffic of anybody's schedule, by algebra where it may be, or move by move.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Way, hop
    >>> from graycube.gf2 import Exchange
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> way = Way(0, 8, (hop(0, Exchange(flip=0b01, when=0b10), n=2),))
    >>> counted(Schedule(task, "mine", (0,), 8, (way,)))
    <Traffic of mine: 1 rounds, 8 cycles, 16 link bytes>
    """
    if isinstance(schedule, Replication):
        return simulate(schedule)
    if are_straight(schedule.ways) and all(map(in_step_order, schedule.ways)):
        try:
            return simulate(schedule)
        except GraycubeError:  # too many conditions
            if not can_follow(schedule):
                raise
    elif _is_countable(schedule):
        found = simulate(schedule)
        if schedule.task.stages or not can_follow(schedule):
            return found
        moved = simulate(schedule, expand(schedule))  # a proof allows messages to be short
        return found if _totals(found) == _totals(moved) else moved
    if not can_follow(schedule):
        raise InvalidValueError(
            f"the schedule has {schedule.task.block << schedule.task.n} elements"[:80],
            "no theorem counts messages of steps like these",
            "write them as hops, or take at most 2^18 elements, which are followed one by one",
        )
    return simulate(schedule, expand(schedule))


def _totals(traffic: Traffic) -> tuple[int, int, int]:
    return traffic.nonempty, traffic.cycles, traffic.crossings


def _is_countable(schedule: Schedule) -> bool:
    """Whether it has the rounds of its messages, which a proof on ports enough says."""
    n = schedule.task.n
    machines = (Machine(n, "all", switching) for switching in get_args(Switching))
    return any(check_algebra(schedule, machine) for machine in machines)


def require_schedule(schedule: object) -> Schedule | Replication:
    """The value, if it is a schedule; moves become one of single nodes and slots.

    >>> require_schedule([1, 2])
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: the schedule is [1, 2]: it must be a
    graycube.schedule.Schedule, or Moves; make one of ways
    """
    if isinstance(schedule, Moves):
        return gathered(schedule)
    if not isinstance(schedule, Schedule | Replication):
        raise InvalidTypeError(
            f"the schedule is {schedule!r:.60}",
            "it must be a graycube.schedule.Schedule, or Moves",
            "make one of ways",
        )
    return schedule
