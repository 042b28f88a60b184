"""How the messages of a step cross the cube, as parts that a node can do with one port.

Rules.

1. Store-and-forward: a message crosses the dimensions in which its ends differ one after the
   other, the lowest first; on a torus all those of a side at once, since it goes along the
   side. All messages of a step that cross a dimension cross it in one round, after those that
   bring them there; what crosses a link is one message.
2. Circuits: a message takes its whole path at once. The messages of a step take their
   dimensions in ascending order, or all in descending order if the busiest link then has
   less to carry. Those that flip the same dimensions are one part.

Within a part every node sends one message at most and receives one at most, because its
messages go from u to u ^ flip for one value of flip.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from graycube.gf2 import bit_indices
from graycube.gf2.arrays import IntArray
from graycube.machine.model import Switching
from graycube.stencil.line import Line
from graycube.stencil.needs import Needed, flows


@dataclass(frozen=True, slots=True, eq=False)
class Wave:
    """Messages that cross the dimensions of ``path`` in one round.

    ``loads`` are the runs on each of the ``links``, where d << n | u is the link from node u
    across dimension d. They start at ``senders`` and end at ``receivers``, and the crossings
    of the same step whose numbers are in ``after`` have to be over.
    """

    path: tuple[int, ...]
    links: IntArray
    loads: IntArray
    senders: IntArray
    receivers: IntArray
    after: tuple[int, ...] = ()

    @property
    def runs(self) -> IntArray:
        """How many runs each of the senders sends."""
        return self.loads[: len(self.senders)]


@dataclass(frozen=True, slots=True, eq=False)
class Routed:
    """The messages of one step on their way, and how many runs they bring.

    >>> from graycube.layout import Axis
    >>> binary = Line(Axis(2), rows=(0b01, 0b10))
    >>> (step,) = routed(binary, 1, periodic=True, switching="store-and-forward")
    >>> [(c.path, c.senders.tolist(), c.after) for c in step.crossings]
    [((0,), [0, 1, 2, 3], ()), ((1,), [1, 3], (0,))]
    >>> (step,) = routed(binary, 1, periodic=True, switching="circuit")
    >>> [(c.path, c.senders.tolist(), c.receivers.tolist()) for c in step.crossings]
    [((0,), [1, 3], [0, 2]), ((0, 1), [0, 2], [3, 1])]
    """

    step: int
    runs: int
    crossings: tuple[Wave, ...]


@lru_cache(maxsize=64)
def routed(
    line: Line,
    step: int,
    *,
    periodic: bool,
    switching: Switching,
    together: tuple[int, ...] = (),
) -> tuple[Routed, ...]:
    """The messages of every step up to a given one, with the ways they take.

    Hop by hop, dimensions that are ``together`` in a mask are one hop; by default each is.
    """
    n = len(line.rows)
    hops = together or tuple(1 << d for d in range(n))
    return tuple(
        Routed(
            flow.step,
            int(flow.count.sum()),
            tuple(_circuits(flow, n) if switching == "circuit" else _hops(flow, hops, n)),
        )
        for flow in flows(line, step, periodic=periodic)
    )


def _hops(flow: Needed, hops: Sequence[int], n: int) -> Iterator[Wave]:
    flips = flow.source ^ flow.target
    numbers: dict[tuple[int, int], int] = {}
    at = flow.source
    for hop in hops:
        for flip in filter(None, np.unique(flips & hop).tolist()):
            moving = flips & hop == flip
            before = np.unique(flips[moving] & (hop & -hop) - 1).tolist()
            earlier = {(e, known & e) for known in before for e in hops if known & e}
            nodes, count = summed(at[moving], flow.count[moving])
            path = tuple(bit_indices(flip))
            part = Needed(flow.step, nodes, nodes ^ flip, count)
            after = tuple(sorted(numbers[e] for e in earlier))
            yield Wave(path, *_paths(part, path, n), nodes, nodes ^ flip, after)
            numbers[hop, flip] = len(numbers)
        at = at ^ flips & hop


def _circuits(flow: Needed, n: int) -> Iterator[Wave]:
    flips = flow.source ^ flow.target
    rising, falling = (_paths(flow, dims, n) for dims in (range(n), range(n)[::-1]))
    down = summed(*falling)[1].max() < summed(*rising)[1].max()
    dims = range(n)[::-1] if down else range(n)
    for mask in np.unique(flips).tolist():
        alike = flips == mask
        part = Needed(flow.step, flow.source[alike], flow.target[alike], flow.count[alike])
        path = tuple(d for d in dims if mask >> d & 1)
        links, loads = _paths(part, path, n)
        yield Wave(path, links, loads, part.source, part.target)


def _paths(flow: Needed, dims: Sequence[int], n: int) -> tuple[IntArray, IntArray]:
    """The links of all messages of a flow, dimension by dimension, and their runs."""
    at, links, loads = flow.source, [], []
    for d in dims:
        moving = (at ^ flow.target) >> d & 1 == 1
        links.append(d << n | at[moving])
        loads.append(flow.count[moving])
        at = np.where(moving, at ^ 1 << d, at)
    return np.concatenate(links), np.concatenate(loads)


def summed(links: IntArray, loads: IntArray) -> tuple[IntArray, IntArray]:
    """Every link once, in order, with the sum of its loads.

    >>> summed(np.array([5, 2, 5]), np.array([1, 1, 2]))
    (array([2, 5]), array([1, 3]))
    """
    used, which = np.unique(links, return_inverse=True)
    total = np.zeros(len(used), dtype=np.int64)
    np.add.at(total, which, loads)
    return used, total
