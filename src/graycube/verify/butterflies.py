"""Check an emulation: by algebra at any size, and by following every element.

By algebra. Each crossing lets the elements of a link through one by one if node number,
condition and turns together tell all elements apart: a rank. Two crossings of one dimension
never meet if no cycle is in both. An element leaves after its pair of the last stage is
complete if the latest arrival of any element that the stages in between join to it comes
before: turns that are the same for all of them cancel; of the others the worst is assumed.

Element by element. Where every element is at every time follows from the moves alone; a pair
meets in the first cycle in which both are on one node and over with their earlier stages.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix, bit_indices, parity
from graycube.machine import Machine
from graycube.schedule import Crossing, Emulation, Moves, Replication, Stage
from graycube.verify.report import Report, Violation, require_same_cube, tally

_RULES = ("end", "stage", "link", "ports", "time", "round")
MAX_PLACES = 1 << 28
"""Most places, elements times cycles, that are kept to follow all elements."""
_MAX_CYCLES = 1 << 20  # of one crossing, listed to compare it with another


@dataclass(frozen=True, slots=True)
class _Timed:
    """A crossing, seen from the indices.

    Its condition is (sum of index bits, want), and its turns have the delay in front of it.
    """

    number: int
    crossing: Crossing
    dimension: int
    condition: tuple[int, int]
    turns: tuple[tuple[int, int, int], ...]
    stages: int  # how many are done before
    run: int  # of crossings with nothing in between


def check_emulation(emulation: Emulation, machine: Machine) -> Report:
    """Check an emulation by algebra.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.cyclic(2, 1), Layout.parse("(b0 || b1)"), block=2)
    >>> steps = (Stage(1), Crossing(Exchange(flip=3, when=3), 0), Stage(0))
    >>> emulation = Emulation(task, "by hand", (0,), 1, steps)
    >>> print(check_emulation(emulation, Machine(dims=1)))
    by algebra: nothing is wrong (end, stage, link, ports, time, round)
    """
    require_same_cube(emulation.task, machine)
    timed = list(_timed(emulation))
    found = [
        *_check_program(emulation),
        *_check_links(emulation, timed),
        *_check_ports(timed, machine),
        *_check_rounds(emulation),
        *_check_times(emulation, timed),
    ]
    return tally("by algebra", _RULES, found)


def check_pairs(moves: Moves, stages: Sequence[int]) -> Report:
    """Check, element by element, that all pairs of all stages meet, one stage after the other.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.cyclic(2, 1), Layout.parse("(b0 || b1)"), block=2)
    >>> moves = Moves(task, "by hand", (0,), 1, [0, 0], [1, 0], [0, 0], [2, 1])
    >>> print(check_pairs(moves, stages=[1, 0]))
    pair by pair: nothing is wrong (pair)
    >>> print(check_pairs(moves, stages=[0, 1]))
    pair by pair: 4 x pair
      pair: element 0: both of a pair are on one node when their earlier stages are over
      pair: element 1: both of a pair are on one node when their earlier stages are over
      pair: element 2: both of a pair are on one node when their earlier stages are over
      pair: element 3: both of a pair are on one node when their earlier stages are over
    """
    task = moves.task
    node = _places(moves)
    element = np.arange(task.block << task.n)
    home, position = np.divmod(element, task.block)
    slot, payload = np.divmod(position, task.payload)
    word = task.source.inverse_map(slot << task.n | home)
    by_word = np.empty((1 << task.p, task.payload), dtype=np.int64)
    by_word[word, payload] = element
    time = np.arange(node.shape[1])
    ready = np.zeros(len(element), dtype=np.int64)
    for bit in stages:
        other = by_word[word ^ 1 << bit, payload]
        since = np.maximum(ready, ready[other])
        together = (node == node[other]) & (time >= since[:, None])
        missed = np.flatnonzero(~together.any(axis=1))
        if len(missed):
            violations = [Violation("pair", element=int(e)) for e in missed]
            return tally("pair by pair", ("pair",), violations)
        ready = together.argmax(axis=1)
    return tally("pair by pair", ("pair",), ())


def check_replication(network: Replication) -> Report:
    """Check, node by node, that copies of both inputs come from neighbours or from the node.

    >>> from graycube.layout import Layout
    >>> gray = Layout.nodes(2, "gray")
    >>> print(check_replication(Replication((gray, gray, gray), (1, 0))))
    node by node: 4 x copy
      copy: node 0: stage 0 needs the points of nodes 0 and 3
      copy: node 1: stage 0 needs the points of nodes 1 and 2
      copy: node 2: stage 0 needs the points of nodes 1 and 2
      copy: node 3: stage 0 needs the points of nodes 0 and 3
    """
    found = []
    n = network.layouts[0].n
    if tuple(sorted(network.stages)) != tuple(range(n)):
        detail = f"the stages are {network.stages}, which is not every bit once"
        found.append(Violation("stage", detail=detail))
    for stage in range(len(network.stages)):
        for node in range(1 << n):
            sources = network.sources(stage, node)
            if any((node ^ source).bit_count() > 1 for source in sources):
                first, second = sorted(sources)
                detail = f"stage {stage} needs the points of nodes {first} and {second}"
                found.append(Violation("copy", node=node, detail=detail))
    return tally("node by node", ("stage", "copy"), found)


def _places(moves: Moves) -> NDArray[np.int32]:
    """The node of every element before every cycle and at the end."""
    task = moves.task
    elements = task.block << task.n
    if elements * (moves.cycles + 1) > MAX_PLACES:
        raise InvalidValueError(
            f"{elements} elements move in {moves.cycles} cycles",
            f"at most {MAX_PLACES} places are kept",
            "check by algebra, or take a smaller cube or block",
        )
    change = np.zeros((elements, moves.cycles + 1), dtype=np.int32)
    np.bitwise_xor.at(
        change, (moves.element, moves.cycle + 1), 1 << moves.dimension.astype(int)
    )
    change[:, 0] = np.arange(elements) // task.block
    return np.bitwise_xor.accumulate(change, axis=1)


def _timed(emulation: Emulation) -> Iterator[_Timed]:
    place, stages, number, run = emulation.task.source.map, 0, 0, 0
    nodes = (1 << emulation.task.n) - 1
    for step in emulation.steps:
        if not isinstance(step, Crossing):
            run += 1
        if isinstance(step, Stage):
            stages += 1
            continue
        if isinstance(step, Crossing):
            turns = tuple((t.delay, *_by_index(place, t.when, t.want)) for t in step.turns)
            dimension = (step.exchange.flip & nodes).bit_length() - 1
            condition = _by_index(place, step.exchange.when, step.exchange.want)
            yield _Timed(number, step, dimension, condition, turns, stages, run)
            number += 1
        exchange = step.exchange if isinstance(step, Crossing) else step
        place = exchange.affine(place.width) @ place


def _by_index(place: AffineMap, when: int, want: int) -> tuple[int, int]:
    """A parity of the address as one of the index."""
    total = 0
    for row in bit_indices(when):
        total ^= place.matrix.rows[row]
    return total, want ^ parity(when & place.constant)


def _check_program(emulation: Emulation) -> Iterator[Violation]:
    program, task = emulation.program, emulation.task
    if program.result() != task.target:
        yield Violation("end", detail=f"it ends in {program.result()}, not in {task.target}")
    for stage in program.remote_stages():
        yield Violation("stage", detail=f"the {stage} have pairs on two nodes")
    stages = _stages(emulation)
    runs = []
    offset = task.p
    for axis in task.source.axes:
        offset -= axis.bits
        runs.append(list(range(offset, offset + axis.bits)))
    if stages and not any(stages in (run, run[::-1]) for run in runs):
        detail = f"the stages are {stages}, which is not every bit of an axis once, in order"
        yield Violation("stage", detail=detail)


def _stages(emulation: Emulation) -> list[int]:
    return [step.bit for step in emulation.steps if isinstance(step, Stage)]


def _check_links(emulation: Emulation, timed: Sequence[_Timed]) -> Iterator[Violation]:
    p, n = emulation.task.p, emulation.task.n
    for t in timed:
        delays = sorted(turn.delay for turn in t.crossing.turns)
        sums = np.cumsum([0, *delays])[:-1]
        rows = (*(1 << d for d in range(n)), t.crossing.exchange.when)
        rows += tuple(turn.when for turn in t.crossing.turns)
        told_apart = Matrix(rows, p).rank() == p
        if not told_apart or any(d <= s for d, s in zip(delays, sums, strict=True)):
            detail = f"crossing {t.number} sends two elements over one link in one cycle"
            yield Violation("link", cycle=t.crossing.start, detail=detail)
    for k, one in enumerate(timed):
        for other in timed[:k]:
            if one.dimension == other.dimension and _meet(one.crossing, other.crossing):
                detail = f"crossings {other.number} and {one.number} share dimension"
                yield Violation(
                    "link", cycle=one.crossing.start, detail=f"{detail} {one.dimension}"
                )


def _meet(one: Crossing, other: Crossing) -> bool:
    """Whether some cycle may belong to both."""
    if _apart(one, other):
        return False
    if max(1 << len(one.turns), 1 << len(other.turns)) > _MAX_CYCLES:
        return True
    return bool(len(np.intersect1d(_cycles(one), _cycles(other))))


def _cycles(crossing: Crossing) -> NDArray[np.int64]:
    cycles = np.array([crossing.start])
    for turn in crossing.turns:
        cycles = np.concatenate([cycles, cycles + turn.delay])
    return cycles


def _check_ports(timed: Sequence[_Timed], machine: Machine) -> Iterator[Violation]:
    for t in timed:
        at = t.crossing.start
        using = {o.dimension for o in timed if o.crossing.start <= at <= o.crossing.last}
        if len(using) > machine.links_at_once:
            detail = f"a node may use {len(using)} of its {machine.links_at_once} ports"
            yield Violation("ports", cycle=at, detail=detail)


def _check_times(emulation: Emulation, timed: Sequence[_Timed]) -> Iterator[Violation]:
    """Crossings without a stage in between that do not commute, or that a stage separates."""
    stages = _stages(emulation)
    every = _round_length(emulation)
    for k, late in enumerate(timed):
        for early in timed[:k]:
            joined = stages[early.stages : late.stages]
            if _latest(early, late, joined, every) < 0:
                continue
            if early.run == late.run and _commute(early.crossing, late.crossing):
                reversed_order = _latest(late, early, joined, every) < 0
                if not reversed_order and _may_be_equal(early, late, every):
                    detail = f"crossings {early.number} and {late.number} may be simultaneous"
                    yield Violation("time", cycle=late.crossing.start, detail=detail)
            else:
                detail = f"crossing {late.number} may start before {early.number} is over"
                yield Violation("time", cycle=late.crossing.start, detail=detail)


def _round_length(emulation: Emulation) -> int:
    """Cycles of a round, in payloads; the rounds of a pipeline are equally long."""
    if isinstance(emulation.rounds, range):
        return max(1, emulation.rounds.step // emulation.task.payload)
    return max(1, max(emulation.round_lengths, default=1) // emulation.task.payload)


def _check_rounds(emulation: Emulation) -> Iterator[Violation]:
    """Times are compared in whole rounds, so rounds and payloads must be of one length."""
    lengths = {emulation.rounds.step} if isinstance(emulation.rounds, range) else None
    lengths = lengths or set(emulation.round_lengths)
    if len(lengths) > 1 or any(length % emulation.task.payload for length in lengths):
        payload = emulation.task.payload
        detail = f"the rounds have {sorted(lengths)} cycles, for payloads of {payload}"
        yield Violation("round", detail=detail)


def _commute(one: Crossing, other: Crossing) -> bool:
    """Whether they may be done in either order, with the same turns."""
    tests = [(one.exchange.flip, other.exchange.when), (other.exchange.flip, one.exchange.when)]
    return not any(parity(flip & when) for flip, when in tests)


def _latest(early: _Timed, late: _Timed, joined: Sequence[int], every: int) -> int:
    """The most rounds by which the early crossing of an element may be behind the late one.

    The elements that ``joined`` stages bring together with it count too.
    """
    here = {(index, want): delay // every for delay, index, want in early.turns}
    there = {(index, want): delay // every for delay, index, want in late.turns}
    behind = early.crossing.start // every - late.crossing.start // every
    for key, delay in here.items():
        moved = any(key[0] >> bit & 1 for bit in joined)
        behind += delay if moved else max(0, delay - there.get(key, 0))
    return behind


def _may_be_equal(one: _Timed, other: _Timed, every: int) -> bool:
    """Whether an element may cross both in one round, where they start together.

    It meets both conditions, and all digits of its times are equal: linear equations.
    """
    mine = {delay: (index, want) for delay, index, want in one.turns if delay >= every}
    theirs = {delay: (index, want) for delay, index, want in other.turns if delay >= every}
    if one.crossing.start != other.crossing.start or set(mine) != set(theirs):
        return not _apart(one.crossing, other.crossing)
    equations = [one.condition, other.condition]
    for delay, (index, want) in mine.items():
        equations.append((index ^ theirs[delay][0], want ^ theirs[delay][1]))
    return _solvable(equations)


def _apart(one: Crossing, other: Crossing) -> bool:
    """Whether one is over before the other begins."""
    return one.last < other.start or other.last < one.start


def _solvable(equations: Sequence[tuple[int, int]]) -> bool:
    """Whether some address has these parities."""
    width = max(mask.bit_length() for mask, _ in equations) if equations else 0
    masks = Matrix(tuple(mask for mask, _ in equations), width).rank()
    both = Matrix(tuple(mask << 1 | want for mask, want in equations), width + 1).rank()
    return masks == both
