"""The transform along one axis, on the blocks of the nodes that are here.

What the passes need is worked out once: what shape the lines of a group have in memory, and the
twiddle factors. Running it brings a group into memory, transforms it, many lines at a time, and
multiplies.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.moving import addresses, moved, taken
from graycube.array.ranks import spread
from graycube.array.sharing import swapped
from graycube.fourier.engine import transformed
from graycube.fourier.passes import LONGEST, Pass, passes
from graycube.gf2 import AffineMap
from graycube.gf2.arrays import IntArray
from graycube.layout import Layout
from graycube.run.butterflies import unit_roots
from graycube.run.mpi import Comm

_Blocks = NDArray[Any]
KEPT = 8
"""So many transforms are remembered: plan once, run many."""


@dataclass(frozen=True, eq=False)
class PassStep:
    """One pass: from which place it comes, the group as axis ``axis`` of ``shape``, factors."""

    before: AffineMap
    group: Pass
    shape: tuple[int, ...]
    axis: int
    factors: _Blocks | None

    def run(self, blocks: _Blocks, out: _Blocks | None, *, inverse: bool) -> _Blocks:
        """The transformed groups of blocks that are in place; ``out`` may be the blocks."""
        shape = (*self.shape, *blocks.shape[2:])
        made = transformed(
            blocks.reshape(shape),
            self.axis,
            inverse=inverse,
            out=None if out is None else out.reshape(shape),
        )
        return self.turned(made).reshape(blocks.shape)

    def on_copies(
        self, layout: Layout, blocks: _Blocks, comm: Comm | None, *, inverse: bool
    ) -> _Blocks:
        """The same where nodes have no memory bits.

        Each gets the blocks of all nodes of its group, and keeps its own output (TR-764
        section 5).
        """
        group, place = self.group, self.before
        size = group.high - group.low
        if comm is None:
            rows = taken(blocks, layout, place, group.place)
            lines = rows.reshape(1 << layout.n - size, 1 << size, -1)
            made = transformed(lines, 1, inverse=inverse).reshape(blocks.shape)
            made = taken(made, layout, group.place, place).copy()
        else:
            offset = layout.word_bits(group.axis).start + group.low
            word = place.inverse()(comm.rank)
            own = word >> offset & ((1 << size) - 1)
            copies = np.empty((1 << size, *blocks.shape[1:]), blocks.dtype)
            copies[own] = blocks[0]
            for change in range(1, 1 << size):  # all nodes of the group meet in pairs
                peer = place(word ^ change << offset)
                (copies[own ^ change],) = swapped(blocks, peer, comm, "copies for a transform")
            made = transformed(copies, 0, inverse=inverse, out=copies)[own : own + 1]
        return self.turned(made.reshape(*self.shape, *blocks.shape[2:])).reshape(blocks.shape)

    def turned(self, lines: _Blocks) -> _Blocks:
        """The lines times the factors, in place; times one, even what is infinite stays."""
        if self.factors is not None:
            shape = (*self.factors.shape, *(1,) * (lines.ndim - self.factors.ndim))
            factors, turning = self.factors.reshape(shape), self._turning.reshape(shape)
            np.multiply(lines, factors, out=lines, where=turning)
        return lines

    @cached_property
    def _turning(self) -> NDArray[np.bool_]:
        """Where the factors are not one."""
        turning: NDArray[np.bool_] = np.asarray(self.factors) != 1
        return turning


@dataclass(frozen=True, eq=False)
class Along:
    """A transform along one axis: its passes, and the layout that the result has.

    >>> planned = along(Layout.cyclic(3, 2), 0, "complex128", inverse=False)
    >>> planned.run(np.ones((4, 2), complex)).real[0].tolist(), planned.inverse
    ([8.0, 0.0], False)
    """

    layout: Layout
    passes: tuple[Pass, ...]
    result: Layout
    steps: tuple[PassStep, ...]
    inverse: bool

    def run(self, blocks: _Blocks, comm: Comm | None = None, *, ours: bool = False) -> _Blocks:
        """The transformed blocks, without any scaling; if they are ``ours``, in their place."""
        given = None if ours else blocks
        for step in self.steps:
            if step.group.copied:
                over = spread(comm)
                blocks = step.on_copies(self.layout, blocks, over, inverse=self.inverse)
                continue
            blocks = moved(blocks, self.layout, step.before, step.group.place, comm)
            out = None if blocks is given else blocks  # what was fetched or made is ours
            blocks = step.run(blocks, out, inverse=self.inverse)
        return blocks


@lru_cache(maxsize=KEPT)
def along(  # noqa: PLR0913
    layout: Layout,
    axis: int,
    dtype: str,
    *,
    inverse: bool,
    nodes: range | None = None,
    later: tuple[int, ...] = (),
    longest: int = LONGEST,
) -> Along:
    """The transform of arrays of a complex dtype along an axis.

    >>> chosen = along(Layout.cyclic(8, 4, nodes="gray"), 0, "complex128", inverse=False)
    >>> [step.dims for step in chosen.passes]
    [(), (0, 1, 2, 3)]
    """
    groups, result = passes(layout, axis, later, longest)
    return carried_out(layout, groups, result, dtype, nodes=nodes, inverse=inverse)


def carried_out(  # noqa: PLR0913
    layout: Layout,
    groups: tuple[Pass, ...],
    result: Layout,
    dtype: str,
    *,
    inverse: bool,
    nodes: range | None = None,
) -> Along:
    """The transform that does certain passes; ``result`` is the layout they lead to."""
    those = range(1 << layout.n) if nodes is None else nodes
    place, steps = layout.map, list[PassStep]()
    for k, group in enumerate(groups):
        after = place if group.copied else group.place
        shape = _shape(layout, group, len(those))
        factors = None
        if k < len(groups) - 1:
            words = after.inverse()(addresses(layout, those)).reshape(shape[:4])
            digits = group.axis, group.low, group.high
            factors = twiddles(layout, *digits, words, dtype, inverse=inverse)
        axis = 2 if group.low < group.high else 4 + group.axis
        steps.append(PassStep(place, group, shape, axis, factors))
        place = after
    return Along(layout, groups, result, tuple(steps), inverse)


def _shape(layout: Layout, group: Pass, nodes: int) -> tuple[int, ...]:
    """The rows of nodes as a group between what is above and below it; then the extents."""
    extents = (axis.extent for axis in layout.axes)
    if group.copied:
        return (nodes, 1, 1, 1, *extents)
    size = group.high - group.low
    above = layout.p - layout.n - size - group.slot
    return (nodes, 1 << above, 1 << size, 1 << group.slot, *extents)


def twiddles(  # noqa: PLR0913, PLR0917 - which group of which axis, and where
    layout: Layout,
    axis: int,
    low: int,
    high: int,
    words: IntArray,
    dtype: str,
    *,
    inverse: bool,
) -> _Blocks:
    """The twiddle factors of words, for all extents: w^(k r), after the bits from low to high.

    k is the output digit and r the index below the group; w is the root of unity of as many
    points as the group and all digits below it have. Without bits the group is the extent.

    >>> layout = Layout.cyclic(2, 1)
    >>> factors = twiddles(layout, 0, 1, 2, np.arange(4), "complex128", inverse=False)
    >>> np.allclose(factors.ravel(), [1, 1, 1, -1j])
    True
    """
    roots = partial(unit_roots, dtype=np.dtype(dtype), inverse=inverse)
    along, bits = layout.axes[axis], layout.word_bits(axis)
    word = (words >> bits.start & ((1 << len(bits)) - 1))[..., None]
    below, digit = word & ((1 << low) - 1), np.arange(along.extent)
    if low == high:
        output, points = digit, along.length >> (along.bits - low)
    else:
        output, points = word >> low & ((1 << (high - low)) - 1), 1 << high
        if low >= along.low and along.extent > 1:  # the extent is still to come
            inside = (1 << along.low) - 1
            below = ((below >> along.low) * along.extent + digit) << along.low | below & inside
            points *= along.extent
    powers = below * output % points
    if points < powers.size:
        factors: _Blocks = roots(np.arange(points), points)[powers]
    else:  # a node needs a small part of them
        factors = roots(powers, points)
    across = [1] * len(layout.axes)
    across[axis] = factors.shape[-1]
    return factors.reshape(*words.shape, *across)
