"""Plans that are searched for: linear and integer programs against the table."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from graycube.bounds import Bound, Certificate
from graycube.errors import GraycubeError, UndecidedError
from graycube.layout import Layout
from graycube.machine import Machine, require_machine
from graycube.planning.kept import place_of
from graycube.planning.plan import Plan, load_plan, plan
from graycube.schedule import AnySchedule, Task
from graycube.simulate import simulate
from graycube.synthesis import least_flow
from graycube.synthesis.limits import deadline_after, silent
from graycube.synthesis.search import candidates, require_whole


def synthesize(  # noqa: PLR0913
    source: Layout,
    target: Layout,
    block: int,
    *,
    itemsize: int = 1,
    machine: Machine | str,
    time_limit: float | None = 60.0,
    keep: bool = True,
    tell: Callable[[str], object] = silent,
) -> Plan:
    """The best plan that the table has or that linear and integer programs find in time.

    For up to 2^7 nodes, and layouts that move whole blocks. The bound of the plan is that of
    the least flow, exact, if there is time for it. What was found in so much time is kept
    (:mod:`graycube.planning.kept`) and given again, unless ``keep`` is false; ``tell`` is
    called with lines about the search.

    >>> gray, binary = Layout.nodes(3, "gray"), Layout.nodes(3)
    >>> machine = Machine(dims=3, ports=2)
    >>> found = synthesize(gray, binary, 8, machine=machine, keep=False)
    >>> found.cycles, plan(gray, binary, 8, machine=machine).cycles, bool(found.verify())
    (7, 8, True)
    """
    task = Task(source, target, block, itemsize)
    machine = require_machine(machine, task.n)
    require_whole(task, machine)
    deadline = deadline_after(time_limit)
    table = plan(source, target, block, itemsize=itemsize, machine=machine)
    tell(f"the table has {table.algorithm}: {table.cost:.4g} s")
    try:
        flow = least_flow(task, machine, time_limit=time_limit)
    except UndecidedError as error:
        tell(f"stopped: {error}")
        return table
    table = replace(table, bounds=(*table.bounds, _flow_bound(task, machine, flow.bound)))
    place = place_of(task, machine, time_limit) if keep else None
    known = None if place is None else _kept(place, table)
    if known is not None:
        tell(f"found before: {place}")
        return known
    best = table
    for schedule in candidates(task, machine, flow, deadline, tell):
        best = _better(best, schedule)
        tell(f"{schedule.algorithm}: {simulate(schedule).time(machine):.4g} s")
    if place is not None:
        with suppress(GraycubeError, OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            best.save(place)
    return best


def _flow_bound(task: Task, machine: Machine, share: Fraction) -> Bound:
    """What the least flow takes."""
    sent = float(share * task.block_bytes)
    seconds = (machine.startup if sent else 0.0) + sent * machine.per_byte
    return Bound("flow", seconds, f"tolls prove {share} of a block")


def _better(best: Plan, schedule: AnySchedule) -> Plan:
    """The plan with a schedule that costs less and is right, or the plan as it is."""
    traffic = simulate(schedule)
    if traffic.time(best.machine) < best.cost:
        made = replace(best, schedule=schedule, traffic=traffic)
        if made.verify():
            return made
    return best


def _kept(place: Path, table: Plan) -> Plan | None:
    """The plan in a file, if it is right and for this task, or the table's if that costs less.

    A schedule that parts blocks has slots for the parts.
    """
    try:
        known = load_plan(place)
    except (GraycubeError, OSError):
        return None
    task, bits = table.task, known.task.p - table.task.p
    same = bits >= 0 and task.payload % (1 << bits) == 0 and task.refined(bits) == known.task
    if not same or known.machine != table.machine or known.schedule.relabel is not None:
        return None
    made = replace(table, schedule=known.schedule, traffic=simulate(known.schedule))
    if not made.verify():
        return None
    return min(table, made, key=lambda plan: plan.cost)


def certify(
    source: Layout,
    target: Layout,
    *,
    machine: Machine | str,
    time_limit: float | None = None,
) -> Certificate:
    """The best bound on the flow of any schedule, with what proves it, for up to 2^7 nodes.

    >>> bits = Layout.parse("(|| b1 b2 b0)")  # two bits of the node number change places
    >>> certify(Layout.nodes(3), bits, machine=Machine(dims=3, ports="all")).share
    Fraction(1, 2)
    """
    task = Task(source, target, source.block_size)
    machine = require_machine(machine, task.n)
    flow = least_flow(task, machine, time_limit=time_limit)
    return Certificate(source, target, machine, flow.tolls, flow.bound)
