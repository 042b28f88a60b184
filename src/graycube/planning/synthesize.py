"""Plans that are searched for: linear and integer programs against the table."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path

from graycube.cost import Bound, Certificate, Traffic, simulate
from graycube.errors import GraycubeError, UndecidedError
from graycube.layout import Layout
from graycube.layout.layout import require_cube
from graycube.machine import Machine, require_machine
from graycube.planning.kept import place_of
from graycube.planning.others import is_for
from graycube.planning.plan import Plan
from graycube.planning.planner import load_plan, plan
from graycube.schedule import Task
from graycube.search import least_flow
from graycube.search.demand import require_whole
from graycube.search.flow import flow_until
from graycube.search.limits import deadline_after, silent
from graycube.search.search import ScheduleSearch, candidates


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
    the least flow, exact, if there is time for it, or that of the integer programs which found
    that fewer cycles are impossible: ``plan.optimal`` says whether the plan meets it. ``tell``
    is called with lines about the search. If time runs out, or somebody interrupts it by
    Ctrl-C, the best so far is given, ``plan.untried`` has what was not tried, and
    ``plan.explain()`` says so; it is empty if the search ended by itself.

    What was found is kept (:mod:`graycube.planning.kept`) unless ``keep`` is false. It is given
    again if its search had ended by itself, and what a search has to beat if not.

    >>> gray, binary = Layout.nodes(3, "gray"), Layout.nodes(3)
    >>> machine = Machine(dims=3, ports="all")
    >>> found = synthesize(gray, binary, 11, machine=machine, keep=False)
    >>> found.cycles, plan(gray, binary, 11, machine=machine).cycles, bool(found.verify())
    (7, 8, True)
    >>> found.untried, found.optimal
    ((), True)
    """
    task = Task(source, target, block, itemsize)
    machine = require_machine(machine, task.n)
    in_cube = task.numbered(machine.numbers)
    require_whole(in_cube, machine)
    deadline = deadline_after(time_limit)
    best = plan(source, target, block, itemsize=itemsize, machine=machine)
    tell(f"the table has {best.algorithm}: {best.cost:.4g} s")
    try:
        flow = flow_until(deadline, in_cube, machine)
        best = replace(best, bounds=(*best.bounds, _flow_bound(in_cube, machine, flow.bound)))
    except UndecidedError as error:
        tell(f"{error.found}, and no search begins without it")
        flow = None
    if keep:
        best, ended = _with_kept(best, tell)
        if ended:
            return best
    if flow is None:
        return replace(best, untried=("everything: the least flow is not known",))
    search = ScheduleSearch(in_cube, machine, flow, deadline, tell, best.cost, best.lower_bound)
    best = _searched(best, search)
    if keep:
        _keep(best)
    return best


def _searched(best: Plan, search: ScheduleSearch) -> Plan:
    """The best plan at the end of a search, or when somebody stops it, with what is proved."""
    machine, tell = best.machine, search.tell
    try:
        for schedule in candidates(search):
            traffic = simulate(schedule)
            tell(f"{schedule.algorithm}: {traffic.time(machine):.4g} s")
            best = _better(best, traffic)
            search.cost = best.cost
            tell(f"the best takes {best.cost:.4g} s, {_gap(best)}")
    except KeyboardInterrupt:
        search.skip("all that was left", "stopped")
    if search.proved:
        best = replace(best, bounds=(*best.bounds, _cycle_bound(best, search.proved)))
    tell(f"{best.algorithm}: {best.cost:.4g} s, {_gap(best)}")
    tell("the search was cut short" if search.untried else "the search ended by itself")
    return replace(best, untried=() if best.optimal else tuple(search.untried))


def _gap(best: Plan) -> str:
    """How far the plan is from its bound, in words."""
    if best.optimal:
        return "which is optimal"
    return f"{best.cost / best.lower_bound - 1:.1%} above the bound"


def _cycle_bound(best: Plan, cycles: int) -> Bound:
    """What so many cycles take: rounds of longer messages have no fewer."""
    link, sent = best.machine.cheapest, cycles * best.task.itemsize
    seconds = link.startup + sent * link.per_byte
    counts = f"fewer than {cycles} cycles are impossible"
    return Bound("branch and bound", seconds, counts, link.startup)


def _flow_bound(task: Task, machine: Machine, share: Fraction) -> Bound:
    """What the least flow takes."""
    sent = ceil(share * task.block) * task.itemsize
    least = machine.cheapest
    startup = least.startup if sent else 0.0
    counts = f"tolls prove {share} of a block"
    return Bound("flow", startup + sent * least.per_byte, counts, startup)


def _better(best: Plan, traffic: Traffic) -> Plan:
    """The plan with a schedule that costs less and is right, or the plan as it is."""
    if traffic.time(best.machine) < best.cost:
        made = replace(best, schedule=traffic.schedule, traffic=traffic)
        if made.verify():
            return made
    return best


def _with_kept(best: Plan, tell: Callable[[str], object]) -> tuple[Plan, bool]:
    """The plan, or the one that was kept if that is cheaper, and whether its search ended."""
    for ended in (True, False):
        place = place_of(best.task, best.machine, ended=ended)
        known = None if place is None else _kept(place, best)
        if known is not None:
            tell(f"found before: {known.cost:.4g} s ({place})")
            return min(best, known, key=lambda plan: plan.cost), ended
    return best, False


def _kept(place: Path, best: Plan) -> Plan | None:
    """The plan in a file, if it is right and for the same task and machine.

    A schedule that parts blocks has slots for the parts.
    """
    try:
        known = load_plan(place)
    except (GraycubeError, OSError):
        return None
    alike = is_for(known.task, best.task) and known.machine == best.machine
    if not alike or known.schedule.relabel is not None:
        return None
    made = replace(best, schedule=known.schedule, traffic=simulate(known.schedule))
    return made if made.verify() else None


def _keep(best: Plan) -> None:
    """Write the plan where the next search looks for it, if that can be written."""
    place = place_of(best.task, best.machine, ended=not best.untried)
    if place is not None:
        with suppress(GraycubeError, OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            best.save(place)


def certify(
    source: Layout,
    target: Layout,
    *,
    machine: Machine | str,
    time_limit: float | None = None,
) -> Certificate:
    """The best bound on the flow of any schedule, with what proves it, for up to 2^7 nodes.

    On a torus with squares it is for the layouts in the numbers of the cube.

    >>> bits = Layout.parse("(|| b1 b2 b0)")  # two bits of the node number change places
    >>> certify(Layout.nodes(3), bits, machine=Machine(dims=3, ports="all")).share
    Fraction(1, 2)
    """
    task = Task(source, target, require_cube(source, "the source").block_size)
    machine = require_machine(machine, task.n)
    task = task.numbered(machine.numbers)
    flow = least_flow(task, machine, time_limit=time_limit)
    return Certificate(task.source, task.target, machine, flow.tolls, flow.bound)
