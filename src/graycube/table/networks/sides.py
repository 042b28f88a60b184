"""Butterflies in K/2 + n - m cycles, beyond TR-764: a chain of dimensions with sides.

There are K = 2^m messages on a node, and n dimensions.

Rules.

1. The *chain* is bi-sectioning of the first dimensions that stages need, all but m - 1, through
   one memory bit (or two: where the first stage depends on two dimensions, as in Gray code).
2. The *sides* are the other dimensions. They trade places with memory bits that nobody needs
   until then. What an element crosses on the sides says to which *class* it belongs. No stage
   of the chain joins two classes, so class follows class through the chain.
3. The sum of two sides says whether a class is *late*. The late ones cross their sides in the
   first K/4 cycles, before they enter the chain, and the early ones in the last, after they
   have left it. So the chain is short, and all links are busy nearly all the time.
4. On the sides elements take turns by a shift register. Its state x has a bit for each side but
   the second, and for each *label*: labels tell the elements of a class on one node apart,
   before the chain as well as after it. T^k x has the bit of side k in the lowest place, and
   the rest of it is the turn. In each half the second side is the first one, or its opposite:
   so the turn is that of the first, plus a constant (:func:`turns` finds it).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange, bit_indices, parity
from graycube.machine import Machine
from graycube.schedule import Crossing, Delay, Schedule, Step, Task
from graycube.table.algorithm import Algorithm
from graycube.table.networks.messages import with_best_messages
from graycube.table.networks.outline import Outline
from graycube.table.networks.phases import begun, local_stages, next_phase, tidied
from graycube.table.networks.pipeline import (
    Class,
    Pace,
    Pipeline,
    first_unknown,
    in_series,
    learn,
    unsaid,
)
from graycube.table.networks.register import turns
from graycube.table.networks.state import Phase, Run, Wishes, to_memory, traded
from graycube.table.networks.sums import sum_of

NAME = "chain with sides"
_LEAST = 2
"""With fewer sides it takes as long as sectioning."""


@dataclass(frozen=True)
class _Sided:
    """Stages and exchanges that come ``first``, the chain, the sides, and what is left.

    ``spare`` are index bits that stay in memory throughout, those within messages first.
    """

    first: tuple[int, ...]
    formed: tuple[Exchange, ...]
    chain: tuple[Phase, ...]
    sides: Phase
    spare: tuple[int, ...]
    last: tuple[Exchange, ...]


def sided(task: Task, merged: int = 0) -> Schedule:
    """The network of a task, in messages of 2^merged slots.

    >>> from graycube.layout import Layout
    >>> layout = Layout.cyclic(10, 5)
    >>> task = Task(layout, layout, 32, stages=tuple(range(9, -1, -1)), free=True)
    >>> made = sided(task)
    >>> made.cycles, made.task.target == made.ways[0].move(10) @ layout
    (16, True)
    """
    return _outlined(task, merged).schedule


def _outlined(task: Task, merged: int) -> Outline:
    parts, pace = _parts(task, merged), Pace(1, merged, payload=task.payload)
    chain, cycles = in_series(parts.chain, task.n, pace, _classes(parts, task, merged), 0)
    laid_out = Pipeline((chain,), task.n, pace, cycles)
    head = Schedule(task, NAME, range(0, cycles, pace.message), cycles, ())
    sides = ((dim, 0, cycles - 1) for dim in parts.sides.dims)
    return Outline(head, [*laid_out.spans(), *sides], partial(_steps, parts, task, laid_out))


def _steps(parts: _Sided, task: Task, laid_out: Pipeline) -> Iterator[Step]:
    yield from (Step(stage=bit) for bit in parts.first)
    yield from map(Step, parts.formed)
    yield from laid_out.steps()
    yield from _beside(parts, task, laid_out.pace, laid_out.cycles)
    yield from (Step(stage=bit) for bit in parts.sides.stages)
    yield from map(Step, parts.last)


def _most_merged(task: Task) -> int:
    """The most slots of a message, as a power of two; less than 0 where there are no sides."""
    run, _ = begun(task.source.map, task.n, Wishes(task.stages))
    through = _through(run)
    free = len(run.finished) - through - _LEAST
    return free if len(_needed(run)) >= through + _LEAST else -1


def _through(run: Run) -> int:
    """Through how many memory bits the chain goes."""
    return max(1, len(run.dims_of(run.pending[0])) if run.pending else 0)


def _parts(task: Task, merged: int) -> _Sided:
    """The dimensions shared out, and what trades places with what."""
    run, first = begun(task.source.map, task.n, Wishes(task.stages))
    finished, through, formed = run.finished, _through(run), list[Exchange]()
    count = min(len(finished) - merged, len(_needed(run))) - through
    if count < _LEAST:
        raise InvalidValueError(
            f"memory has {len(finished)} bits to trade, and {merged} are those of messages",
            f"a chain with sides takes {through + _LEAST}, and as many dimensions",
            "use shorter messages, or sectioning",
        )
    sides, spare = finished[:count], finished[count : len(finished) - through]
    taken = list[int]()
    for bit in finished:
        exchanges, slot = to_memory(run, 1 << bit, taken)
        formed += exchanges
        taken.append(slot)
    run.kept = tuple(taken[: len(finished) - through])
    run.finished, chain = finished[len(finished) - through :], list[Phase]()
    while len(left := _needed(run)) > count:
        crossed = next_phase(run)
        chain.append(replace(crossed, stages=local_stages(run)))
    if len(left) < count:
        raise _unfit()
    run.kept = ()
    beside = traded(run, [(d, 1 << bit, 0) for d, bit in zip(left, sides, strict=True)])
    beside = replace(beside, stages=local_stages(run))
    traded_slots = sum(one.flip for one in beside.crossings)
    formed_there = (one for phase in chain for one in phase.local)
    if run.pending or any(one.when & traded_slots for one in formed_there):
        raise _unfit()
    return _Sided(first, tuple(formed), tuple(chain), beside, tuple(spare), tidied(run))


def _unfit() -> InvalidValueError:
    return InvalidValueError(
        "some stages need dimensions again that others have used",
        "a chain with sides exchanges each dimension once",
        "take sectioning, or cyclic data",
    )


def _needed(run: Run) -> list[int]:
    """The dimensions that stages still wait for, in their order, the highest first."""
    turn = {bit: k for k, bit in enumerate(run.pending)}
    waiting = list[tuple[int, int]]()
    for d, row in enumerate(run.node_rows):
        if turns := [turn[bit] for bit in bit_indices(row) if bit in turn]:
            waiting.append((min(turns), -d))
    return [-d for _, d in sorted(waiting)]


def _classes(parts: _Sided, task: Task, merged: int) -> list[Class]:
    """What tells the elements of a node apart in the chain: who is late comes first."""
    place = parts.sides.place
    sums = [one.when for one in parts.sides.crossings]
    sums[0] ^= sums[1]
    late, *others = [(place.index_bits(s), 1 ^ parity(s & place.constant)) for s in sums]
    apart = [(1 << bit, 1) for bit in parts.spare]
    known = [*apart[:merged], late, *others, *apart[merged:]]
    one_by_one = [phase for phase in parts.chain if len(phase.dims) == 1]
    return known + _more_sums([unsaid(phase, task.n) for phase in one_by_one], known, task.p)


def _more_sums(unknown: Sequence[Sequence[int]], known: Sequence[Class], p: int) -> list[Class]:
    """Sums of index bits that say, in all cases alike, what is not known."""
    rests, found = [list(one) for one in unknown], list[Class]()
    for mask, _ in known:
        for one in rests:
            learn(mask, one)
    while rests and all(map(any, rests)):
        more = first_unknown((range(p),), rests)
        if more is None:
            raise _unfit()
        found.append(more)
        for one in rests:
            learn(more[0], one)
    return found


def _beside(parts: _Sided, task: Task, pace: Pace, cycles: int) -> Iterator[Step]:
    """The steps over the sides: all in the first quarter of the block, or in the last."""
    place, sides = parts.sides.place, parts.sides.crossings
    before = replace(parts.sides, place=parts.chain[0].place)
    apart = [(1 << bit, 1) for bit in parts.spare]
    labels = _more_sums([unsaid(one, task.n) for one in (before, parts.sides)], apart, task.p)
    state = [one.when for k, one in enumerate(sides) if k != 1]
    state += [place.address_mask(label) for label, _ in labels]
    both = sides[0].when ^ sides[1].when
    within = [
        Delay(pace.message >> 1 + k, place.address_mask(mask))
        for k, (mask, _) in enumerate(apart[: pace.merged])
    ]
    behind = [
        Delay(pace.message << k, place.address_mask(mask))
        for k, (mask, _) in enumerate(apart[pace.merged :])
    ]
    first = pace.message << len(behind)
    wait = cycles - (first << len(state) - 1)
    done = list[Exchange]()
    for one, digits in zip(sides, turns(len(sides), len(state)), strict=True):
        delays = [*within, *behind, Delay(wait, both, want=0)]
        for k, (bits, even, odd) in enumerate(digits):
            mask = sum_of(state, bits) ^ both * (even != odd)
            delays.append(Delay(first << k, mask, want=1 ^ even))
        dim = next(bit_indices(one.flip))
        yield Step(one, (Crossing(dim, 0, tuple(_after(late, done) for late in delays)),))
        done.append(one)


def _after(delay: Delay, done: Sequence[Exchange]) -> Delay:
    """The same delay where exchanges have been done."""
    for one in done:
        if parity(delay.mask & one.flip):
            delay = replace(delay, mask=delay.mask ^ one.when)
    return delay


def _applicable(task: Task, machine: Machine) -> str | None:
    if not task.stages:
        return "it is for butterflies"
    if task.p == task.n:
        return "nodes have one element: copies"
    if not task.free:
        return "it leaves the result where it is cheapest"
    if machine.links_at_once < task.n:
        return f"it needs {task.n} ports"
    if _most_merged(task) < 0:
        return "it needs three dimensions and memory bits, or four of coded data"
    return None


def _emit(task: Task, machine: Machine) -> Schedule:
    return with_best_messages(partial(_outlined, task), _most_merged(task), machine).schedule


ALGORITHM = Algorithm(
    name=NAME,
    paper="beyond the papers",
    ports="all",
    formula="K/2 + n - log2 K cycles, Gray one more",
    applicable=_applicable,
    emit=_emit,
    network=True,
)
