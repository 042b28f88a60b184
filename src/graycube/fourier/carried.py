"""The legs of a transform, and how the ranks of a machine carry them out.

Rule: before a leg that reads the blocks of all nodes, its rank has written its own one into the
buffer whose turn it is, and all ranks have met. What a meeting says tells whether they do the
same thing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from graycube.array.ranks import spread
from graycube.cost import exchanged_dims
from graycube.errors import InvalidValueError
from graycube.fourier.along import KEPT, PassStep, along
from graycube.fourier.halves import Halves
from graycube.fourier.legs import Blocks, Call, LineLeg
from graycube.layout import Layout
from graycube.run import no_way_back
from graycube.run.agreement import Facts, different, digest_of
from graycube.run.fetch import Fetch, fetch, fetch_by_index
from graycube.run.windows import Windows, windows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mpi4py.MPI import Intracomm


AnyLeg = LineLeg | Halves


def scaling_of(norm: str | None, *, inverse: bool) -> int:
    """How transforms are scaled, as the engine counts it.

    >>> scaling_of(None, inverse=True), scaling_of("ortho", inverse=False)
    (2, 1)
    """
    if norm == "ortho":
        return 1
    return 2 if inverse == (norm in {None, "backward"}) else 0


@lru_cache(maxsize=2 * KEPT)
def complex_legs(  # noqa: PLR0913
    layout: Layout,
    axes: tuple[int, ...],
    dtype: str,
    nodes: range,
    *,
    inverse: bool,
    scaling: int,
) -> tuple[LineLeg, ...] | None:
    """The transforms along some axes, those in memory first; None where nodes need copies.

    >>> layout = Layout.mesh((8, 8), (4, 1), code="gray")
    >>> legs = complex_legs(layout, (0, 1), "complex128", range(1), inverse=False, scaling=0)
    >>> [([step.group.axis for step in leg.steps], bool(leg.crosses)) for leg in legs]
    [([1], False), ([0], True)]
    """
    legs, steps = list[LineLeg](), list[PassStep]()
    fetched: Fetch | None = None
    waiting = [*axes]

    def leg() -> LineLeg:
        made = tuple(steps)
        return LineLeg(layout, np.dtype(dtype), made, fetched, inverse, scaling)

    while waiting:
        axis = min(waiting, key=lambda k: len(exchanged_dims(layout, k)))
        waiting.remove(axis)
        later = tuple(waiting)
        done = along(layout, axis, dtype, nodes=nodes, inverse=inverse, later=later)
        for step in done.steps:
            if step.group.copied:
                return None
            if step.before != step.group.place:
                move = step.group.place @ step.before.inverse()
                coming = fetch(move, layout.n, nodes.start)
                if steps or fetched is not None or coming.crosses:
                    legs.append(leg())
                fetched, steps = coming, []
            steps.append(step)
        layout = done.result
    return (*legs, leg())


def relaid_legs(
    layout: Layout, target: Layout, dtype: np.dtype[Any], node: int, *, first: bool
) -> tuple[LineLeg, ...]:
    """Everything straight to where it belongs; at ``first`` it is put where others see it.

    >>> layout, target = Layout.cyclic(4, 1), Layout.consecutive(4, 1)
    >>> legs = relaid_legs(layout, target, np.dtype(int), 0, first=True)
    >>> [leg.crosses is not None for leg in legs]
    [False, True]
    """
    if (layout.axes, layout.copies) == (target.axes, target.copies):
        found = fetch(target.map @ layout.map.inverse(), layout.n, node)
    else:
        found = fetch_by_index(layout, target, node)
    leg = LineLeg(target, dtype, (), found)
    return (LineLeg(layout, dtype, ()), leg) if first and found.crosses else (leg,)


def through_windows(  # noqa: PLR0913
    blocks: Blocks,
    layout: Layout,
    comm: "Intracomm | None",
    axes: Sequence[int],
    dtype: np.dtype[Any],
    *,
    inverse: bool,
    scaling: int,
) -> tuple[Blocks, Layout] | None:
    """The transformed block and its layout, if its ranks share memory; collective.

    >>> nothing = np.zeros((1, 4)), Layout.cyclic(2, 0), None, [0], np.dtype(complex)
    >>> through_windows(*nothing, inverse=False, scaling=0) is None
    True
    """
    over = spread(comm)
    shared = None if over is None else windows(over)
    if shared is None or not blocks.size:
        return None
    node = shared.comm.rank
    nodes, chosen = range(node, node + 1), tuple(axes)
    legs = complex_legs(layout, chosen, dtype.name, nodes, inverse=inverse, scaling=scaling)
    if legs is None or not shared.reserve(room(legs, shared.comm.size, prod(blocks.shape[2:]))):
        return None
    made = np.empty(blocks.shape, dtype)
    Legs(legs, shared, blocks, made, {"operation": "a transform"}).run()
    return made, legs[-1].layout


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """What is called between two meetings, of which the first may be missing."""

    meets: bool
    calls: tuple[Call, ...]


class Legs:
    """Legs on one rank, from one array to another, ready to run.

    >>> def program(legs, shared, source, target):  # on all ranks, once they are agreed
    ...     Legs(legs, shared, source, target, {"operation": "a test"}).run()
    """

    def __init__(
        self,
        legs: Sequence[AnyLeg],
        shared: Windows,
        source: Blocks,
        target: Blocks,
        facts: Facts,
    ) -> None:
        self._legs, self._shared, self._ends = legs, shared, (source, target)
        self._facts, self._words = facts, (0, *digest_of(facts))
        self._stretches: dict[int, list[_Stretch]] = {}
        self._grown = shared.grown

    def run(self) -> None:
        """Carry the legs out on what is in the source now; collective."""
        shared = self._shared
        if not shared.alive:
            raise InvalidValueError(
                "the communicator of this transform was freed",
                "the memory of the transform went with it",
                "make the array on a communicator that stays",
            )
        if self._grown != shared.grown:
            self._stretches, self._grown = {}, shared.grown
        turn = shared.turn
        if turn not in self._stretches:
            self._stretches[turn] = [*self._prepared(turn)]
        alike = True
        with no_way_back(lambda: "a transform"):
            for stretch in self._stretches[turn]:
                if stretch.meets and not (alike := shared.meet(self._words)):
                    break
                for call in stretch.calls:
                    call()
        if not alike:
            raise different(shared.comm, self._facts)

    def _prepared(self, turn: int) -> "Iterator[_Stretch]":
        """The calls, if the first exchange is by the buffer of this turn."""
        shared, (source, target) = self._shared, self._ends
        payload, first = source.shape[2:], self._legs[0]
        before = list[Call]()
        given = source
        if _needs_copy(source, target, first):
            permuted = isinstance(first, LineLeg) and first.fetched is not None
            given = np.empty(source.shape, first.dtype if permuted else source.dtype)
            before = [lambda: np.copyto(given, source)]
        block = given
        for k, leg in enumerate(self._legs):
            if leg.crosses is not None:
                whole = shared.buffers[turn][: shared.comm.size * block.nbytes]
                block = whole.view(block.dtype).reshape(-1, *block.shape[1:])
                turn ^= 1
            shape = (1, leg.layout.block_size, *payload)
            after = self._legs[k + 1] if k + 1 < len(self._legs) else None
            if after is not None and (there := after.crosses) is not None:
                nbytes = leg.dtype.itemsize * int(np.prod(shape))
                buffer = shared.buffers[turn][there.position * nbytes :][:nbytes]
                made = buffer.view(leg.dtype).reshape(shape)
            elif after is None and target.flags.c_contiguous:
                made = target
            else:
                made = np.empty(shape, leg.dtype)
            yield _Stretch(leg.crosses is not None, (*before, *leg.calls(block, made)))
            block, before = made, []
        if block is not target:
            yield _Stretch(meets=False, calls=(lambda: np.copyto(target, block),))


def _needs_copy(source: Blocks, target: Blocks, first: AnyLeg) -> bool:
    """Whether the first leg cannot work on an array of the caller as it is."""
    permuted = isinstance(first, LineLeg) and first.fetched is not None
    return not source.flags.c_contiguous or (
        np.may_share_memory(source, target) or (permuted and source.dtype != first.dtype)
    )


def room(legs: Sequence[AnyLeg], ranks: int, payload: int) -> int:
    """The bytes of a buffer that legs exchange through.

    >>> room((LineLeg(Layout.cyclic(4, 1), np.dtype(complex), ()),), ranks=2, payload=3)
    768
    """
    sizes = (leg.layout.block_size * leg.dtype.itemsize for leg in legs)
    return ranks * payload * max(sizes)
