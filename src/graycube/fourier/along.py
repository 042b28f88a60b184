"""The transform along one axis, on the blocks of all nodes.

What the passes need is worked out once: where every row of a block comes from when a group is
brought into memory, and the twiddle factors. Running it moves rows, calls :mod:`scipy.fft` on
the groups, many at a time, and multiplies.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.fourier.passes import Pass, passes
from graycube.gf2 import AffineMap
from graycube.layout import Layout

_Blocks = NDArray[Any]
_Rows = NDArray[np.intp]
KEPT = 8
"""So many transforms are remembered: plan once, run many.

Each keeps a row number for every element and fetch, and a factor for every element and group.
"""


@dataclass(frozen=True, eq=False)
class _Step:
    """One pass: rows to fetch, the group as axis ``axis`` of ``shape``, factors, and back."""

    fetch: _Rows | None
    shape: tuple[int, ...]
    axis: int
    factors: _Blocks | None
    store: _Rows | None

    def run(self, blocks: _Blocks, *, inverse: bool) -> _Blocks:
        from scipy import fft  # noqa: PLC0415 - importing it takes longer than most transforms

        # What was fetched is ours to overwrite; otherwise SciPy returns a new array.
        payload = blocks.shape[2:]
        fetched = taken(blocks, self.fetch)
        transform, norm = (fft.ifft, "forward") if inverse else (fft.fft, "backward")
        group = transform(
            fetched.reshape(*self.shape, *payload),
            axis=self.axis,
            norm=norm,
            overwrite_x=fetched is not blocks,
        )
        if self.factors is not None:
            group *= self.factors.reshape(*self.factors.shape, *(1,) * len(payload))
        out: _Blocks = taken(group.reshape(blocks.shape), self.store)
        return out


@dataclass(frozen=True, eq=False)
class Along:
    """A transform along one axis: its passes, and the layout that the result has.

    >>> planned = along(Layout.cyclic(3, 2), 0, "complex128", inverse=False)
    >>> planned.run(np.ones((4, 2), complex)).real[0].tolist(), planned.inverse
    ([8.0, 0.0], False)
    """

    passes: tuple[Pass, ...]
    result: Layout
    steps: tuple[_Step, ...]
    inverse: bool

    def run(self, blocks: _Blocks) -> _Blocks:
        """The transformed blocks, without any scaling."""
        for step in self.steps:
            blocks = step.run(blocks, inverse=self.inverse)
        return blocks


@lru_cache(maxsize=KEPT)
def along(layout: Layout, axis: int, dtype: str, *, inverse: bool) -> Along:
    """The transform of arrays of a complex dtype along an axis.

    >>> chosen = along(Layout.cyclic(8, 4, nodes="gray"), 0, "complex128", inverse=False)
    >>> [step.dims for step in chosen.passes]
    [(), (0, 1, 2, 3)]
    """
    groups, result = passes(layout, axis)
    return carried_out(layout, groups, result, dtype, inverse=inverse)


def carried_out(
    layout: Layout, groups: tuple[Pass, ...], result: Layout, dtype: str, *, inverse: bool
) -> Along:
    """The transform that does certain passes; ``result`` is the layout they lead to."""
    axis = groups[0].axis if groups else 0
    place, steps = layout.map, []
    for k, group in enumerate(groups):
        last = k == len(groups) - 1
        steps.append(
            _Step(
                sources(layout, place, group.place),
                _shape(layout, group),
                2 if group.low < group.high else 4 + axis,
                None if last else _factors(layout, group, inverse=inverse).astype(dtype),
                sources(layout, group.place, place) if group.copied else None,
            )
        )
        place = place if group.copied else group.place
    return Along(groups, result, tuple(steps), inverse)


def taken(blocks: _Blocks, rows: _Rows | None) -> _Blocks:
    """The blocks with row k, of all there are on all nodes, where row ``rows[k]`` was."""
    if rows is None:
        return blocks
    return np.take(blocks.reshape(len(rows), -1), rows, axis=0).reshape(blocks.shape)


def _addresses(layout: Layout) -> _Rows:
    """The addresses of all rows: node by node, slot by slot."""
    node, slot = np.arange(1 << layout.n)[:, None], np.arange(1 << (layout.p - layout.n))
    return (slot << layout.n | node).ravel()


def sources(layout: Layout, before: AffineMap, after: AffineMap) -> _Rows | None:
    """The row that comes to every row when data move; None if all stay."""
    if before == after:
        return None
    n, slots = layout.n, layout.p - layout.n
    address = (before @ after.inverse())(_addresses(layout))
    return ((address & ((1 << n) - 1)) << slots | address >> n).astype(np.intp)


def _shape(layout: Layout, group: Pass) -> tuple[int, ...]:
    """All rows as a group between what is above and below it; then the extents."""
    size = group.high - group.low
    above = layout.p - layout.n - size - group.slot
    nodes = layout.n + min(above, 0)  # of a copied group, the bits are taken from the nodes
    extents = (axis.extent for axis in layout.axes)
    return (1 << nodes, 1 << max(above, 0), 1 << size, 1 << group.slot, *extents)


def _factors(layout: Layout, group: Pass, *, inverse: bool) -> _Blocks:
    """The twiddle factors: w^(k r), k the output digit and r the index below the group.

    With w the root of unity of as many points as the group and all digits below it have.
    """
    axis = layout.axes[group.axis]
    bits = layout.word_bits(group.axis)
    word = group.place.inverse()(_addresses(layout)) >> bits.start & ((1 << len(bits)) - 1)
    shape = _shape(layout, group)
    word = word.reshape(*shape[:4], 1)
    low, digit = word & ((1 << group.low) - 1), np.arange(axis.extent)
    if group.low == group.high:
        output, below, points = digit, low, axis.length >> (axis.bits - group.low)
    else:
        output = word >> group.low & ((1 << (group.high - group.low)) - 1)
        below, points = low, 1 << group.high
        if group.low >= axis.low and axis.extent > 1:  # the extent is still to come
            inside = (1 << axis.low) - 1
            below = ((low >> axis.low) * axis.extent + digit) << axis.low | low & inside
            points *= axis.extent
    turn = 2j if inverse else -2j
    roots = np.exp(turn * np.pi * np.arange(points) / points)
    factors: _Blocks = roots[below * output % points]
    spread = [1] * len(layout.axes)
    spread[group.axis] = factors.shape[-1]
    return factors.reshape(*shape[:4], *spread)
