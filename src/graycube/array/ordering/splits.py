"""Merge-splits: nodes trade whole sorted parts until these are in order.

Rules.

1. It is Batcher's bitonic network with parts for elements. In each of n (n + 1) / 2 rounds two
   nodes trade their parts. One keeps the lower half of both, the other the upper half. A
   network that sorts elements sorts parts of equal length too.
2. In binary code the two are always neighbours in the cube, and half of all merges go down. In
   Gray code a part and its mirror image are on neighbours. So each merge begins with these;
   then all merges go up, and the others of a pair are at most two hops away.
3. Both of a pair cut at the same place, where of equal keys those of the lower half's node come
   first. So no key is lost. But this order is not that of indices: an equal key may have come
   from further behind before. So this is for keys alone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.ordering.cuts import cuts_of
from graycube.array.ordering.in_order import merged
from graycube.array.ordering.merging import InARow
from graycube.array.sharing import swapped
from graycube.run.mpi import Comm

_Array = NDArray[Any]


def rounds(n: int, *, gray: bool) -> Iterator[tuple[int, int, int]]:
    """Of each round how the places of a pair differ, and two bits: who is low has them equal.

    >>> [change for change, *_ in rounds(2, gray=False)]
    [1, 2, 1]
    >>> [change for change, *_ in rounds(3, gray=True)]
    [1, 3, 1, 7, 2, 1]
    """
    for size in range(1, n + 1):
        for bit in reversed(range(size)):
            mirrored = gray and bit == size - 1
            yield (2 << bit) - 1 if mirrored else 1 << bit, bit, n if gray else size


def merge_split(lines: _Array, row: InARow, comm: Comm) -> _Array:
    """The part of this rank of each line, once all are sorted; collective.

    The parts are sorted and of equal length, over 2^n ranks in binary or Gray code.

    >>> def program(comm, own):  # as many keys on all ranks
    ...     ends = tuple(range(0, len(own) * comm.size + 1, len(own)))
    ...     return merge_split(np.sort(own)[None], InARow((0, 1, 3, 2), ends), comm)
    """
    place, n = row.ranks.index(comm.rank), len(row.ranks).bit_length() - 1
    gray = row.ranks != (*range(1 << n),)
    for change, bit, turned in rounds(n, gray=gray):
        other = swapped(lines, row.ranks[place ^ change], comm, "a sort")
        low = place >> bit & 1 == place >> turned & 1
        lines = _half(lines, other, low=low)
    return lines


def _half(own: _Array, other: _Array, *, low: bool) -> _Array:
    """The lower or the upper half of two parts: the upper one is what the other node leaves."""
    pair = (own, other) if low else (other, own)
    cuts = cuts_of(pair, [own.shape[1]])[..., 0].T.tolist()
    found = np.empty_like(own)
    for k, ends in enumerate(cuts):
        each = [part[k] for part in pair]
        kept = [x[:end] if low else x[end:] for x, end in zip(each, ends, strict=True)]
        merged(kept, found[k])
    return found
