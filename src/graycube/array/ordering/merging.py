"""Sorted lines of all ranks made one: who gets what.

Each rank has a part of each line, which is sorted. Where ranks share memory, each sorts there.
All meet, and each finds its own cuts (:mod:`graycube.array.ordering.cuts`) and reads what is
between them, in whatever order the ranks are. Elsewhere, if there are few elements, all go to
all ranks, which then do the same: start-ups decide. If there are more, the ranks look for cuts
together, and elements cross once, in one exchange of pieces. Ranks then have the numbers of
their places in the row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array.ordering.cuts import after, cuts_of
from graycube.array.sharing import as_bytes, rows_traded
from graycube.run import mpi
from graycube.run.agreement import different, digest_of
from graycube.run.mpi import Comm
from graycube.run.renumbering import renumbered
from graycube.run.windows import Windows, windows

_Array = NDArray[Any]
SMALL = 1 << 22
"""Bytes of all lines up to which all ranks get all of them."""
_EVEN = 64  # bytes, at multiples of which arrays begin


@dataclass(frozen=True, slots=True)
class InARow:
    """The ranks in the order of their blocks, and where these end, after a 0.

    >>> InARow((0, 1, 3, 2), (0, 3, 6, 9, 10)).sizes
    [3, 3, 3, 1]
    """

    ranks: tuple[int, ...]
    ends: tuple[int, ...]

    @property
    def sizes(self) -> list[int]:
        """How many elements of a line each has, in this order."""
        return [end - start for start, end in pairwise(self.ends)]


class SortedParts:
    """Lines that are spread over ranks: each fills its ``own``, and gets pieces of all.

    There is an array for each dtype, of one row a line. The first one has the keys, which are
    sorted when :meth:`pieces` is called; the others have what belongs to each key.

    >>> def program(comm, own, row):  # the lines of this rank, all of whose keys differ
    ...     parts = SortedParts(row, len(own), [own.dtype], comm)
    ...     parts.own[0][...] = np.sort(own, axis=1)
    ...     return [np.sort(np.concatenate(keys)) for (keys,) in parts.pieces()]
    """

    def __init__(
        self, row: InARow, count: int, dtypes: Sequence[DTypeLike], comm: Comm
    ) -> None:
        self._row, self._comm = row, comm
        self._place = row.ranks.index(comm.rank)
        kinds = [np.dtype(kind) for kind in dtypes]
        room = comm.size * sum(_room(row, count, kind) for kind in kinds)
        self._shared, self._buffer = _with_room(room, comm), None
        if self._shared is not None:
            self._buffer = self._shared.buffers[self._shared.turn]
        else:  # messages, in the order of the row
            self._comm = renumbered(comm, [row.ranks.index(rank) for rank in range(comm.size)])
            if room <= SMALL:
                self._buffer = np.empty(room, np.uint8)
        if self._buffer is None:
            shape = count, row.sizes[self._place]
            self.own = [np.empty(shape, kind) for kind in kinds]
        else:
            self._all = _seen(self._buffer, row, count, kinds)
            self.own = self._all[self._place]

    def pieces(self) -> Iterator[list[list[_Array]]]:
        """Of each line and array the pieces that belong to this rank, in order; collective.

        They may be gone after the next meeting of the ranks.
        """
        keys, ends = self.own[0], self._row.ends
        if self._buffer is None:
            cuts = cuts_of([keys], ends[1:-1], self._comm)[0]
            arrays = [traded(array, cuts, self._comm) for array in self.own]
            yield from map(list, zip(*arrays, strict=True))
            return
        self._meet()
        wanted = ends[self._place : self._place + 2]
        cuts = cuts_of([arrays[0] for arrays in self._all], wanted)
        for line in range(len(keys)):
            bounds = cuts[:, line].tolist()
            yield [
                [array[line, low:high] for array, (low, high) in zip(each, bounds, strict=True)]
                for each in zip(*self._all, strict=True)
            ]

    def at(self, places: Sequence[int]) -> _Array:
        """The keys with some places in the order of each line; collective. All can be seen.

        >>> def program(comm, own, row):  # the least of all, on every rank
        ...     parts = SortedParts(row, 1, [own.dtype], comm)
        ...     parts.own[0][...] = np.sort(own)
        ...     return parts.at([0])[0, 0]
        """
        parts = [arrays[0] for arrays in self._all]
        self._meet()
        return after(parts, cuts_of(parts, places))

    def _meet(self) -> None:
        """All parts can be seen afterwards."""
        facts = {"merge": "sorted parts", "ends": self._row.ends}
        if self._shared is None:
            self._comm.Allgather(mpi().IN_PLACE, [self._buffer, mpi().BYTE])
        elif not self._shared.meet((0, *digest_of(facts))):
            raise different(self._shared.comm, facts)


def _with_room(room: int, comm: Comm) -> Windows | None:
    """What the ranks share, if it has room for all lines."""
    shared = windows(comm)
    return shared if shared is not None and shared.reserve(room) else None


def _room(row: InARow, count: int, kind: "np.dtype[Any]") -> int:
    """Bytes that an array of the lines of any rank takes."""
    return padded(count * max(row.sizes) * kind.itemsize)


def padded(nbytes: int) -> int:
    """How many bytes are kept, or sent, for so many.

    >>> padded(100)
    128
    """
    return -(-nbytes // _EVEN) * _EVEN


def _seen(
    buffer: _Array, row: InARow, count: int, kinds: Sequence["np.dtype[Any]"]
) -> list[list[_Array]]:
    """The arrays of each rank in a buffer, the ranks in a row."""
    found, start = list[list[_Array]](), 0
    for size in row.sizes:
        own = []
        for kind in kinds:
            raw = buffer[start : start + count * size * kind.itemsize]
            own.append(raw.view(kind).reshape(count, size))
            start += _room(row, count, kind)
        found.append(own)
    return found


def elements_at(lines: _Array, places: Sequence[int], comm: Comm) -> _Array:
    """The elements with some places in the order of each line; collective.

    This rank has a part of each line, in any order and of any length.

    >>> def program(comm, own):  # the least of all, on every rank
    ...     return elements_at(own[None], [0], comm)[0, 0]
    """
    sizes = comm.allgather(lines.shape[1])
    row = InARow((*range(comm.size),), (*np.cumsum([0, *sizes]).tolist(),))
    if comm.size * _room(row, len(lines), lines.dtype) <= SMALL:
        parts = SortedParts(row, len(lines), [lines.dtype], comm)
        (own,) = parts.own
        own[...] = lines
        own.sort(axis=1)
        return parts.at(places)
    own = np.sort(lines, axis=1)
    return after([own], cuts_of([own], places, comm), comm)


def traded(lines: _Array, cuts: NDArray[np.intp], comm: Comm) -> list[list[_Array]]:
    """Of each line the pieces between cuts, those of all ranks in their order; collective.

    ``cuts[line, k]`` is where the piece for rank k + 1 begins.

    >>> def program(comm, own):  # every rank gets its share of a whole, in order
    ...     lines = np.sort(own)[None]
    ...     starts = [len(own) * k for k in range(1, comm.size)]
    ...     (pieces,) = traded(lines, cuts_of([lines], starts, comm)[0], comm)
    ...     return np.sort(np.concatenate(pieces))
    """
    count, length = lines.shape
    ends = np.hstack([np.zeros((count, 1), np.intp), cuts, np.full((count, 1), length)])
    sizes = np.diff(ends).T.copy()
    coming = np.empty_like(sizes)
    comm.Alltoall(as_bytes(sizes), as_bytes(coming))
    own = lines[0] if count == 1 else np.concatenate(_pieces(lines, ends))
    found = rows_traded(own, sizes.sum(axis=1), coming.sum(axis=1), comm)
    parts = np.split(found, np.cumsum(coming)[:-1])
    return [parts[line::count] for line in range(count)]


def _pieces(lines: _Array, ends: NDArray[np.intp]) -> list[_Array]:
    """What goes to each rank, line after line."""
    each = range(ends.shape[1] - 1)
    count = range(len(lines))
    return [lines[line, ends[line, k] : ends[line, k + 1]] for k in each for line in count]
