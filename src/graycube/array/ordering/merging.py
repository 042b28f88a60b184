"""Sorted lines of all ranks made one: where to cut them, and who gets what.

Rules.

1. Each rank has a part of each line, which is sorted. A cut is exact: so many of the elements
   of all parts are before it. Equal ones are taken in the order of parts, so blocks are even
   for skewed and for constant keys too.
2. A cut is found by halving. Of each part the middle of what is left is taken, and the
   weighted median of these is looked up in all. At least a quarter of what is left goes.
   Where all parts can be seen, several elements of each are looked up at a time before.
3. Where ranks share memory, each sorts there. All meet, and each finds its own cuts and reads
   what is between them, in whatever order the ranks are. Elsewhere, if there are few elements,
   all go to all ranks, which then do the same: start-ups decide. If there are more, the ranks
   look for cuts together, and elements cross once, in one exchange of pieces. Ranks then have
   the numbers of their places in the row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array.sharing import as_bytes
from graycube.run import mpi
from graycube.run.agreement import different, digest_of
from graycube.run.mpi import Comm
from graycube.run.renumbering import renumbered
from graycube.run.windows import Windows, windows

_Array = NDArray[Any]
_FEW = 1 << 12  # elements that are sorted sooner than cut
_APART = 64  # cuts that are brought near one by one
_NEAR, _PIVOTS = 32, 4  # bounds of a cut, and what is looked up of each part to come near
_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
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
        cuts = cuts_of(parts, places)
        lengths = np.array([part.shape[1] for part in parts])[:, None, None]
        return _next(_elements(parts, cuts), cuts == lengths)

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


def cuts_of(
    parts: Sequence[_Array], wanted: Sequence[int], comm: Comm | None = None
) -> NDArray[np.intp]:
    """How many elements of each line of each part are before each cut; collective with ranks.

    ``cuts[part, line, k]`` of them are among the first ``wanted[k]`` of all parts. Here are all
    parts, or with a communicator the one of this rank.

    >>> cuts_of([np.array([[1, 4, 6]]), np.array([[2, 3, 5]])], [3]).ravel().tolist()
    [1, 2]
    """
    if comm is None and sum(part.size for part in parts) <= _FEW:
        return _cuts_of_few(parts, wanted)
    count = len(parts[0])
    lengths = _from_all(np.array([part.shape[1] for part in parts]), comm)
    first = 0 if comm is None else comm.rank
    here = slice(first, first + len(parts))
    low = np.zeros((len(lengths), count, len(wanted)), np.intp)
    high = low + lengths[:, None, None]
    target = np.asarray(wanted, np.intp)
    if comm is None and low[0].size <= _APART:
        for line, k in np.ndindex(*low.shape[1:]):
            _narrow(
                [part[line] for part in parts], wanted[k], low[:, line, k], high[:, line, k]
            )
    open_ones = np.ones(low.shape[1:], bool)
    while open_ones.any():
        own = _elements(parts, (low + high)[here] // 2)
        pivot, left = _medians(_from_all(own, comm), high - low)
        places = [_places(parts, pivot, side) for side in _SIDES]
        counts = _from_all(np.stack(places, axis=1), comm)
        less, most = counts[:, 0], counts[:, 1]
        before, through = counts.sum(axis=0)
        equal = most - less
        earlier = equal.cumsum(axis=0) - equal
        taken = less + np.clip(target - before - earlier, 0, equal)
        met = (before <= target) & (target <= through) & left
        low = np.where(open_ones & met, taken, low)
        open_ones &= left & ~met
        high = np.where(open_ones & (target < before), np.minimum(high, less), high)
        low = np.where(open_ones & (target > through), np.maximum(low, most), low)
    return low[here]


def _cuts_of_few(parts: Sequence[_Array], wanted: Sequence[int]) -> NDArray[np.intp]:
    """The same by sorting all of them, which takes less than looking for cuts."""
    order = np.argsort(np.concatenate(parts, axis=1), axis=1, kind="stable")
    number = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])[order]
    each = number == np.arange(len(parts))[:, None, None]
    sums = np.zeros((*each.shape[:2], each.shape[2] + 1), np.intp)
    np.cumsum(each, axis=2, out=sums[..., 1:])
    return sums[..., np.asarray(wanted, np.intp)]


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
    cuts = cuts_of([own], places, comm)
    values, gone = _elements([own], cuts), cuts == own.shape[1]
    return _next(_from_all(values, comm), _from_all(gone, comm))


def _next(values: _Array, gone: NDArray[np.bool_]) -> _Array:
    """The least of what comes next in each part, if anything does."""
    first = np.lexsort((values, gone), axis=0)[:1]
    found: _Array = np.take_along_axis(values, first, axis=0)[0]
    return found


def _narrow(parts: Sequence[_Array], target: int, low: _Array, high: _Array) -> None:
    """Bring a cut between bounds that are near, by some elements of each part at a time."""
    span = np.iinfo(np.intp).max
    while _NEAR < (high - low).max() < span:
        span = (high - low).max()
        steps = (low + (high - low) * k // _PIVOTS for k in range(_PIVOTS))
        places = np.array([*steps]).T
        some = [x[at[at < len(x)]] for x, at in zip(parts, places, strict=True)]
        pivots = np.sort(np.concatenate(some))
        less, most = (
            np.array([part.searchsorted(pivots, side) for part in parts]) for side in _SIDES
        )
        through = int(most.sum(axis=0).searchsorted(target, "right"))
        before = int(less.sum(axis=0).searchsorted(target))
        if through:  # what is up to this pivot is before the cut
            np.maximum(low, most[:, through - 1], out=low)
        if before < len(pivots):  # what is from this pivot on is not
            np.minimum(high, less[:, before], out=high)


def _elements(parts: Sequence[_Array], places: NDArray[np.intp]) -> _Array:
    """The elements at some places of each part, or anything where a part has none."""
    own = np.zeros(places.shape, parts[0].dtype)
    for part, at, made in zip(parts, places, own, strict=True):
        if part.shape[1]:
            made[...] = np.take_along_axis(part, np.minimum(at, part.shape[1] - 1), axis=1)
    return own


def _medians(keys: _Array, weight: NDArray[np.intp]) -> tuple[_Array, NDArray[np.bool_]]:
    """For each cut the weighted median of the keys of all parts, and where any is left."""
    order = np.argsort(keys, axis=0, kind="stable")
    sums = np.cumsum(np.take_along_axis(weight, order, axis=0), axis=0)
    first = np.argmax(2 * sums >= np.maximum(sums[-1], 1), axis=0)[None]
    chosen = np.take_along_axis(order, first, axis=0)
    return np.take_along_axis(keys, chosen, axis=0)[0], sums[-1] > 0


def _places(
    parts: Sequence[_Array], pivot: _Array, side: Literal["left", "right"]
) -> NDArray[np.intp]:
    return np.array(
        [
            [line.searchsorted(p, side) for line, p in zip(part, pivot, strict=True)]
            for part in parts
        ]
    )


def _from_all(own: _Array, comm: Comm | None) -> _Array:
    """What all parts have, which are here, or one on each rank."""
    if comm is None:
        return own
    found = np.empty((comm.size, *own.shape[1:]), own.dtype)
    comm.Allgather(as_bytes(np.ascontiguousarray(own)), as_bytes(found))
    return found


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
    found = np.empty(coming.sum(), lines.dtype)
    _send(np.ascontiguousarray(own), sizes.sum(axis=1), found, coming.sum(axis=1), comm)
    parts = np.split(found, np.cumsum(coming)[:-1])
    return [parts[line::count] for line in range(count)]


def _pieces(lines: _Array, ends: NDArray[np.intp]) -> list[_Array]:
    """What goes to each rank, line after line."""
    each = range(ends.shape[1] - 1)
    count = range(len(lines))
    return [lines[line, ends[line, k] : ends[line, k + 1]] for k in each for line in count]


def _send(
    own: _Array,
    sizes: NDArray[np.intp],
    found: _Array,
    coming: NDArray[np.intp],
    comm: Comm,
) -> None:
    width = own.itemsize
    comm.Alltoallv(
        [as_bytes(own)[0], (sizes * width).tolist(), mpi().BYTE],
        [as_bytes(found)[0], (coming * width).tolist(), mpi().BYTE],
    )
