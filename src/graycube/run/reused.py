"""Memory for results, used again once nobody holds the array that had it.

To get pages from the system, and give them back, takes longer than many a transform, and so
does making what writes into them. So a rank keeps a few blocks that came back, each with what
was made for it. They come back when the last view of an array is gone: what anybody can still
see is never written to.
"""

from collections.abc import Callable, Hashable
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.run.mpi import Private

if TYPE_CHECKING:
    from collections.abc import Sequence

_T = TypeVar("_T")
MOST = 4
"""So many blocks are kept by a rank, for each communicator, and as many small ones."""
_LARGE = 1 << 16  # bytes
_SPARE = 2  # a block is not used for an array less than half as large
_MADE = 8  # so much is kept of what was made for a block


class Memory:
    """A block of memory that is lent again and again.

    >>> Memory(8).room.nbytes
    8
    """

    __slots__ = ("__weakref__", "room")

    def __init__(self, nbytes: int) -> None:
        self.room = np.empty(nbytes, np.uint8)


class Lent:
    """Memory that an array has; it goes back to a shelf with the last view of that.

    >>> memory, shelf = Memory(8), []
    >>> x = np.asarray(Lent(memory, memory.room.__array_interface__, shelf))
    >>> y = x[2:]
    >>> del x
    >>> len(shelf)
    0
    >>> del y
    >>> len(shelf)
    1
    """

    __slots__ = ("__array_interface__", "_memory", "_shelf")

    def __init__(self, memory: Memory, where: dict[str, Any], shelf: list[Memory]) -> None:
        self._memory, self._shelf = memory, shelf
        self.__array_interface__ = where

    def __del__(self) -> None:
        self._shelf.append(self._memory)
        if len(self._shelf) > MOST:
            self._shelf.pop(0)


def lent(
    known: Private,
    shape: "Sequence[int]",
    dtype: DTypeLike,
    key: Hashable,
    make: Callable[[NDArray[Any]], _T],
) -> tuple[NDArray[Any], _T]:
    """An array that holds nothing yet, for a communicator and as long as anybody wants it.

    With it comes what is made for its memory, or was made for it and the same key before. That
    must keep the array that it is given, and no other: the one that is lent has to come back.

    >>> known = Private(None)
    >>> array, target = lent(known, (2, 3), float, "itself", lambda target: target)
    >>> array.shape, np.may_share_memory(array, target)
    ((2, 3), True)
    """
    kind = np.dtype(dtype)
    nbytes = kind.itemsize * prod(shape)
    shelf, every = known.remembered(nbytes < _LARGE, _shelf, 2, "lent")
    memory = _taken(shelf, nbytes) or Memory(nbytes)
    kept: dict[Hashable, tuple[dict[str, Any], _T]]
    kept = every.setdefault(memory, {})
    found = kept.get(key)
    if found is None:
        if len(kept) == _MADE:
            kept.clear()
        target = memory.room[:nbytes].view(kind).reshape(shape)
        kept[key] = found = target.__array_interface__, make(target)
    where, made = found
    return np.asarray(Lent(memory, where, shelf)), made


def _shelf() -> tuple[list[Memory], "WeakKeyDictionary[Memory, Any]"]:
    """Blocks that came back, and what was made for blocks, wherever they are.

    An array may outlive its communicator, but what was made for its memory may not.
    """
    return [], WeakKeyDictionary()


def _taken(shelf: list[Memory], nbytes: int) -> Memory | None:
    """The latest block that fits, which may still be in a cache."""
    for k in reversed(range(len(shelf))):
        if nbytes <= shelf[k].room.nbytes <= _SPARE * nbytes:
            return shelf.pop(k)
    return None
