"""Prove a symbolic schedule by algebra, at any size of the cube.

Two facts carry the proof. The composition of a strand's exchanges is one affine map, which must
equal the map between the layouts. And two hops never use the same link at the same time if
their cycles do not overlap, or if no node meets both conditions: parities of the same mask with
different values. Whether a node has ports enough is counted over all combinations of the
parities that occur.

Where the algebra cannot tell, the worst is assumed: the check may refuse a good schedule of an
unusual form, but it never passes a bad one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from graycube.gf2 import compose
from graycube.machine import Machine
from graycube.schedule import Hop, Schedule, Strand
from graycube.verify.report import Report, Violation, require_same_cube, tally

_RULES = ("share", "end", "time", "link", "ports", "round")
MAX_CONDITIONS = 10
"""Most conditions at a time whose combinations are tried; beyond, the worst is assumed."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A hop's use of its dimension: nodes with parity(node & mask) == want, cycles start..stop.

    ``path`` names the message: the hops of a circuit belong to one path.
    """

    dimension: int
    mask: int
    want: int
    start: int
    stop: int
    path: tuple[int, int]

    def overlaps(self, other: "_Use") -> bool:
        return self.start < other.stop and other.start < self.stop

    def excludes(self, other: "_Use") -> bool:
        """Whether no node can meet both conditions."""
        return self.mask == other.mask and self.want != other.want


def check_algebra(schedule: Schedule, machine: Machine) -> Report:
    """Check the rules on the exchanges themselves.

    >>> from graycube.algorithms import gb3
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> machine = Machine(dims=40)
    >>> task = Task(Layout.nodes(40, "gray"), Layout.nodes(40), block=64)
    >>> print(check_algebra(gb3.emit(task, machine), machine))
    by algebra: nothing is wrong (share, end, time, link, ports, round)
    """
    require_same_cube(schedule.task, machine)
    circuits = machine.switching == "circuit"
    uses = [
        use
        for s in range(len(schedule.strands))
        for use in _uses(schedule, s, circuits=circuits)
    ]
    found = [
        *_check_shares(schedule),
        *_check_ends(schedule),
        *_check_times(schedule, circuits=circuits),
        *_check_links(uses),
        *_check_ports(uses, machine, circuits=circuits),
        *_check_rounds(schedule, uses, machine, circuits=circuits),
        *_check_forwarding(schedule, circuits=circuits),
    ]
    return tally("by algebra", _RULES, found)


def _uses(schedule: Schedule, s: int, *, circuits: bool) -> Iterator[_Use]:
    nodes = (1 << schedule.task.n) - 1
    strand = schedule.strands[s]
    for k, hop in enumerate(strand.hops):
        crossed = hop.exchange.flip & nodes
        if crossed and strand.size:
            tests_slots = bool(hop.exchange.when >> schedule.task.n)
            yield _Use(
                crossed.bit_length() - 1,
                0 if tests_slots else hop.exchange.when,
                0 if tests_slots else hop.exchange.want,
                hop.cycle,
                hop.cycle + _duration(schedule, strand, hop),
                (s, hop.cycle if circuits else k),
            )


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
    block = schedule.task.block
    shares = sorted((strand.start, strand.stop) for strand in schedule.strands if strand.size)
    for (_, end), (start, _) in pairwise([(0, 0), *shares, (block, block)]):
        if end != start:
            between = f"positions {min(end, start)} to {max(end, start)} of a block"
            often = "two strands" if start < end else "no strand"
            yield Violation("share", detail=f"{between} are in {often}")


def _check_ends(schedule: Schedule) -> Iterator[Violation]:
    task = schedule.task
    for s, strand in enumerate(schedule.strands):
        move = compose((hop.exchange for hop in strand.hops), task.p)
        if schedule.relabel is not None:
            move = schedule.relabel @ move
        if move != task.move:
            a = next(
                a for a in (0, *(1 << j for j in range(task.p))) if move(a) != task.move(a)
            )
            low = (1 << task.n) - 1
            yield Violation(
                "end",
                node=a & low,
                detail=f"strand {s} takes address {a} to {move(a)}, not {task.move(a)}",
            )


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
    for a, b in combinations(uses, 2):
        if a.dimension == b.dimension and a.overlaps(b) and not a.excludes(b):
            detail = (
                f"strands {a.path[0]} and {b.path[0]} share links of dimension {a.dimension}"
            )
            yield Violation("link", cycle=max(a.start, b.start), detail=detail)


def _check_ports(
    uses: Sequence[_Use], machine: Machine, *, circuits: bool
) -> Iterator[Violation]:
    for cycle in sorted({use.start for use in uses}):
        active = [use for use in uses if use.start <= cycle < use.stop]
        busiest = _most_at_once(active, circuits=circuits)
        if busiest > machine.links_at_once:
            detail = f"a node uses {busiest} of its {machine.links_at_once} ports"
            yield Violation("ports", cycle=cycle, detail=detail)


def _check_rounds(
    schedule: Schedule,
    uses: Sequence[_Use],
    machine: Machine,
    *,
    circuits: bool,
) -> Iterator[Violation]:
    for start, end in pairwise((*schedule.rounds, schedule.cycles)):
        active = [use for use in uses if use.start < end and start < use.stop]
        busiest = _most_at_once(active, circuits=circuits)
        if busiest > machine.links_at_once:
            detail = f"a node sends {busiest} messages on {machine.links_at_once} ports"
            yield Violation("round", cycle=start, detail=detail)


def _check_forwarding(schedule: Schedule, *, circuits: bool) -> Iterator[Violation]:
    """What arrives in a round is sent on in a later one.

    An element that keeps its turn crosses a gap later: no round may be longer than the gap.
    """
    nodes = (1 << schedule.task.n) - 1
    rounds = list(pairwise((*schedule.rounds, schedule.cycles)))
    for s, strand in enumerate(schedule.strands):
        crossing = [hop for hop in strand.hops if hop.exchange.flip & nodes and strand.size]
        for before, after in pairwise(crossing):
            gap = after.cycle - before.cycle
            stop = before.cycle + _duration(schedule, strand, before)
            if _mixes_slots(schedule, strand):  # the last to cross may be the first to go on
                together = any(a < stop and after.cycle < b for a, b in rounds)
            else:
                meets = (b - a for a, b in rounds if a < stop and before.cycle < b)
                together = max(meets, default=0) > gap and not (circuits and gap == 0)
            if together:
                detail = f"strand {s} may be forwarded within a round"
                yield Violation("round", cycle=after.cycle, detail=detail)


def _most_at_once(active: Sequence[_Use], *, circuits: bool) -> int:
    """The most messages that one node sends (or receives) among the active uses.

    With circuits the conditions along a path are those of its intermediate nodes, so every path
    counts for every node, which is safe. Otherwise all combinations of parities are tried.
    """
    if circuits:
        return len({use.path for use in active})
    masks = sorted({use.mask for use in active if use.mask})
    dimensions = {use.dimension for use in active}
    if len(dimensions) <= 1:
        return len(dimensions)
    if len(masks) > MAX_CONDITIONS:
        return len(dimensions)  # as if one node could meet all of them
    most = 0
    for values in product((0, 1), repeat=len(masks)):
        if not _consistent(masks, values):
            continue
        value = dict(zip(masks, values, strict=True))
        used = {use.dimension for use in active if value.get(use.mask, 0) == use.want}
        most = max(most, len(used))
    return most


def _consistent(masks: Sequence[int], values: Sequence[int]) -> bool:
    """Whether some node has these parities: every dependency of the masks must add up."""
    reduced: list[tuple[int, int]] = []
    for mask, value in zip(masks, values, strict=True):
        vector, total = mask, value
        for lead, sign in reduced:
            if vector ^ lead < vector:
                vector, total = vector ^ lead, total ^ sign
        if vector:
            reduced = sorted([*reduced, (vector, total)], reverse=True)
        elif total:
            return False
    return True
