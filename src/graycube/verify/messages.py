"""Prove messages that go straight to where they belong by algebra, at any size.

All that it claims is linear. The delays of a step number its turns. Within a turn, the ranks of
the sums that are the sender, the receiver, and both, tell how many messages a node sends and
receives: one, or as many as it has ports. Both ends must be told by the link that a message
uses for its k-th crossing, which has the bits of its destination that are reached by then and
the bits of its sender that are not left: then no two messages of a turn meet. And of the
messages of a node one at most crosses a dimension: all that cross it at one time are one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graycube.gf2 import Matrix, Span, without
from graycube.machine import Machine
from graycube.schedule import Schedule, Step
from graycube.verify.conditions import has_one_way
from graycube.verify.ends import wrong_ends
from graycube.verify.report import Report, Violation, require_same_cube, tally

_RULES = ("end", "time", "link", "ports", "round")


def is_direct(schedule: Schedule) -> bool:
    """Whether everything has one way, no butterflies are asked for, and all wait alike."""
    return (
        not schedule.task.stages
        and has_one_way(schedule)
        and all(
            step.stage is None and len({crossing.delays for crossing in step.crossings}) < 2
            for step in schedule.ways[0].steps
        )
    )


@dataclass(frozen=True, slots=True)
class _Sending:
    """A step: from cycle ``start`` to ``stop``, in messages of ``size`` elements.

    ``senders`` and ``goals`` are the node bits before and after, as sums of the address bits
    before, less those sums that number the turns.
    """

    step: Step
    start: int
    stop: int
    size: int
    senders: list[int]
    goals: list[int]


def check_direct(schedule: Schedule, machine: Machine) -> Report:
    """Check the messages of every step on its map alone.

    >>> from graycube.gf2 import Matrix
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Delivery, Task, delivered
    >>> n, everything = 40, range(40)
    >>> task = Task(Layout.cyclic(2 * n, n), Layout.consecutive(2 * n, n), block=1 << n)
    >>> units = [1 << d for d in everything]
    >>> swap = Delivery(task.move, Matrix.identity(n), units, dims=everything)
    >>> schedule = delivered(task, "all-to-all", [swap], circuits=True)
    >>> print(check_direct(schedule, Machine(dims=n, switching="circuit")))
    by algebra: nothing is wrong (end, time, link, ports, round)
    """
    require_same_cube(schedule.task, machine)
    made = list(_deliveries(schedule))
    found = [*_check_end(schedule), *_check_times(schedule, made, machine)]
    for number, delivery in enumerate(made):
        found += _check_messages(number, delivery, machine.links_at_once)
        found += _check_links(number, delivery)
    return tally("by algebra", _RULES, found)


def _deliveries(schedule: Schedule) -> Iterator[_Sending]:
    task = schedule.task
    for step in schedule.ways[0].steps:
        delays = step.crossings[0].delays if step.crossings else ()
        turns = Matrix(tuple(late.mask for late in delays), task.p).image()
        rows = step.affine(task.p).matrix.rows[: task.n]
        told = (*(late.mask for late in delays), *rows)  # turn and destination
        size = task.block >> len(Span(mask >> task.n for mask in told))
        start = min((crossing.start for crossing in step.crossings), default=0)
        stop = max((crossing.last + size for crossing in step.crossings), default=0)
        senders = [without(turns, 1 << d) for d in range(task.n)]
        goals = [without(turns, row) for row in rows]
        yield _Sending(step, start, stop, size, senders, goals)


def _check_end(schedule: Schedule) -> Iterator[Violation]:
    task, (way,) = schedule.task, schedule.ways
    for start, end in wrong_ends(schedule, way):
        detail = f"address {start} is taken to {end}, not {task.move(start)}"
        yield Violation("end", node=start & ((1 << task.n) - 1), detail=detail)


def _check_times(
    schedule: Schedule, made: Sequence[_Sending], machine: Machine
) -> Iterator[Violation]:
    """Messages do not overlap, and each has a round: a circuit as one, else each crossing."""
    crossing = [delivery for delivery in made if delivery.step.crossings]
    for one, other in pairwise(crossing):
        if other.start < one.stop:
            detail = f"messages start in cycle {other.start}, before others are over"
            yield Violation("time", cycle=other.start, detail=detail)
    for delivery in crossing:
        crossings, size = delivery.step.crossings, delivery.size
        starts = [crossing.start - delivery.start for crossing in crossings]
        circuit = not any(starts)
        if circuit and len(crossings) > 1 and machine.switching != "circuit":
            yield Violation("time", detail="circuits are used where there are none")
        if not circuit and starts != [k * size for k in range(len(starts))]:
            detail = f"a message is sent on before all of its {size} elements are there"
            yield Violation("time", cycle=delivery.start, detail=detail)
        needed = size if circuit else size * len(crossings)
        for late in sorted(crossings[0].delays, key=lambda late: late.cycles):
            if late.cycles < needed:
                detail = f"messages of {needed} cycles follow one another after {late.cycles}"
                yield Violation("round", cycle=delivery.start, detail=detail)
            needed += late.cycles
        if not _in_rounds(schedule, delivery):
            detail = f"messages of {size} elements are not rounds of their own"
            yield Violation("round", cycle=delivery.start, detail=detail)
    if crossing and crossing[-1].stop > schedule.cycles:
        yield Violation("time", detail=f"messages end after {schedule.cycles} cycles")


def _in_rounds(schedule: Schedule, delivery: _Sending) -> bool:
    """Whether rounds of one message each fill the time, and all messages start with one."""
    size, rounds = delivery.size, schedule.rounds
    spans = [late.cycles for late in delivery.step.crossings[0].delays]
    if any(span % size for span in spans):
        return False
    if isinstance(rounds, range):
        length = min(rounds.step, schedule.cycles)  # of one round, it is that of the schedule
        return length == size and delivery.start % size == 0
    first, last = (schedule.round_of(cycle) for cycle in (delivery.start, delivery.stop - 1))
    marks = (*rounds[first : last + 1], *(rounds[last + 1 : last + 2] or (schedule.cycles,)))
    wanted = range(delivery.start, delivery.stop + 1, size)
    return len(marks) == len(wanted) and marks == tuple(wanted)


def _check_messages(number: int, delivery: _Sending, ports: int) -> Iterator[Violation]:
    """In a turn a node has ports for all messages, over the dimensions that are crossed."""
    every = len(Span((*delivery.senders, *delivery.goals)))
    for verb, ends in (("sends", delivery.senders), ("receives", delivery.goals)):
        count = 1 << every - len(Span(ends))
        if count > max(ports, 1):  # without links a node gives to itself
            detail = f"in step {number} a node {verb} {count} messages in one turn"
            yield Violation("ports", detail=detail)
    move, n = delivery.step.move, len(delivery.senders)
    stays = {*range(n)} - {crossing.dim for crossing in delivery.step.crossings}
    if move is not None and any(move.changes(d) != (0, 1) for d in stays):
        detail = f"step {number} crosses more dimensions than it has crossings for"
        yield Violation("end", detail=detail)


def _check_links(number: int, delivery: _Sending) -> Iterator[Violation]:
    """The node that a message leaves, and that it crosses at all, tell which one it is."""
    senders, goals = delivery.senders, delivery.goals
    at, rank = list(senders), len(Span((*senders, *goals)))
    for crossing in delivery.step.crossings:
        before = at[crossing.dim]
        at[crossing.dim] = delivery.goals[crossing.dim]
        if len(Span((*at, before))) < rank:
            detail = f"in step {number} messages of a turn meet in dimension {crossing.dim}"
            yield Violation("link", detail=detail)
        across = senders[crossing.dim] ^ goals[crossing.dim]
        if len(Span((*senders, across))) < rank:
            detail = f"in step {number} two messages of a node cross dimension {crossing.dim}"
            yield Violation("link", detail=detail)
