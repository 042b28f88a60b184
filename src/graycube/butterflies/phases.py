"""What a butterfly network exchanges, and in which order: algebra only, without times.

Rules.

1. The stages are done in the order that is asked for. A stage waits for a *phase* if some node
   bit depends on its index bit: the dimensions that do are exchanged with memory bits.
2. What goes out to the nodes is an index bit whose stage is over, the oldest first, so that it
   need not come back. Where there is none yet, as in consecutive allocation, it is the memory
   bit whose turn comes next, and it comes back when it does (TR-764 sections 3.1 and 3.2).
3. In Gray code a stage depends on two node bits (TR-764 Lemma 1). With *local* conversion both
   come to memory, but only one at a time from the second stage on, because the other is there
   already. With *inter-node* conversion one comes to memory, by the elements that cross its
   dimension, and the others cross the second dimension, which complements away the dependence.
4. Before it goes out, a bit gets the code that it is to have there, by exchanges within memory:
   all code conversion is free.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, NoReturn

from graycube.butterflies.sums import address_mask, rows
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Span, bit_indices, parity
from graycube.gf2.factor import factor, heirs_of

Code = Literal["binary", "gray"]
Conversion = Literal["local", "inter-node"]


@dataclass(frozen=True)
class Phase:
    """Exchanges that commute, after some ``local`` ones; then the ``stages`` they allow.

    ``place`` maps words to addresses before the first crossing.
    """

    place: AffineMap
    local: tuple[Exchange, ...]
    crossings: tuple[Exchange, ...]
    stages: tuple[int, ...] = ()

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions that are crossed."""
        return tuple(next(bit_indices(crossing.flip)) for crossing in self.crossings)


@dataclass(frozen=True)
class Wishes:
    """What is asked for, apart from the layout: ``stages`` are index bits, in their order.

    A phase has ``radix`` dimensions if it can. ``window`` is how many of the bits that are
    finished when the first phase begins are in use; the others stay in memory. ``together``: a
    stage that needs two dimensions gets them in one phase. The first phase has no more than
    ``first`` dimensions. ``home`` is where everything has to be in the end, if anywhere.
    """

    stages: tuple[int, ...]
    radix: int = 1
    window: int = 2
    output: Code = "binary"
    conversion: Conversion = "local"
    together: bool = True
    first: int | None = None
    home: AffineMap | None = None


@dataclass
class _Run:
    """The state: where everything is, and what may go out."""

    place: AffineMap
    n: int
    wishes: Wishes
    pending: list[int]
    finished: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    partners: list[frozenset[int]] = field(default_factory=list)

    @property
    def p(self) -> int:
        return self.place.width

    @property
    def node_rows(self) -> tuple[int, ...]:
        return rows(self.place)[: self.n]

    def dims_of(self, bit: int) -> list[int]:
        """The dimensions that depend on an index bit, the highest first."""
        held = self.node_rows
        return [d for d in reversed(range(self.n)) if held[d] >> bit & 1]

    def available(self) -> list[int]:
        """The finished bits that are not on the nodes, the oldest first."""
        nodes = Span(self.node_rows)
        return [bit for bit in self.finished if nodes.add(1 << bit)]

    def waiting(self, bits: Sequence[int]) -> list[int]:
        """What is in memory and not over, the next in turn first, without ``bits``."""
        turn = {bit: k for k, bit in enumerate(self.pending)}
        held = []
        for row in rows(self.place)[self.n :]:
            turns = [turn[b] for b in bit_indices(row) if b in turn]
            if turns and not any(row >> b & 1 for b in bits):
                held.append((min(turns), row))
        alone = [1 << b for b in self.pending if b not in bits]
        return [row for _, row in sorted(held)] + alone

    def over(self) -> None:
        """The next stage has happened."""
        self.finished.append(self.pending.pop(0))


@dataclass(frozen=True)
class Phases:
    """The stages that are local from the start, the phases that the others need, tidying up.

    ``last`` are exchanges within memory that give each slot bit an index bit.
    """

    first: tuple[int, ...]
    phases: tuple[Phase, ...]
    last: tuple[Exchange, ...]


@lru_cache(maxsize=64)
def phases(place: AffineMap, n: int, wishes: Wishes) -> Phases:
    """What is exchanged, and which stages that allows.

    >>> place = AffineMap.identity(4)  # two node bits, two memory bits
    >>> found = phases(place, 2, Wishes(stages=(3, 2, 1, 0)))
    >>> found.first, [(phase.dims, phase.stages) for phase in found.phases]
    ((3, 2), [((1,), (1,)), ((0,), (0,))])
    """
    run = _Run(place, n, wishes, list(wishes.stages))
    run.finished = [b for b in reversed(range(place.width)) if b not in wishes.stages]
    first = _local_stages(run)
    run.finished = run.available()[-wishes.window :]
    done: list[Phase] = []
    while run.pending:
        crossed = _next_phase(run)
        stages = _local_stages(run)
        done.append(Phase(crossed.place, crossed.local, crossed.crossings, stages))
        if len(done) > 3 * place.width:  # what goes out keeps coming back
            _no_room(run)
    if wishes.home is not None:
        ends = [(replace(run), range(n)[::step]) for step in (1, -1)]
        ways = [(list(_back(copy, wishes.home, dims)), copy) for copy, dims in ends]
        back, run = min(ways, key=lambda way: sum(len(phase.crossings) for phase in way[0]))
        last = factor(wishes.home @ run.place.inverse(), n)
        return Phases(first, (*done, *back), last)
    return Phases(first, tuple(done), _tidied(run))


def _back(run: _Run, home: AffineMap, dims: Sequence[int]) -> Iterator[Phase]:
    """Phases that give every dimension the sum of index bits that it has to have.

    A sum that is in memory trades places with what is on its dimension, as many at once as
    the radix says. If none is in memory, something else makes way for one first: that which
    most of the others need. It comes back last, so that nobody has to wait for that.
    """
    wanted, aside = _sums(home, run.n), list[int]()
    for _ in range(3 * run.p):  # what comes back makes way again at most twice
        held, nodes = _sums(run.place, run.n), Span(run.node_rows)
        wrong = [d for d in dims if held[d] != wanted[d]]
        if not wrong:
            return
        first = [d for d in wrong if d not in aside]
        trades = [(d, *wanted[d]) for d in first if nodes.add(wanted[d][0])]
        if first and not trades:
            kept = [wanted[d][0] for d in aside if d in wrong]
            trades = _made_way(run, _most_needed(run, home, wrong, first), kept)
        trades = trades or [(d, *wanted[d]) for d in wrong if nodes.add(wanted[d][0])]
        trades = trades or _made_way(run, _most_needed(run, home, wrong, wrong), ())
        if not trades:
            break
        aside += [d for d, row, _ in trades if row != wanted[d][0]]
        yield _traded(run, trades[: run.wishes.radix])
    if _sums(run.place, run.n) != wanted:
        raise InvalidValueError(
            f"every node has {_slots(run)}",
            "without memory bits nothing trades places",
            "use fewer nodes, or a conversion that needs no memory",
        )


def _most_needed(run: _Run, home: AffineMap, wrong: Sequence[int], among: Sequence[int]) -> int:
    """The dimension whose bits most of the others need."""
    needed = (home @ run.place.inverse()).matrix.rows
    return max(among, key=lambda d: len(heirs_of(needed, wrong, d)))


def _made_way(run: _Run, dim: int, kept: Sequence[int]) -> list[tuple[int, int, int]]:
    """A trade of a dimension with a memory bit that leaves the kept sums in memory, if any."""
    run.finished = list(range(run.p))
    others = [row for d, row in enumerate(run.node_rows) if d != dim]
    for bit in run.available():
        if all(Span([*others, 1 << bit]).add(row) for row in kept):
            return [(dim, 1 << bit, 0)]
    return []


def _sums(place: AffineMap, n: int) -> list[tuple[int, int]]:
    """The sum of index bits, and the constant, that every dimension has."""
    return [(rows(place)[d], place.constant >> d & 1) for d in range(n)]


def _slots(run: _Run) -> str:
    return f"{1 << run.p - run.n} slot{'s' if run.p > run.n else ''}"


def _no_room(run: _Run) -> NoReturn:
    raise InvalidValueError(
        f"every node has {_slots(run)}",
        f"that is too little memory for {run.wishes.conversion} code conversion here",
        "use fewer nodes, or another conversion",
    )


def _tidied(run: _Run) -> tuple[Exchange, ...]:
    """Exchanges within memory that leave one index bit in each slot bit."""
    exchanges, taken = [], list[int]()
    run.finished = sorted(range(run.p), reverse=True)
    for bit in run.available():
        found, slot = _to_memory(run, 1 << bit, taken)
        exchanges += found
        taken.append(slot)
    return tuple(exchanges)


def _local_stages(run: _Run) -> tuple[int, ...]:
    """Do all stages that are local now."""
    done = []
    while run.pending and not run.dims_of(run.pending[0]):
        done.append(run.pending[0])
        run.over()
    return tuple(done)


def _next_phase(run: _Run) -> Phase:
    """The exchanges that the next stage waits for."""
    bit = run.pending[0]
    dims = run.dims_of(bit)
    if run.wishes.conversion == "inter-node":
        run.finished = run.available()[-1:]  # one memory bit is in use
        in_memory = not address_mask(run.place, 1 << bit) & ((1 << run.n) - 1)
        if len(dims) == 1 and in_memory and not (run.sent or run.partners):
            return _converted(run, dims[0], bit)
        if len(dims) == 2:
            return _bisected_and_converted(run, dims)
        return _swapped(run, dims[:1])
    return _swapped(run, _dims_at_once(run, dims))


def _dims_at_once(run: _Run, dims: list[int]) -> list[int]:
    """The dimensions of the next stage, and those of later ones while there is room."""
    if not run.wishes.together:
        return dims[:1]
    if run.wishes.first is not None and not (run.sent or run.partners):
        return dims[: run.wishes.first]
    room = len(run.available())
    if room < len(dims):  # something has to wait on the nodes in any case
        room = run.wishes.radix
    pending = sum(1 << bit for bit in run.pending)
    for partners in run.partners:  # what made way together comes back together
        both = {d for d in partners if run.node_rows[d] & pending} | set(dims)
        if partners & set(dims) and len(both) <= len(run.available()):
            dims = sorted(both, reverse=True)
    for bit in run.pending[1:]:
        more = dims + [d for d in run.dims_of(bit) if d not in dims]
        if len(more) > min(run.wishes.radix, room):
            break
        dims = more
    return dims


def _swapped(run: _Run, dims: Sequence[int]) -> Phase:
    """Each of the dimensions trades places with a memory bit."""
    nodes, going = Span(run.node_rows), list[tuple[int, int]]()
    ready = [(1 << bit, bit) for bit in run.available()]
    bits = [b for b in run.pending[: run.wishes.radix + 1] if set(run.dims_of(b)) & set(dims)]
    for row, bit in [*ready, *((row, -1) for row in run.waiting(bits))]:
        if len(going) < len(dims) and nodes.add(row):
            going.append((row, bit))
    if not going:
        _no_room(run)
    if any(bit < 0 for _, bit in going):
        run.partners.append(frozenset(dims))
    coded = [_coded(run, row, bit) for row, bit in going]  # the other dimensions come later
    return _traded(run, [(d, row, 0) for d, row in zip(dims, coded, strict=False)])


def _traded(run: _Run, trades: Sequence[tuple[int, int, int]]) -> Phase:
    """Dimensions trade places with sums of index bits and constants, formed in memory first."""
    local, slots = list[Exchange](), list[int]()
    for _, row, constant in trades:
        exchanges, slot = _to_memory(run, row, slots, constant)
        local += exchanges
        slots.append(slot)
    before, crossings = run.place, list[Exchange]()
    for (d, *_), slot in zip(trades, slots, strict=True):
        both = 1 << d | 1 << slot
        crossings.append(Exchange(both, both))
        run.place = crossings[-1].affine(run.p) @ run.place
    return Phase(before, tuple(local), tuple(crossings))


def _coded(run: _Run, row: int, bit: int) -> int:
    """What goes out for a finished bit: itself, or in Gray code its sum with the one before."""
    if bit < 0:
        return row
    run.sent.append(bit)
    gray = run.wishes.output == "gray" and len(run.sent) > 1
    return row | 1 << run.sent[-2] if gray else row


def _to_memory(
    run: _Run, wanted: int, taken: Sequence[int], constant: int = 0
) -> tuple[list[Exchange], int]:
    """Put a sum of index bits, plus a constant, into a slot bit by an exchange, if need be."""
    mask = address_mask(run.place, wanted)
    slot = next((s for s in bit_indices(mask >> run.n << run.n) if s not in taken), None)
    if slot is None:
        raise InvalidValueError(
            f"index bits {list(bit_indices(wanted))} are to go out as one sum",
            "the nodes have it already",
            "ask for output in binary code, or start from another layout",
        )
    rest, inverted = mask ^ 1 << slot, constant ^ parity(mask & run.place.constant)
    if not rest and not inverted:
        return [], slot
    exchange = Exchange(1 << slot, rest, want=1 ^ inverted)
    run.place = exchange.affine(run.p) @ run.place
    return [exchange], slot


def _bisected_and_converted(run: _Run, dims: Sequence[int]) -> Phase:
    """One dimension trades places with a memory bit where they differ; else the other flips.

    TR-764 section 3.1.2: every element crosses exactly one of the two.
    """
    turn = {bit: k for k, bit in enumerate(run.pending)}

    def urgency(d: int) -> list[int]:
        return sorted(turn[b] for b in bit_indices(run.node_rows[d]) if b in turn)[1:] or [
            run.p
        ]

    bisected = max(dims, key=urgency)
    other = next(d for d in dims if d != bisected)
    phase = _swapped(run, [bisected])
    when = phase.crossings[0].when
    flip = Exchange(1 << other, when, want=0)
    run.place = flip.affine(run.p) @ run.place
    return Phase(phase.place, phase.local, (*phase.crossings, flip))


def _converted(run: _Run, dim: int, bit: int) -> Phase:
    """The dimension is complemented where the bit is 1, so that it depends on it no more.

    TR-764 section 4.1: the first step where the entire address is in Gray code.
    """
    place = run.place
    flip = Exchange(1 << dim, address_mask(place, 1 << bit))
    run.place = flip.affine(run.p) @ run.place
    return Phase(place, (), (flip,))
