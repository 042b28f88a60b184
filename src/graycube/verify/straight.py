"""Prove ways of exchanges without delays, at any size of the cube.

Two facts carry the proof. The composition of a way's exchanges is one affine map, which must
agree with the map between the layouts on the nodes of the way. And two steps never use the
same link at the same time if their cycles do not overlap, or if no node meets both conditions:
equations over GF(2) without a common solution. Whether a node has ports enough is counted over
all combinations of the parities that occur.

Exchanges in which all nodes take part keep as much on every node as it had, cycle by cycle; so
where no way is that of some nodes only, or of some slots only that it mixes with others, the
peak of every node is its block.

An exchange over several dimensions is a flip of one after the other, for the elements that meet
its condition. They are on other nodes then, so the parities that hold there change by the flips
that they have done; nodes to which no others are sent hold two blocks.

Where the algebra cannot tell, or not with so many comparisons, the worst is assumed: the check
may refuse a good schedule of an unusual form, but it never passes a bad one.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise
from operator import attrgetter, itemgetter

from graycube.machine import Machine
from graycube.schedule import Schedule
from graycube.verify.conditions import have_common_solution
from graycube.verify.ends import wrong_ends
from graycube.verify.report import Report, Violation, require_same_cube, tally
from graycube.verify.shares import check_shares
from graycube.verify.uses import (
    MAX_COMPARISONS,
    Effort,
    Journey,
    Ports,
    Use,
    arrival,
    ends,
    journey,
    span_of_slots,
    uses_of,
)

_RULES = ("share", "end", "time", "link", "ports", "round")


def is_straight(schedule: Schedule) -> bool:
    """Whether each step is one exchange, one dimension after the other, without delays.

    Butterflies are not looked for here, so a task that asks for them is not for this theorem.
    """
    return not schedule.task.stages and all(
        step.exchange is not None
        and all(one.start < other.start for one, other in pairwise(step.crossings))
        and not any(crossing.delays for crossing in step.crossings)
        for way in schedule.ways
        for step in way.steps
    )


def check_straight(schedule: Schedule, machine: Machine) -> Report:
    """Check the rules on the exchanges themselves.

    >>> from graycube.table.gray import gb3
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> machine = Machine(dims=40)
    >>> task = Task(Layout.nodes(40, "gray"), Layout.nodes(40), block=64)
    >>> print(check_straight(gb3.emit(task, machine), machine))
    by algebra: nothing is wrong (share, end, time, link, ports, round);
    a node holds at most 64 elements
    """
    require_same_cube(schedule.task, machine)
    circuits = machine.switching == "circuit"
    journeys = [journey(schedule.task, way) for way in schedule.ways]
    uses = list(uses_of(journeys, circuits=circuits))
    sends, receipts = (ends(uses, last=last) for last in (False, True))
    both = (sends,) if _all_nodes(schedule) else (sends, [arrival(use) for use in receipts])
    partners = [[replace(use, dimension=use.across) for use in one] for one in both]
    ports = Ports(machine.links_at_once, Effort(MAX_COMPARISONS), circuits)
    found = chain(
        check_shares(schedule, Effort(MAX_COMPARISONS)),
        _check_ends(schedule),
        _check_times(schedule, journeys, circuits=circuits),
        _check_links(uses, Effort(MAX_COMPARISONS)),
        *(_check_ports(one, ports) for one in both),
        *(_check_rounds(schedule, partner, ports) for partner in partners),
        _check_forwarding(schedule, journeys, circuits=circuits),
    )
    report = tally("by algebra", _RULES, found)
    constant = _all_nodes(schedule) and not any(
        one.mixed and span_of_slots(schedule.task, one.way) is None for one in journeys
    )
    return replace(report, peak=schedule.task.block) if constant and report else report


def _all_nodes(schedule: Schedule) -> bool:
    """Whether each node receives what it sends: no way is that of some nodes only.

    Nor does a step pass through nodes that do not take part in it.
    """
    return not any(way.mask or any(len(step.crossings) > 1 for step in way.steps)
                   for way in schedule.ways)  # fmt: skip


def _check_ends(schedule: Schedule) -> Iterator[Violation]:
    task, low = schedule.task, (1 << schedule.task.n) - 1
    for s, way in enumerate(schedule.ways):
        for a, end in islice(wrong_ends(schedule, way), 1):
            detail = f"way {s} takes address {a} to {end}, not {task.move(a)}"
            yield Violation("end", node=a & low, detail=detail)


def _check_times(
    schedule: Schedule, journeys: Sequence[Journey], *, circuits: bool
) -> Iterator[Violation]:
    for s, (_, crossing, mixed) in enumerate(journeys):
        for one, other in pairwise(crossing):
            wait = one.cycles if mixed else 1
            if circuits and other.start == one.start and not mixed:
                wait = 0
            if other.start < one.start + wait:
                detail = f"way {s} starts '{other.exchange}' before '{one.exchange}' is over"
                yield Violation("time", cycle=other.start, detail=detail)
        if crossing:
            end = max(one.start + one.cycles for one in crossing)
            if end > schedule.cycles:
                detail = f"way {s} ends in cycle {end - 1} of {schedule.cycles}"
                yield Violation("time", cycle=end - 1, detail=detail)


def _check_links(uses: Sequence[Use], effort: Effort) -> Iterator[Violation]:
    """Compare each use with those of its dimension that are still going on when it starts."""
    active: dict[int, list[Use]] = {}
    for use in sorted(uses, key=lambda use: use.start):
        others = [u for u in active.get(use.dimension, []) if u.stop > use.start]
        if effort.beyond(len(others)):
            yield Violation("link", cycle=use.start, detail=effort.words)
            return
        for other in others:
            if use.start < use.stop and have_common_solution(use.conditions, other.conditions):
                detail = (
                    f"ways {other.path[0]} and {use.path[0]} "
                    f"share links of dimension {use.dimension}"
                )
                yield Violation("link", cycle=use.start, detail=detail)
        active[use.dimension] = [*others, use]


def _check_ports(uses: Sequence[Use], ports: Ports) -> Iterator[Violation]:
    if ports.suffice(uses):  # the uses of thousands of ways need not be compared
        return
    for cycle, busiest in _crowded(uses, ports, attrgetter("start")):
        detail = f"a node uses {busiest} of its {ports.count} ports{ports.doubt}"
        yield Violation("ports", cycle=cycle, detail=detail)


def _check_rounds(schedule: Schedule, uses: Sequence[Use], ports: Ports) -> Iterator[Violation]:
    """Rounds in which nothing starts have no more messages than the round before them."""

    def begin(use: Use) -> int:
        return schedule.rounds[schedule.round_of(use.start)]

    for start, busiest in _crowded(uses, ports, begin):
        detail = f"a node sends {busiest} messages on {ports.count} ports{ports.doubt}"
        yield Violation("round", cycle=start, detail=detail)


def _crowded(
    uses: Sequence[Use], ports: Ports, begin: Callable[[Use], int]
) -> Iterator[tuple[int, int]]:
    """When a node has more messages at once than ports, and how many."""
    starting, active = defaultdict[int, list[Use]](list), list[Use]()
    for use in uses:
        starting[begin(use)].append(use)
    for start, coming in sorted(starting.items(), key=itemgetter(0)):
        active = [*(use for use in active if use.stop > start), *coming]
        busiest = ports.most_at_once(active)
        if busiest > ports.count:
            yield start, busiest


def _check_forwarding(
    schedule: Schedule, journeys: Sequence[Journey], *, circuits: bool
) -> Iterator[Violation]:
    """What arrives in a round is sent on in a later one.

    Either all cross before the round of the first that goes on. Or every element keeps its turn
    and goes on a gap later, and no round is longer than that.
    """
    lengths = () if isinstance(schedule.rounds, range) else schedule.round_lengths
    for s, (_, crossing, mixed) in enumerate(journeys):
        for one, other in pairwise(crossing):
            first, start = one.start, other.start
            gap, stop = start - first, first + one.cycles
            apart = schedule.round_of(stop - 1) < schedule.round_of(start)
            if not apart and not mixed:
                apart = _longest_round(schedule, lengths, first, stop) <= gap
                apart |= circuits and gap == 0
            if not apart:
                detail = f"way {s} may be forwarded within a round"
                yield Violation("round", cycle=start, detail=detail)


def _longest_round(schedule: Schedule, lengths: Sequence[int], start: int, stop: int) -> int:
    """Length of the longest round that has some of the cycles."""
    if isinstance(schedule.rounds, range):
        return min(schedule.rounds.step, schedule.cycles)
    first, last = schedule.round_of(start), bisect_right(schedule.rounds, stop - 1)
    return max(lengths[first:last], default=0)
