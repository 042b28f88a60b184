"""A plan in words: the table of candidates, the choice, the bound and the gap."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graycube.bounds import Bound
from graycube.machine import Machine
from graycube.planning.candidate import Candidate
from graycube.schedule import Task
from graycube.simulate import Traffic

HEAD = ("candidate", "rounds", "cycles", "link bytes", "seconds", "")
NO_COSTS = "No costs are known: a second stands for a byte on a link. calibrate measures costs."
_COLUMNS = "{:<15} {:>7} {:>8} {:>12} {:>9}  {}"
_WIDTH = 92  # characters
_DIRECT = {"direct": "exchange", "all-to-all": "all-to-all"}


class Row(NamedTuple):
    """A line of the table: a candidate, or the lower bound.

    >>> print(Row("gb1", "3", "192", "1536", "492", "chosen").line())
    gb1                   3      192         1536       492  chosen
    """

    name: str
    rounds: str
    cycles: str
    link_bytes: str
    seconds: str
    remark: str

    def line(self) -> str:
        """The row as text."""
        return _COLUMNS.format(*self).rstrip()


def explain(
    task: Task,
    machine: Machine,
    chosen: Traffic,
    candidates: Sequence[Candidate],
    bounds: Sequence[Bound],
) -> str:
    """The text of ``Plan.explain``."""
    why = "; ".join(f"{names} ({reason})" for reason, names in left_out(candidates))
    lines = [
        headline(task, machine),
        *(() if machine.priced else (NO_COSTS,)),
        *(row.line() for row in (Row(*HEAD), *rows(candidates, chosen, machine, bounds))),
        *(textwrap.wrap(f"Left out: {why}.", _WIDTH, break_on_hyphens=False) if why else ()),
        *verdict(candidates, chosen, machine, bounds),
    ]
    return "\n".join(lines)


def headline(task: Task, machine: Machine) -> str:
    """The task and the machine."""
    items = f"{task.itemsize} byte{'s' if task.itemsize > 1 else ''}"
    ports = f"{machine.links_at_once} port{'' if machine.links_at_once == 1 else 's'}"
    nodes = f"{1 << task.n} node{'s' if task.n else ''}"
    name = "" if machine.name == "custom" else f"{machine.name}: "
    packets = f", packets of {machine.packet} bytes" if machine.packet else ""
    return (
        f"{task.block} element{'s' if task.block > 1 else ''} of {items} "
        f"on each of {nodes}; "
        f"{name}{ports}, {machine.switching}{packets}"
    )


def rows(
    candidates: Sequence[Candidate],
    chosen: Traffic,
    machine: Machine,
    bounds: Sequence[Bound],
) -> Iterator[Row]:
    """The candidates that apply, a chosen schedule that is none of them, and the bound."""
    alike = as_before(candidates)
    for candidate in candidates:
        if candidate.traffic is not None:
            same = alike.get(candidate.algorithm.name)
            cost, remark = candidate.cost, _remark(candidate, chosen, machine, same)
            yield _row(candidate.algorithm.name, candidate.traffic, cost, remark)
    known = [c.traffic.schedule for c in candidates if c.traffic is not None]
    if chosen.schedule not in known:
        name = chosen.schedule.algorithm[:15]
        yield _row(name, chosen, chosen.time(machine), "chosen, not of the table")
    best = _largest(bounds)
    why = f"{best.name} ({best.citation})"
    yield Row("lower bound", "", "", "", f"{best.seconds:.4g}", why)


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


def _row(name: str, traffic: Traffic, cost: float, remark: str) -> Row:
    rounds, cycles, nbytes = map(str, (traffic.nonempty, traffic.cycles, traffic.bytes))
    return Row(name, rounds, cycles, nbytes, f"{cost:.4g}", remark)


def _largest(bounds: Sequence[Bound]) -> Bound:
    return max(bounds, key=lambda bound: bound.seconds)


def left_out(candidates: Sequence[Candidate]) -> list[tuple[str, str]]:
    """The reasons why algorithms do not apply, and the algorithms."""
    reasons: dict[str, list[str]] = {}
    for candidate in candidates:
        if candidate.reason is not None:
            reasons.setdefault(candidate.reason, []).append(candidate.algorithm.name)
    return [(reason, ", ".join(names)) for reason, names in reasons.items()]


def _remark(candidate: Candidate, chosen: Traffic, machine: Machine, same: str | None) -> str:
    cost = chosen.time(machine)
    if candidate.traffic is not None and candidate.traffic.schedule == chosen.schedule:
        return "chosen"
    if candidate.algorithm.name == "relabel":
        move = candidate.traffic.schedule.algorithm if candidate.traffic else ""
        moved = f"after {move.removesuffix('+relabel')}, " if "+" in move else ""
        return f"{moved}if the ranks may be renumbered"
    if same is not None:
        return f"as {same} here"
    if candidate.cost == cost:
        return "the same"
    return f"{candidate.cost / cost:.4g} times the chosen one" if cost else "dearer"


def cut_short(untried: Sequence[str]) -> list[str]:
    """What a search left untried, as lines; none if it ended by itself.

    >>> cut_short(["7-layer rounds", "groups of 7 units"])
    ['The search was cut short. Untried: 7-layer rounds; groups of 7 units. Raise time_limit.']
    """
    text = f"The search was cut short. Untried: {'; '.join(untried)}. Raise time_limit."
    return textwrap.wrap(text, _WIDTH, break_on_hyphens=False) if untried else []


def verdict(
    candidates: Sequence[Candidate],
    chosen: Traffic,
    machine: Machine,
    bounds: Sequence[Bound],
) -> Iterator[str]:
    """What there is to say about the choice and the gap to the bound."""
    cost, bound = chosen.time(machine), _largest(bounds).seconds
    rivals = [c.cost for c in candidates if c.algorithm.name not in (*_DIRECT, "relabel")]
    direct = _DIRECT.get(chosen.schedule.algorithm)
    if direct and cost < min(rivals):
        yield f"One direct {direct} beats the exchange algorithms on this machine."
    if cost == bound:
        yield "The chosen schedule meets the bound: it is optimal."
    elif chosen.schedule.relabel is not None:
        first = "The ranks get new numbers" if chosen.nonempty else "Nothing moves"
        yield f"{first}; the bound is for schedules that leave the ranks as they are."
    else:
        yield f"The chosen schedule is within a factor {cost / bound:.3g} of the bound."
