"""Why a plan is what it is: what it takes, the next one, other blocks, the gap to the bound.

Rules. All links cost the same here, and start-ups cost something, else nothing is weighed.

1. A price is start-ups in sequence, and bytes in sequence. Two schedules differ in both.
2. In blocks of another size, start-ups are as they are and bytes grow with the block. So each
   schedule is a line, and where two of them meet the choice changes; algorithms that choose the
   size of their messages do better still, so that is about where.
3. The gap to the bound has three parts: start-ups that the bound does not have; *volume*, what
   a port sends in the mean beyond the bytes of the bound; and *fill*, while ports wait.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from graycube.cost import Traffic
from graycube.errors import GraycubeError
from graycube.machine import Machine
from graycube.planning.candidate import cheapest
from graycube.texts import counted

if TYPE_CHECKING:
    from graycube.planning.plan import Plan


_LARGER, _SMALLER = (1.1, 1.25, 2.0, 5.0), (0.9, 0.8, 0.5, 0.2)
"""At which parts of a break-even a choice is tried."""


class Parts(NamedTuple):
    """What a schedule takes: start-ups in sequence, bytes in sequence, and what they cost."""

    name: str
    startups: int
    nbytes: int
    startup: float
    transfer: float

    @property
    def cost(self) -> float:
        """Seconds.

        >>> Parts("gb1", 3, 192, 300.0, 192.0).cost
        492.0
        """
        return self.startup + self.transfer


class Gap(NamedTuple):
    """The parts of what a plan takes beyond its bound, in seconds."""

    startup: float
    volume: float
    fill: float


def why(plan: "Plan") -> Iterator[str]:
    """Lines about the choice.

    >>> from graycube.layout import Layout
    >>> from graycube.planning import plan
    >>> machine = Machine(dims=4, ports=2, startup=100.0, per_byte=1.0)
    >>> for line in why(plan(Layout.nodes(4, "gray"), Layout.nodes(4), 64, machine=machine)):
    ...     print(line)
    The plan takes 3 start-ups (300 s) and 96 bytes in sequence (96 s).
    Next is few-ports: 1 start-up more (100 s), 8 bytes less (8 s). With about 801 elements or
    more, few-ports is cheaper.
    The bound has 300 s of start-ups; the gap of 16 s is 16 s of fill.
    """
    if not weighs(plan):
        return
    chosen, *others = parts_of(plan)
    yield (
        f"The plan takes {counted(chosen.startups, 'start-up')} ({chosen.startup:.4g} s) "
        f"and {counted(chosen.nbytes, 'byte')} in sequence ({chosen.transfer:.4g} s)."
    )
    if others:
        more, less = turning_points(plan.task.block, chosen, others)
        more = more if more is None or _wins(plan, *more, _LARGER) else None
        less = less if less is None or _wins(plan, *less, _SMALLER) else None
        words = [f"{_beside(min(others, key=lambda one: one.cost), chosen)}."]
        for turn, side in ((less, "less"), (more, "more")):
            if turn is not None:
                size = counted(turn[0], "element")
                words.append(f"With about {size} or {side}, {turn[1]} is cheaper.")
        yield " ".join(words)
    bound = max(plan.bounds, key=lambda one: one.seconds)
    if not plan.optimal:
        parts = zip(Gap._fields, gap_of(plan), strict=True)
        names = {"startup": "start-ups"}
        seen = 1e-4 * (plan.cost - bound.seconds)  # less is not seen beside it, or is rounding
        said = [
            f"{part:.4g} s of {names.get(name, name)}" for name, part in parts if part > seen
        ]
        has = f"{bound.startup:.4g} s of start-ups" if bound.startup else "no start-ups"
        gap = f"the gap of {plan.cost - bound.seconds:.4g} s is {_listed(said)}"
        yield f"The bound has {has}; {gap}."


def weighs(plan: "Plan") -> bool:
    """Whether there are start-ups to be weighed against bytes.

    >>> from graycube.layout import Layout
    >>> from graycube.planning import plan
    >>> weighs(plan(Layout.nodes(2, "gray"), Layout.nodes(2), 64, machine="ideal"))
    False
    """
    plain = plan.machine.alike and not (plan.machine.per_row and plan.traffic.rows)
    moves = plan.schedule.relabel is None and plan.rounds and not plan.task.stages
    return bool(plain and plan.machine.cheapest.startup and moves)


def parts_of(plan: "Plan") -> list[Parts]:
    """What the plan takes, and then what each other candidate does that differs from it.

    >>> from graycube.layout import Layout
    >>> from graycube.planning import plan
    >>> made = plan(Layout.nodes(3, "gray"), Layout.nodes(3), 64, machine="ipsc1")
    >>> [(part.name, part.startups, part.nbytes) for part in parts_of(made)]
    [('gb1', 2, 128), ('gb2', 4, 128), ('gb3', 3, 96)]
    """
    found = [_parts(plan.algorithm, plan.traffic, plan.machine)]
    for candidate in plan.candidates:
        name, traffic = candidate.algorithm.name, candidate.traffic
        if traffic is not None and name != "relabel":
            part = _parts(name, traffic, plan.machine)
            if all(part[1:3] != other[1:3] for other in found):
                found.append(part)
    return found


def _parts(name: str, traffic: Traffic, machine: Machine) -> Parts:
    startups = traffic.startups(machine)
    nbytes, link = traffic.cycles * traffic.schedule.task.itemsize, machine.cheapest
    return Parts(name, startups, nbytes, startups * link.startup, nbytes * link.per_byte)


def turning_points(
    block: int, chosen: Parts, others: Sequence[Parts]
) -> tuple[tuple[int, str] | None, tuple[int, str] | None]:
    """From which larger, and from which smaller block on another is cheaper, and which.

    >>> gb1, gb3 = Parts("gb1", 3, 192, 300.0, 192.0), Parts("gb3", 4, 128, 400.0, 128.0)
    >>> turning_points(64, gb1, [gb3]), turning_points(64, gb3, [gb1])
    (((101, 'gb3'), None), (None, (99, 'gb1')))
    """
    larger, smaller = list[tuple[float, str]](), list[tuple[float, str]]()
    for other in others:
        startup, transfer = other.startup - chosen.startup, chosen.transfer - other.transfer
        if startup > 0 and transfer > 0:
            larger.append((startup / transfer * block, other.name))
        elif startup < 0 and transfer < 0:
            smaller.append((startup / transfer * block, other.name))
    more, less = min(larger, default=None), max(smaller, default=None)
    return (
        None if more is None else (int(more[0]) + 1, more[1]),
        None if less is None or less[0] <= 1 else (ceil(less[0]) - 1, less[1]),
    )


def _wins(plan: "Plan", turn: int, name: str, ratios: Sequence[float]) -> bool:
    """Whether another algorithm is cheaper than that of the plan, from one size on."""
    unit = plan.task.source.block_size
    for block in dict.fromkeys(max(1, round(turn * ratio / unit)) * unit for ratio in ratios):
        try:
            task = replace(plan.task.numbered(plan.machine.numbers), block=block)
        except GraycubeError:  # too large to be planned
            return False
        mine, other = (cheapest(task, plan.machine, one) for one in (plan.algorithm, name))
        if other is None or (mine is not None and other.cost > mine.cost):
            return False
    return True


def gap_of(plan: "Plan") -> Gap:
    """What the gap to the bound is made of.

    Bytes that save start-ups of the bound are no gap, nor start-ups that save bytes of it.

    >>> from graycube.layout import Layout
    >>> from graycube.planning import plan
    >>> machine = Machine(dims=4, ports=2, startup=100.0, per_byte=1.0)
    >>> gap_of(plan(Layout.nodes(4, "gray"), Layout.nodes(4), 64, machine=machine))
    Gap(startup=0.0, volume=0.0, fill=16.0)
    """
    chosen = _parts(plan.algorithm, plan.traffic, plan.machine)
    bound = max(plan.bounds, key=lambda one: one.seconds)
    circuits = plan.machine.switching == "circuit"
    links = plan.task.n if circuits else plan.machine.links_at_once
    startup = min(bound.startup, chosen.startup)
    needed = bound.seconds - startup
    saved = max(needed - chosen.transfer, 0.0)
    needed -= saved
    sent = plan.traffic.bytes / (links << plan.task.n) * plan.machine.cheapest.per_byte
    used = min(max(sent, needed), chosen.transfer)
    return Gap(chosen.startup - startup - saved, used - needed, chosen.transfer - used)


def _beside(other: Parts, chosen: Parts) -> str:
    """How the next one differs."""
    said = []
    for unit, number, seconds in (
        ("start-up", other.startups - chosen.startups, other.startup - chosen.startup),
        ("byte", other.nbytes - chosen.nbytes, other.transfer - chosen.transfer),
    ):
        if number:
            how = "more" if number > 0 else "less"
            said.append(f"{counted(abs(number), unit)} {how} ({abs(seconds):.4g} s)")
    return f"Next is {other.name}: {', '.join(said)}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), words[-1]])
