"""A transform carried out as its plan says: round by round, with the lines in between.

What is proved and priced is what runs. Lines are transformed when their last elements have
come, so phases overlap in time as they do in the plan.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.ranks import spread
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.along import KEPT, twiddles
from graycube.fourier.engine import transformed
from graycube.fourier.passes import reordered
from graycube.layout import Layout
from graycube.run import Execution, private, rehearse
from graycube.run.butterflies import unit_roots
from graycube.run.copying import node_copies
from graycube.run.network import groups, node_network
from graycube.run.script import Script
from graycube.schedule import Replication, Schedule

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from graycube.planning import Plan

_Blocks = NDArray[Any]


def require_plan(plan: object, layout: Layout, axis: int) -> "Plan":
    """A plan for the transform of a layout along an axis; it is proved before it is run.

    >>> from graycube.planning import plan_fft
    >>> made = plan_fft(Layout.cyclic(4, 2), machine="ideal")
    >>> require_plan(made, Layout.cyclic(4, 2), 0) is made
    True
    """
    from graycube.planning import Plan  # noqa: PLC0415 - it knows the whole table

    if not isinstance(plan, Plan):
        raise InvalidTypeError(f"the plan is {plan!r:.60}", "it is a Plan", "ask plan_fft")
    task, stages = plan.task, tuple(reversed(layout.word_bits(axis)))
    if task.source != layout:
        raise InvalidValueError(
            f"the plan is for the layout {task.source}",
            f"the array has {layout}",
            "make a plan for its layout, or relayout it",
        )
    if (task.stages, task.block) != (stages, layout.block_size):
        raise InvalidValueError(
            f"the plan has the stages {task.stages!s:.60} for {task.block} elements",
            f"a transform along axis {axis} has {stages!s:.60} for {layout.block_size}",
            "ask plan_fft for this axis",
        )
    if plan.machine.renumbers:
        raise InvalidValueError(
            "the plan is for a torus with squares",
            "its schedule has the numbers of the cube, and arrays have yours",
            "transform without a plan, which sends the same bytes",
        )
    if not _proved(plan.schedule, plan.machine):
        raise InvalidValueError(
            f"the plan {plan.algorithm!r} is not proved",
            "what is wrong is not run",
            "verify it",
        )
    return plan


@lru_cache(maxsize=KEPT)
def _proved(*plan: Any) -> bool:  # noqa: ANN401 - a schedule and its machine
    from graycube.verify import check_algebra  # noqa: PLC0415 - transforms without plans need none

    return bool(check_algebra(*plan))


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """Lines of a node, the axis to transform, and factors; of copies, which output it keeps."""

    node: int
    rows: NDArray[np.intp]
    axis: int
    factors: _Blocks | None
    kept: int | None = None


@dataclass(frozen=True, eq=False)
class Planned:
    """A planned transform on the nodes that are here: scripts, work, the layout of the result.

    >>> from graycube.planning import plan_fft
    >>> layout = Layout.cyclic(3, 2)
    >>> made = plan_fft(layout, machine="ideal").schedule
    >>> done = planned(made, layout, 0, "complex128", range(4), inverse=False)
    >>> done.run(np.ones((4, 2), complex), None).real[0].tolist()
    [8.0, 0.0]
    """

    layout: Layout
    result: Layout
    scripts: tuple[Script, ...]
    work: dict[int, list[_Work]]
    end: NDArray[np.intp]
    inverse: bool

    def run(self, blocks: _Blocks, comm: "Intracomm | None") -> _Blocks:
        """The transformed blocks, without any scaling."""
        over = spread(comm)
        if over is None:
            made = rehearse(self.scripts, blocks, self.between)
        else:
            remembered = private(over).remembered
            bound = remembered((self, blocks.shape), lambda: _OnRank(self, blocks, over), KEPT)
            made = bound.run(blocks)
        rows = self._rows(made)
        end = self.end.reshape(*self.end.shape, *(1,) * (rows.ndim - 2))
        return np.take_along_axis(rows, end, axis=1).reshape(made.shape)

    def _rows(self, blocks: _Blocks) -> _Blocks:
        """The blocks of nodes as rows of slots; the extents and the payload follow."""
        layout, payload = self.layout, blocks.shape[2:]
        extents = (axis.extent for axis in layout.axes)
        return blocks.reshape(len(blocks), 1 << layout.p - layout.n, *extents, *payload)

    def between(self, number: int, result: _Blocks, spare: Sequence[_Blocks]) -> None:
        """What is computed after a round."""
        for work in self.work.get(number, ()):
            rows = self._rows(result)[work.node]
            data = rows if work.kept is None else _with(rows, spare[work.node])
            lines = np.ascontiguousarray(data[work.rows])
            lines = transformed(lines, work.axis, inverse=self.inverse, out=lines)
            if work.kept is not None:
                lines = lines[:, work.kept : work.kept + 1]
            if work.factors is not None:
                payload = (1,) * (lines.ndim - work.factors.ndim)
                factors = work.factors.reshape(*work.factors.shape, *payload)
                np.multiply(lines, factors, out=lines, where=factors != 1)  # infinite ones stay
            rows[work.rows if work.kept is None else _OWN] = lines


class _OnRank:
    """A planned transform on one rank, with arrays and requests of its own."""

    def __init__(self, planned: Planned, blocks: _Blocks, comm: "Intracomm") -> None:
        self._block, self._result = (np.empty(blocks.shape, blocks.dtype) for _ in range(2))
        (script,) = planned.scripts
        self._execution = Execution(
            script, comm, self._block[0], self._result[0], "a transform", planned.between
        )

    def run(self, blocks: _Blocks) -> _Blocks:
        """What comes of the blocks, which stays until it runs again."""
        np.copyto(self._block, blocks)
        self._execution.run()
        return self._result


_OWN = np.zeros((1, 1), np.intp)


def _with(rows: _Blocks, spare: _Blocks) -> _Blocks:
    """The one row of a node, and the copies that it got."""
    return np.concatenate([rows, spare.reshape(-1, *rows.shape[1:])])


@lru_cache(maxsize=KEPT)
def planned(  # noqa: PLR0913
    schedule: Schedule | Replication,
    layout: Layout,
    axis: int,
    dtype: str,
    nodes: range,
    *,
    inverse: bool,
) -> Planned:
    """What a schedule does on these nodes to arrays of a complex dtype."""
    roots = partial(unit_roots, dtype=np.dtype(dtype), inverse=inverse)
    runs = tuple(_runs(schedule, layout, axis))
    last = sum(map(len, runs)) - 1
    offset = layout.word_bits(axis).start
    if isinstance(schedule, Replication):
        made = [node_copies(schedule, node, runs) for node in nodes]
    else:
        made = [node_network(schedule, node, runs) for node in nodes]
    work = defaultdict(list)
    for node, network in enumerate(made):
        for lines in network.lines:
            low, high = (bit - offset for bit in (lines.bits.start, lines.bits.stop))
            factors = None
            if lines.group != last:
                factors = twiddles(layout, axis, low, high, lines.words, roots)
            kept = None
            if isinstance(schedule, Replication):
                kept = int(lines.words[0, 0]) >> lines.bits.start & 1 if lines.bits else 0
            along = 1 if lines.bits else 2 + axis
            work[lines.after].append(_Work(node, lines.rows, along, factors, kept))
    return Planned(
        layout,
        planned_layout(schedule, axis),
        tuple(network.script for network in made),
        dict(work),
        np.array([network.end for network in made]),
        inverse,
    )


def planned_layout(schedule: Schedule | Replication, axis: int) -> Layout:
    """The layout of the result, in which the digits of the axis are in the order of the stages.

    >>> from graycube.table.networks import emulation
    >>> print(planned_layout(emulation(Layout.cyclic(3, 2)), 0))
    (b2 || b0 b1)
    """
    task = schedule.task
    runs, offset = _runs(schedule, task.source, axis), task.source.word_bits(axis).start
    digits = [bit - offset for run in runs for bits in run for bit in bits]
    return reordered(task.source, axis, task.target.map, digits)


def _runs(
    schedule: Schedule | Replication, layout: Layout, axis: int
) -> Iterator[tuple[range, ...]]:
    """The groups of each run of stages: bits on either side of the extent, which is empty."""
    along, offset = layout.axes[axis], layout.word_bits(axis).start
    at = offset + along.low
    runs: list[tuple[int, ...]]
    if isinstance(schedule, Replication):
        runs = [*zip(schedule.stages)]
    else:
        runs = [group.bits for group in groups(schedule) if group.bits]
    for bits in runs:
        found = []
        above, below = (tuple(b for b in bits if (b >= at) == side) for side in (True, False))
        for group in filter(None, (above, below)):
            if along.extent > 1 and group[-1] + 1 == at:
                found.append(range(at, at))
            found.append(range(group[0], group[-1] + 1))
        if along.extent > 1 and along.low == 0 and bits is runs[-1]:
            found.append(range(at, at))
        yield tuple(found)
