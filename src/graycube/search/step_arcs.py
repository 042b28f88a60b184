"""Where the elements of a home may be before each step of a schedule in few steps.

*Lower* dimensions are those below a field's top bits, by which nodes are in classes. Each share
of all blocks does them one after the other at some class, in ascending order. Every crossing of
a top dimension complements their conditions. So if half of a share came over an even number of
links, and half over an odd one, every node sends one half, on one port (TR-20-91 Theorem 7).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.search.demand import Demand

DETOUR = 2
"""Links that a way may have more than the shortest one; more gain next to nothing."""

_Ints = NDArray[np.int64]
_Flags = NDArray[np.bool_]


class Lower(NamedTuple):
    """As many lower dimensions as shares, which are as large as each other.

    The first share begins with them before step ``begin``, each other one a step later. More
    lower dimensions are more steps in the middle, in which all shares are busy.

    >>> lower = Lower(begin=1, shares=3)
    >>> lower.starts, lower.busy(7).tolist()
    (range(1, 4), [0, 1, 2, 3, 2, 1, 0])
    """

    begin: int
    shares: int = 1

    @property
    def starts(self) -> range:
        """The step of each share with which it begins.

        >>> Lower(2).starts
        range(2, 3)
        """
        return range(self.begin, self.begin + self.shares)

    @property
    def length(self) -> int:
        """From the first step of the first share to the last of the last one.

        >>> Lower(2, shares=2).length
        3
        """
        return 2 * self.shares - 1

    def busy(self, steps: int) -> _Ints:
        """How many shares are at it in each step."""
        step = np.arange(steps) - self.begin
        return np.minimum(step + 1, self.length - step).clip(0)


class StepArcs(NamedTuple):
    """Elements of a home that are at ``start`` before ``step``, at ``stop`` before ``end``.

    ``dimension`` is that of the link, -1 where they stay, and n for all lower ones. Nodes from
    2^n on are those of elements that have done the lower dimensions.
    """

    step: _Ints
    home: _Ints
    start: _Ints
    dimension: _Ints
    stop: _Ints
    end: _Ints


def arcs_of(
    demand: Demand, allowed: _Flags, detour: int = DETOUR, lower: Lower | None = None
) -> StepArcs:
    """The arcs from homes to targets over links with ``allowed[step, node, dimension]``.

    What is to leave does not come home again: it could have stayed there, were there nothing
    else to do.
    """
    usable, stops = _usable(demand, allowed, detour, lower), demand.neighbours
    crossing = usable[:-1, ..., None] & usable[1:][..., stops] & allowed[:, None, None]
    if lower is None:
        homes = demand.homes
        own = demand.amounts[np.arange(len(homes)), homes] > 0
        crossing &= (stops != homes[:, None, None]) | own[:, None, None]
    step, done, home, node, dimension = np.nonzero(crossing)
    behind = done << demand.n
    stop = behind + stops[node, dimension]
    every = [np.stack([step, home, behind + node, dimension, stop, step + 1])]
    step, done, home, node = np.nonzero(usable[:-1] & usable[1:])
    node += done << demand.n
    every.append(np.stack([step, home, node, np.full_like(step, -1), node, step + 1]))
    for begin in lower.starts if lower else ():
        end = begin + lower.shares if lower else 0
        home, node = np.nonzero(usable[begin, 0] & usable[end, 1])
        step, done = np.full_like(home, begin), node + (1 << demand.n)
        every.append(
            np.stack([step, home, node, np.full_like(step, demand.n), done, step + end - begin])
        )
    return StepArcs(*np.concatenate(every, axis=1))


def _usable(demand: Demand, allowed: _Flags, detour: int, lower: Lower | None) -> _Flags:
    """Whether some way is there, by step, whether lower dimensions are done, home and node."""
    nodes, steps, homes = np.arange(1 << demand.n), len(allowed), len(demand.homes)
    apart = np.bitwise_count(nodes[:, None] ^ nodes).astype(np.int64)
    wanted = demand.amounts > 0
    spare = apart[demand.homes][:, None] + detour - apart[demand.homes][:, :, None] - apart
    near = ((spare >= 0) & wanted[:, None]).any(axis=2)  # of some target of the home
    before = np.zeros((steps + 1, 1 + (lower is not None), *wanted.shape), dtype=bool)
    behind = np.zeros_like(before)
    before[0, 0, np.arange(homes), demand.homes] = True
    behind[steps, -1] = wanted
    starts = lower.starts if lower else range(0)
    for step in range(steps + 1):
        if step:
            before[step] = near & _spread(demand, before[step - 1], allowed[step - 1])
        if step - len(starts) in starts:
            before[step, 1] |= before[step - len(starts), 0]
    for step in range(steps, -1, -1):
        if step < steps:
            behind[step] = near & _spread(demand, behind[step + 1], allowed[step], back=True)
        if step in starts:
            behind[step, 0] |= behind[step + len(starts), 1]
    return before & behind


def _spread(demand: Demand, there: _Flags, links: _Flags, *, back: bool = False) -> _Flags:
    """Where what is there may be after a step, or was before it."""
    reached = there.copy()
    for d, stops in enumerate(demand.neighbours.T):
        reached |= (
            there[..., stops] & links[:, d] if back else (there & links[:, d])[..., stops]
        )
    return reached
