"""Blocks that are parted: what a node sends to another is a message and finds its own way.

Rules.

1. Some slot bits say to which node an element goes. All elements of a node that agree in them
   are a *piece*; the pieces from one node to another are a message, one after the other.
2. A message may be cut in two or more parts, by slot bits that do not say where to go, and by
   positions behind each slot (:mod:`graycube.table.shares`).
3. Messages are put into rounds as whole blocks are (:mod:`graycube.table.by_message`): hop by
   hop, or on circuits where there are some.
4. A piece gets its slots when it has arrived: by the same exchanges of slot bits for all, and
   then some flips of its own.

On circuits several messages of a node go at the same time, wherever their paths have no link in
common. Each piece has a way of its own, so they must be few.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from math import inf
from operator import itemgetter
from typing import NamedTuple

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Matrix, Span, bit_indices
from graycube.gf2.factor import factor
from graycube.machine import Machine
from graycube.schedule import Schedule, Step, Task, hop
from graycube.table import all_to_all, dimension_exchange, pairs, pipeline, rotated_parts
from graycube.table.algorithm import Algorithm
from graycube.table.by_message import (
    MOST,
    Manner,
    dealt,
    hop_by_hop,
    in_orders,
    in_subcubes,
    on_circuits,
)
from graycube.table.conversion import always, why_conversion
from graycube.table.relabel import is_renumbering
from graycube.table.shares import MAX_BITS, cuts, needed, shares

OTHERS = (rotated_parts, pairs, dimension_exchange, all_to_all, pipeline)
"""What is written down more simply is taken where it costs no more."""

_Pair = tuple[int, int]


class _Pieces(NamedTuple):
    """The slots, spread over the bits that say where they go, of each pair of nodes.

    ``leaving`` messages leave a node, at most; they have so many ``hops`` in all, and the
    ``farthest`` one has so many.
    """

    told: tuple[int, ...]
    slots: dict[_Pair, tuple[int, ...]]
    leaving: int
    hops: int
    farthest: int


class _Parted(NamedTuple):
    """Messages in so many parts; ``bits`` number the groups of units."""

    task: Task
    pieces: _Pieces
    parts: int
    bits: tuple[int, ...]

    @property
    def unit(self) -> int:
        """Elements of a piece that are in a unit."""
        return 1 << self.task.p - self.task.n - len(self.pieces.told) - len(self.bits)

    @property
    def cuts(self) -> list[tuple[int, int]]:
        """The units of each part."""
        return cuts(self.task.payload << len(self.bits), self.parts)

    @property
    def size(self) -> int:
        """Elements of the largest part of a message."""
        most = max(stop - start for start, stop in self.cuts)
        return most * self.unit * len(next(iter(self.pieces.slots.values())))

    def rounds(self, machine: Machine) -> tuple[int, int]:
        """At least so many, of how many at least if a link takes one message at a time."""
        ports, nodes = min(machine.links_at_once, self.task.n), 1 << self.task.n
        if machine.switching == "circuit":
            return 1, -(-self.pieces.leaving * self.parts // ports)
        sent = -(-self.pieces.hops * self.parts // (ports * nodes))
        return self.pieces.farthest, max(sent, self.pieces.farthest)

    def least(self, machine: Machine, *, joined: bool = False) -> float:
        """No manner takes less; a message of its own has each link, or they are ``joined``."""
        fewest, alone = self.rounds(machine)
        nbytes = self.size * self.task.itemsize
        if not joined:
            return alone * machine.message_time(nbytes)
        link = machine.cheapest
        startups = max(fewest, machine.startups(alone * nbytes))
        return startups * link.startup + alone * nbytes * link.per_byte


def applicable(task: Task, machine: Machine) -> str | None:
    """Several ports, and blocks that are parted into few pieces, where that is cheaper."""
    if reason := why_conversion(task, machine):
        return reason
    if machine.links_at_once < 2:
        return "on one port it is exchange or all-to-all"
    moves = all_to_all.moves_between_nodes(task.move, task.n)
    if not moves or is_renumbering(task.move, task.n):
        return "it moves blocks that are parted"
    if 1 << task.n + len(_telling(task.move, task.n)) > MOST:
        return f"it finds ways for {MOST} pieces at most"
    return "others need no more" if _best(task, machine) is None else None


def emit(task: Task, machine: Machine) -> Schedule:
    """In the cheapest manner."""
    best = _best(task, machine)
    if best is None:
        raise InvalidValueError(
            f"a block of {task.block} goes in messages of their own",
            "others need no more",
            "take 'auto'",
        )
    return _scheduled(*best)


@lru_cache(maxsize=1 << 5)
def _best(task: Task, machine: Machine) -> tuple[_Parted, Manner] | None:
    """The cheapest manner, if there is one that is cheaper than the others."""
    found = min(_cheaper(task, machine), key=lambda case: case[0], default=None)
    return None if found is None else found[1:]


def _cheaper(task: Task, machine: Machine) -> Iterator[tuple[float, _Parted, Manner]]:
    """Manners that cost less than all before them, with their prices."""
    ports = machine.links_at_once
    left, best = [*_partings(task, ports)], inf
    for one in OTHERS:
        best = min(best, one.price(task, machine))
        left = [parted for parted in left if parted.least(machine, joined=True) < best]
        if not left:
            return
    for parted in left:
        nbytes = parted.size * task.itemsize
        for joined in (False, True):
            if parted.least(machine, joined=joined) >= best:
                continue
            for manner in _manners(parted, machine, joined=joined):
                price = sum(machine.message_time(nbytes * count) for count in manner.fullest)
                if price < best:
                    best = price
                    yield price, parted, manner


def _manners(parted: _Parted, machine: Machine, *, joined: bool) -> Iterator[Manner]:
    """Those in which each link takes one message at a time, or those where it takes several."""
    pairs, parts = tuple(sorted(parted.pieces.slots)), parted.parts
    ports, circuits = machine.links_at_once, machine.switching == "circuit"
    if not joined:
        yield from (on_circuits if circuits else hop_by_hop)(pairs, parts, ports)
    elif parts > 1:
        yield from in_orders(pairs, parts)
    elif circuits:
        yield from in_subcubes(pairs, ports)
    else:
        for orders in range(2, ports + 1):
            yield from dealt(pairs, orders)


def _partings(task: Task, ports: int) -> Iterator[_Parted]:
    """With messages in as many parts as ports, pieces and payload allow."""
    pieces = _pieces(task.move, task.n)
    free = [j for j in range(task.n, task.p) if j not in pieces.told][:MAX_BITS]
    most = min(ports, MOST >> task.n + len(pieces.told), task.payload << len(free))
    for parts in range(1, most + 1):
        bits = free[: needed(parts, task.payload, len(free))]
        yield _Parted(task, pieces, parts, tuple(bits))


def _telling(move: AffineMap, n: int) -> tuple[int, ...]:
    """The slot bits that say where an element goes."""
    nodes = (1 << n) - 1
    return tuple(j for j in range(n, move.width) if move.matrix.columns[j] & nodes)


@lru_cache(maxsize=1 << 6)
def _pieces(move: AffineMap, n: int) -> _Pieces:
    told, nodes = _telling(move, n), (1 << n) - 1
    slots = defaultdict[_Pair, list[int]](list)
    for u in range(1 << n):
        for number in range(1 << len(told)):
            slot = sum(1 << told[k] for k in bit_indices(number))
            slots[u, move(u | slot) & nodes].append(slot)
    leaving = Counter(u for u, v in slots if u != v)
    hops = [(u ^ v).bit_count() for u, v in slots]
    some = {pair: tuple(each) for pair, each in slots.items()}
    return _Pieces(told, some, max(leaving.values()), sum(hops), max(hops))


def _scheduled(parted: _Parted, manner: Manner) -> Schedule:
    task, pieces, size = parted.task, parted.pieces, parted.size
    starts = [*accumulate((size * count for count in manner.fullest), initial=0)]
    mask = (1 << task.n) - 1 | sum(1 << j for j in pieces.told)
    places = _in_place(task.move, task.n, pieces.told)
    ahead = defaultdict[tuple[int, int, int], int](int)
    ways = []
    for (u, v), slots in pieces.slots.items():
        for part, run in enumerate(parted.cuts):
            hops = manner.hops.get((u, v, part), ())
            begun, late = [starts[r] + w for r, w in _waits(u, hops, ahead, size)], 0
            for slot in slots:
                for share in shares(*run, task.payload, parted.bits):
                    timed = zip(begun, hops, strict=True)
                    steps = [hop(start + late, always(d), task.n) for start, (_, d) in timed]
                    value = share.value | u | slot
                    steps += _into_slots(task, value, places)
                    ways.append(share.way(task, steps, mask, value))
                    late += share.units(parted.bits) * parted.unit
    marks = tuple(at for at, count in zip(starts, manner.fullest, strict=False) if count)
    return Schedule(task, "by-part", marks, starts[-1], tuple(ways))


def _waits(
    node: int, hops: Sequence[_Pair], ahead: dict[tuple[int, int, int], int], size: int
) -> Iterator[_Pair]:
    """For each hop its round, and how many elements go first; a circuit is one message."""
    for number, circuit in groupby(hops, key=itemgetter(0)):
        links = []
        for _, d in circuit:
            links.append((number, node, d))
            node ^= 1 << d
        wait = max(ahead[link] for link in links)
        for link in links:
            ahead[link] = wait + size
            yield number, wait


def _into_slots(task: Task, start: int, places: Sequence[Exchange]) -> Iterator[Step]:
    """The exchanges of slot bits that give a piece its slots, from one of its addresses."""
    end = start
    for exchange in places:
        yield Step(exchange)
        end = exchange(end)
    for j in bit_indices((end ^ task.move(start)) >> task.n << task.n):
        yield Step(Exchange(1 << j, 0, 0))


@lru_cache(maxsize=1 << 6)
def _in_place(move: AffineMap, n: int, told: tuple[int, ...]) -> tuple[Exchange, ...]:
    """What the move does to slots that stay on their node; the others follow, as they can."""
    columns = {j: move.matrix.columns[j] >> n << n for j in range(n, move.width)}
    known = Span(column for j, column in columns.items() if j not in told)
    for j in told:
        goals = (columns[j], *(1 << k for k in range(n, move.width)))
        columns[j] = next(goal for goal in goals if known.add(goal))
    whole = (*(1 << d for d in range(n)), *columns.values())
    return factor(AffineMap(Matrix(whole, move.width)), n)


ALGORITHM = Algorithm(
    name="by-part",
    paper="the simple alternative",
    ports="any",
    formula="by counting",
    applicable=applicable,
    emit=emit,
)
