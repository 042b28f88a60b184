"""How good a placement is for a communication pattern: histograms of cube distances.

A layout is affine, so the distance of a pair depends only on which index bits differ: the
histograms of layouts are exact at any size and cost a handful of integer operations. Any
other placement (a rank order, the words of a Gray code) is given as an array of nodes and is
counted pair by pair.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from graycube.errors import InvalidTypeError, OutOfRangeError
from graycube.gf2 import Histogram, histogram, log2_exact, require_int
from graycube.gf2.arrays import IntArray, require_integers, require_range
from graycube.layout.in_bits import in_bits
from graycube.layout.layout import Layout
from graycube.layout.ownership import Ownership
from graycube.layout.required import require_axis
from graycube.show import Bar, Sheet, Shown, Table
from graycube.texts import counted

LayoutOrNodes = Layout | IntArray
"""A layout, or the node of every mesh coordinate as an array."""


@dataclass(frozen=True)
class Distances(Shown):
    """How many pairs of a pattern are how far apart in the cube.

    >>> d = Distances({0: 4, 1: 2, 3: 2})
    >>> d.pairs, d.dilation, d.mean
    (8, 3, Fraction(1, 1))
    """

    histogram: Mapping[int, int]

    @property
    def pairs(self) -> int:
        """Number of pairs.

        >>> Distances({1: 8}).pairs
        8
        """
        return sum(self.histogram.values())

    @property
    def dilation(self) -> int:
        """The largest distance that occurs.

        >>> Distances({1: 8, 2: 1}).dilation
        2
        """
        return max(self.histogram, default=0)

    @property
    def mean(self) -> Fraction:
        """The mean distance, exactly.

        >>> Distances({1: 3, 2: 1}).mean
        Fraction(5, 4)
        """
        total = sum(distance * count for distance, count in self.histogram.items())
        return Fraction(total, max(self.pairs, 1))

    def _sheet(self) -> Sheet:
        every = max(self.pairs, 1)
        far = f"at most {counted(self.dilation, 'hop')}, {float(self.mean):.4g} in the mean"
        rows = [
            (hops, pairs, Bar(pairs / every)) for hops, pairs in sorted(self.histogram.items())
        ]
        title = f"Distances of {counted(self.pairs, 'pair')}"
        return Sheet(title, far, Table(("hops", "pairs", ""), rows, "rrl"))


def mesh_distances(
    placement: LayoutOrNodes, axis: int = 0, *, periodic: bool = True
) -> Distances:
    """Distances between mesh neighbours i and i + 1 along an axis.

    ``periodic`` counts the step from the last to the first too.

    >>> mesh_distances(Layout.nodes(4, "binary")).dilation  # CAM-87-02 Theorem 1: the worst
    4
    >>> mesh_distances(Layout.nodes(4, "gray")).histogram
    {1: 16}
    """
    placement = _checked(placement)
    shape = placement.shape
    axis = require_axis(axis, len(shape))
    if isinstance(placement, Layout):
        below = placement.word_bits(axis).start
        flips = placement.axes[axis].neighbour_flips(periodic=periodic)
        others = placement.size // shape[axis]
        return _of_flips(placement, {m << below: c * others for m, c in flips.items()})
    ahead = np.roll(placement, -1, axis=axis)
    keep = slice(None) if periodic else slice(-1)
    pairs = np.moveaxis(placement ^ ahead, axis, 0)[keep]
    return Distances(histogram(pairs))


def butterfly_distances(
    placement: LayoutOrNodes, stage: int | None = None, axis: int = 0
) -> Distances:
    """Distances between the partners of an FFT's butterflies along an axis.

    Stage j pairs the indices that differ in address bit j of the axis, each pair counted
    once; without a stage, all of them are counted together. An extent takes no part: the
    transforms over it are local.

    >>> butterfly_distances(Layout.nodes(4, "gray")).histogram  # CAM-87-02 Theorem 3
    {1: 8, 2: 24}
    >>> butterfly_distances(Layout.nodes(4, "gray"), stage=0).dilation
    1
    """
    placement = _checked(placement)
    axis = require_axis(axis, len(placement.shape))
    if isinstance(placement, Layout):
        bits = placement.axes[axis].bits
    else:
        bits = log2_exact(placement.shape[axis], f"the length of axis {axis}")
    if stage is not None and not 0 <= require_int(stage, "stage") < bits:
        raise OutOfRangeError(
            f"stage is {stage}",
            f"axis {axis} has {bits} address bits",
            f"choose one below {bits}, or None for all stages",
        )
    stages = range(bits) if stage is None else (stage,)
    if isinstance(placement, Layout):
        below = placement.word_bits(axis).start
        flips = {1 << (below + j): placement.size // 2 for j in stages}
        return _of_flips(placement, flips)
    lines = np.moveaxis(placement, axis, 0)
    index = np.arange(lines.shape[0])
    halves = ((j, index[index >> j & 1 == 0]) for j in stages)
    pairs = [(lines[low] ^ lines[low | 1 << j]).ravel() for j, low in halves]
    return Distances(histogram(np.concatenate(pairs)) if pairs else {})


def _of_flips(layout: Layout, flips: Mapping[int, int]) -> Distances:
    """Distances of pairs whose words differ by the given masks, each so many times."""
    counts: Histogram = {}
    for mask, times in flips.items():
        distance = layout.node_change(mask).bit_count()
        counts[distance] = counts.get(distance, 0) + times
    return Distances(dict(sorted(counts.items())))


def _checked(placement: LayoutOrNodes) -> LayoutOrNodes:
    """The layout, or the array of nodes after a look at its values."""
    if isinstance(placement, Layout | Ownership):
        return in_bits(placement, "a distance in the cube")
    if not isinstance(placement, np.ndarray):
        raise InvalidTypeError(
            f"the placement is {placement!r}",
            "it must be a Layout or an array of nodes",
            "for a mesh shape, pass rank_order(shape)",
        )
    nodes = require_integers(placement)
    return require_range(nodes, 1 << 63, "a node of the placement", "number nodes from 0")
