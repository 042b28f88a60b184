"""Everything straight to where it belongs: by memory that all ranks see, or by messages.

By memory each rank writes its block, all meet, and each reads its result from where the data
are: one pass, and nothing is packed.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.run.agreement import Told, different, no_way_back
from graycube.run.execution import Execution, in_words
from graycube.run.fetch import KEPT, Fetch
from graycube.run.script import Script
from graycube.run.stores import in_bulk
from graycube.run.windows import Windows, windows

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_Blocks = NDArray[Any]
_NAME = "a redistribution"


def redistribution(
    fetch: Callable[[], Fetch],
    script: Callable[[], Script],
    comm: "Intracomm",
    block: _Blocks,
    result: _Blocks,
) -> _Blocks:
    """The result, a new array in C order, of a block; collective, once the ranks are agreed.

    >>> from graycube.gf2 import AffineMap, Matrix
    >>> from graycube.run.fetch import fetch
    >>> swap = AffineMap(Matrix.permutation([1, 0]))
    >>> def program(comm, script, block):  # on two ranks
    ...     seen = lambda: fetch(swap, 1, comm.rank)
    ...     return redistribution(seen, script, comm, block, np.empty_like(block))
    """
    shared = windows(comm)
    if shared is not None and block.nbytes and shared.reserve(comm.size * block.nbytes):
        return _by_memory(shared, fetch(), block, result)
    bound = Execution(script(), comm, block, result, _NAME)
    try:
        return bound.run()
    finally:
        bound.free()


def _by_memory(shared: Windows, fetch: Fetch, block: _Blocks, result: _Blocks) -> _Blocks:
    facts = _told(block.nbytes)
    with no_way_back(_doing):
        whole = _written(shared, fetch, block)
    if fetch.crosses and not shared.meet((0, *facts.digest)):
        raise different(shared.comm, facts)
    with no_way_back(_doing):
        fetch.into(in_words(result, result.nbytes * fetch.rows // block.nbytes), whole)
    return result


def _written(shared: Windows, fetch: Fetch, block: _Blocks) -> _Blocks:
    """The rows to read from, with the block among them."""
    if not fetch.crosses:
        return in_words(np.ascontiguousarray(block), fetch.rows)
    buffer = shared.buffers[shared.turn][: shared.comm.size * block.nbytes]
    start = fetch.position * block.nbytes
    own = buffer[start : start + block.nbytes].view(block.dtype).reshape(block.shape)
    in_bulk(own, block)()
    return in_words(buffer, shared.comm.size * fetch.rows)


@lru_cache(maxsize=KEPT)
def _told(nbytes: int) -> Told:
    """What all ranks must have alike when they meet."""
    return Told({"redistribution": _NAME, "bytes": nbytes})


def _doing() -> str:
    return _NAME
