"""Memory for results, used again once nobody holds the array that had it.

To get pages from the system, and give them back, takes longer than many a transform, and so
does making what writes into them. So a rank keeps a few blocks that it lent, each with what
was made for it. A block is lent again when the last view of an array is gone: what anybody can
still see is never written to. What arithmetic makes has memory like this, too, of a shelf that
the whole process has.

Blocks are ``[node, slot, *components]``. Their components may lie *apart*, one after the other:
each of them is contiguous then, as NumPy's loops like it.
"""

from collections.abc import Callable, Hashable
from functools import cache, partial
from math import prod
from sys import getrefcount
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.run.mpi import Private

if TYPE_CHECKING:
    from collections.abc import Sequence

_T = TypeVar("_T")
MOST = 4
"""So many blocks are kept by a rank, for each communicator, and as many small ones."""
LARGE = 1 << 16
"""Bytes of arrays whose memory is worth keeping."""
_ROOM = 1 << 27  # bytes of blocks on a shelf, but for the latest one
_SPARE = 2  # a block is not used for an array less than half as large
_SLOTS = 2  # axes of blocks before those of components
_MADE = 8  # so much is kept of what was made for a block


class _Door:
    """Memory seen by another array; views of that hold the array, and no array below it."""

    __slots__ = ("__array_interface__", "_room")

    def __init__(self, room: NDArray[Any]) -> None:
        self._room, self.__array_interface__ = room, room.__array_interface__


class Memory:
    """A block of memory that is lent again and again.

    >>> memory = Memory(8)
    >>> nobody = memory.holders()
    >>> x = memory.lent((2,), np.dtype("f4"))
    >>> part = x[1:]
    >>> del x
    >>> memory.holders() == nobody
    False
    >>> del part
    >>> memory.holders() == nobody
    True
    """

    __slots__ = ("__weakref__", "_door", "nbytes", "room")

    def __init__(self, nbytes: int) -> None:
        self.nbytes, self.room = nbytes, np.empty(nbytes, np.uint8)
        self._door: NDArray[Any] = np.asarray(_Door(self.room))

    def lent(self, shape: "Sequence[int]", kind: "np.dtype[Any]") -> NDArray[Any]:
        """An array at the start of the block."""
        return np.ndarray(shape, kind, self._door)

    def holders(self) -> int:
        """How many hold the block: views of what was lent, and some that always do."""
        return getrefcount(self._door)


_NOBODY = Memory(0).holders()
"""So many hold a block of which no view is left."""


class Shelf:
    """Blocks that were lent, the latest last; those before are given up if there are many.

    Threads share it. So the list changes by single calls only, which nothing interrupts, and
    never by positions looked up. Who lends a block takes it from the list, and puts it back
    when there is an array that holds it.

    >>> shelf = Shelf(most=2)
    >>> for nbytes in (8, 16, 24):
    ...     shelf.put(Memory(nbytes))
    >>> [memory.room.nbytes for memory in shelf.blocks]
    [16, 24]
    """

    __slots__ = ("_large", "_room", "blocks", "most")

    def __init__(self, most: int) -> None:
        self.blocks: list[Memory] = []
        self.most, self._room, self._large = most, _ROOM, False

    def put(self, memory: Memory) -> None:
        """Keep a block, and give up the first ones where that is too much."""
        self.blocks.append(memory)
        self._large = self._large or self._is_large(memory)
        if len(self.blocks) <= self.most and not self._large:
            return
        kept = nbytes = 0
        for each in reversed((*self.blocks,)):
            nbytes += each.nbytes
            if kept and (kept == self.most or nbytes > self._room):
                break
            kept += 1
        del self.blocks[:-kept]
        self._large = any(map(self._is_large, self.blocks))

    def _is_large(self, memory: Memory) -> bool:
        """Whether so many like this may be too much."""
        return memory.nbytes * self.most > self._room

    def taken(self, nbytes: int) -> Memory:
        """The latest block that fits and is free, which may be in a cache, or a new one."""
        for memory in reversed((*self.blocks,)):
            if nbytes <= memory.nbytes <= _SPARE * nbytes and memory.holders() == _NOBODY:
                try:
                    self.blocks.remove(memory)
                except ValueError:  # somebody else has it now
                    continue
                if memory.holders() == _NOBODY:
                    return memory
                self.put(memory)  # somebody else had it, and put it back
        return Memory(nbytes)


_SHELF = Shelf(4 * MOST)
"""That of the whole process."""


def apart(x: NDArray[Any]) -> bool:
    """Whether blocks have components that lie apart.

    >>> apart(np.zeros((1, 2, 3))), apart(np.zeros((3, 1, 2)).transpose(1, 2, 0))
    (False, True)
    """
    if x.ndim <= _SLOTS or x.flags.c_contiguous:
        return False
    return components_first(x).flags.c_contiguous


def components_first(x: NDArray[Any]) -> NDArray[Any]:
    """Blocks with their components as the first axes.

    >>> components_first(np.zeros((1, 2, 3))).shape
    (3, 1, 2)
    """
    return x.transpose(_components_first(x.ndim))


def components_last(x: NDArray[Any]) -> NDArray[Any]:
    """Blocks again, whose components are the first axes.

    >>> components_last(np.zeros((3, 1, 2))).shape
    (1, 2, 3)
    """
    return x.transpose(_components_last(x.ndim))


@cache
def _components_first(count: int) -> tuple[int, ...]:
    return (*range(_SLOTS, count), *range(_SLOTS))


@cache
def _components_last(count: int) -> tuple[int, ...]:
    return (*range(count - _SLOTS, count), *range(count - _SLOTS))


def reused(
    shape: "Sequence[int]", dtype: DTypeLike, like: NDArray[Any] | None = None
) -> NDArray[Any]:
    """An array that holds nothing yet, as ``numpy.empty``; a large one in memory used before.

    Its components lie apart if those of the array do that it is ``like``.

    >>> x = reused((1 << 16,), float)
    >>> place = x.ctypes.data
    >>> del x
    >>> reused((1 << 15,), complex).ctypes.data == place
    True
    """
    if like is not None and apart(like):
        return components_last(reused((*shape[_SLOTS:], *shape[:_SLOTS]), dtype))
    kind = np.dtype(dtype)
    nbytes = kind.itemsize * prod(shape)
    if nbytes < LARGE or kind.kind not in "biufc":
        return np.empty(shape, kind)
    memory = _SHELF.taken(nbytes)
    array = memory.lent(shape, kind)
    _SHELF.put(memory)
    return array


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
    shelf, every = known.remembered(nbytes < LARGE, _shelf, 2, "lent")
    memory = shelf.taken(nbytes)
    kept: dict[Hashable, _T] = every.setdefault(memory, {})
    if key not in kept:
        if len(kept) == _MADE:
            kept.clear()
        kept[key] = make(memory.room[:nbytes].view(kind).reshape(shape))
    array = memory.lent(shape, kind)
    shelf.put(memory)
    return array, kept[key]


class _Owned:
    """What was made for objects, whatever equals them, as long as they are there."""

    def __init__(self) -> None:
        self.kept: dict[int, tuple[ref[object], dict[Hashable, Any]]] = {}

    def of(self, owner: object) -> dict[Hashable, Any]:
        """What was made for one."""
        found = self.kept.get(id(owner))
        if found is None:
            end = partial(_Owned._gone, ref(self), id(owner))
            self.kept[id(owner)] = found = ref(owner, end), {}
        return found[1]

    @staticmethod
    def _gone(own: "ref[_Owned]", key: int, _owner: object) -> None:
        there = own()
        if there is not None:
            del there.kept[key]


def kept_with(known: Private, owner: object, key: Hashable, make: Callable[[], _T]) -> _T:
    """What was made for a key, for a communicator and as long as there is the owner.

    It must not keep the owner itself.

    >>> known, owner = Private(None), Memory(8)
    >>> [kept_with(known, owner, "a number", iter([1, 2]).__next__) for _ in range(2)]
    [1, 1]
    """
    kept = known.remembered("owned", _Owned, 1, "owned").of(owner)
    if key not in kept:
        if len(kept) == _MADE:
            kept.clear()
        kept[key] = make()
    found: _T = kept[key]
    return found


def _shelf() -> tuple[Shelf, "WeakKeyDictionary[Memory, Any]"]:
    """Blocks that were lent, and what was made for blocks, wherever they are.

    An array may outlive its communicator, but what was made for its memory may not.
    """
    return Shelf(MOST), WeakKeyDictionary()
