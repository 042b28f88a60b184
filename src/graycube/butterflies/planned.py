"""A butterfly carried out as its plan says: round by round, with its stages in between.

What is proved and priced is what runs. Lines are worked on when their last elements have come,
so phases overlap in time as they do in the plan.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.ranks import spread
from graycube.butterflies.stages import Blocks, OnPairs
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout import Layout
from graycube.run import Execution, private, rehearse
from graycube.run.copying import node_copies
from graycube.run.groups import runs_of
from graycube.run.mpi import Comm
from graycube.run.network import ReadyLines, node_network
from graycube.run.script import Script
from graycube.schedule import Replication, Schedule

if TYPE_CHECKING:
    from graycube.planning import Plan

KEPT = 16
"""So many networks are remembered: plan once, run many."""
OnLines = Callable[[Blocks, Any], Blocks]
"""What is done with lines, whose points are axis 1; and what was said of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Lines of a node, and what is known of them; of copies, which output it keeps."""

    node: int
    rows: NDArray[np.intp]
    known: Any
    kept: int | None = None


@dataclass(frozen=True, eq=False)
class Planned:
    """A planned network on the nodes that are here: scripts, and the work between rounds.

    Data in the ``layout`` are in that of the ``result`` afterwards, with indices as they were.

    >>> from graycube.planning import plan_butterfly
    >>> made = plan_butterfly(Layout.cyclic(3, 2), machine="ideal").schedule
    >>> done = planned_stages(made, range(4))
    >>> found = done.run(np.ones((4, 2)), None, lambda lines, known: lines + 1)
    >>> found[0].tolist()
    [4.0, 4.0]
    """

    layout: Layout
    result: Layout
    scripts: tuple[Script, ...]
    work: dict[int, list[Work]]
    end: NDArray[np.intp]

    def run(self, blocks: Blocks, comm: Comm | None, on_lines: OnLines) -> Blocks:
        """The blocks after all rounds, and the work on all lines."""
        over = spread(comm)
        if over is None:
            made = rehearse(self.scripts, blocks, partial(self.between, on_lines))
        else:
            remembered = private(over).remembered
            key = (self, blocks.shape, blocks.dtype.str)
            bound = remembered(key, lambda: _OnRank(self, blocks, over), KEPT)
            made = bound.run(blocks, on_lines)
        rows = self._rows(made)
        end = self.end.reshape(*self.end.shape, *(1,) * (rows.ndim - 2))
        return np.take_along_axis(rows, end, axis=1).reshape(made.shape)

    def _rows(self, blocks: Blocks) -> Blocks:
        """The blocks of nodes as rows of slots; the extents and the payload follow."""
        layout, payload = self.layout, blocks.shape[2:]
        extents = (axis.extent for axis in layout.axes)
        return blocks.reshape(len(blocks), 1 << layout.p - layout.n, *extents, *payload)

    def between(
        self, on_lines: OnLines, number: int, result: Blocks, spare: Sequence[Blocks]
    ) -> None:
        """What is computed after a round."""
        for work in self.work.get(number, ()):
            rows = self._rows(result)[work.node]
            data = rows if work.kept is None else _with(rows, spare[work.node])
            lines = np.ascontiguousarray(data[work.rows])
            made = on_lines(lines, work.known)
            if work.kept is not None:
                made = made[:, work.kept : work.kept + 1]
            rows[work.rows if work.kept is None else _OWN] = made


class _OnRank:
    """A planned network on one rank, with arrays and requests of its own."""

    def __init__(self, planned: Planned, blocks: Blocks, comm: Comm) -> None:
        self._planned = planned
        self._block, self._result = (np.empty(blocks.shape, blocks.dtype) for _ in range(2))
        (script,) = planned.scripts
        self._execution = Execution(
            script, comm, self._block[0], self._result[0], "a butterfly", between=self._between
        )

    def _between(self, number: int, result: Blocks, spare: Sequence[Blocks]) -> None:
        self._planned.between(self._on_lines, number, result, spare)

    def run(self, blocks: Blocks, on_lines: OnLines) -> Blocks:
        """What comes of the blocks, which stays until it runs again."""
        self._on_lines = on_lines
        np.copyto(self._block, blocks)
        self._execution.run()
        return self._result


_OWN = np.zeros((1, 1), np.intp)


def _with(rows: Blocks, spare: Blocks) -> Blocks:
    """The one row of a node, and the copies that it got."""
    return np.concatenate([rows, spare.reshape(-1, *rows.shape[1:])])


def network_of(
    schedule: Schedule | Replication,
    nodes: range,
    runs: tuple[tuple[range, ...], ...],
    known: Callable[[ReadyLines], Any],
    in_step: int = 0,
) -> Planned:
    """What a schedule does on these nodes, with lines for ``runs`` of groups of bits."""
    kept: Callable[[ReadyLines], int | None] = _kept
    if isinstance(schedule, Replication):
        made = [node_copies(schedule, node, runs) for node in nodes]
    else:
        made, kept = [node_network(schedule, node, runs) for node in nodes], lambda _: None
    work = defaultdict(list)
    for node, network in enumerate(made):
        for lines in network.lines:
            work[lines.after].append(Work(node, lines.rows, known(lines), kept(lines)))
    scripts = tuple(replace(network.script, in_step=in_step) for network in made)
    end = np.array([network.end for network in made])
    before = schedule.task.source
    after = replace(before, map=schedule.task.target.map)
    return Planned(before, after, scripts, dict(work), end)


def _kept(lines: ReadyLines) -> int | None:
    """Which output a node of copies keeps."""
    return int(lines.words[0, 0]) >> lines.bits.start & 1 if lines.bits else 0


@lru_cache(maxsize=KEPT)
def planned_stages(schedule: Schedule | Replication, nodes: range, in_step: int = 0) -> Planned:
    """The same with one stage at a time: lines are pairs, known by their bit and words."""
    order = schedule.task.stages
    runs = (sorted(bits, key=order.index) for bits in runs_of(schedule))
    each = tuple(tuple(range(bit, bit + 1) for bit in bits) for bits in runs)
    known = attrgetter("bits.start", "words")
    return network_of(schedule, nodes, each, known, in_step)


def on_planned_pairs(on_pairs: OnPairs) -> OnLines:
    """What is done with pairs, as work on the lines of :func:`planned_stages`.

    >>> swap = on_planned_pairs(lambda low, high, bit, words: (high, low))
    >>> swap(np.array([[1, 2]]), (0, np.array([[0, 1]]))).tolist()
    [[2, 1]]
    """

    def on_lines(lines: Blocks, known: Any) -> Blocks:  # noqa: ANN401
        bit, words = known
        low = words[:, :1] & ~(1 << bit)
        low = low.reshape(-1, *(1,) * (lines.ndim - 2))
        return np.stack(on_pairs(lines[:, 0], lines[:, 1], bit, low), axis=1)

    return on_lines


def require_plan(plan: object, layout: Layout, stages: tuple[int, ...]) -> "Plan":
    """A plan for these stages on a layout; it is proved before it is run.

    >>> from graycube.planning import plan_butterfly
    >>> made = plan_butterfly(Layout.cyclic(4, 2), machine="ideal")
    >>> require_plan(made, Layout.cyclic(4, 2), (3, 2, 1, 0)) is made
    True
    """
    from graycube.planning import Plan  # noqa: PLC0415 - it knows the whole table

    if not isinstance(plan, Plan):
        raise InvalidTypeError(
            f"the plan is {plan!r:.60}",
            "it must be a Plan",
            "make one with plan_fft or plan_butterfly",
        )
    task = plan.task
    if task.source != layout:
        raise InvalidValueError(
            f"the plan is for the layout {task.source}",
            f"the array has {layout}",
            "make a plan for its layout, or relayout it",
        )
    if (task.stages, task.block) != (stages, layout.block_size):
        raise InvalidValueError(
            f"the plan has the stages {task.stages!s:.60} for {task.block} elements",
            f"these are {stages!s:.60} for {layout.block_size}",
            "ask plan_fft or plan_butterfly for this axis and these bits",
        )
    if plan.machine.renumbers:
        raise InvalidValueError(
            "the plan is for a torus with squares",
            "its schedule numbers nodes as a cube does, and an array as you do",
            "leave plan= out, which sends the same bytes",
        )
    if not _proved(plan.schedule, plan.machine):
        raise InvalidValueError(
            f"the plan {plan.algorithm!r} is not proved",
            "only proved plans are carried out",
            "see what plan.verify() says",
        )
    return plan


@lru_cache(maxsize=KEPT)
def _proved(*plan: Any) -> bool:  # noqa: ANN401 - a schedule and its machine
    from graycube.verify import check_algebra  # noqa: PLC0415 - what has no plan needs none

    return bool(check_algebra(*plan))
