"""One axis of a layout as the nodes see it: runs of neighbours that are always together.

Rules.

1. The cube is a product. Every node bit depends on the index bits of one axis, so each axis
   has a subcube of its own, and what happens along an axis is the same everywhere else.
2. Up to the lowest index bit that a node bit depends on, neighbours are on one node: they are
   a *run*. Consecutive allocation has one run per node, cyclic allocation runs of one element.

3. A stencil with a stride that is longer than a run reads whole runs, every so-manieth one.
   Where runs do not divide the stride, shorter ones do: a run in pieces is still on one node.

A *step* counts runs and is negative below. Nodes are those of the axis's subcube, and what only
renumbers nodes, which are the constant of the layout and its copy bits, is left out.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd

import numpy as np

from graycube.errors import InvalidValueError
from graycube.gf2 import Matrix
from graycube.gf2.arrays import IntArray
from graycube.layout import Axis, Layout

MAX_COUNTED = 1 << 22  # entries of an array with what is counted along one axis
Reach = tuple[int, int]
"""How far a stencil reads below and above."""


@dataclass(frozen=True, slots=True)
class Line:
    """The runs of an axis, and the sums of their number's bits that are the node's bits.

    What a stencil reads is ``stride`` runs apart.

    >>> gray = Line(Axis(2), rows=(0b11, 0b10))
    >>> gray.nodes()
    array([0, 1, 3, 2])
    """

    runs: Axis
    rows: tuple[int, ...]
    stride: int = 1

    @property
    def around(self) -> int:
        """How many strides lead around a ring of all runs.

        >>> Line(Axis(3), (1, 2, 4), stride=2).around
        4
        """
        return self.runs.length // gcd(self.runs.length, self.stride)

    def nodes(self) -> IntArray:
        """The node of every run."""
        bits, _ = self.runs.split(np.arange(self.runs.length))
        return Matrix.from_rows(self.rows, self.runs.bits)(bits)


@dataclass(frozen=True, slots=True)
class Strip:
    """A line in its place: ``run`` elements a run, and the cube dimensions of the node bits.

    >>> (strip,) = strips(Layout.mesh((1000,), nodes=(8,), code="gray", ownership=False))
    >>> strip.run, strip.dims, strip.line.nodes()
    (125, (0, 1, 2), array([0, 1, 3, 2, 6, 7, 5, 4]))
    """

    line: Line
    run: int
    dims: tuple[int, ...]

    @property
    def length(self) -> int:
        """Number of elements along the axis."""
        return self.line.runs.length * self.run

    @property
    def own(self) -> int:
        """How many coordinates of the axis a node has."""
        return self.length >> len(self.dims)

    def with_stride(self, stride: int) -> "Strip":
        """The strip whose runs divide a stride that is longer than they are.

        >>> (strip,) = strips(Layout.mesh((24,), nodes=(8,), ownership=False))
        >>> strip.run, strip.with_stride(4).run, strip.with_stride(4).line.stride
        (3, 1, 4)
        """
        run, runs = self.run & -self.run, self.line.runs
        if run < self.run:
            runs = Axis(runs.bits, self.run // run)
        return Strip(Line(runs, self.line.rows, stride // run), run, self.dims)

    def steps(self, reach: Reach) -> tuple[int, ...]:
        """The strides to the farthest runs within reach, at most one on each side.

        >>> (strip,) = strips(Layout.mesh((1000,), nodes=(8,), ownership=False))
        >>> strip.steps((1, 126)), strip.steps((0, 10**9))
        ((-1, 2), (7,))
        """
        runs, far = self.line.runs.length, self.line.around - 1
        each = self.run if self.line.stride == 1 else 1  # a longer stride reads whole runs
        below, above = (min(-(-r // each), far) for r in reach)
        if runs * max(below, above) > MAX_COUNTED:
            raise InvalidValueError(
                f"{runs} runs of neighbours meet {max(below, above)} steps",
                f"{MAX_COUNTED} pairs of them are counted at most",
                "allocate the axis consecutively, or read less far",
            )
        return tuple(step for step in (-below, above) if step)

    def amount(self, step: int, reach: Reach) -> int:
        """How many elements of the run at a step are within reach.

        >>> (strip,) = strips(Layout.mesh((1000,), nodes=(8,), ownership=False))
        >>> strip.amount(-1, (130, 1)), strip.amount(-2, (130, 1)), strip.amount(1, (130, 1))
        (125, 5, 1)
        """
        if self.line.stride > 1:
            return self.run
        return min(self.run, reach[step > 0] - (abs(step) - 1) * self.run)

    def component(self, node: int) -> int:
        """The node of the axis's subcube that a node of the cube is in.

        >>> Strip(Line(Axis(2), (1, 2)), 1, dims=(0, 3)).component(0b1010)
        2
        """
        return sum((node >> d & 1) << k for k, d in enumerate(self.dims))

    def spread(self, component: int) -> int:
        """The bits of the cube's node number that a node of the axis's subcube stands for.

        >>> bin(Strip(Line(Axis(2), (1, 2)), 1, dims=(0, 3)).spread(2))
        '0b1000'
        """
        return sum((component >> k & 1) << d for k, d in enumerate(self.dims))


@lru_cache(maxsize=256)
def strips(layout: Layout) -> tuple[Strip, ...]:
    """The axes of a layout, each with its part of the cube.

    >>> from graycube.layout import Layout
    >>> [strip.dims for strip in strips(Layout.mesh((8, 8), nodes=(4, 2)))]
    [(1, 2), (0,)]
    >>> strips(Layout.parse("(b0:0 || b0:0^b1:0)"))
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: node bit 0 depends on axes 0 and 1: a halo exchange
    needs node bits that depend on one axis each; convert to a mesh layout first
    """
    rows = layout.map.matrix.rows[: layout.n]
    words = [layout.word_bits(k) for k in range(len(layout.axes))]
    masks = [(1 << word.stop) - (1 << word.start) for word in words]
    for d, row in enumerate(rows):
        axes = [str(k) for k, mask in enumerate(masks) if row & mask]
        if len(axes) > 1:
            raise InvalidValueError(
                f"node bit {d} depends on axes {' and '.join(axes)}",
                "a halo exchange needs node bits that depend on one axis each",
                "convert to a mesh layout first",
            )
    found = []
    for axis, word, mask in zip(layout.axes, words, masks, strict=True):
        dims = tuple(d for d, row in enumerate(rows) if row & mask)
        found.append(_strip(axis, dims, tuple((rows[d] & mask) >> word.start for d in dims)))
    return tuple(found)


def _strip(axis: Axis, dims: tuple[int, ...], rows: tuple[int, ...]) -> Strip:
    """The axis without the bits, and perhaps the extent, that no node bit depends on."""
    used = 0
    for row in rows:
        used |= row
    together = (used & -used).bit_length() - 1 if used else axis.bits
    bits, line_rows = axis.bits - together, tuple(row >> together for row in rows)
    if together >= axis.low:
        return Strip(Line(Axis(bits), line_rows), axis.extent << together, dims)
    runs = Axis(bits, axis.extent, axis.low - together)
    return Strip(Line(runs, line_rows), 1 << together, dims)
