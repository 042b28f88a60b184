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
from graycube.gf2 import AffineMap, Matrix, bit_indices, parity, require_ints
from graycube.machine import Machine
from graycube.schedule import Crossing, Emulation, Moves, Replication, Stage
from graycube.verify.report import Report, Violation, require_same_cube, tally

_RULES = ("end", "stage", "link", "ports", "time", "round")
MAX_PLACES = 1 << 28
"""Most places, elements times cycles, that are kept to follow all elements."""

_Condition = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Timed:
    """A crossing, seen from the indices: conditions are (sum of index bits, value).

    The round in which an element crosses is ``start`` plus, for every sum, its coefficient if
    the sum is 1. Times within a round do not matter between crossings.
    """

    number: int
    crossing: Crossing
    dimension: int
    condition: _Condition
    start: int
    coefficients: dict[int, int]
    times: tuple[_Condition, ...]  # the digits of the exact time
    stages: int  # how many are done before
    run: int  # of crossings with nothing in between

    @property
    def first(self) -> int:
        """The first round in which anything may cross."""
        return self.start + sum(min(0, c) for c in self.coefficients.values())

    @property
    def last(self) -> int:
        """The last round in which anything may cross."""
        return self.start + sum(max(0, c) for c in self.coefficients.values())


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
    every = _round_length(emulation)
    timed = list(_timed(emulation, every))
    found = [
        *_check_program(emulation),
        *_check_links(emulation, timed),
        *_check_ports(timed, machine),
        *_check_rounds(emulation, every),
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
    bits = require_ints(stages, "stages") if not isinstance(stages, int) else ()
    _require_in_range(moves, stages, bits)
    node = _places(moves)
    element = np.arange(task.block << task.n)
    home, position = np.divmod(element, task.block)
    slot, payload = np.divmod(position, task.payload)
    word = task.source.inverse_map(slot << task.n | home)
    by_word = np.empty((1 << task.p, task.payload), dtype=np.int64)
    by_word[word, payload] = element
    time = np.arange(node.shape[1])
    ready = np.zeros(len(element), dtype=np.int64)
    for bit in bits:
        other = by_word[word ^ 1 << bit, payload]
        since = np.maximum(ready, ready[other])
        together = (node == node[other]) & (time >= since[:, None])
        missed = np.flatnonzero(~together.any(axis=1))
        if len(missed):
            violations = [Violation("pair", element=int(e)) for e in missed]
            return tally("pair by pair", ("pair",), violations)
        ready = together.argmax(axis=1)
    return tally("pair by pair", ("pair",), ())


def _require_in_range(moves: Moves, stages: object, bits: Sequence[int]) -> None:
    task = moves.task
    if isinstance(stages, int) or any(not 0 <= bit < task.p for bit in bits):
        raise InvalidValueError(
            f"the stages are {stages!r:.60}", f"an index has {task.p} bits", "list some of them"
        )
    limits = {"cycle": moves.cycles, "dimension": task.n, "element": task.block << task.n}
    for name, limit in limits.items():
        column = getattr(moves, name)
        if len(column) and not 0 <= column.min() <= column.max() < limit:
            raise InvalidValueError(
                f"a {name} is {column.min() if column.min() < 0 else column.max()}",
                f"there are 0..{limit - 1}",
                "see what check_elements says",
            )


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


def _timed(emulation: Emulation, every: int) -> Iterator[_Timed]:
    place, stages, number, run = emulation.task.source.map, 0, 0, 0
    nodes = (1 << emulation.task.n) - 1
    for step in emulation.steps:
        if not isinstance(step, Crossing):
            run += 1
        if isinstance(step, Stage):
            stages += 1
            continue
        if isinstance(step, Crossing):
            dimension = (step.exchange.flip & nodes).bit_length() - 1
            condition = _by_index(place, step.exchange.when, step.exchange.want)
            start, coefficients = _rounds(step, place, every)
            times = tuple(_by_index(place, turn.when, turn.want) for turn in step.turns)
            known = (number, step, dimension, condition, start, coefficients, times)
            yield _Timed(*known, stages, run)
            number += 1
        exchange = step.exchange if isinstance(step, Crossing) else step
        place = exchange.affine(place.width) @ place


def _rounds(crossing: Crossing, place: AffineMap, every: int) -> tuple[int, dict[int, int]]:
    """The round of a crossing, as a start and a coefficient for every sum of index bits."""
    start, coefficients = crossing.start // every, dict[int, int]()
    for turn in crossing.turns:
        index, want = _by_index(place, turn.when, turn.want)
        rounds = turn.delay // every
        if not want:  # late where the sum is 0
            start, rounds = start + rounds, -rounds
        coefficients[index] = coefficients.get(index, 0) + rounds
    coefficients.pop(0, None)  # the sum of nothing is 0
    return start, {index: c for index, c in coefficients.items() if c}


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
        sums = np.cumsum([0, *delays], dtype=object)[:-1]
        rows = (*(1 << d for d in range(n)), t.crossing.exchange.when)
        rows += tuple(turn.when for turn in t.crossing.turns)
        told_apart = Matrix(rows, p).rank() == p
        if not told_apart or any(d <= s for d, s in zip(delays, sums, strict=True)):
            detail = f"crossing {t.number} sends two elements over one link in one cycle"
            yield Violation("link", cycle=t.crossing.start, detail=detail)
    for k, one in enumerate(timed):
        for other in timed[:k]:
            if one.dimension == other.dimension and _meet(one, other):
                detail = f"crossings {other.number} and {one.number} share dimension"
                yield Violation(
                    "link", cycle=one.crossing.start, detail=f"{detail} {one.dimension}"
                )
            if one.run == other.run and _latest(other, one, ()) >= 0:
                for this, that in ((one, other), (other, one)):
                    if not _decided(this, that):
                        detail = f"where an element crosses {that.number} before or after"
                        detail += f" {this.number} depends on more than its time"
                        yield Violation("link", cycle=this.crossing.start, detail=detail)


def _decided(one: _Timed, other: _Timed) -> bool:
    """Whether elements that cross in the same cycle also cross the other one alike.

    The rank tells elements apart by their nodes in the order of the steps. If they do not come
    in that order, two elements of one link and cycle must at least come in the same.
    """
    known = [index for index, _ in (one.condition, *one.times)]
    both = [*known, *(index for index, _ in (other.condition, *other.times))]
    return _rank(both) == _rank(known)


def _meet(one: _Timed, other: _Timed) -> bool:
    """Whether some round may belong to both."""
    if _apart(one, other):
        return False
    mine, theirs = _progression(one), _progression(other)
    if mine is None or theirs is None or mine.step != theirs.step:
        return True
    return (mine.start - theirs.start) % mine.step == 0


def _progression(t: _Timed) -> range | None:
    """The rounds of a crossing, if they are equally far apart."""
    steps = sorted(abs(c) for c in t.coefficients.values())
    if not steps:
        return range(t.first, t.last + 1)
    even = all(c == steps[0] << k for k, c in enumerate(steps))
    return range(t.first, t.last + 1, steps[0]) if even else None


def _apart(one: _Timed, other: _Timed) -> bool:
    """Whether one is over before the other begins."""
    return one.last < other.first or other.last < one.first


def _check_ports(timed: Sequence[_Timed], machine: Machine) -> Iterator[Violation]:
    for t in timed:
        using = {o.dimension for o in timed if o.first <= t.first <= o.last}
        if len(using) > machine.links_at_once:
            detail = f"a node may use {len(using)} of its {machine.links_at_once} ports"
            yield Violation("ports", cycle=t.crossing.start, detail=detail)


def _round_length(emulation: Emulation) -> int:
    """Cycles of a round, in payloads; the rounds of a pipeline are equally long."""
    if isinstance(emulation.rounds, range):
        length = emulation.rounds.step
    else:
        length = max(emulation.round_lengths, default=1)
    return max(1, length // emulation.task.payload)


def _check_rounds(emulation: Emulation, every: int) -> Iterator[Violation]:
    """Times are compared in whole rounds: starts and delays must be such, or within one."""
    payload = emulation.task.payload
    lengths = (
        {emulation.rounds.step}
        if isinstance(emulation.rounds, range)
        else set(emulation.round_lengths[:-1]) or {every * payload}
    )
    if emulation.cycles and lengths != {every * payload}:
        detail = f"the rounds have {sorted(lengths)} cycles, for payloads of {payload}"
        yield Violation("round", detail=detail)
    for crossing in emulation.crossings:
        within = [turn.delay for turn in crossing.turns if turn.delay % every]
        if crossing.start % every or sum(within) >= every:
            detail = f"'{crossing}' is not in whole rounds of {every}"
            yield Violation("round", cycle=crossing.start, detail=detail)


def _check_times(emulation: Emulation, timed: Sequence[_Timed]) -> Iterator[Violation]:
    """Nobody crosses before its earlier crossings, and its pairs, are over."""
    stages = _stages(emulation)
    for k, late in enumerate(timed):
        for early in timed[:k]:
            joined = stages[early.stages : late.stages]
            if _latest(early, late, joined) < 0:
                continue
            if early.run == late.run and _commute(early.crossing, late.crossing):
                if _latest(late, early, joined) >= 0 and _may_be_equal(early, late):
                    detail = f"crossings {early.number} and {late.number} may be simultaneous"
                    yield Violation("time", cycle=late.crossing.start, detail=detail)
            else:
                detail = f"crossing {late.number} may start before {early.number} is over"
                yield Violation("time", cycle=late.crossing.start, detail=detail)


def _commute(one: Crossing, other: Crossing) -> bool:
    """Whether they may be done in either order. Turns are those of the order of the steps."""
    tests = [(one.exchange.flip, other.exchange.when), (other.exchange.flip, one.exchange.when)]
    return not any(parity(flip & when) for flip, when in tests)


def _latest(early: _Timed, late: _Timed, joined: Sequence[int]) -> int:
    """The most rounds by which the early crossing of an element may be behind the late one.

    The elements that ``joined`` stages bring together with it count too: sums which these
    stages change are taken to be the worst. All others are the same for both, and so is, if
    it is one of them, the condition of the early crossing.
    """

    def moved(index: int) -> bool:
        return any(index >> bit & 1 for bit in joined)

    known = [late.condition, *([] if moved(early.condition[0]) else [early.condition])]
    behind, total = early.start - late.start, dict[int, int]()
    for index, c in early.coefficients.items():
        if moved(index):
            behind += max(0, c)
        else:
            total[index] = total.get(index, 0) + c
    for index, c in late.coefficients.items():
        total[index] = total.get(index, 0) - c
    reduced = dict[int, int]()
    for index, c in total.items():
        rest, value = _reduced(index, known)
        if value:  # the sum is 1 plus the rest
            behind, signed = behind + c, -c
        else:
            signed = c
        if rest:
            reduced[rest] = reduced.get(rest, 0) + signed
    return behind + sum(max(0, c) for c in reduced.values())


def _reduced(index: int, known: Sequence[_Condition]) -> tuple[int, int]:
    """A sum, less what is known of it, and the value of what is known."""
    basis: list[_Condition] = []
    for vector, value in known:
        rest, sign = vector, value
        for other, its in basis:
            if rest ^ other < rest:
                rest, sign = rest ^ other, sign ^ its
        if rest:
            basis = sorted([*basis, (rest, sign)], reverse=True)
    value = 0
    for other, its in basis:
        if index ^ other < index:
            index, value = index ^ other, value ^ its
    return index, value


def _may_be_equal(one: _Timed, other: _Timed) -> bool:
    """Whether an element may cross both in one round.

    It would meet both conditions, and if both crossings have the same steps of time, all digits
    of its two times would be equal: linear equations.
    """
    if _apart(one, other):
        return False
    mine = {abs(c): (index, c) for index, c in one.coefficients.items()}
    theirs = {abs(c): (index, c) for index, c in other.coefficients.items()}
    alike = set(mine) == set(theirs) and one.first == other.first
    if not alike or len(mine) < len(one.coefficients) or len(theirs) < len(other.coefficients):
        return True
    sizes = sorted(mine)
    if any(size <= sum(sizes[:k]) for k, size in enumerate(sizes)):
        return True
    equations = [one.condition, other.condition]
    for size, (index, c) in mine.items():
        its, its_c = theirs[size]
        equations.append((index ^ its, int((c < 0) != (its_c < 0))))
    return _solvable(equations)


def _solvable(equations: Sequence[tuple[int, int]]) -> bool:
    """Whether some address has these parities."""
    masks = _rank([mask for mask, _ in equations])
    return masks == _rank([mask << 1 | want for mask, want in equations])


def _rank(vectors: Sequence[int]) -> int:
    return Matrix(tuple(vectors), max(v.bit_length() for v in vectors)).rank()
