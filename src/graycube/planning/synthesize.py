"""Plans that are searched for: linear and integer programs against the table."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from graycube.bounds import Bound, Certificate
from graycube.errors import GraycubeError
from graycube.layout import Layout
from graycube.machine import Machine, require_machine
from graycube.planning.kept import place_of
from graycube.planning.plan import Plan, load_plan, plan
from graycube.schedule import Task
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
    the least flow, exact. What was found is kept (:mod:`graycube.planning.kept`) and given
    again, unless ``keep`` is false; ``tell`` is called with lines about the search.

    >>> gray, binary = Layout.nodes(3, "gray"), Layout.nodes(3)
    >>> machine = Machine(dims=3, ports=2)
    >>> found = synthesize(gray, binary, 8, machine=machine, keep=False)
    >>> found.cycles, plan(gray, binary, 8, machine=machine).cycles, bool(found.verify())
    (7, 8, True)
    """
    task = Task(source, target, block, itemsize)
    machine = require_machine(machine, task.n)
    require_whole(task, machine)
    place = place_of(task, machine) if keep else None
    if place is not None:
        with suppress(GraycubeError, OSError):
            known = load_plan(place)
            if (known.task, known.machine) == (task, machine):
                tell(f"found before: {place}")
                return known
    found = _searched(task, machine, time_limit, tell)
    if place is not None:
        with suppress(GraycubeError, OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            found.save(place)
    return found


def _searched(
    task: Task, machine: Machine, time_limit: float | None, tell: Callable[[str], object]
) -> Plan:
    deadline = deadline_after(time_limit)
    best = plan(task.source, task.target, task.block, itemsize=task.itemsize, machine=machine)
    tell(f"the table has {best.algorithm}: {best.cost:.4g} s")
    flow = least_flow(task, machine, time_limit=time_limit)
    bytes_ = float(flow.bound * task.block_bytes)
    seconds = (machine.startup if bytes_ else 0.0) + bytes_ * machine.per_byte
    why = f"tolls prove {flow.bound} of a block"
    best = replace(best, bounds=(*best.bounds, Bound("flow", seconds, why)))
    for schedule in candidates(task, machine, flow, deadline, tell):
        traffic = simulate(schedule)
        if traffic.time(machine) < best.cost:
            made = replace(best, schedule=schedule, traffic=traffic)
            if made.verify():
                best = made
                tell(f"{schedule.algorithm}: {best.cost:.4g} s")
    return best


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
