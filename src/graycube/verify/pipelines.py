"""Prove ways of exchanges in which elements take turns; one way may have stages.

Each crossing lets the elements of a link through one by one if node number, condition and turns
together tell all elements of its way apart: a rank. Two crossings of one dimension never meet
if no round is in both. An element leaves after its pair of the last stage is complete if the
latest arrival of any element that the stages in between join to it comes before.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from graycube.machine import Machine
from graycube.schedule import Schedule, Way
from graycube.verify.conditions import has_one_way
from graycube.verify.ends import wrong_ends
from graycube.verify.halves import deciding_sum, halves
from graycube.verify.report import Report, Violation, require_same_cube, tally
from graycube.verify.shares import check_shares
from graycube.verify.turns import (
    TimedCrossing,
    commute,
    decided,
    latest,
    may_be_equal,
    meet,
    says,
    tells_apart,
    timed_crossings,
)
from graycube.verify.uses import MAX_COMPARISONS, Effort

_RULES = ("share", "end", "stage", "link", "ports", "time", "round")


def is_pipeline(schedule: Schedule) -> bool:
    """Whether ways of whole slots are of exchanges over one dimension at a time.

    One that all elements have may have stages, too.
    """
    ways = schedule.ways
    alone = has_one_way(schedule) or not (schedule.task.stages or any(map(_stages, ways)))
    return alone and all(
        way.size == schedule.task.block
        and not way.per_slot
        and all(
            (step.move is None or step.exchange is not None) and len(step.crossings) < 2
            for step in way.steps
        )
        for way in ways
    )


def check_pipeline(schedule: Schedule, machine: Machine) -> Report:
    """Check pipelines by algebra.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Schedule, Step, Task, Way, hop
    >>> task = Task(Layout.cyclic(2, 1), Layout.parse("(b0 || b1)"), block=2)
    >>> steps = (Step(stage=1), hop(0, Exchange(flip=3, when=3), n=1), Step(stage=0))
    >>> made = Schedule(task, "by hand", (0,), 1, (Way(0, 2, steps),))
    >>> print(check_pipeline(made, Machine(dims=1)))
    by algebra: nothing is wrong (share, end, stage, link, ports, time, round)
    """
    require_same_cube(schedule.task, machine)
    every = _round_length(schedule)
    each = [(way, list(timed_crossings(schedule.task, way, every))) for way in schedule.ways]
    timed = sorted((t for _, one in each for t in one), key=lambda t: t.first)
    if sum(_comparisons(one) for _, one in each) > MAX_COMPARISONS // 2:
        detail = Effort(0).words
        return tally("by algebra", _RULES, [Violation("time", detail=detail)])
    found = [
        *check_shares(schedule, Effort(MAX_COMPARISONS)),
        *(v for way in schedule.ways for v in _check_program(schedule, way)),
        *(v for _, one in each for v in _check_turns(schedule, one)),
        *_check_dimensions(timed, machine, Effort(MAX_COMPARISONS)),
        *_check_rounds(schedule, timed, every),
    ]
    for way, one in each:
        in_order = list(_check_order(schedule, way, one))
        if in_order and (found or not _is_right_by_halves(schedule, way, one)):
            found += in_order
    return tally("by algebra", _RULES, found)


def _comparisons(timed: Sequence[TimedCrossing]) -> int:
    """How many it takes to tell how crossings follow: of digits, if they have other turns."""
    turns = {frozenset(t.coefficients.items()) for t in timed}
    digits = max((1 + len(t.crossing.delays) for t in timed), default=0)
    return len(timed) * (len(timed) + (len(turns) - 1) * digits)


def _is_right_by_halves(schedule: Schedule, way: Way, timed: Sequence[TimedCrossing]) -> bool:
    """Whether elements with one value of a sum have one order, and the others another one.

    No crossing lets both through in one cycle if its turns say which they are. A stage between
    two crossings joins elements of one half only, and in both it finds them on one node.
    """
    mask, stages, before = deciding_sum(timed), _stages(way), _crossings_before(way)
    if mask is None or not all(says(t, mask) for t in timed):
        return False
    end = list(timed[0].nodes)
    for t in timed:
        end[t.crossing.dim] ^= t.condition[0]
    between = range(before.count(0), sum(count < len(timed) for count in before))
    for half in halves(timed, before, mask):
        for s in between:
            nodes = next((t.nodes for t in half if t.stages > s), end)
            if any((mask | row) >> stages[s] & 1 for row in nodes):
                return False
        if any(_check_order(schedule, way, half, mask)):
            return False
    return True


def _check_program(schedule: Schedule, way: Way) -> Iterator[Violation]:
    """Everything ends where it belongs, and all stages find their pairs on one node."""
    task = schedule.task
    place, nodes = task.source.map, (1 << task.n) - 1
    for step in way.steps:
        if step.stage is not None and place.matrix(1 << step.stage) & nodes:
            detail = f"the butterflies of bit {step.stage} have pairs on two nodes"
            yield Violation("stage", detail=detail)
        if step.move is not None:
            place = step.move @ place
    if any(wrong_ends(schedule, way)):
        yield Violation("end", detail="it does not end in the layout of the task")
    stages = _stages(way)
    if task.stages and list(task.stages) != stages:
        detail = f"the task has the stages {list(task.stages)}, and the schedule {stages}"
        yield Violation("stage", detail=detail)
    runs = [list(task.source.word_bits(axis)) for axis in range(len(task.source.axes))]
    told = bool(task.stages)  # else it is a transform
    if stages and not told and not any(stages in (run, run[::-1]) for run in runs):
        detail = f"the stages are {stages}, which is not every bit of an axis once, in order"
        yield Violation("stage", detail=detail)


def _stages(way: Way) -> list[int]:
    return [step.stage for step in way.steps if step.stage is not None]


def _crossings_before(way: Way) -> list[int]:
    """For each stage, the number of crossings that are listed before it."""
    before, crossed = list[int](), 0
    for step in way.steps:
        if step.stage is not None:
            before.append(crossed)
        crossed += len(step.crossings)
    return before


def _check_turns(schedule: Schedule, timed: Sequence[TimedCrossing]) -> Iterator[Violation]:
    """Turns are not shared by the elements of a way."""
    for t in timed:
        delays = sorted(late.cycles for late in t.crossing.delays)
        sums = np.cumsum([0, *delays], dtype=object)[:-1]
        follow = all(d >= s + schedule.task.payload for d, s in zip(delays, sums, strict=True))
        if not tells_apart(t, schedule.task.p) or not follow:
            detail = f"crossing {t.number} sends two elements over one link in one cycle"
            yield Violation("link", cycle=t.crossing.start, detail=detail)


def _check_dimensions(
    timed: Sequence[TimedCrossing], machine: Machine, effort: Effort
) -> Iterator[Violation]:
    """No dimension serves two crossings at a time, and there are ports for all; by first round.

    Each crossing is compared with those that are still going on when it begins.
    """
    active: list[TimedCrossing] = []
    for t in timed:
        active = [other for other in active if other.last >= t.first]
        if effort.beyond(len(active)):
            yield Violation("link", cycle=t.crossing.start, detail=effort.words)
            return
        for other in active:
            if t.crossing.dim == other.crossing.dim and meet(t, other):
                detail = f"crossings {other.number} and {t.number} share dimension"
                yield Violation(
                    "link", cycle=t.crossing.start, detail=f"{detail} {t.crossing.dim}"
                )
        active.append(t)
        using = {other.crossing.dim for other in active}
        if len(using) > machine.links_at_once:
            detail = f"a node may use {len(using)} of its {machine.links_at_once} ports"
            yield Violation("ports", cycle=t.crossing.start, detail=detail)


def _check_order(
    schedule: Schedule, way: Way, timed: Sequence[TimedCrossing], *known: int
) -> Iterator[Violation]:
    """What is right if elements cross in this order, where some sums are known."""
    yield from _check_links(schedule.task.p, timed, known)
    yield from _check_times(_stages(way), timed)


def _check_links(
    p: int, timed: Sequence[TimedCrossing], known: tuple[int, ...]
) -> Iterator[Violation]:
    for k, one in enumerate(timed):
        if known and not tells_apart(one, p, known):
            detail = f"crossing {one.number} sends two elements over one link in one cycle"
            yield Violation("link", cycle=one.crossing.start, detail=detail)
        for other in timed[:k]:
            if one.run == other.run and latest(other, one, ()) >= 0:
                for this, that in ((one, other), (other, one)):
                    if not decided(this, that):
                        detail = f"where an element crosses {that.number} before or after"
                        detail += f" {this.number} depends on more than its time"
                        yield Violation("link", cycle=this.crossing.start, detail=detail)


def _round_length(schedule: Schedule) -> int:
    """Cycles of a round; the rounds of a pipeline are equally long.

    The last one may have a few more, in which no payload has room.
    """
    payload = schedule.task.payload
    if isinstance(schedule.rounds, range):
        return schedule.rounds.step
    return max(payload, max(schedule.round_lengths, default=0) // payload * payload)


def _check_rounds(
    schedule: Schedule, timed: Sequence[TimedCrossing], every: int
) -> Iterator[Violation]:
    """Times are compared in whole rounds: starts and delays must be such, or within one."""
    lengths = set() if isinstance(schedule.rounds, range) else {*schedule.round_lengths[:-1]}
    if schedule.cycles and (every % schedule.task.payload or lengths - {every}):
        detail = f"the rounds have {sorted({*lengths, every})} cycles, for payloads of "
        yield Violation("round", detail=f"{detail}{schedule.task.payload}")
    for t in timed:
        within = sum(late.cycles for late in t.crossing.delays if late.cycles % every)
        if t.crossing.start % every or within + schedule.task.payload > every:
            detail = f"'{t.exchange}' is not done in whole rounds of {every} cycles"
            yield Violation("round", cycle=t.crossing.start, detail=detail)
        if t.crossing.last + schedule.task.payload > schedule.cycles:
            detail = f"'{t.exchange}' ends after {schedule.cycles} cycles"
            yield Violation("time", cycle=t.crossing.last, detail=detail)


def _check_times(stages: Sequence[int], timed: Sequence[TimedCrossing]) -> Iterator[Violation]:
    """Nobody crosses before its earlier crossings, and its pairs, are over."""
    for k, late in enumerate(timed):
        for early in timed[:k]:
            joined = stages[early.stages : late.stages]
            if latest(early, late, joined) < 0:
                continue
            if early.run == late.run and not joined and commute(early.exchange, late.exchange):
                if latest(late, early, joined) >= 0 and may_be_equal(early, late):
                    detail = f"crossings {early.number} and {late.number} may be simultaneous"
                    yield Violation("time", cycle=late.crossing.start, detail=detail)
            else:
                detail = f"crossing {late.number} may start before {early.number} is over"
                yield Violation("time", cycle=late.crossing.start, detail=detail)
