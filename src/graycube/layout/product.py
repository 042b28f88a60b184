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
from graycube.gf2.arrays import IntArray

if TYPE_CHECKING:
    from graycube.layout.affine import AffinePlacement

_KEPT = 64  # nodes of layouts
_Array = NDArray[Any]


class ByAxis(NamedTuple):
    """The index along each axis, in the order of its digits, and all digits of a slot.

    ``order`` says where in the slot the digits are that the axes have, one axis after another.
    """

    along: tuple[IntArray, ...]
    sizes: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many indices there are along each axis."""
        return tuple(map(len, self.along))

    def rows(self) -> NDArray[np.intp] | None:
        """The slot of each element, in the order of their indices; None if that is the same."""
        ascending = all((np.diff(along) > 0).all() for along in self.along)
        if ascending and self.order == (*range(len(self.sizes)),):
            return None
        slots = np.arange(prod(self.sizes)).reshape(self.sizes)
        rows: NDArray[np.intp] = self._by_axes(slots)[np.ix_(*map(np.argsort, self.along))]
        return rows.ravel()

    def indices(self) -> list[IntArray]:
        """The index along each axis of the element in every slot."""
        every = [*np.ix_(*self.along)]
        return [self._in_slots(np.broadcast_to(index, self.shape)) for index in every]

    def cut(self, array: _Array) -> _Array:
        """The block of the node, of an array that has all elements."""
        index = [evenly(along) for along in self.along]
        part = array[(*(some if isinstance(some, slice) else slice(None) for some in index),)]
        for axis, some in enumerate(index):
            if not isinstance(some, slice):
                part = np.take(part, some, axis)
        made = self._in_slots(part)
        return made.copy() if np.may_share_memory(made, array) else made

    def put(self, array: _Array, block: _Array) -> None:
        """Write the block of the node into an array that has all elements."""
        index = [evenly(along) for along in self.along]
        sliced = all(isinstance(some, slice) for some in index)
        whole = block.reshape((*self.sizes, *block.shape[1:]))
        array[tuple(index) if sliced else np.ix_(*self.along)] = self._by_axes(whole)

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
    ((array([3, 4, 5]), array([2, 3])), [14, 18, 22, 15, 19, 23])
    """
    if layout.size >> 62:  # indices are 64-bit integers, with signs
        return None
    try:
        digits = layout.digits
    except InvalidValueError:
        return None
    logical, n = layout.inverse_map, layout.n
    first, columns = logical(node), logical.matrix.columns
    slot, owned = n, dict[int, list[int]]()
    extents = sum(axis.extent > 1 for axis in layout.axes)
    for owner, size in reversed(digits[: len(digits) - extents]):
        for _ in range(size.bit_length() - 1):
            owned.setdefault(owner, []).append(columns[slot])
            slot += 1
    along: list[IntArray] = []
    for k, axis in enumerate(layout.axes):
        bits = layout.word_bits(k)
        words = np.array([_part(first, bits)])
        for column in owned.get(k, []):
            words = np.concatenate([words, words ^ _part(column, bits)])
        if axis.extent > 1:
            words = axis.join(words[:, None], np.arange(axis.extent)[None, :]).ravel()
        along.append(words)
    sizes = tuple(size for _, size in digits)
    order = sorted(range(len(digits)), key=lambda place: digits[place][0])
    return ByAxis(tuple(along), sizes, tuple(order))


def _part(word: int, bits: range) -> int:
    return word >> bits.start & (1 << len(bits)) - 1


def evenly(along: IntArray) -> slice | IntArray:
    """Places along an axis, as a slice if they are evenly spaced, up or down.

    >>> evenly(np.array([4, 2, 0])), evenly(np.array([4, 2, 1]))
    (slice(4, None, -2), array([4, 2, 1]))
    """
    if not len(along):
        return slice(0, 0)
    first, last = int(along[0]), int(along[-1])
    step = int(along[1]) - first if len(along) > 1 else 1
    end = last + (1 if step > 0 else -1)
    if not step or not np.array_equal(along, np.arange(first, end, step)):
        return along
    return slice(first, end if end >= 0 else None, step if step != 1 else None)
