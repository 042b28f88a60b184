"""The integer program behind the optima: flows of elements on the time-expanded cube.

The elements of a home node are alike: they are one *flow*. An *arc* takes elements of a flow
from a node in one cycle to a node in the next, over a link or staying where they are, which is
written as dimension n. What links and ports carry per cycle ties the flows together. The solver
is HiGHS, in SciPy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.schedule import Task
from graycube.search.limits import require_answer, solver_options

_Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Flows:
    """What has to move: a block from ``homes[i]`` to ``targets[i]``, for every i.

    Blocks that are on their node already have no flow: a schedule that moves their elements
    about is still one without those crossings, which only take links and ports from others.
    """

    task: Task
    ports: int
    homes: _Ints
    targets: _Ints
    circuits: bool = False

    @property
    def distance(self) -> int:
        """Cycles for the longest way that a block has to go; a circuit is as long as any."""
        if self.circuits:
            return int(len(self.homes) > 0)
        return int(np.bitwise_count(self.homes ^ self.targets).max(initial=0))

    @property
    def least(self) -> int:
        """Cycles for the distance, for one node to send its block, and for all to send all.

        The last two follow from sums of constraints, so fractions of elements need as many.
        """
        if not len(self.homes):
            return 0
        n, block = self.task.n, self.task.block
        together = (n if self.circuits else self.ports) << n
        crossings = block * int(np.bitwise_count(self.homes ^ self.targets).sum())
        return max(self.distance, -(-block // self.ports), -(-crossings // together))

    @property
    def enough(self) -> int:
        """Cycles of a schedule that always exists: dimension by dimension, one link a node."""
        turns = 0
        for d in range(self.task.n):
            low = (1 << d) - 1
            crossing = (self.homes ^ self.targets) >> d & 1 == 1
            node = (self.homes & ~low | self.targets & low)[crossing]
            turns += int(np.bincount(node).max(initial=0))
        return turns * self.task.block


class CycleArcs(NamedTuple):
    """The elements of a flow that are at ``start`` in a cycle, and at ``stop`` in the next."""

    cycle: _Ints
    flow: _Ints
    start: _Ints
    dimension: _Ints
    stop: _Ints


def arcs_of(flows: Flows, cycles: int) -> CycleArcs:
    """The arcs, cycle by cycle, that elements can use and still reach their target in time.

    An element that comes back to a node could as well have stayed there. So no link is used
    into a home or out of a target, which makes the program much easier to solve.
    """
    n, time = flows.task.n, np.arange(cycles + 1)[:, None, None]
    node = np.arange(1 << n)
    from_home = np.bitwise_count(node ^ flows.homes[:, None])
    to_target = np.bitwise_count(node ^ flows.targets[:, None])
    usable = (from_home <= time) & (to_target <= cycles - time)  # by time, flow and node
    stops = node[:, None] ^ np.array([*(1 << d for d in range(n)), 0])
    cycle, flow, start, dimension = np.nonzero(usable[:-1, ..., None] & usable[1:, :, stops])
    stop = stops[start, dimension]
    useful = (start != flows.targets[flow]) & (stop != flows.homes[flow]) | (dimension == n)
    return CycleArcs(*(column[useful] for column in (cycle, flow, start, dimension, stop)))


class Rows(NamedTuple):
    """Constraints: ``factor`` times the amount on ``arc`` counts in ``row``; row sums."""

    row: _Ints
    arc: _Ints
    factor: _Ints
    least: _Ints
    most: _Ints


def _conservation(flows: Flows, arcs: CycleArcs) -> Rows:
    """What arrives at a node leaves it, but for the blocks at their homes and targets."""
    flow = np.arange(len(flows.homes))
    gain = np.zeros((arcs.cycle[-1] + 2, len(flow), 1 << flows.task.n), dtype=np.int64)
    gain[0, flow, flows.homes] = -flows.task.block
    gain[-1, flow, flows.targets] = flows.task.block
    leaves = np.ravel_multi_index((arcs.cycle, arcs.flow, arcs.start), gain.shape)
    arrives = np.ravel_multi_index((arcs.cycle + 1, arcs.flow, arcs.stop), gain.shape)
    arc, total = np.arange(len(leaves)), gain.ravel()
    factor = np.repeat([-1, 1], len(arc))
    return Rows(np.append(leaves, arrives), np.append(arc, arc), factor, total, total)


def _limits(flows: Flows, arcs: CycleArcs) -> list[Rows]:
    """What a link carries in a cycle, and what the ports of a node send and receive."""
    n = flows.task.n
    arc = np.flatnonzero(arcs.dimension < n)
    cycle, _, start, dimension, stop = np.stack(arcs)[:, arc]
    limits = [((cycle << n | start) * n + dimension, 1)]
    if flows.ports < n:
        limits += [(cycle << n | node, flows.ports) for node in (start, stop)]
    made = []
    for row, most in limits:
        total = np.zeros(row.max() + 1, dtype=np.int64)
        made.append(Rows(row, arc, np.ones_like(arc), total, total + most))
    return made


def solve(
    flows: Flows, arcs: CycleArcs, deadline: float, *, whole: bool
) -> NDArray[np.float64] | None:
    """The amount on every arc, in ``whole`` elements or in fractions; None if there is none."""
    crosses = arcs.dimension < flows.task.n
    return amounts(
        (_conservation(flows, arcs), *_limits(flows, arcs)),
        crosses * arcs.cycle,  # any schedule will do; early ones are found faster
        np.where(crosses, 1, flows.task.block),
        crosses & whole,  # if whole elements cross, whole elements stay
        deadline,
    )


def amounts(
    rows: Sequence[Rows],
    cost: _Ints,
    most: _Ints,
    whole: NDArray[np.bool_],
    deadline: float,
) -> NDArray[np.float64] | None:
    """The cheapest amounts within constraints, some ``whole``; None if there are none."""
    # Importing these takes longer than importing all of graycube.
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415
    from scipy.sparse import csr_array  # noqa: PLC0415

    constraints = [
        LinearConstraint(
            csr_array((r.factor, (r.row, r.arc)), shape=(len(r.least), len(cost))),
            r.least,
            r.most,
        )
        for r in rows
    ]
    entries = sum(len(r.factor) for r in rows)
    result = milp(
        cost,
        integrality=whole,
        bounds=Bounds(0, most),
        constraints=constraints,
        options={"mip_rel_gap": 1.0} | solver_options(deadline, entries),
    )
    require_answer(result.status)
    found: NDArray[np.float64] | None = result.x
    return found
