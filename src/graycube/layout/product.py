"""What a node has along each axis apart, where every digit of a slot belongs to one axis.

Rule. The index along an axis depends on the digits of that axis alone (:mod:`.copied`, rule 3).
So the elements of a node are all combinations of some along each axis: blocks are cut out of
arrays, and put back, by slices, and no element is looked for by itself.
"""

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray, sums
from graycube.layout.axis import Axis
from graycube.layout.indices import as_array, evenly

if TYPE_CHECKING:
    from graycube.layout.affine import AffinePlacement

_KEPT = 64  # nodes of layouts
_Array = NDArray[Any]


class ByAxis(NamedTuple):
    """The index along each axis, in the order of its digits, and all digits of a slot.

    ``order`` says where in the slot the digits are that the axes have, one axis after another.
    """

    along: tuple[range | IntArray, ...]
    sizes: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many indices there are along each axis."""
        return tuple(map(len, self.along))

    @property
    def coordinates(self) -> tuple[IntArray, ...]:
        """The index along each axis, ascending."""
        return tuple(np.sort(as_array(some)) for some in self.along)

    def rows(self) -> NDArray[np.intp] | None:
        """The slot of each element, in the order of their indices; None if that is the same."""
        even = all(isinstance(some, range) for some in self.along)
        if even and self.order == (*range(len(self.sizes)),):
            return None
        slots = self._by_axes(np.arange(prod(self.sizes)).reshape(self.sizes))
        order = np.ix_(*(np.argsort(as_array(some)) for some in self.along))
        rows: NDArray[np.intp] = slots if even else slots[order]
        return rows.ravel()

    def indices(self) -> list[IntArray]:
        """The index along each axis of the element in every slot."""
        every = np.ix_(*map(as_array, self.along))
        return [self._in_slots(np.broadcast_to(index, self.shape)) for index in every]

    def cut(self, array: _Array) -> _Array:
        """The block of the node, of an array that has all elements."""
        even = (evenly(x) if isinstance(x, range) else slice(None) for x in self.along)
        part = array[tuple(even)]
        for axis, some in enumerate(self.along):
            if not isinstance(some, range):
                part = np.take(part, some, axis)
        made = self._in_slots(part)
        return made.copy() if np.may_share_memory(made, array) else made

    def put(self, array: _Array, block: _Array) -> None:
        """Write the block of the node into an array that has all elements."""
        even = all(isinstance(some, range) for some in self.along)
        places = tuple(map(evenly, self.along)) if even else np.ix_(*map(as_array, self.along))
        array[places] = self._by_axes(block.reshape((*self.sizes, *block.shape[1:])))

    def _by_axes(self, whole: _Array) -> _Array:
        """What has an axis for each digit, with one for each axis instead."""
        payload = whole.shape[len(self.sizes) :]
        rest = range(len(self.sizes), whole.ndim)
        return whole.transpose(*self.order, *rest).reshape((*self.shape, *payload))

    def _in_slots(self, part: _Array) -> _Array:
        """What has all combinations, in the order of the slots."""
        d, payload = len(self.along), part.shape[len(self.along) :]
        own = [self.sizes[k] for k in self.order]
        rest = range(len(own), len(own) + len(payload))
        turned = part.reshape((*own, *payload)).transpose(*np.argsort(self.order), *rest)
        return turned.reshape(prod(part.shape[:d]), *payload)


@lru_cache(maxsize=_KEPT)
def product_of(layout: "AffinePlacement", node: int) -> ByAxis | None:
    """What a node has along each axis; None where digits of a slot belong to several axes.

    >>> from graycube.layout import Layout
    >>> found = product_of(Layout.mesh((6, 4), nodes=(2, 2), code="gray", ownership=False), 3)
    >>> found.along, found.cut(np.arange(24).reshape(6, 4)).tolist()
    ((range(3, 6), range(2, 4)), [14, 18, 22, 15, 19, 23])
    """
    if layout.size >> 62:  # indices are 64-bit integers, with signs
        return None
    try:
        digits = layout.digits
    except InvalidValueError:
        return None
    logical, slot = layout.inverse_map, layout.n
    owned: list[list[int]] = [[] for _ in layout.axes]
    extents = sum(axis.extent > 1 for axis in layout.axes)
    for owner, size in reversed(digits[: len(digits) - extents]):
        for _ in range(size.bit_length() - 1):
            owned[owner].append(logical.matrix.columns[slot])
            slot += 1
    along = []
    for k, axis in enumerate(layout.axes):
        bits = layout.word_bits(k)
        first, *columns = (
            word >> bits.start & (1 << len(bits)) - 1 for word in (logical(node), *owned[k])
        )
        along.append(_along(axis, first, columns))
    sizes = tuple(size for _, size in digits)
    order = sorted(range(len(digits)), key=lambda place: digits[place][0])
    return ByAxis(tuple(along), sizes, tuple(order))


def _along(axis: Axis, first: int, columns: list[int]) -> range | IntArray:
    """All combinations of columns with the first word, and all of the extent, as indices."""
    step, m, extent = columns[0] if columns else 1 << axis.low, len(columns), axis.extent
    span = (step << m) - step
    ascending = columns == [step << j for j in range(m)] and not first & span
    if ascending and step.bit_count() == 1 and (extent == 1 or step == 1 << axis.low):
        start = axis.join(first, 0)
        return range(start, start + (extent * step << m), step)
    words = sums(columns, first)
    every: IntArray = axis.join(words[:, None], np.arange(extent)[None, :])
    return np.ravel(every if extent > 1 else words)
