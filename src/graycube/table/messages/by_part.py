"""Blocks that are parted: what a node sends to another is a message and finds its own way.

Rules.

1. Some slot bits say to which node an element goes. All elements of a node that agree in them
   are a *piece*; the pieces from one node to another are a message, one after the other.
2. A message may be cut in two or more parts: by pieces, by slot bits that do not say where to
   go, and by positions behind each slot (:mod:`graycube.table.shares`).
3. Messages are put into rounds as whole blocks are (``by_message``): hop by
   hop, in rotated orders, which whole messages are dealt, or on circuits. These may also lead
   within subcubes first, or in strides (``strides``): what goes one way is
   one.
4. A piece gets its slots when it has arrived: by the same exchanges of slot bits for all, and
   then some flips of its own.

Each piece has a way of its own, so they must be few.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import accumulate, chain, count, groupby, pairwise, product
from math import inf
from operator import itemgetter
from typing import NamedTuple

from graycube.gf2 import AffineMap, Exchange, Matrix, Span, bit_indices
from graycube.gf2.factor import factor
from graycube.machine import Machine
from graycube.schedule import Schedule, Step, Task, hop
from graycube.table.algorithm import Algorithm, cheaper
from graycube.table.conversion import always, is_renumbering, why_conversion, with_rounds
from graycube.table.exchanges import dimension_exchange, pipeline, rotated_parts
from graycube.table.messages import all_to_all, pairs
from graycube.table.messages.by_message import MOST, hop_by_hop, in_orders, shared_out
from graycube.table.messages.circuits import by_detours, in_subcubes, on_circuits
from graycube.table.messages.manners import Manner, Pairs
from graycube.table.messages.strides import choices, in_strides
from graycube.table.shares import MAX_BITS, needed, shares

OTHERS = (rotated_parts, pairs, dimension_exchange, all_to_all, pipeline)
"""What is written down more simply is taken where it costs no more."""

MOST_WAYS, WORTH = 1 << 13, 1 / 512
"""So many messages, at most, take rotated orders; so many have to save so much, fewer less."""

DEALT = (2, 5)
"""Orders in which every second message comes first, or every fifth."""

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

    @property
    def alike(self) -> int:
        """The pieces of each message."""
        return len(next(iter(self.slots.values())))


class _Parted(NamedTuple):
    """Messages in so many parts; ``bits`` number the groups of units."""

    task: Task
    pieces: _Pieces
    parts: int
    bits: tuple[int, ...]

    @property
    def unit(self) -> int:
        """Elements that are in a unit."""
        return 1 << self.task.p - self.task.n - len(self.pieces.told) - len(self.bits)

    @property
    def units(self) -> int:
        """Of a message: those of its pieces, one after the other."""
        return self.pieces.alike * self.task.payload << len(self.bits)

    @property
    def ways(self) -> int:
        """Of all parts of all pieces, at most."""
        each = min(self.parts, self.units) + self.pieces.alike - 1
        return (each << self.task.n + len(self.pieces.told)) // self.pieces.alike

    @property
    def worth(self) -> float:
        """What it may take of the others' time, since many ways take long to write down."""
        return 1 - WORTH * self.ways / MOST_WAYS if self.ways > MOST else 1.0

    def elements(self, units: int) -> int:
        """Of so many units."""
        return units * self.unit

    @property
    def size(self) -> int:
        """Elements of the largest part of a message."""
        return self.elements(-(-self.units // self.parts))

    def fits(self, machine: Machine) -> bool:
        """Whether a node sends all parts of a message in one round, or in two by detours."""
        ports = machine.links_at_once
        around = machine.switching == "circuit" and machine.alike
        return self.parts < 2 * ports if around else self.parts <= ports

    def rounds(self, machine: Machine) -> tuple[int, int]:
        """At least so many, of how many at least if a link takes one message at a time."""
        ports, nodes = min(machine.links_at_once, self.task.n), 1 << self.task.n
        if machine.switching == "circuit":
            held = -(-self.pieces.hops * self.parts // (self.task.n * nodes))  # of all links
            return 1, max(held, -(-self.pieces.leaving * self.parts // ports))
        sent = -(-self.pieces.hops * self.parts // (ports * nodes))
        return self.pieces.farthest, max(sent, self.pieces.farthest)

    def least(self, machine: Machine, *, joined: bool = False) -> float:
        """No manner takes less; a message of its own has each link, or they are ``joined``."""
        fewest, alone = self.rounds(machine)
        if not joined:
            return alone * machine.message_time(self.size * self.task.itemsize)
        link, nbytes = machine.cheapest, alone * self.elements(self.units) * self.task.itemsize
        startups = max(fewest, machine.startups(nbytes // self.parts))
        return startups * link.startup + nbytes * link.per_byte / self.parts


class _Mannered(NamedTuple):
    """A manner, by whose counts messages have so many units; parts may take ``turns``."""

    parted: _Parted
    manner: Manner
    units: int
    turns: bool

    def price(self, machine: Machine) -> float:
        """What the rounds take."""
        lengths = Counter(self.lengths)
        itemsize = self.parted.task.itemsize
        return sum(machine.message_time(x * itemsize) * times for x, times in lengths.items())

    @property
    def lengths(self) -> list[int]:
        """The elements on the fullest link of each round."""
        return [self.parted.elements(self.units * count) for count in self.manner.fullest]


def applicable(task: Task, machine: Machine) -> str | None:
    """Several ports, and blocks that are parted into few pieces, where that is cheaper."""
    if reason := why_conversion(task, machine):
        return reason
    if machine.links_at_once < 2:
        return "on one port it is exchange or all-to-all"
    moves = all_to_all.moves_between_nodes(task.move, task.n)
    if not moves or is_renumbering(task.move, task.n):
        return "it moves blocks that are parted"
    if 1 << task.n + len(_telling(task.move, task.n)) > MOST_WAYS:
        return f"it finds ways for {MOST_WAYS} pieces at most"
    return "others need no more" if _best(task, machine) is None else None


def emit(task: Task, machine: Machine) -> Schedule:
    """In the cheapest manner."""
    return _scheduled(cheaper(_best(task, machine), task, "in messages of their own"))


@lru_cache(maxsize=1 << 5)
def _best(task: Task, machine: Machine) -> _Mannered | None:
    """The cheapest manner, if there is one that is cheaper than the others."""
    ports, least, found = machine.links_at_once, inf, None
    left = [parted for parted in _partings(task, 2 * ports) if parted.fits(machine)]
    for one in OTHERS:
        least = min(least, one.price(task, machine))
        left = [parted for parted in left if parted.least(machine, joined=True) < least]
        if not left:
            return None
    fewer = (replace(machine, ports=used) for used in range(ports, 1, -1))
    for on, parted, joined in product(fewer, left, (False, True)):
        below = parted.least(on, joined=joined) if parted.fits(on) else inf
        for each in _manners(parted, on, joined=joined) if below < least else ():
            price = each.price(machine) / parted.worth
            if price < least:
                least, found = price, each
            if below >= least:
                break
    for each in _striding(left, machine, least):
        price = each.price(machine) / each.parted.worth
        if price < least:
            least, found = price, each
    return found


def _striding(left: Sequence[_Parted], machine: Machine, most: float) -> Iterator[_Mannered]:
    """Whole messages in strides, where the rounds alone do not take the most."""
    fits = left[0].parts == 1 and left[0].ways <= MOST_WAYS
    if machine.switching != "circuit" or not (machine.alike and fits):
        return
    parted, pairs = left[0], tuple(sorted(left[0].pieces.slots))
    for strides in choices(pairs, machine.links_at_once):
        rounds = len(strides.rounds)
        if rounds * machine.message_time(parted.size * parted.task.itemsize) < most:
            yield _Mannered(parted, in_strides(pairs, strides), parted.units, turns=False)


def _manners(parted: _Parted, machine: Machine, *, joined: bool) -> Iterator[_Mannered]:
    """Those in which each link takes one message at a time, or those where it takes several."""
    pairs, parts, units = tuple(sorted(parted.pieces.slots)), parted.parts, parted.units
    ports, circuits = machine.links_at_once, machine.switching == "circuit"
    if joined and 1 < parts <= ports and parted.ways <= MOST_WAYS:
        for manner in in_orders(pairs, parts, units):
            yield _Mannered(parted, manner, 1, turns=True)
    if parts <= units and parted.ways <= MOST:
        found: Iterable[Manner] = ()
        if not joined:
            tried: list[Callable[..., tuple[Manner, ...]]] = [hop_by_hop]
            if circuits:
                led = partial(on_circuits, led=True)
                tried = [led] if machine.leads else [on_circuits, by_detours]
            orders = dict.fromkeys((tuple(parted.pieces.slots), *_orders(pairs)))
            found = chain.from_iterable(
                lay_out(order, parts, ports) for order in orders for lay_out in tried
            )
        elif circuits and parts == 1:
            found = in_subcubes(pairs, ports, led=machine.leads)
        for manner in found:
            yield _Mannered(parted, manner, -(-units // parts), turns=False)


def _orders(pairs: Pairs) -> Iterator[Pairs]:
    """By nodes, by how messages go across, and dealt out: who is first takes the links."""
    yield pairs
    yield tuple(sorted(pairs, key=lambda pair: pair[0] ^ pair[1]))
    away = [pair for pair in pairs if pair[0] != pair[1]]
    for hands in DEALT:
        yield tuple(chain.from_iterable(away[k::hands] for k in range(hands)))


def _partings(task: Task, most: int) -> Iterator[_Parted]:
    """With messages in so many parts, at most."""
    pieces = _pieces(task.move, task.n)
    free = [j for j in range(task.n, task.p) if j not in pieces.told][:MAX_BITS]
    for parts in range(1, most + 1):
        bits = free[: needed(parts, pieces.alike * task.payload, len(free))]
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


def _scheduled(found: _Mannered) -> Schedule:
    parted, hops_of = found.parted, found.manner.hops()
    task, pieces, units, unit = parted.task, parted.pieces, parted.units, parted.unit
    starts = [*accumulate(found.lengths, initial=0)]
    mask = (1 << task.n) - 1 | sum(1 << j for j in pieces.told)
    places = [Step(exchange) for exchange in _in_place(task.move, task.n, pieces.told)]
    ahead = defaultdict[tuple[int, int, int], int](int)
    ways, moving = [], count()
    for (u, v), slots in sorted(pieces.slots.items()):
        number = next(moving) if u != v and found.turns else 0
        ends = [0, *accumulate(shared_out(units, parted.parts, number))]
        for part, run in enumerate(pairwise(ends)):
            if run[0] == run[1]:
                continue
            size = parted.elements(run[1] - run[0] if found.turns else found.units)
            hops = hops_of.get((u, v, part), ())
            begun, late = [starts[r] + w for r, w in _waits(u, hops, ahead, size)], 0
            for slot, piece in _by_piece(run, slots, units // len(slots)):
                for share in shares(*piece, task.payload, parted.bits):
                    timed = zip(begun, hops, strict=True)
                    steps = [_hop(start + late, d, task.n) for start, (_, d) in timed]
                    value = share.value | u | slot
                    steps += _into_slots(task, value, places)
                    ways.append(share.way(task, steps, mask, value))
                    late += share.units(parted.bits) * unit
    return with_rounds(task, "by-part", starts, ways)


def _by_piece(run: _Pair, slots: Sequence[int], units: int) -> Iterator[tuple[int, _Pair]]:
    """The pieces of which a run of units has some, and which of theirs; each has so many."""
    for number, slot in enumerate(slots):
        start, stop = (min(max(end - number * units, 0), units) for end in run)
        if start < stop:
            yield slot, (start, stop)


@lru_cache(maxsize=1 << 10)
def _hop(cycle: int, d: int, n: int) -> Step:
    return hop(cycle, always(d), n)


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


def _into_slots(task: Task, start: int, places: Sequence[Step]) -> Iterator[Step]:
    """The exchanges of slot bits that give a piece its slots, from one of its addresses."""
    end = start
    for step in places:
        yield step
        end = step(end)
    for j in bit_indices((end ^ task.move(start)) >> task.n << task.n):
        yield _hop(0, j, task.n)


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
