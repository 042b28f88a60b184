"""Real lines and half of their spectra, where both are in the memory of a node.

Rule: a digit of the index is a slot bit or an extent, and has a stride in the block. The digits
of the axis follow each other there, so that its lines have one stride; else nothing is made.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from graycube.fourier.legs import Blocks, Todo
from graycube.fourier.works import LineWork
from graycube.layout import Layout
from graycube.run.reused import apart, components_first

_Strides = dict[Hashable, tuple[int, int]]
_Axes = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """A leg from real lines along an axis to half a spectrum, or back if it is ``inverse``.

    ``ends`` have the lengths of the other axes and of the lines, which are last, and their
    strides: before, and after.

    >>> from graycube.fourier.engine import ready
    >>> layout = Layout.mesh((2, 6), (2, 1), ownership=False)
    >>> spectrum = Layout.mesh((2, 4), (2, 1))
    >>> leg = halves(layout, spectrum, 1, np.dtype(complex))
    >>> made = np.empty((1, 4), complex)
    >>> _ = [call() for call in ready(leg.todo(np.ones((1, 6)), made))]
    >>> made.real.tolist()
    [[6.0, 0.0, 0.0, 0.0]]
    """

    layout: Layout
    dtype: np.dtype[Any]
    given: np.dtype[Any]
    ends: tuple[_Axes, ...]
    inverse: bool = False
    scaling: int = 0
    crosses: None = None
    stays: bool = False

    @property
    def rows(self) -> int:
        """How many rows a block has afterwards."""
        return self.layout.block_size

    def todo(self, source: Blocks, target: Blocks) -> Iterator[Todo]:
        """What is to be called; both are whole, perhaps with components that lie apart."""
        if source.dtype != self.given:
            copy = np.empty(source.shape, self.given)
            yield partial(np.copyto, copy, source)
            source = copy
        lines, out = self._view(source, 0), self._view(target, 1)
        kind = "c2r" if self.inverse else "r2c"
        yield LineWork(lines, (lines.ndim - 2,), out, kind, self.inverse, self.scaling)

    def then(self, target: Blocks) -> Iterator[Todo]:  # noqa: ARG002 - as any leg
        """Nothing."""
        return iter(())

    def _view(self, block: Blocks, end: int) -> Blocks:
        """The lines as the last axis but one, before the payload."""
        lengths, strides = self.ends[end]
        payload, step = prod(block.shape[2:]), block.itemsize
        row, component = payload * step, step
        if apart(block):
            block, row, component = components_first(block), step, block.shape[1] * step
        steps = (*(stride * row for stride in strides), component)
        return np.ndarray((*lengths, payload), block.dtype, block, 0, steps)


def halves(  # noqa: PLR0913
    before: Layout,
    after: Layout,
    axis: int,
    dtype: np.dtype[Any],
    *,
    inverse: bool = False,
    scaling: int = 0,
) -> Halves | None:
    """The leg between two layouts that differ in one axis, if its lines have a stride in both.

    The dtype is that of the spectrum.
    """
    found, made = _strides(before), _strides(after)
    if found is None or made is None:
        return None
    first, last = _line(before, axis, found), _line(after, axis, made)
    if first is None or last is None or found.keys() != made.keys():
        return None
    rest = tuple((size, stride, made[digit][1]) for digit, (size, stride) in found.items())
    real = np.finfo(dtype).dtype
    given, wanted = (dtype, real) if inverse else (real, dtype)
    others = _merged(rest)
    sizes, starts, goals = (tuple(each[k] for each in others) for k in range(3))
    ends = tuple(
        ((*sizes, length), (*strides, stride))
        for strides, (length, stride) in ((starts, first), (goals, last))
    )
    return Halves(after, wanted, given, ends, inverse, scaling)


def _strides(layout: Layout) -> _Strides | None:
    """The length and the stride of each digit in memory, the longest stride first."""
    extents = [axis.extent for axis in layout.axes]
    words = {
        bit: (axis, bit - layout.word_bits(axis).start)
        for axis in range(len(extents))
        for bit in layout.word_bits(axis)
    }
    found: _Strides = {}
    for slot in reversed(range(layout.p - layout.n)):
        row = layout.map.matrix.rows[layout.n + slot]
        if row & row - 1 or layout.map.constant >> layout.n + slot & 1:
            return None
        found[words[row.bit_length() - 1]] = 2, prod(extents) << slot
    for axis, extent in enumerate(extents):
        if extent > 1:
            found[axis, "extent"] = extent, prod(extents[axis + 1 :])
    return found


def _line(layout: Layout, axis: int, strides: _Strides) -> tuple[int, int] | None:
    """The length and the stride of the lines of an axis, whose digits are taken out."""
    along = layout.axes[axis]
    digits: list[Hashable] = [(axis, bit) for bit in reversed(range(along.bits))]
    if along.extent > 1:
        digits.insert(along.bits - along.low, (axis, "extent"))
    if any(digit not in strides for digit in digits):
        return None
    taken = [strides.pop(digit) for digit in digits]
    if any(above[1] != below[0] * below[1] for above, below in pairwise(taken)):
        return None
    return along.length, taken[-1][1] if taken else 1


def _merged(rest: tuple[tuple[int, int, int], ...]) -> tuple[tuple[int, int, int], ...]:
    """The same axes, where two that follow each other on both sides are one."""
    found: list[tuple[int, int, int]] = []
    for size, before, after in rest:
        if found and found[-1][1:] == (size * before, size * after):
            found[-1] = (size * found[-1][0], before, after)
        else:
            found.append((size, before, after))
    return tuple(found)
