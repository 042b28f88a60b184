"""Prove an emulation by algebra, at any size.

Each crossing lets the elements of a link through one by one if node number, condition and turns
together tell all elements apart: a rank. Two crossings of one dimension never meet if no round
is in both. An element leaves after its pair of the last stage is complete if the latest arrival
of any element that the stages in between join to it comes before.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from graycube.gf2 import Matrix
from graycube.machine import Machine
from graycube.schedule import Emulation, Stage
from graycube.verify.report import Report, Violation, require_same_cube, tally
from graycube.verify.turns import (
    TimedCrossing,
    commute,
    decided,
    latest,
    may_be_equal,
    meet,
    timed_crossings,
)
from graycube.verify.uses import MAX_COMPARISONS, Effort

_RULES = ("end", "stage", "link", "ports", "time", "round")


def check_emulation(emulation: Emulation, machine: Machine) -> Report:
    """Check an emulation by algebra.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Crossing, Task
    >>> task = Task(Layout.cyclic(2, 1), Layout.parse("(b0 || b1)"), block=2)
    >>> steps = (Stage(1), Crossing(Exchange(flip=3, when=3), 0), Stage(0))
    >>> emulation = Emulation(task, "by hand", (0,), 1, steps)
    >>> print(check_emulation(emulation, Machine(dims=1)))
    by algebra: nothing is wrong (end, stage, link, ports, time, round)
    """
    require_same_cube(emulation.task, machine)
    every = _round_length(emulation)
    timed = list(timed_crossings(emulation, every))
    if len(timed) * sum(1 + len(t.crossing.turns) for t in timed) > MAX_COMPARISONS // 2:
        detail = Effort(0).words
        return tally("by algebra", _RULES, [Violation("time", detail=detail)])
    found = [
        *_check_program(emulation),
        *_check_links(emulation, timed),
        *_check_ports(timed, machine),
        *_check_rounds(emulation, every),
        *_check_times(emulation, timed),
    ]
    return tally("by algebra", _RULES, found)


def _check_program(emulation: Emulation) -> Iterator[Violation]:
    program, task = emulation.program, emulation.task
    result = program.result()
    if emulation.relabel is not None:
        result = emulation.relabel @ result
    if result != task.target:
        yield Violation("end", detail=f"it ends in {result}, not in {task.target}")
    for stage in program.remote_stages():
        yield Violation("stage", detail=f"the {stage} have pairs on two nodes")
    stages = _stages(emulation)
    runs = [list(task.source.word_bits(axis)) for axis in range(len(task.source.axes))]
    if stages and not any(stages in (run, run[::-1]) for run in runs):
        detail = f"the stages are {stages}, which is not every bit of an axis once, in order"
        yield Violation("stage", detail=detail)


def _stages(emulation: Emulation) -> list[int]:
    return [step.bit for step in emulation.steps if isinstance(step, Stage)]


def _check_links(emulation: Emulation, timed: Sequence[TimedCrossing]) -> Iterator[Violation]:
    p, n = emulation.task.p, emulation.task.n
    for t in timed:
        delays = sorted(turn.delay for turn in t.crossing.turns)
        sums = np.cumsum([0, *delays], dtype=object)[:-1]
        rows = (*(1 << d for d in range(n)), t.crossing.exchange.when)
        rows += tuple(turn.when for turn in t.crossing.turns)
        told_apart = Matrix(rows, p).rank() == p
        if not told_apart or any(d <= s for d, s in zip(delays, sums, strict=True)):
            detail = f"crossing {t.number} sends two elements over one link in one cycle"
            yield Violation("link", cycle=t.crossing.start, detail=detail)
    for k, one in enumerate(timed):
        for other in timed[:k]:
            if one.dimension == other.dimension and meet(one, other):
                detail = f"crossings {other.number} and {one.number} share dimension"
                yield Violation(
                    "link", cycle=one.crossing.start, detail=f"{detail} {one.dimension}"
                )
            if one.run == other.run and latest(other, one, ()) >= 0:
                for this, that in ((one, other), (other, one)):
                    if not decided(this, that):
                        detail = f"where an element crosses {that.number} before or after"
                        detail += f" {this.number} depends on more than its time"
                        yield Violation("link", cycle=this.crossing.start, detail=detail)


def _check_ports(timed: Sequence[TimedCrossing], machine: Machine) -> Iterator[Violation]:
    for t in timed:
        using = {o.dimension for o in timed if o.first <= t.first <= o.last}
        if len(using) > machine.links_at_once:
            detail = f"a node may use {len(using)} of its {machine.links_at_once} ports"
            yield Violation("ports", cycle=t.crossing.start, detail=detail)


def _round_length(emulation: Emulation) -> int:
    """Cycles of a round, in payloads; the rounds of a pipeline are equally long."""
    if isinstance(emulation.rounds, range):
        length = emulation.rounds.step
    else:
        length = max(emulation.round_lengths, default=1)
    return max(1, length // emulation.task.payload)


def _check_rounds(emulation: Emulation, every: int) -> Iterator[Violation]:
    """Times are compared in whole rounds: starts and delays must be such, or within one."""
    payload = emulation.task.payload
    lengths = (
        {emulation.rounds.step}
        if isinstance(emulation.rounds, range)
        else set(emulation.round_lengths[:-1]) or {every * payload}
    )
    if emulation.cycles and lengths != {every * payload}:
        detail = f"the rounds have {sorted(lengths)} cycles, for payloads of {payload}"
        yield Violation("round", detail=detail)
    for crossing in emulation.crossings:
        within = [turn.delay for turn in crossing.turns if turn.delay % every]
        if crossing.start % every or sum(within) >= every:
            detail = f"'{crossing}' is not in whole rounds of {every}"
            yield Violation("round", cycle=crossing.start, detail=detail)


def _check_times(emulation: Emulation, timed: Sequence[TimedCrossing]) -> Iterator[Violation]:
    """Nobody crosses before its earlier crossings, and its pairs, are over."""
    stages = _stages(emulation)
    for k, late in enumerate(timed):
        for early in timed[:k]:
            joined = stages[early.stages : late.stages]
            if latest(early, late, joined) < 0:
                continue
            if early.run == late.run and commute(early.crossing, late.crossing):
                if latest(late, early, joined) >= 0 and may_be_equal(early, late):
                    detail = f"crossings {early.number} and {late.number} may be simultaneous"
                    yield Violation("time", cycle=late.crossing.start, detail=detail)
            else:
                detail = f"crossing {late.number} may start before {early.number} is over"
                yield Violation("time", cycle=late.crossing.start, detail=detail)
