"""Indices along one axis: a range or a slice where they are evenly spaced, else an array."""

from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from numpy.typing import ArrayLike

from graycube.gf2.arrays import IntArray


@dataclass(frozen=True, slots=True)
class Indices:
    """Indices that no range has, in any order; their digest tells them apart.

    >>> Indices.of([4, 1, 1]) == Indices.of(np.array([4, 1, 1])), Indices.of([4, 3, 2])
    (True, range(4, 1, -1))
    """

    digest: str
    array: IntArray = field(compare=False, repr=False)

    @classmethod
    def of(cls, indices: ArrayLike) -> "Some":
        """Those of an array, as a range where they are evenly spaced.

        >>> len(Indices.of([7, 3, 5, 3]))
        4
        """
        array = np.array(indices, np.int64)
        even = evenly(array)
        if not isinstance(even, slice):
            return cls(sha256(array.data).hexdigest(), array)
        step = even.step or 1
        return range(even.start, even.start + step * len(array), step)

    def __len__(self) -> int:
        return len(self.array)


Some = range | Indices
"""Indices that can be told apart."""


def as_array(some: Some | IntArray) -> IntArray:
    """The indices as an array.

    >>> as_array(range(4, 0, -2))
    array([4, 2])
    """
    if isinstance(some, range):
        return np.arange(some.start, some.stop, some.step)
    return some.array if isinstance(some, Indices) else some


def evenly(some: Some | IntArray) -> slice | IntArray:
    """The indices as a slice if they are evenly spaced, up or down.

    >>> evenly(np.array([4, 2, 0])), evenly(np.array([4, 2, 1])), evenly(range(3, -1, -1))
    (slice(4, None, -2), array([4, 2, 1]), slice(3, None, -1))
    """
    if not len(some):
        return slice(0, 0)
    if isinstance(some, Indices):
        return some.array
    first, last = int(some[0]), int(some[-1])
    step = int(some[1]) - first if len(some) > 1 else 1
    end = last + (1 if step > 0 else -1)
    if not isinstance(some, range) and (
        not step or not np.array_equal(some, np.arange(first, end, step))
    ):
        return some
    return slice(first, end if end >= 0 else None, step if step != 1 else None)
