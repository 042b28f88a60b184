"""Pipelines for any number of ports, between GB3 on one and the ring on all of them.

Rules.

1. Two units are a *pair* if one takes the short route and the other a detour in step with it:
   in each dimension they use complementary links (TR-20-91 Theorem 7), so that every node
   sends on one port, however the conditions fall. A *single* unit takes the short route and
   needs the port as well, though it uses half of the links.
2. The detour of a pair crosses the top dimension there and back, as in GB2, or the dimension
   below it, as in GB3. The first loads a dimension that is idle otherwise, the second takes a
   round less. With few ports GB3's pairs fill them, with many the dimension below the top
   becomes the bottleneck: the mixture is chosen by the loads of ports and dimensions.
3. The pairs are placed one after the other, each step in the first round that has a port and
   the dimension to spare.

On p ports this takes about n K / (2 p) cycles, down to 2K/3; ports that do not help stay idle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import chain
from math import inf

from graycube.gf2 import Exchange
from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import (
    Field,
    always,
    converted,
    where_not,
    why_no_detour,
)
from graycube.table.gray.routes import Route, hop_by_hop, on_routes, unit_sizes

MAX_STEPS = 1 << 11
"""About as many steps are placed: more units than that would make planning slow."""
MIXTURES = 8
"""So many of the most promising mixtures are tried."""
TRIED, FEW = 20_000, 1 << 9
"""So many steps are placed in all to see how many rounds units take; few are always."""

Kind = tuple[Exchange | None, Exchange | None]
"""What the two units of a pair do in one round."""


@dataclass(frozen=True, slots=True)
class _Mixture:
    """So many singles, pairs with detours over the top, and over the dimension below."""

    singles: int
    over_top: int
    below_top: int


@dataclass(frozen=True, slots=True)
class _Placed:
    """The rounds of every step of every item, in the order of a mixture, and their number."""

    rounds: int
    items: tuple[tuple[str, tuple[int, ...]], ...]


def emit(task: Task, machine: Machine) -> Schedule:
    """The cheapest of the placements for as many ports as there are, or fewer.

    On one port it is GB3 in smaller units.
    """
    fields = converted(task)
    ports, size = _cheapest(task, machine, fields)
    placed = _best(fields, -(-task.block // size), ports)
    routes = [r for kind, times in placed.items for r in _routes(fields, kind, times)]
    return on_routes(task, "few-ports", size, placed.rounds, routes)


def _cheapest(task: Task, machine: Machine, fields: tuple[Field, ...]) -> tuple[int, int]:
    """The ports and the size of units, of those that are placed, the most promising first."""
    steps, best, cheapest, left = len(_steps(fields, "over top")), (0, 0), inf, TRIED
    for _, least, idle, size in _promising(task, machine, fields, steps):
        units, time = -(-task.block // size), machine.message_time(size * task.itemsize)
        if least * time < cheapest and (left > 0 or units * steps <= FEW):
            left -= units * steps
            rounds = _best(fields, units, -idle).rounds
            if rounds * time < cheapest:
                best, cheapest = (-idle, size), rounds * time
    return best


def _promising(
    task: Task, machine: Machine, fields: tuple[Field, ...], steps: int
) -> list[tuple[float, int, int, int]]:
    """A guess of what units take, their rounds at least, the ports less than none, the size."""
    ports = min(machine.links_at_once, sum(field.width for field in fields))
    found = list[tuple[float, int, int, int]]()
    for size in unit_sizes(task, machine):
        units, time = -(-task.block // size), machine.message_time(size * task.itemsize)
        if units <= max(8, MAX_STEPS // steps):
            rounds = (
                (used, _least_rounds(fields, units, used)) for used in range(1, ports + 1)
            )
            found += (
                ((least + steps // 2) * time, least, -used, size) for used, least in rounds
            )
    return sorted(found)


def _least_rounds(fields: tuple[Field, ...], units: int, ports: int) -> int:
    """No mixture needs fewer rounds: the more pairs there are, the fewer steps."""
    pairs = units // 2
    mixtures = (_Mixture(units % 2, top, pairs - top) for top in _counts(units))
    return min(_loads(fields, ports, mixture) for mixture in mixtures)


@lru_cache(maxsize=1 << 10)
def _best(fields: tuple[Field, ...], units: int, ports: int) -> _Placed:
    """The placement with the fewest rounds."""
    counts = _counts(units)
    mixtures = (
        _Mixture(units - 2 * top - 2 * below, top, below)
        for top in counts
        for below in {*counts, units // 2 - top}
        if top + below <= units // 2
    )
    first, *others = nsmallest(MIXTURES, mixtures, key=lambda m: _loads(fields, ports, m))
    best = _place(fields, first, ports)
    for mixture in others:
        if _fewest(fields, mixture, ports) < best.rounds:
            best = min(best, _place(fields, mixture, ports), key=lambda p: p.rounds)
    return best


def _counts(units: int) -> list[int]:
    """So many pairs of a kind are tried."""
    grain = max(1, units // 24)
    return sorted({*range(0, units // 2 + 1, grain), units // 2})


def _loads(fields: Sequence[Field], ports: int, mixture: _Mixture) -> int:
    """Rounds that the busiest dimension or the ports need for a mixture."""
    items = mixture.singles + mixture.over_top + mixture.below_top
    low = sum(field.width - 1 for field in fields)
    steps = low * items + len(fields) * (2 * mixture.over_top + mixture.below_top)
    return max(items + mixture.below_top, 2 * mixture.over_top, -(-steps // ports))


def _fewest(fields: tuple[Field, ...], mixture: _Mixture, ports: int) -> int:
    """The same, and nobody comes to a dimension at once, or ends there."""
    some = {kind: count for kind, count in _counted(mixture) if count}
    crowds = _crowds(fields, tuple(some))
    crowded = (sum(map(int.__mul__, some.values(), used)) + ends for used, ends in crowds)
    return max(_loads(fields, ports, mixture), *crowded)


@lru_cache(maxsize=1 << 8)
def _crowds(
    fields: tuple[Field, ...], kinds: tuple[str, ...]
) -> list[tuple[tuple[int, ...], int]]:
    """How often each kind uses a dimension, and the fewest steps before and after that."""
    ways = [_dimensions(fields, kind) for kind in kinds]
    found = []
    for d in {*chain(*ways)}:
        through = [way for way in ways if d in way]
        before = min(way.index(d) for way in through)
        after = min(way[::-1].index(d) for way in through)
        found.append((tuple(way.count(d) for way in ways), before + after))
    return found


@lru_cache(maxsize=1 << 8)
def _steps(fields: tuple[Field, ...], kind: str) -> list[Kind]:
    """The steps of a single or a pair, in order."""
    steps: list[Kind] = []
    for field in fields:
        short = field.upward()
        if kind == "single":
            rounds: list[Kind] = [(exchange, None) for exchange in short]
        else:
            rounds = [(exchange, where_not(exchange)) for exchange in short]
            aside: Kind = (None, always(field.top if kind == "over top" else field.dims[-2]))
            rounds = [aside, *rounds, aside] if kind == "over top" else [aside, *rounds]
        steps += rounds if field.to_binary else rounds[::-1]
    return steps


def _place(fields: tuple[Field, ...], mixture: _Mixture, ports: int) -> _Placed:
    """Every step in the first round that has the dimension and a port to spare."""
    busy: list[set[int]] = []
    items = []
    for kind in _in_turn(mixture):
        at, times = -1, []
        for d in _dimensions(fields, kind):
            at += 1
            while at < len(busy) and (len(busy[at]) >= ports or d in busy[at]):
                at += 1
            while len(busy) <= at:
                busy.append(set())
            busy[at].add(d)
            times.append(at)
        items.append((kind, tuple(times)))
    return _Placed(len(busy), tuple(items))


@lru_cache(maxsize=1 << 8)
def _dimensions(fields: tuple[Field, ...], kind: str) -> tuple[int, ...]:
    """The dimension that each step uses, on one port of every node at most."""
    moves = (short or detour for short, detour in _steps(fields, kind))
    return tuple(move.flip.bit_length() - 1 for move in moves if move)


def _counted(mixture: _Mixture) -> tuple[tuple[str, int], ...]:
    """How many there are of each kind."""
    pairs = ("below top", mixture.below_top), ("over top", mixture.over_top)
    return *pairs, ("single", mixture.singles)


def _in_turn(mixture: _Mixture) -> Iterator[str]:
    """The kinds, evenly mixed."""
    counts = _counted(mixture)
    turns = [((k + 0.5) / count, kind) for kind, count in counts for k in range(count)]
    yield from (kind for _, kind in sorted(turns))


def _routes(fields: tuple[Field, ...], kind: str, times: Sequence[int]) -> Iterator[Route]:
    """The routes of a pair, or of a single unit."""
    steps = list(zip(times, _steps(fields, kind), strict=True))
    for member in range(1 if kind == "single" else 2):
        both = ((at, step[member]) for at, step in steps)
        yield Route(1, tuple((at, exchange) for at, exchange in both if exchange is not None))


ALGORITHM = Algorithm(
    name="few-ports",
    paper="TR-20-91 Theorem 7",
    ports="any",
    formula="about max(n K / 2p, 2K/3) cycles on p ports",
    applicable=why_no_detour,
    emit=emit,
    floor=hop_by_hop,
)
