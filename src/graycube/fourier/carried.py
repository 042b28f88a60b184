"""The legs of a transform, and how they become calls for the arrays that there are.

Rule: in front of a leg that reads the blocks of others there is a crossing, with a handover.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from graycube.errors import InvalidValueError
from graycube.fourier.along import KEPT, PassStep, along
from graycube.fourier.carriers import Alone, Carrier, Words
from graycube.fourier.engine import by_fftw, effort_of_fftw, ready
from graycube.fourier.legs import AnyLeg, Blocks, Call, Handover, Todo
from graycube.fourier.line_legs import LineLeg
from graycube.fourier.passes import LONGEST
from graycube.fourier.trading import moving_legs
from graycube.fourier.works import multiplied, scaled
from graycube.layout import Layout, Ownership
from graycube.layout.lines import exchanged_dims
from graycube.layout.placement import Placement
from graycube.run import no_way_back
from graycube.run.agreement import Facts, Told, different, digest_of
from graycube.run.fetch import Excerpt, Fetch, fetch, fetch_by_index, in_order
from graycube.run.mpi import Private
from graycube.run.reused import apart


@lru_cache(maxsize=2 * KEPT)
def complex_legs(  # noqa: PLR0913
    layout: Layout,
    axes: tuple[int, ...],
    dtype: str,
    nodes: range,
    *,
    inverse: bool,
    scaling: int,
    longest: int = LONGEST,
) -> tuple[LineLeg, ...] | None:
    """The transforms along some axes, those in memory first; None where nodes need copies.

    >>> layout = Layout.mesh((8, 8), (4, 1), code="gray")
    >>> legs = complex_legs(layout, (0, 1), "complex128", range(1), inverse=False, scaling=0)
    >>> [([step.group.axis for step in leg.steps], leg.crosses is leg) for leg in legs]
    [([1], False), ([0], True)]
    """
    legs, steps = list[LineLeg](), list[PassStep]()
    fetched: Fetch | None = None
    whole: tuple[Excerpt, ...] | None = None
    waiting = [*axes]

    def leg() -> LineLeg:
        made = tuple(steps)
        return LineLeg(layout, np.dtype(dtype), made, fetched, inverse, scaling, whole)

    while waiting:
        axis = min(waiting, key=lambda k: len(exchanged_dims(layout, k)))
        waiting.remove(axis)
        later = tuple(waiting)
        done = along(
            layout, axis, dtype, nodes=nodes, inverse=inverse, later=later, longest=longest
        )
        for step in done.steps:
            if step.group.copied:
                return None
            if step.before != step.group.place:
                move = step.group.place @ step.before.inverse()
                coming = fetch(move, layout.n, nodes.start)
                if steps or fetched is not None or coming.crosses:
                    legs.append(leg())
                fetched, steps = coming, []
                whole = in_order((step.before, step.group.place), layout.n, nodes.start)
            steps.append(step)
        layout = done.result
    return (*legs, leg())


def relaid_legs(
    layout: Placement, target: Placement, dtype: np.dtype[Any], nodes: range, *, first: bool
) -> tuple[AnyLeg, ...] | None:
    """Everything straight to where it belongs; at ``first`` it is put where others see it.

    None between layouts of different kinds.

    >>> layout, target = Layout.cyclic(4, 1), Layout.consecutive(4, 1)
    >>> legs = relaid_legs(layout, target, np.dtype(int), range(1), first=True)
    >>> [leg.crosses is leg for leg in legs]
    [False, True]
    """
    if isinstance(layout, Ownership) and isinstance(target, Ownership):
        return moving_legs(layout, target, dtype, nodes, first=first)
    if not (isinstance(layout, Layout) and isinstance(target, Layout)):
        return None
    if (layout.axes, layout.copies) == (target.axes, target.copies):
        found = fetch(target.map @ layout.map.inverse(), layout.n, nodes.start)
    else:
        found = fetch_by_index(layout, target, nodes.start)
    leg = LineLeg(target, dtype, (), found)
    return (LineLeg(layout, dtype, ()), leg) if first and found.crosses else (leg,)


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """What is called after a crossing; before the first one there is none."""

    cross: "_Cross | None"
    calls: tuple[Call, ...]


_Cross = Callable[[Words], bool]
_Begin = Callable[[Blocks], "Iterator[Todo]"]
"""What the first leg does, if it reads that source."""


class Legs:
    """Legs on one rank, into one array, ready to run.

    They always read the same ``source``, or what each run is made :meth:`ready` for. FFTW plans
    them if it does so when they are made. In the end all is multiplied by a ``factor``.

    >>> def program(legs, carrier, known, source, target):  # on all ranks, once they are agreed
    ...     Legs(legs, carrier, known, target, {"operation": "a test"}, source).run()
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        legs: Sequence[AnyLeg],
        carrier: Carrier,
        known: Private,
        target: Blocks,
        facts: Facts,
        source: Blocks | None = None,
        *,
        factor: float | np.longdouble = 1,
    ) -> None:
        self._effort, self._factor = effort_of_fftw(), factor
        self._legs, self._carrier, self._source, self._target = legs, carrier, source, target
        self._known, self._facts = known, facts
        self._words = facts.digest if isinstance(facts, Told) else digest_of(facts)
        self.asks = source is None or any(leg.crosses is not None for leg in legs)
        """Whether ranks agree when it runs."""
        self._runs = _in_one_place(legs)
        self._written = _first_written(self._runs, prod(target.shape[2:]))
        self._made: dict[tuple[int, int], tuple[_Begin, list[_Stretch]]] = {}

    def run(self, ready: "Sequence[_Stretch] | None" = None) -> None:
        """Carry the legs out on what is in the source now; collective.

        Where nothing crosses, ranks agree only if the source may be another one each time.
        """
        if isinstance(self._carrier, Alone):  # nobody waits: whatever is raised is the caller's
            self._alike(self.prepared()[1] if ready is None else ready)
            return
        if not self._known.comm:  # a freed one is false
            raise InvalidValueError(
                "the communicator of this transform was freed",
                "the memory of the transform went with it",
                "make the array on a communicator that stays",
            )
        with no_way_back(lambda: "a transform"):
            alike = self._alike(self.prepared()[1] if ready is None else ready)
        if not alike:
            raise different(self._known.comm, self._facts)

    def ready(self, source: Blocks) -> "Sequence[_Stretch]":
        """What is to be done to read another source."""
        begin, (first, *others) = self.prepared()
        return [_Stretch(None, (*ready(begin(source), once=True), *first.calls)), *others]

    def _alike(self, stretches: "Sequence[_Stretch]") -> bool:
        """Carry the legs out, as long as all ranks do the same."""
        carrier, words = self._carrier, self._words
        if self.asks:
            carrier.begin(words)
        if self.asks and len(stretches) == 1 and not carrier.agreed(words):
            return False
        for stretch in stretches:
            if stretch.cross is not None and not stretch.cross(words):
                return False
            for call in stretch.calls:
                call()
        return True

    def prepared(self) -> tuple[_Begin, list[_Stretch]]:
        """What is made already; with new buffers, what was made for others is of no use."""
        state = self._carrier.state(self._written)
        if state not in self._made:
            if any(grown != state[0] for grown, _ in self._made):
                self._made = {}
            with by_fftw(self._effort):
                self._made[state] = self._for_buffers(state[1])
        return self._made[state]

    def _for_buffers(self, turn: int) -> tuple[_Begin, list[_Stretch]]:
        """The stretches for the buffers that there are; they begin if there is a source."""
        target = self._target
        cross: _Cross | None = None
        begin: _Begin | None = None
        found, todo = list[tuple[_Cross | None, list[Todo]]](), list[Todo]()
        runs = self._runs
        block, reading = target, self._legs[0]
        came: Blocks | None = None
        for k, after in enumerate((*(first for first, *_ in runs[1:]), None)):
            made = self._place(k & 1, came, reading, after)
            crossing: Handover | None = None
            if after is not None and after.crosses is not None:
                at = turn + len(found)
                crossing = self._carrier.crossing(after.crosses, made, at, runs[k])
                made = made if crossing.made is None else crossing.made
            before = () if crossing is None else crossing.before
            if begin is None:
                begin = partial(first_todo, reading, made, before=before)
                todo += () if self._source is None else begin(self._source)
            else:
                todo += (*before, *reading.todo(block, made))
            todo += reading.then(made)
            for leg in runs[k][1:]:
                todo += (*leg.todo(made, made), *leg.then(made))
            if crossing is None:
                block, reading, came = made, after or reading, None
                continue
            if crossing.pack is not None:
                todo.append(crossing.pack(made))
            found.append((cross, todo))
            cross = partial(self._carrier.cross, crossing, len(found) - 1)
            todo = []
            block, reading = crossing.seen, crossing.leg
            came = block if crossing.owns else None
        if block is not target:
            todo.append(partial(np.copyto, target, block))
        found.append((cross, self._scaled(todo)))
        if begin is None:
            raise AssertionError(self._legs)
        return begin, [_Stretch(cross, tuple(ready(todo))) for cross, todo in found]

    def _scaled(self, todo: list[Todo]) -> list[Todo]:
        """The last stretch, with the factor: by a copy, the last transform, or a pass."""
        scaling = scaled(self._target, self._factor)
        if scaling is None:
            return todo
        return multiplied(todo, self._factor) or [*todo, scaling]

    def _place(
        self, number: int, came: Blocks | None, leg: AnyLeg, after: AnyLeg | None
    ) -> Blocks:
        """Where a leg writes.

        What ``came`` is this rank's own, and is transformed in place if the next leg does not
        cross. Else transforms share a place, for they never overlap.
        """
        if after is None and (self._target.flags.c_contiguous or apart(self._target)):
            return self._target
        if came is not None and after is not None and after.crosses is None:
            return came
        shape = 1, leg.rows, *self._target.shape[2:]
        key = number, shape, leg.dtype
        return self._known.remembered(key, lambda: np.empty(shape, leg.dtype), 4, "between")


def _in_one_place(legs: Sequence[AnyLeg]) -> list[list[AnyLeg]]:
    """The legs in runs: what the first one of a run has made, the others transform in place.

    So what others read is written straight to where they see it, even if two legs make it.
    """
    runs = [[legs[0]]]
    for leg in legs[1:]:
        last = runs[-1][-1]
        if leg.stays and (leg.rows, leg.dtype) == (last.rows, last.dtype):
            runs[-1].append(leg)
        else:
            runs.append([leg])
    return runs


def _first_written(runs: Sequence[Sequence[AnyLeg]], payload: int) -> Hashable:
    """What ranks write for the first crossing."""
    for by, (after, *_) in pairwise(runs):
        if after.crosses is not None:
            return after.crosses.written(by, payload)
    return None


def first_todo(
    first: AnyLeg, made: Blocks, source: Blocks, *, before: Sequence[Call] = ()
) -> Iterator[Todo]:
    """What the first leg does; it cannot always work on an array of the caller as it is.

    What is to be done ``before`` it writes comes first.

    >>> leg, x = LineLeg(Layout.nodes(0), np.dtype(float), ()), np.ones((1, 2))
    >>> [len([*first_todo(leg, made, x)]) for made in (x, x[:, ::-1])]
    [1, 2]
    """
    permuted = isinstance(first, LineLeg) and first.fetched is not None
    block = source
    if (
        not (source.flags.c_contiguous or apart(source))
        or (np.may_share_memory(source, made) and not (first.stays and _same(source, made)))
        or (permuted and source.dtype != first.dtype)
    ):
        block = np.empty(source.shape, first.dtype if permuted else source.dtype)
        yield partial(np.copyto, block, source)
    yield from before
    yield from first.todo(block, made)


def _same(x: Blocks, y: Blocks) -> bool:
    """Whether two are the same elements in the same places."""
    return x.dtype == y.dtype and x.__array_interface__ == y.__array_interface__
