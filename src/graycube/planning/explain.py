"""A plan in words: the table of candidates, the choice, the bound and the gap."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from graycube.cost.in_step import meeting_seconds
from graycube.machine import Machine, entries_of
from graycube.machine.words import over, ports_of
from graycube.planning.candidate import Candidate
from graycube.planning.why import why
from graycube.schedule import Task
from graycube.show import Reasons, Sheet, Table
from graycube.texts import counted

if TYPE_CHECKING:
    from graycube.planning.plan import Plan

NO_COSTS = "No costs are known: a second stands for a byte on a link. calibrate measures costs."
_HEAD = ("candidate", "rounds", "cycles", "link bytes", "seconds", "")
_DIRECT = {"direct": "exchange", "all-to-all": "all-to-all"}


def sheet_of(plan: "Plan", *, counted_only: bool = False) -> Sheet:
    """The task, the candidates with the chosen one marked, the bound and the gap.

    Algorithms that do not apply are listed with their reasons, or only counted.
    """
    others = left_out(plan.candidates)
    do = "does" if others.number == 1 else "do"
    count = f"{counted(others.number, 'other algorithm')} {do} not apply"
    source, target = plan.task.source, plan.task.target
    where = f"in the layout {source}" if plan.task.stages else f"from {source}\nto   {target}"
    return Sheet(
        f"{repr(plan).strip('<>')}\n{where}",
        f"{moved(plan.task)}; {used(plan.machine)}",
        *(() if plan.machine.alike and plan.machine.priced else costs_of(plan)),
        *rows_of(plan),
        *meetings_of(plan),
        table(plan),
        *(() if counted_only else (others,)),
        *verdict(plan),
        *why(plan),
        *([f"{count}: explain(why=True) says why."] if counted_only and others.number else ()),
    )


def moved(task: Task) -> str:
    """What is moved.

    >>> from graycube.layout import Layout
    >>> moved(Task(Layout.nodes(3), Layout.nodes(3), block=4, itemsize=8))
    '4 elements of 8 bytes on each of 8 nodes'
    """
    items = f"{counted(task.block, 'element')} of {counted(task.itemsize, 'byte')}"
    stages = f"{counted(len(task.stages), 'stage')} of butterflies on " if task.stages else ""
    return f"{stages}{items} on each of {counted(1 << task.n, 'node')}"


def used(machine: Machine) -> str:
    """The machine, as far as it decides what is possible.

    >>> used(Machine.profile("ipsc1", dims=5))
    'ipsc1: 1 port, store-and-forward'
    """
    name = "" if machine.name == "custom" else f"{machine.name}: "
    packets = f", packets of {machine.packet} bytes" if machine.packet else ""
    return f"{name}{ports_of(machine)}, {machine.switching}{packets}"


def entries(task: Task, machine: Machine) -> dict[str, object]:
    """A task and a machine, for JSON.

    >>> from graycube.layout import Layout
    >>> entries(Task(Layout.nodes(1), Layout.nodes(1), 8), Machine(1))["block"]
    8
    """
    return {
        "source": str(task.source),
        "target": str(task.target),
        "nodes": 1 << task.n,
        "block": task.block,
        "itemsize": task.itemsize,
        "machine": entries_of(machine),
    }


def costs_of(plan: "Plan") -> Iterator[str | Table]:
    """What links cost; where they differ, also how long the plan waits for each kind."""
    machine = plan.machine
    if not machine.priced:
        yield NO_COSTS
    elif machine.alike:
        link = machine.cheapest
        yield f"start-up {link.startup:.4g} s, {link.per_byte:.4g} s a byte"
    else:
        waits = [0.0] * machine.dims
        for times, seconds in plan.traffic.seconds(machine):
            slowest = max(seconds, key=seconds.__getitem__)
            waits[slowest] += times * seconds[slowest]
        shared = {wires.dims.start: f", {wires.shared}" for wires in machine.wires}
        rows = [
            (
                f"{over(dims)}{shared.get(dims.start, '')}",
                f"{link.startup:.4g}",
                f"{link.per_byte:.4g}",
                f"{sum(waits[d] for d in dims):.4g}",
            )
            for dims, link in machine.levels
        ]
        yield Table(("links of", "start-up", "per byte", "the plan waits"), rows, "lrrr")


def rows_of(plan: "Plan") -> Iterator[str]:
    """What of the price is for rows that messages gather.

    >>> from graycube.layout import Layout
    >>> from graycube.planning import plan
    >>> machine = Machine(dims=2, switching="circuit", startup=1e-5, per_row=2e-9)
    >>> made = plan(Layout.cyclic(8, 2), Layout.consecutive(8, 2), 64, machine=machine)
    >>> print(*rows_of(made))
    48 rows are gathered, 2e-09 s each
    """
    each, rows = plan.machine.per_row, plan.traffic.rows
    if each and rows:
        yield f"{counted(rows, 'row')} are gathered, {each:.4g} s each"


def meetings_of(plan: "Plan") -> Iterator[str]:
    """What of the price is for rounds that begin for all nodes at once.

    >>> from graycube.layout import Layout
    >>> from graycube.planning import plan
    >>> ring = Machine.torus((8,), startup=1e-5, per_byte=1e-9)
    >>> layouts = Layout.cyclic(6, 3), Layout.consecutive(6, 3)
    >>> print(*meetings_of(plan(*layouts, 1 << 20, machine=ring, algorithm="exchange")))
    all nodes meet between rounds: 2 times, 3e-05 s each
    """
    if meetings := plan.traffic.meetings(plan.machine):
        times = "once" if meetings == 1 else f"{meetings} times"
        each = f"{meeting_seconds(plan.machine):.4g} s{' each' * (meetings > 1)}"
        yield f"all nodes meet between rounds: {times}, {each}"


def table(plan: "Plan") -> Table:
    """The candidates that apply, a chosen schedule that is none of them, and the bound."""
    rows = [
        (f"{name:.31}", str(t.nonempty), str(t.cycles), str(t.bytes), f"{one.cost:.4g}", remark)
        for name, one, remark in remarks(plan)
        if (t := one.traffic) is not None
    ]
    marks = {k: "strong" for k, row in enumerate(rows) if row[-1].startswith("chosen")}
    best = max(plan.bounds, key=lambda bound: bound.seconds)
    why = f"{best.name} ({best.citation})"
    rows.append(("lower bound", "", "", "", f"{best.seconds:.4g}", why))
    return Table(_HEAD, rows, "lrrrrl", marks)


def remarks(plan: "Plan") -> Iterator[tuple[str, "Candidate | Plan", str]]:
    """Each candidate by name, and why it is left out or how it compares.

    A plan that is none of them, since it was read or found by a search, follows.

    >>> from graycube.layout import Layout
    >>> from graycube.planning import plan
    >>> made = plan(Layout.nodes(3, "gray"), Layout.nodes(3), 64, machine="ipsc1")
    >>> [remark for name, _, remark in remarks(made) if name in ("gb1", "gb2", "two-cube")]
    ['chosen', '1.989 times the chosen one', 'it converts one field of two bits']
    """
    alike, known = as_before(plan.candidates), False
    for candidate in plan.candidates:
        name = candidate.algorithm.name
        remark = _remark(candidate, plan, alike.get(name))
        known |= remark == "chosen"
        yield name, candidate, remark
    if not known:
        yield plan.algorithm, plan, "chosen, not of the table"


def as_before(candidates: Sequence[Candidate]) -> dict[str, str]:
    """The candidates with the figures of one before them, and the name of the first such one.

    >>> from graycube.layout import Layout
    >>> from graycube.planning.candidate import all_candidates
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1)
    >>> as_before(all_candidates(task, Machine(dims=3)))
    {'gb2': 'gb1', 'gb3': 'gb1', 'any-order': 'gb1', 'few-ports': 'gb1'}
    """
    first: dict[tuple[float, ...], str] = {}
    alike = {}
    for candidate in candidates:
        name, traffic = candidate.algorithm.name, candidate.traffic
        if traffic is not None and name != "relabel":
            figures = (traffic.nonempty, traffic.cycles, traffic.bytes, candidate.cost)
            if first.setdefault(figures, name) != name:
                alike[name] = first[figures]
    return alike


def left_out(candidates: Sequence[Candidate]) -> Reasons:
    """The algorithms that do not apply, by the reasons why."""
    reasons: dict[str, list[str]] = {}
    for candidate in candidates:
        if candidate.reason is not None:
            reasons.setdefault(candidate.reason, []).append(candidate.algorithm.name)
    return Reasons([(names, reason) for reason, names in reasons.items()])


def _remark(candidate: Candidate, plan: "Plan", same: str | None) -> str:
    if candidate.traffic is None:
        return f"{candidate.reason}"
    schedule = candidate.traffic.schedule
    if schedule == plan.schedule:
        return "chosen"
    if candidate.algorithm.name == "relabel":
        first = schedule.algorithm.rpartition("+")[0]
        return f"{f'after {first}, ' if first else ''}if the ranks may be renumbered"
    if same is not None:
        return f"as {same} here"
    return compared(candidate.cost, plan.cost)


def compared(cost: float, chosen: float) -> str:
    """A cost beside that of what was chosen.

    >>> compared(3.0, 2.0), compared(2.0, 2.0), compared(2.0001, 2.0), compared(1.0, 0.0)
    ('1.5 times the chosen one', 'the same', 'nearly the same', 'dearer')
    """
    if cost == chosen:
        return "the same"
    ratio = f"{cost / chosen:.4g}" if chosen else ""
    words = {"": "dearer", "1": "nearly the same"}
    return words.get(ratio, f"{ratio} times the chosen one")


def verdict(plan: "Plan") -> Iterator[str]:
    """What there is to say about the choice, the gap to the bound and what was not tried."""
    cost, bound = plan.cost, plan.lower_bound
    rivals = [c.cost for c in plan.candidates if c.algorithm.name not in (*_DIRECT, "relabel")]
    direct = _DIRECT.get(plan.algorithm)
    if direct and cost < min(rivals):
        yield f"One direct {direct} beats the exchange algorithms on this machine."
    if plan.optimal:
        yield "The chosen schedule meets the bound: it is optimal."
    elif plan.schedule.relabel is not None:
        first = "The ranks get new numbers" if plan.rounds else "Nothing moves"
        yield f"{first}; the bound is for schedules that leave the ranks as they are."
    elif bound:
        yield f"The chosen schedule is within a factor {cost / bound:.3g} of the bound."
    else:
        yield "The bound knows of nothing that has to be sent."
    if plan.untried:
        untried = "; ".join(plan.untried)
        yield f"The search was cut short. Untried: {untried}. Give it more seconds."
