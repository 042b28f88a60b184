"""Sorted lines of all ranks made one: where to cut them, who gets what, and the merge.

Rules.

1. Each rank has a part of each line, which is sorted. A cut is exact: so many of the elements
   of all ranks are before it. Equal ones are taken in the order of ranks, so blocks are even
   for skewed and for constant keys too.
2. A cut is found by halving. Each rank names the middle of what is left of its part, and the
   weighted median of these is looked up by all. At least a quarter of what is left goes.
3. Elements cross once, in one exchange of pieces.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from graycube.array.sharing import as_bytes
from graycube.run import mpi

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_Array = NDArray[Any]


def cuts_of(lines: _Array, wanted: Sequence[int], comm: "Intracomm") -> NDArray[np.intp]:
    """How many elements of each line, here sorted, are before each cut; collective.

    ``cuts[line, k]`` of them are among the first ``wanted[k]`` of all ranks.

    >>> def program(comm, own):  # the middle of all numbers
    ...     return cuts_of(np.sort(own)[None], [comm.size * len(own) // 2], comm)
    """
    count, length = lines.shape
    low = np.zeros((count, len(wanted)), np.intp)
    high = np.full_like(low, length)
    target = np.asarray(wanted, np.intp)
    open_ones = np.ones(low.shape, bool)
    while open_ones.any():
        pivot, left = _medians(lines, low, high, comm)
        less, most = _places(lines, pivot, "left"), _places(lines, pivot, "right")
        counts = _from_all(np.stack([less, most]), comm)
        before, through = counts.sum(axis=0)
        equal = counts[:, 1] - counts[:, 0]
        earlier = equal[: comm.rank].sum(axis=0)
        taken = less + np.clip(target - before - earlier, 0, equal[comm.rank])
        here = (before <= target) & (target <= through) & left
        low = np.where(open_ones & here, taken, low)
        open_ones &= left & ~here
        high = np.where(open_ones & (target < before), np.minimum(high, less), high)
        low = np.where(open_ones & (target > through), np.maximum(low, most), low)
    return low


def _medians(
    lines: _Array, low: _Array, high: _Array, comm: "Intracomm"
) -> tuple[_Array, NDArray[np.bool_]]:
    """For each cut the weighted median of the middles of all ranks, and where any is left."""
    middle = (low + high) // 2
    own = np.zeros(low.shape, lines.dtype)
    if lines.shape[1]:
        own = np.take_along_axis(lines, np.minimum(middle, lines.shape[1] - 1), axis=1)
    weight, keys = _from_all(high - low, comm), _from_all(own, comm)
    order = np.argsort(keys, axis=0, kind="stable")
    sums = np.cumsum(np.take_along_axis(weight, order, axis=0), axis=0)
    first = np.argmax(2 * sums >= np.maximum(sums[-1], 1), axis=0)[None]
    chosen = np.take_along_axis(order, first, axis=0)
    return np.take_along_axis(keys, chosen, axis=0)[0], sums[-1] > 0


def _places(lines: _Array, pivot: _Array, side: Literal["left", "right"]) -> NDArray[np.intp]:
    return np.array([line.searchsorted(p, side) for line, p in zip(lines, pivot, strict=True)])


def _from_all(own: _Array, comm: "Intracomm") -> _Array:
    """The arrays of all ranks, which have one shape."""
    found = np.empty((comm.size, *own.shape), own.dtype)
    comm.Allgather(as_bytes(np.ascontiguousarray(own)), as_bytes(found))
    return found


def traded(lines: _Array, cuts: NDArray[np.intp], comm: "Intracomm") -> _Array:
    """The lines between cuts, the pieces of all ranks in their order; collective.

    ``cuts[line, k]`` is where the piece for rank k + 1 begins. Every rank gets equally many
    elements of each line.

    >>> def program(comm, own):  # every rank gets its share of a whole, in order
    ...     lines = np.sort(own)[None]
    ...     starts = [len(own) * k for k in range(1, comm.size)]
    ...     return np.sort(traded(lines, cuts_of(lines, starts, comm), comm))
    """
    count, length = lines.shape
    ends = np.hstack([np.zeros((count, 1), np.intp), cuts, np.full((count, 1), length)])
    sizes = np.diff(ends).T.copy()
    coming = np.empty_like(sizes)
    comm.Alltoall(as_bytes(sizes), as_bytes(coming))
    own = lines[0] if count == 1 else np.concatenate(_pieces(lines, ends))
    found = np.empty(coming.sum(), lines.dtype)
    _send(np.ascontiguousarray(own), sizes.sum(axis=1), found, coming.sum(axis=1), comm)
    if count == 1:
        return found[None]
    parts = np.split(found, np.cumsum(coming)[:-1])
    return np.array([np.concatenate(parts[line::count]) for line in range(count)])


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
    comm: "Intracomm",
) -> None:
    width = own.itemsize
    comm.Alltoallv(
        [as_bytes(own)[0], (sizes * width).tolist(), mpi().BYTE],
        [as_bytes(found)[0], (coming * width).tolist(), mpi().BYTE],
    )
