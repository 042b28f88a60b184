"""Where lines that are spread over ranks are cut, so that so many elements are before it.

Rules.

1. Each part of a line is sorted. A cut is exact: equal elements are taken in the order of
   parts, so blocks are even for skewed and for constant keys too.
2. A cut is found by halving. Of each part the middle of what is left is taken, and the
   weighted median of these is looked up in all. At least a quarter of what is left goes.
   Where all parts can be seen, several elements of each are looked up at a time before; and
   few elements are sorted.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from graycube.array.sharing import as_bytes
from graycube.run.mpi import Comm

_Array = NDArray[Any]
_FEW = 1 << 12  # elements that are sorted sooner than cut
_APART = 64  # cuts that are brought near one by one
_NEAR, _PIVOTS = 32, 4  # bounds of a cut, and what is looked up of each part to come near
_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


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


def after(parts: Sequence[_Array], cuts: NDArray[np.intp], comm: Comm | None = None) -> _Array:
    """The first of all elements after each cut, which is not the last; collective with ranks.

    >>> parts = [np.array([[1, 4, 6]]), np.array([[2, 3, 5]])]
    >>> after(parts, cuts_of(parts, [3]))
    array([[4]])
    """
    values = _from_all(_elements(parts, cuts), comm)
    gone = [at == part.shape[1] for part, at in zip(parts, cuts, strict=True)]
    first = np.lexsort((values, _from_all(np.array(gone), comm)), axis=0)[:1]
    found: _Array = np.take_along_axis(values, first, axis=0)[0]
    return found


def _cuts_of_few(parts: Sequence[_Array], wanted: Sequence[int]) -> NDArray[np.intp]:
    """The same by sorting all of them, which takes less than looking for cuts."""
    order = np.argsort(np.concatenate(parts, axis=1), axis=1, kind="stable")
    number = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])[order]
    each = number == np.arange(len(parts))[:, None, None]
    sums = np.zeros((*each.shape[:2], each.shape[2] + 1), np.intp)
    np.cumsum(each, axis=2, out=sums[..., 1:])
    return sums[..., np.asarray(wanted, np.intp)]


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
