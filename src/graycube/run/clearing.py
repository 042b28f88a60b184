"""Shared memory that others have read is cleared before a rank writes it again.

Rules.

1. A store to a line of cache that another processor has read waits until that one lets it go,
   and few stores wait at the same time. Between processors without a cache in common this took
   9 ns a line, and was a third of a small transform. To fill memory in bulk took 1.5 ns a line,
   for nobody asks what was there; then the lines are here, and stores do not wait. Where
   processors share a cache it is 2 to 4 percent of a small transform, for nothing
   (``benchmarks/clearing.py``).
2. Only long runs are filled in bulk; and where the blocks of all ranks are too large for the
   caches, nobody holds their lines any more.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CACHED, _RUN = 1 << 23, 1 << 12
"""Bytes: the most of all ranks together, and the least that follow each other."""


def clearing(block: NDArray[Any], ranks: int) -> tuple[Callable[[], object], ...]:
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
