"""How to write to memory that another rank has read.

Rules.

1. A store to a line of cache that another processor has read waits until that one lets it go,
   and few stores wait at the same time. Between processors without a cache in common this took
   9 ns a line, and was a third of a small transform. To fill or copy memory in bulk took 1.5 ns
   a line, for nobody asks what was there; then the lines are here, and stores do not wait.
2. So a block is cleared before a transform writes to it. Where processors share a cache, that
   is 2 to 4 percent of a small transform for nothing. Only long runs are filled in bulk; and
   where blocks of all ranks are too large for the caches, nobody holds their lines any more.
3. Above the size of a cache, C libraries copy with ordinary stores: so copies are in pieces.

``benchmarks/stores.py`` measures both.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CACHED, _RUN, _PIECE = 1 << 23, 1 << 12, 1 << 19
"""Bytes: of all blocks together and of a run, to be cleared; and of a piece to copy."""
Call = Callable[[], object]


def clearing(block: NDArray[Any], ranks: int) -> tuple[Call, ...]:
    """What to call before a rank writes its block of shared memory; what it held is lost.

    >>> block = np.ones((4, 1024), complex)
    >>> _ = [call() for call in clearing(block, 2)]
    >>> block.any(), clearing(block[:, :128], 2), clearing(block, 1000)
    (np.False_, (), ())
    """
    run = block.itemsize
    for size, step in zip(block.shape[::-1], block.strides[::-1], strict=True):
        if step == run:
            run *= size
    if run < _RUN or block.nbytes * ranks > _CACHED:
        return ()
    return (partial(block.view(np.uint8).fill, 0),)


def in_bulk(target: NDArray[Any], source: NDArray[Any]) -> Call:
    """What copies an array to another one of its shape.

    >>> source, target = np.arange(1 << 17), np.zeros(1 << 17, int)
    >>> in_bulk(target, source)()
    >>> (target == source).all()
    np.True_
    """
    both = target, source
    alike = (target.shape, target.dtype) == (source.shape, source.dtype)
    whole = all(x.flags.c_contiguous for x in both)
    if not (alike and whole) or target.nbytes <= _PIECE:
        return partial(np.copyto, target, source)
    to, of = (x.reshape(-1).view(np.uint8) for x in both)
    cuts = [slice(k, k + _PIECE) for k in range(0, len(to), _PIECE)]
    pieces = [(to[cut], of[cut]) for cut in cuts]

    def copy() -> None:
        for there, here in pieces:
            np.copyto(there, here)

    return copy
