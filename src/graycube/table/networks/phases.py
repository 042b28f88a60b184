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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NoReturn

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Span, bit_indices
from graycube.gf2.factor import factor
from graycube.table.networks.restoring import way_back
from graycube.table.networks.state import Phase, Run, Wishes, memory_of, to_memory, traded
from graycube.table.networks.sums import Tracked


@dataclass(frozen=True)
class Phases:
    """The stages that are local from the start, the phases that the others need, tidying up.

    ``last`` are exchanges within memory that give each slot bit an index bit.
    """

    first: tuple[int, ...]
    phases: tuple[Phase, ...]
    last: tuple[Exchange, ...]


def phases(place: AffineMap, n: int, wishes: Wishes) -> Phases:
    """What is exchanged, and which stages that allows.

    >>> place = AffineMap.identity(4)  # two node bits, two memory bits
    >>> found = phases(place, 2, Wishes(stages=(3, 2, 1, 0)))
    >>> found.first, [(phase.dims, phase.stages) for phase in found.phases]
    ((3, 2), [((1,), (1,)), ((0,), (0,))])
    """
    run, first = begun(place, n, wishes)
    run.finished = run.finished[-wishes.window :]
    done: list[Phase] = []
    while run.pending:
        crossed = next_phase(run)
        stages = local_stages(run)
        done.append(Phase(crossed.place, crossed.local, crossed.crossings, stages))
        if len(done) > 3 * place.width:  # what goes out keeps coming back
            _no_room(run)
    if wishes.home is not None:
        ends = [(replace(run), range(n)[::step]) for step in (1, -1)]
        ways = [(list(way_back(copy, wishes.home, dims)), copy) for copy, dims in ends]
        back, run = min(ways, key=lambda way: sum(len(phase.crossings) for phase in way[0]))
        last = factor(wishes.home @ run.place.inverse(), n)
        return Phases(first, (*done, *back), last)
    return Phases(first, tuple(done), tidied(run))


def begun(place: AffineMap, n: int, wishes: Wishes) -> tuple[Run, tuple[int, ...]]:
    """Where everything is when the first stages are done, which need no links; and these."""
    run = Run(Tracked.of(place), n, wishes, list(wishes.stages))
    run.finished = [b for b in reversed(range(place.width)) if b not in wishes.stages]
    first = local_stages(run)
    run.finished = run.available()
    return run, first


@lru_cache(maxsize=1 << 7)  # all sizes of messages have the same, and what overlaps or not
def phases_or_why_not(place: AffineMap, n: int, wishes: Wishes) -> Phases | InvalidValueError:
    """The same, or the error, which takes as long to come to.

    >>> phases_or_why_not(AffineMap.identity(2), 2, Wishes(stages=(1, 0))).found
    'every node has 1 slot'
    """
    try:
        return phases(place, n, wishes)
    except InvalidValueError as error:
        return error.with_traceback(None)


def _no_room(run: Run) -> NoReturn:
    raise InvalidValueError(
        f"every node has {memory_of(run)}",
        f"that is too little memory for {run.wishes.conversion} code conversion here",
        "use fewer nodes, or another conversion",
    )


def tidied(run: Run) -> tuple[Exchange, ...]:
    """Exchanges within memory that leave one index bit in each slot bit."""
    exchanges, taken = [], list[int]()
    run.finished = sorted(range(run.p), reverse=True)
    for bit in run.available():
        found, slot = to_memory(run, 1 << bit, taken)
        exchanges += found
        taken.append(slot)
    return tuple(exchanges)


def local_stages(run: Run) -> tuple[int, ...]:
    """Do all stages that are local now."""
    done = []
    while run.pending and not run.dims_of(run.pending[0]):
        done.append(run.pending[0])
        run.over()
    return tuple(done)


def next_phase(run: Run) -> Phase:
    """The exchanges that the next stage waits for."""
    bit = run.pending[0]
    dims = run.dims_of(bit)
    if run.wishes.conversion == "inter-node":
        run.finished = run.available()[-1:]  # one memory bit is in use
        in_memory = not run.place.masks[bit] & ((1 << run.n) - 1)
        if len(dims) == 1 and in_memory and not (run.sent or run.partners):
            return _converted(run, dims[0], bit)
        if len(dims) == 2:
            return _bisected_and_converted(run, dims)
        return _swapped(run, dims[:1])
    return _swapped(run, _dims_at_once(run, dims))


def _dims_at_once(run: Run, dims: list[int]) -> list[int]:
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


def _swapped(run: Run, dims: Sequence[int]) -> Phase:
    """Each of the dimensions trades places with a memory bit."""
    going = [(1 << bit, bit) for bit in run.available()[: len(dims)]]
    if len(going) < len(dims):
        known = Span(run.slots_of(row) for row, _ in going)
        soon = run.pending[: run.wishes.radix + 1]
        rows = run.waiting([bit for bit in soon if set(run.dims_of(bit)) & set(dims)])
        new = [(row, -1) for row in rows if known.add(run.slots_of(row))]
        going += new[: len(dims) - len(going)]
    if not going:
        _no_room(run)
    if any(bit < 0 for _, bit in going):
        run.partners.append(frozenset(dims))
    coded = [_coded(run, row, bit) for row, bit in going]  # the other dimensions come later
    return traded(run, [(d, row, 0) for d, row in zip(dims, coded, strict=False)])


def _coded(run: Run, row: int, bit: int) -> int:
    """What goes out for a finished bit: itself, or in Gray code its sum with the one before."""
    if bit < 0:
        return row
    run.sent.append(bit)
    gray = run.wishes.output == "gray" and len(run.sent) > 1
    return row | 1 << run.sent[-2] if gray else row


def _bisected_and_converted(run: Run, dims: Sequence[int]) -> Phase:
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
    run.place = run.place.after(flip)
    return Phase(phase.place, phase.local, (*phase.crossings, flip))


def _converted(run: Run, dim: int, bit: int) -> Phase:
    """The dimension is complemented where the bit is 1, so that it depends on it no more.

    TR-764 section 4.1: the first step where the entire address is in Gray code.
    """
    place = run.place
    flip = Exchange(1 << dim, place.masks[bit])
    run.place = place.after(flip)
    return Phase(place, (), (flip,))
