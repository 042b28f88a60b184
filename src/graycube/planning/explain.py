"""A plan in words: the table of candidates, the choice, the bound and the gap."""

import textwrap
from collections.abc import Iterator, Sequence

from graycube.bounds import Bound
from graycube.machine import Machine
from graycube.planning.candidate import Candidate
from graycube.schedule import Task
from graycube.simulate import Traffic

_COLUMNS = "{:<15} {:>7} {:>8} {:>12} {:>9}  "
_WIDTH = 92  # characters
_DIRECT = {"direct": "exchange", "all-to-all": "all-to-all"}


def explain(
    task: Task,
    machine: Machine,
    chosen: Traffic,
    candidates: Sequence[Candidate],
    bounds: Sequence[Bound],
) -> str:
    """The text of ``Plan.explain``."""
    bound = max(bounds, key=lambda b: b.seconds)
    figures = _COLUMNS.format("lower bound", "", "", "", f"{bound.seconds:.4g}")
    lines = [
        _headline(task, machine),
        _COLUMNS.format("candidate", "rounds", "cycles", "link bytes", "seconds").rstrip(),
        *_candidate_lines(candidates, chosen, machine),
        *_stranger(candidates, chosen, machine),
        f"{figures}{bound.name} ({bound.citation})",
        *_left_out(candidates),
        *_verdict(candidates, chosen, chosen.time(machine), bound.seconds),
    ]
    return "\n".join(lines)


def _headline(task: Task, machine: Machine) -> str:
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


def _candidate_lines(
    candidates: Sequence[Candidate], chosen: Traffic, machine: Machine
) -> Iterator[str]:
    for candidate in candidates:
        if candidate.traffic is not None:
            figures = _figures(candidate.algorithm.name, candidate.traffic, candidate.cost)
            yield figures + _remark(candidate, chosen, machine)


def _figures(name: str, traffic: Traffic, cost: float) -> str:
    return _COLUMNS.format(name, traffic.nonempty, traffic.cycles, traffic.bytes, f"{cost:.4g}")


def _left_out(candidates: Sequence[Candidate]) -> list[str]:
    """The algorithms that do not apply, by their reasons."""
    reasons: dict[str, list[str]] = {}
    for candidate in candidates:
        if candidate.reason is not None:
            reasons.setdefault(candidate.reason, []).append(candidate.algorithm.name)
    why = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
    return textwrap.wrap(f"Left out: {why}.", _WIDTH) if why else []


def _stranger(
    candidates: Sequence[Candidate], chosen: Traffic, machine: Machine
) -> Iterator[str]:
    """A line for a chosen schedule that no algorithm of the table emits."""
    known = [c.traffic.schedule for c in candidates if c.traffic is not None]
    if chosen.schedule not in known:
        name = chosen.schedule.algorithm[:15]
        yield _figures(name, chosen, chosen.time(machine)) + "chosen, from a file"


def _remark(candidate: Candidate, chosen: Traffic, machine: Machine) -> str:
    cost = chosen.time(machine)
    if candidate.traffic is not None and candidate.traffic.schedule == chosen.schedule:
        return "chosen"
    if candidate.algorithm.name == "relabel":
        move = candidate.traffic.schedule.algorithm if candidate.traffic else ""
        moved = f"after {move.removesuffix('+relabel')}, " if "+" in move else ""
        return f"{moved}if the ranks may be renumbered"
    if candidate.cost == cost:
        return "the same"
    return f"{candidate.cost / cost:.4g} times the chosen one" if cost else "dearer"


def _verdict(
    candidates: Sequence[Candidate], chosen: Traffic, cost: float, bound: float
) -> Iterator[str]:
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
