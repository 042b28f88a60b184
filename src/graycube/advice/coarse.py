"""What phases on a coarse grid cost, and on how many nodes each element of it is cheapest.

Rules.

1. :func:`graycube.coarsen` goes stage by stage (:mod:`graycube.layout.gathering`): first nodes
   that would have nothing get copies, then nodes exchange what they have. In each stage all
   messages have one length and cross the same dimensions.
2. Where what 2^k nodes had along every axis is gathered, halos are shorter or gone. All k are
   tried, and of equally cheap ones the least is taken.
3. The way back costs nothing: each node has a copy of what it puts into the finer grid.
4. Where the odd part of a length is below the bits that go, a grid is in blocks by ownership.
   If these are equal, and where their elements are, it stays there: nothing is sent.
5. Nodes with copies work on more elements than their share. That is counted too: in each phase
   the machine's ``arithmetic`` for an element or, if it does not say, the time to send one.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from math import inf, prod
from operator import itemgetter

from graycube.advice.phases import MAX_FACTOR, Coarse, Loop, Phase
from graycube.advice.sent import Staying, price, straight, swap
from graycube.layout import Layout
from graycube.layout.gathering import Copying, gathered, stages
from graycube.layout.grids import coarser
from graycube.layout.in_bits import bits_of, in_boxes
from graycube.layout.ownership import Ownership
from graycube.layout.required import require_powers
from graycube.machine import Machine

Grid = tuple[str, str]
"""The size of a coarse grid, and where it is."""
Priced = tuple[float, tuple[Grid, ...]]
"""Seconds, and all coarse grids."""


def on_coarse_grid(
    phase: Coarse, layout: Layout, itemsize: int, machine: Machine
) -> tuple[float, str]:
    """The least price of phases on a coarse grid of data in a layout, and where grids are.

    >>> machine = Machine(dims=4, startup=1.0, per_byte=0.0)
    >>> layout = Layout.mesh((8, 8), nodes=(4, 4), code="gray")
    >>> from graycube.advice.phases import Stencil
    >>> on_coarse_grid(Coarse(4, [Stencil()]), layout, 8, machine)
    (4.0, '2 x 2 on every node')
    >>> on_coarse_grid(Coarse(2, [Stencil()]), layout, 8, machine)
    (4.0, '4 x 4 in place')
    """
    seconds, grids = _grid(phase, layout, itemsize, machine)
    return seconds, ", ".join(_stretches(grids))


def _stretches(grids: Sequence[Grid]) -> Iterator[str]:
    """Grids that follow each other and are alike, by the first and the last."""
    for where, some in groupby(grids, key=itemgetter(1)):
        sizes = [size for size, _ in some]
        yield f"{' to '.join(dict.fromkeys((sizes[0], sizes[-1])))} {where}"


@lru_cache(maxsize=1 << 12)
def _grid(phase: Coarse, layout: Layout, itemsize: int, machine: Machine) -> Priced:
    best: Priced = inf, ()
    for there, target in _ways(phase, layout, itemsize, machine):
        seconds, grids = _all_of(phase.phases, target, itemsize, machine)
        if there + seconds < best[0]:
            best = there + seconds, (_where(target), *grids)
    return best


def _where(layout: Layout) -> Grid:
    """The size of a grid, and how many nodes have each element."""
    shape, copies = " x ".join(map(str, layout.shape)), layout.copy_count
    if copies == 1:
        return shape, "in place"
    return shape, "on every node" if copies == layout.node_count else f"in {copies} copies"


def _ways(
    phase: Coarse, layout: Layout, itemsize: int, machine: Machine
) -> Iterator[tuple[float, Layout]]:
    """What it costs to get the coarse grid, by how many nodes it is gathered from."""
    factors = require_powers(phase.factor, len(layout.axes), "factor", MAX_FACTOR)
    goal, before = coarser(layout, factors), None
    if isinstance(goal, Ownership):
        boxes = in_boxes(layout)
        in_place = boxes is not None and coarser(boxes, factors) == goal
        if in_place and (equal := bits_of(goal)) is not None:
            yield 0.0, equal
        return
    for bits in range(layout.n + 1):
        count = (1 << bits,) * len(factors)
        target = gathered(goal, count)
        if target == before or not isinstance(target, Layout):
            return
        way = stages(layout, factors, count)
        yield sum(_seconds(stage, itemsize, machine) for stage in way), target
        before = target


def _seconds(stage: Copying, itemsize: int, machine: Machine) -> float:
    """Rule 1."""
    flip, size = stage.flip or 0, stage.size or 0
    return straight(swap(machine.dims, flip, size, itemsize), machine) if flip else 0.0


def _all_of(phases: Sequence[Phase], layout: Layout, itemsize: int, machine: Machine) -> Priced:
    """One after the other, all in this layout."""
    seconds, grids = 0.0, dict[Grid, None]()
    for phase in phases:
        times, turn, found = 1, _surplus(layout, itemsize, machine), tuple[Grid, ...]()
        if isinstance(phase, Loop):
            times, (turn, found) = phase.times, _all_of(phase.phases, layout, itemsize, machine)
        elif isinstance(phase, Coarse):
            turn, found = _grid(phase, layout, itemsize, machine)
        elif isinstance(phase, Staying):
            turn += price(phase, layout, itemsize, machine)[0]
        seconds += times * turn if times else 0.0
        grids |= dict.fromkeys(found)
    return seconds, tuple(grids)


def _surplus(layout: Layout, itemsize: int, machine: Machine) -> float:
    """Rule 5, for a phase."""
    share = max(prod(layout.shape) // layout.node_count, 1)
    work = machine.arithmetic or itemsize * machine.cheapest.per_byte
    return (layout.block_size - share) * work
