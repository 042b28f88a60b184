"""Memory for results, used again once nobody holds the array that had it.

To get pages from the system, and give them back, takes longer than many a transform. So a rank
keeps a few blocks that came back. They come back when the last view of an array is gone: what
anybody can still see is never written to.
"""

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.run.mpi import Private

if TYPE_CHECKING:
    from collections.abc import Sequence

_Memory = NDArray[np.uint8]
MOST = 4
"""So many blocks are kept by a rank, for each communicator."""
_LARGE = 1 << 16  # bytes: below, the allocator keeps them itself
_SPARE = 2  # a block is not used for an array less than half as large


class Lent:
    """Memory that an array has; it goes back to a shelf with the last view of that.

    >>> shelf = []
    >>> x = np.asarray(Lent(np.zeros(8, np.uint8), shelf))
    >>> y = x[2:]
    >>> del x
    >>> len(shelf)
    0
    >>> del y
    >>> len(shelf)
    1
    """

    __slots__ = ("__array_interface__", "_memory", "_shelf")

    def __init__(self, memory: _Memory, shelf: list[_Memory]) -> None:
        self._memory, self._shelf = memory, shelf
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        self._shelf.append(self._memory)
        if len(self._shelf) > MOST:
            self._shelf.pop(0)


def lent(known: Private, shape: "Sequence[int]", dtype: DTypeLike) -> NDArray[Any]:
    """An array that holds nothing yet, for a communicator and as long as anybody wants it.

    >>> lent(Private(None), (2, 3), float).shape
    (2, 3)
    """
    kind = np.dtype(dtype)
    nbytes = kind.itemsize * prod(shape)
    if nbytes < _LARGE:
        return np.empty(shape, kind)
    shelf: list[_Memory] = known.remembered("lent", list, 1, "lent")
    latest = reversed(range(len(shelf)))  # which may still be in a cache
    fitting = (k for k in latest if nbytes <= len(shelf[k]) <= _SPARE * nbytes)
    found = next(fitting, None)
    memory = np.empty(nbytes, np.uint8) if found is None else shelf.pop(found)
    return np.asarray(Lent(memory, shelf))[:nbytes].view(kind).reshape(shape)
