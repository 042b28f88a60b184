"""Which runs nodes need from each other along one axis, and the messages that bring them.

Rules.

1. Every run needs the elements within reach of the run k steps above it, which are the first
   ones there, and of the run k steps below it, the last ones.
2. It asks for the runs before the next one of its own node, stride by stride: what lies beyond,
   that one needs more of. So a node gets a run once from each side, and never its own.
3. What one node sends another for the same step is one message.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from graycube.gf2.arrays import IntArray
from graycube.stencil.line import Line


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """What is needed of the runs at one step: entry by entry the run, its node, and by whom.

    >>> from graycube.layout import Axis
    >>> (found,) = needs(Line(Axis(2), (0b11, 0b10)), 1, periodic=False)
    >>> found.run, found.source, found.target
    (array([1, 2, 3]), array([1, 3, 2]), array([0, 1, 3]))
    """

    step: int
    run: IntArray
    source: IntArray
    target: IntArray


def needs(line: Line, farthest: int, *, periodic: bool) -> Iterator[Needs]:
    """What nodes need on one side, stride by stride up to the farthest.

    >>> from graycube.layout import Axis
    >>> for found in needs(Line(Axis(2), (0b11, 0b10)), -2, periodic=True):
    ...     print(found.step, found.run, found.target)
    -1 [3 0 1 2] [0 1 3 2]
    -2 [2 3 0 1] [0 1 3 2]
    """
    count, nodes, sign = line.runs.length, line.nodes(), 1 if farthest > 0 else -1
    gaps = _gaps(line, nodes, sign)
    for k in range(1, abs(farthest) + 1):
        step = sign * k * line.stride
        asking = np.flatnonzero(gaps > abs(step))
        run = asking + step
        if periodic:
            run %= count
        else:
            inside = (run >= 0) & (run < count)
            asking, run = asking[inside], run[inside]
        yield Needs(step, run, nodes[run], nodes[asking])


def _gaps(line: Line, nodes: IntArray, sign: int) -> IntArray:
    """How many steps it is from each run to the next one of its node, up or down the ring.

    Strides lead around rings of their own. Those steps that go around one lead beyond the ends
    of an open line.
    """
    count, around = line.runs.length, line.around
    rings = count // around
    ring, turn = np.arange(rings)[:, None], np.arange(around)[::sign]
    runs = np.ravel((ring + line.stride * turn) % count)
    group = np.repeat(np.arange(rings), around) << len(line.rows) | nodes[runs]
    order = np.argsort(group, kind="stable")
    ends = np.flatnonzero(np.diff(group[order], append=-1))
    ahead = np.diff(order, append=0)
    ahead[ends] = order[np.append(0, ends[:-1] + 1)] + around - order[ends]
    gaps = np.empty(count, dtype=np.int64)
    gaps[runs[order]] = ahead * line.stride
    return gaps


@dataclass(frozen=True, slots=True, eq=False)
class Needed:
    """The messages of one step: from each source to its target, so many runs.

    >>> from graycube.layout import Axis
    >>> (flow,) = flows(Line(Axis(2), (0b01,)), 1, periodic=True)
    >>> flow.source, flow.target, flow.count
    (array([0, 1]), array([1, 0]), array([2, 2]))
    """

    step: int
    source: IntArray
    target: IntArray
    count: IntArray


@lru_cache(maxsize=64)
def flows(line: Line, farthest: int, *, periodic: bool) -> tuple[Needed, ...]:
    """The messages of every step on one side that has any, the nearest first.

    >>> from graycube.layout import Axis
    >>> [flow.step for flow in flows(Line(Axis(2), (0b01,)), -3, periodic=True)]
    [-1]
    """
    found = needs(line, farthest, periodic=periodic)
    return tuple(_flow(at_step, len(line.rows)) for at_step in found if at_step.run.size)


def _flow(found: Needs, n: int) -> Needed:
    ends, count = np.unique(found.source << n | found.target, return_counts=True)
    return Needed(found.step, ends >> n, ends & ((1 << n) - 1), count)
