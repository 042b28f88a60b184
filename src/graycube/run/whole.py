"""The script of a node for ways that are the same for all slots: positions alone.

Rule: steps permute the nodes, so a node has the share of one node at a time, or none. Each
share comes over one leg of the way and leaves over another: the first is the node's own, the
last stays, and those in between wait in two spare places in turn, so that one can leave while
the next arrives.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap
from graycube.run.script import Bank, Draft, Part, Script, joined
from graycube.schedule import Schedule, Step, Task, Way
from graycube.schedule.way import tells_slots_apart


@dataclass(frozen=True, slots=True)
class _Path:
    """Steps that start in one cycle: the path of a message from each node to ``move(node)``."""

    cycle: int
    move: AffineMap


@dataclass(frozen=True, slots=True)
class _Stay:
    """A share on the node: the legs over which it comes and leaves, if it does."""

    comes: int | None
    leaves: int | None


def moves_whole(schedule: Schedule) -> bool:
    """Whether all slots have the same way, and all nodes do a step at the same time."""
    every = [step.crossings for way in schedule.ways for step in way.steps]
    waiting = any(crossing.delays for crossings in every for crossing in crossings)
    at_once = all(len({crossing.start for crossing in crossings}) < 2 for crossings in every)
    return at_once and not waiting and not tells_slots_apart(schedule.ways, schedule.task.n)


def whole_script(schedule: Schedule, node: int) -> Script:
    """What a node does; no step may test or change slots, or let nodes take turns.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Schedule, hop
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> way = Way(0, 8, (hop(0, Exchange(flip=1, when=2), n=2),))
    >>> made = whole_script(Schedule(task, "gb1", (0,), 8, (way,)), node=2)
    >>> [(m.peer, m.parts) for m in made.rounds[0].sends]
    [(3, (Part(bank=<Bank.BLOCK: 0>, rows=slice(0, 8, None)),))]
    """
    draft, kept, half = Draft(), list[Part](), sum(way.size for way in schedule.ways)
    offset = waiting = 0
    for s, way in enumerate(schedule.ways):
        legs = _legs(way, schedule.task)
        for number, stay in enumerate(_stays(way, legs, node)):
            _require_rounds(schedule, way, legs, stay)
            place = _Lodging(_bank(stay), way.start, offset + number % 2 * half)
            if place.bank is Bank.SPARE:
                waiting = max(waiting, number % 2 + 1)
            if stay.comes is not None:
                leg = legs[stay.comes]
                for r, low, high in pieces(schedule, leg.cycle, way.size):
                    peer = leg.move.inverse()(node)
                    draft.receive(r, peer, (s, low), place.part(low, high))
            if stay.leaves is not None:
                leg = legs[stay.leaves]
                for r, low, high in pieces(schedule, leg.cycle, way.size):
                    draft.send(r, leg.move(node), (s, low), place.part(low, high))
            if stay.comes is stay.leaves is None:
                kept.append(place.part(0, way.size))
        offset += way.size
    return Script(
        node=node,
        number=node if schedule.relabel is None else schedule.relabel(node),
        unit=1,
        rows=schedule.task.block,
        spare=waiting * half,
        kept=tuple((one, Part(Bank.RESULT, one.rows)) for one in joined(kept)),
        rounds=draft.rounds(),
    )


@dataclass(frozen=True, slots=True)
class _Lodging:
    """Where a share is while it is here: at its positions, or from a spare row on."""

    bank: Bank
    position: int
    spare: int

    def part(self, low: int, high: int) -> Part:
        """The rows of some of its elements."""
        start = self.spare if self.bank is Bank.SPARE else self.position
        return Part(self.bank, slice(start + low, start + high))


def _bank(stay: _Stay) -> Bank:
    if stay.comes is None:
        return Bank.BLOCK
    return Bank.RESULT if stay.leaves is None else Bank.SPARE


def _legs(way: Way, task: Task) -> list[_Path]:
    """The paths of messages; what steps do within memory is nothing here."""
    crossing = (step for step in way.steps if step.crossings)
    paths = groupby(crossing, key=lambda step: step.crossings[0].start)
    return [_Path(cycle, _on_nodes(steps, task)) for cycle, steps in paths]


def _on_nodes(steps: Iterable[Step], task: Task) -> AffineMap:
    """What steps do to node numbers, whatever the slots are."""
    crossed, low = tuple(steps), (1 << task.n) - 1

    def ends(node: int) -> int:
        for step in crossed:
            node = step(node)
        return node & low

    return AffineMap.interpolate(ends, task.n, task.n)


def _stays(way: Way, legs: list[_Path], node: int) -> Iterator[_Stay]:
    """The shares that are on the node, one after the other."""
    if not way.size:
        return
    comes: int | None = None
    here = way.starts_at(node)
    for k, leg in enumerate(legs):
        if leg.move(node) == node:
            continue
        if here:
            yield _Stay(comes, k)
        home = node
        for earlier in reversed(legs[: k + 1]):
            home = earlier.move.inverse()(home)
        here, comes = way.starts_at(home), k
    if here:
        yield _Stay(comes, None)


def pieces(schedule: Schedule, cycle: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Round by round, the positions of a way that cross a leg from ``cycle`` on.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(1), Layout.nodes(1), block=8)
    >>> [*pieces(Schedule(task, "mine", (0, 3, 6), 8, ()), cycle=2, size=6)]
    [(0, 0, 1), (1, 1, 4), (2, 4, 6)]
    """
    low, r = 0, schedule.round_of(cycle)
    while low < size:
        later = r + 1 < len(schedule.rounds)
        high = min(size, schedule.rounds[r + 1] - cycle) if later else size
        yield r, low, high
        low, r = high, r + 1


def _require_rounds(schedule: Schedule, way: Way, legs: list[_Path], stay: _Stay) -> None:
    """Refuse what is to be sent on in the round in which it comes."""
    if stay.comes is None or stay.leaves is None:
        return
    first, second = legs[stay.comes].cycle, legs[stay.leaves].cycle
    for r, _, high in pieces(schedule, second, way.size):
        if schedule.round_of(first + high - 1) >= r:
            raise InvalidValueError(
                f"elements cross links in cycle {first + high - 1} and again in round {r}",
                "what comes in a round is sent on in a later one",
                "see what verify() says, and cut the schedule into shorter rounds",
            )
