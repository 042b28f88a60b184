"""Prove a symbolic schedule by algebra, at any size of the cube.

Two facts carry the proof. The composition of a strand's exchanges is one affine map, which must
agree with the map between the layouts on the nodes of the strand. And two hops never use the
same link at the same time if their cycles do not overlap, or if no node meets both conditions:
equations over GF(2) without a common solution. Whether a node has ports enough is counted over
all combinations of the parities that occur.

Exchanges in which all nodes take part keep as much on every node as it had, cycle by cycle; so
where no strand is that of some nodes only, or of some slots only that it mixes with others, the
peak of every node is its block.

Where the algebra cannot tell, the worst is assumed: the check may refuse a good schedule of an
unusual form, but it never passes a bad one.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import xor

from graycube.gf2 import bit_indices, parity
from graycube.machine import Machine
from graycube.schedule import Hop, Schedule, Strand
from graycube.verify.conditions import Conditions, have_common_solution, most_combined
from graycube.verify.report import Report, Violation, require_same_cube, tally

_RULES = ("share", "end", "time", "link", "ports", "round")
MAX_CONDITIONS = 10
"""Most conditions at a time whose combinations are tried; beyond, the worst is assumed."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A hop's use of its dimension: by the nodes with ``conditions``, in cycles start..stop.

    ``path`` names the message: the hops of a circuit belong to one path. ``always`` says that
    all elements of the strand that are on these nodes cross. ``across`` is what the number of
    the node at the other end of the message differs in.
    """

    dimension: int
    conditions: Conditions
    start: int
    stop: int
    path: tuple[int, int]
    always: bool
    across: int


def check_strands(schedule: Schedule, machine: Machine) -> Report:
    """Check the rules on the exchanges themselves.

    >>> from graycube.algorithms import gb3
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> machine = Machine(dims=40)
    >>> task = Task(Layout.nodes(40, "gray"), Layout.nodes(40), block=64)
    >>> print(check_strands(gb3.emit(task, machine), machine))
    by algebra: nothing is wrong (share, end, time, link, ports, round);
    a node holds at most 64 elements
    """
    require_same_cube(schedule.task, machine)
    circuits = machine.switching == "circuit"
    uses = [
        use
        for s in range(len(schedule.strands))
        for use in _uses(schedule, s, circuits=circuits)
    ]
    sends, receipts = (_ends(uses, last=last) for last in (False, True))
    ways = (sends,) if _all_nodes(schedule) else (sends, [_arrival(use) for use in receipts])
    partners = [[replace(use, dimension=use.across) for use in way] for way in ways]
    found = [
        *_check_shares(schedule),
        *_check_ends(schedule),
        *_check_times(schedule, circuits=circuits),
        *_check_links(uses),
        *(v for way in ways for v in _check_ports(way, machine, circuits=circuits)),
        *(v for p in partners for v in _check_rounds(schedule, p, machine, circuits=circuits)),
        *_check_forwarding(schedule, circuits=circuits),
    ]
    report = tally("by algebra", _RULES, found)
    constant = _all_nodes(schedule) and not any(
        _mixes_slots(schedule, strand) and strand.size < schedule.task.block
        for strand in schedule.strands
    )
    return replace(report, peak=schedule.task.block) if constant and report else report


def _all_nodes(schedule: Schedule) -> bool:
    """Whether no strand is that of some nodes only: then each node receives when it sends."""
    return not any(strand.mask for strand in schedule.strands)


def _ends(uses: Sequence[_Use], *, last: bool) -> list[_Use]:
    """Only the first or last hops of circuits: others use no ports.

    That is, where all elements of a strand take all hops of the circuit.
    """
    paths: dict[tuple[int, int], list[_Use]] = {}
    for use in uses:
        paths.setdefault(use.path, []).append(use)
    found = []
    for hops in paths.values():
        if all(use.always for use in hops):
            across = reduce(xor, (use.across for use in hops))
            found.append(replace(hops[-1 if last else 0], across=across))
        else:
            found += hops
    return found


def _arrival(use: _Use) -> _Use:
    """The same use, seen from the nodes that receive."""
    link = 1 << use.dimension
    there = tuple((mask, want ^ parity(mask & link)) for mask, want in use.conditions)
    return replace(use, conditions=there)


def _uses(schedule: Schedule, s: int, *, circuits: bool) -> Iterator[_Use]:
    nodes = (1 << schedule.task.n) - 1
    strand = schedule.strands[s]
    holders = [(1 << j, strand.value >> j & 1) for j in bit_indices(strand.mask)]
    for k, hop in enumerate(strand.hops):
        crossed, when, want = hop.exchange.flip & nodes, hop.exchange.when, hop.exchange.want
        if crossed and strand.size:
            equations = {*holders, (when, want)}
            yield _Use(
                crossed.bit_length() - 1,
                tuple(sorted(e for e in equations if e[0] and not e[0] >> schedule.task.n)),
                hop.cycle,
                hop.cycle + _duration(schedule, strand, hop),
                (s, hop.cycle if circuits else k),
                always=not when,
                across=1 << crossed.bit_length() - 1,
            )
        # The exchange adds [parity(a & when) == want] to every parity that its flip changes.
        holders = [
            (mask ^ when, value ^ want ^ 1)
            if parity(mask & hop.exchange.flip)
            else (mask, value)
            for mask, value in holders
        ]


def _mixes_slots(schedule: Schedule, strand: Strand) -> bool:
    """Whether elements of the strand change places within their blocks."""
    n = schedule.task.n
    return any((hop.exchange.flip | hop.exchange.when) >> n for hop in strand.hops)


def _duration(schedule: Schedule, strand: Strand, hop: Hop) -> int:
    """Cycles that the elements of a strand take at most to cross a link."""
    block = schedule.task.block
    if not _mixes_slots(schedule, strand):
        return strand.size
    if strand.size == block and hop.exchange.when >> schedule.task.n:
        return block // 2  # whole blocks are permuted, so every node has half of the slots
    return block


def _check_shares(schedule: Schedule) -> Iterator[Violation]:
    """Every position of every node is in exactly one strand."""
    block, n = schedule.task.block, schedule.task.n
    strands = sorted((s for s in schedule.strands if s.size), key=lambda s: s.start)
    marks = sorted({0, block, *(s.start for s in strands), *(s.stop for s in strands)})
    waiting = iter([*strands, None])
    coming, holding = next(waiting), list[Strand]()
    for start, stop in pairwise(marks):
        holding = [strand for strand in holding if strand.stop > start]
        between = f"positions {start} to {stop} of a block"
        while coming is not None and coming.start <= start:
            if any(_have_common_nodes(coming, other) for other in holding):
                yield Violation("share", detail=f"{between} are in two strands")
            holding.append(coming)
            coming = next(waiting)
        if sum(1 << (n - strand.mask.bit_count()) for strand in holding) < 1 << n:
            yield Violation("share", detail=f"{between} are in no strand")


def _have_common_nodes(one: Strand, other: Strand) -> bool:
    """Whether the two strands are those of a same node."""
    return not (one.value ^ other.value) & one.mask & other.mask


def _check_ends(schedule: Schedule) -> Iterator[Violation]:
    """Affine maps agree on a subcube if they agree at a corner and its neighbours there."""
    task = schedule.task
    low = (1 << task.n) - 1
    for s, strand in enumerate(schedule.strands):
        free = (1 << j for j in range(task.p) if not strand.mask >> j & 1)
        for a in (strand.value, *(strand.value ^ bit for bit in free)):
            end = a
            for hop in strand.hops:
                end = hop.exchange(end)
            if schedule.relabel is not None:
                end = schedule.relabel(end)
            if end != task.move(a):
                detail = f"strand {s} takes address {a} to {end}, not {task.move(a)}"
                yield Violation("end", node=a & low, detail=detail)
                break


def _check_times(schedule: Schedule, *, circuits: bool) -> Iterator[Violation]:
    nodes = (1 << schedule.task.n) - 1
    for s, strand in enumerate(schedule.strands):
        crossing = [hop for hop in strand.hops if hop.exchange.flip & nodes]
        for before, after in pairwise(crossing):
            turns_change = _mixes_slots(schedule, strand)
            wait = _duration(schedule, strand, before) if turns_change else 1
            if circuits and after.cycle == before.cycle and not turns_change:
                wait = 0
            if after.cycle < before.cycle + wait:
                detail = (
                    f"strand {s} starts '{after.exchange}' before '{before.exchange}' is over"
                )
                yield Violation("time", cycle=after.cycle, detail=detail)
        if strand.size and crossing:
            end = max(hop.cycle + _duration(schedule, strand, hop) for hop in crossing)
            if end > schedule.cycles:
                detail = f"strand {s} ends in cycle {end - 1} of {schedule.cycles}"
                yield Violation("time", cycle=end - 1, detail=detail)


def _check_links(uses: Sequence[_Use]) -> Iterator[Violation]:
    """Compare each use with those of its dimension that are still going on when it starts."""
    active: dict[int, list[_Use]] = {}
    for use in sorted(uses, key=lambda use: use.start):
        others = [u for u in active.get(use.dimension, []) if u.stop > use.start]
        for other in others:
            if use.start < use.stop and have_common_solution(use.conditions, other.conditions):
                detail = (
                    f"strands {other.path[0]} and {use.path[0]} "
                    f"share links of dimension {use.dimension}"
                )
                yield Violation("link", cycle=use.start, detail=detail)
        active[use.dimension] = [*others, use]


def _check_ports(
    uses: Sequence[_Use], machine: Machine, *, circuits: bool
) -> Iterator[Violation]:
    active: list[_Use] = []
    for cycle, coming in _by_start(uses):
        active = [*(use for use in active if use.stop > cycle), *coming]
        busiest = _most_at_once(active, machine.links_at_once, circuits=circuits)
        if busiest > machine.links_at_once:
            detail = f"a node uses {busiest} of its {machine.links_at_once} ports"
            yield Violation("ports", cycle=cycle, detail=detail)


def _by_start(uses: Sequence[_Use]) -> Iterator[tuple[int, list[_Use]]]:
    """The uses that start in each cycle, in order of time."""
    starting: dict[int, list[_Use]] = {}
    for use in uses:
        starting.setdefault(use.start, []).append(use)
    yield from sorted(starting.items(), key=lambda entry: entry[0])


def _check_rounds(
    schedule: Schedule,
    uses: Sequence[_Use],
    machine: Machine,
    *,
    circuits: bool,
) -> Iterator[Violation]:
    """Rounds in which nothing starts have no more messages than the round before them."""
    starting: dict[int, list[_Use]] = {}
    for use in uses:
        starting.setdefault(schedule.round_of(use.start), []).append(use)
    active: list[_Use] = []
    for number, coming in sorted(starting.items(), key=lambda entry: entry[0]):
        start = schedule.rounds[number]
        active = [*(use for use in active if use.stop > start), *coming]
        busiest = _most_at_once(active, machine.links_at_once, circuits=circuits)
        if busiest > machine.links_at_once:
            detail = f"a node sends {busiest} messages on {machine.links_at_once} ports"
            yield Violation("round", cycle=start, detail=detail)


def _check_forwarding(schedule: Schedule, *, circuits: bool) -> Iterator[Violation]:
    """What arrives in a round is sent on in a later one.

    Either all cross before the round of the first that goes on. Or every element keeps its turn
    and goes on a gap later, and no round is longer than that.
    """
    nodes = (1 << schedule.task.n) - 1
    lengths = () if isinstance(schedule.rounds, range) else schedule.round_lengths
    for s, strand in enumerate(schedule.strands):
        crossing = [hop for hop in strand.hops if hop.exchange.flip & nodes and strand.size]
        for before, after in pairwise(crossing):
            gap = after.cycle - before.cycle
            stop = before.cycle + _duration(schedule, strand, before)
            apart = schedule.round_of(stop - 1) < schedule.round_of(after.cycle)
            if not apart and not _mixes_slots(schedule, strand):
                longest = _longest_round(schedule, lengths, before.cycle, stop)
                apart = longest <= gap or (circuits and gap == 0)
            if not apart:
                detail = f"strand {s} may be forwarded within a round"
                yield Violation("round", cycle=after.cycle, detail=detail)


def _longest_round(schedule: Schedule, lengths: Sequence[int], start: int, stop: int) -> int:
    """Length of the longest round that has some of the cycles."""
    if isinstance(schedule.rounds, range):
        return min(schedule.rounds.step, schedule.cycles)
    first, last = schedule.round_of(start), bisect_right(schedule.rounds, stop - 1)
    return max(lengths[first:last], default=0)


def _most_at_once(active: Sequence[_Use], ports: int, *, circuits: bool) -> int:
    """The most messages that one node sends (or receives) among the active uses.

    The conditions along a circuit of several hops are those of its intermediate nodes, so such
    a path counts for every node, which is safe. Of the others all combinations of parities are
    tried, unless even a node that uses all dimensions has ports enough.
    """
    if circuits:
        hops = Counter(use.path for use in active)
        single = [use for use in active if hops[use.path] == 1]
        paths = len(hops) - len(single)
        return paths + _most_at_once(single, ports - paths, circuits=False)
    dimensions = {use.dimension for use in active}
    masks = {mask for use in active for mask, _ in use.conditions}
    if len(dimensions) <= max(1, ports) or len(masks) > MAX_CONDITIONS:
        return len(dimensions)  # as if one node could meet all conditions
    return most_combined(frozenset((use.dimension, use.conditions) for use in active))
