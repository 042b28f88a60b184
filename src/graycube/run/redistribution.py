"""Everything straight to where it belongs: by memory that all ranks see, or by messages.

By memory each rank writes its block, all meet, and each reads its result from where the data
are: one pass, and nothing is packed.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.run.agreement import Told, different, no_way_back
from graycube.run.execution import Execution, in_words
from graycube.run.fetch import KEPT, Fetch
from graycube.run.script import Script
from graycube.run.stores import Call, in_bulk
from graycube.run.windows import Windows, windows

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_Blocks = NDArray[Any]


class Ready(Protocol):
    """What is bound to arrays, and can be run again and again.

    >>> Ready.__name__
    'Ready'
    """

    def run(self) -> _Blocks:
        """Do it on what is in the arrays now; collective."""

    def free(self) -> None:
        """Give back what it needs."""


def redistribution(  # noqa: PLR0913, PLR0917 - two ways, from where to where
    fetch: Callable[[], Fetch],
    script: Callable[[], Script],
    comm: "Intracomm",
    block: _Blocks,
    result: _Blocks,
    name: str = "a redistribution",
) -> Ready:
    """One from a block to a result, bound to both; collective, once the ranks are agreed.

    >>> from graycube.gf2 import AffineMap, Matrix
    >>> from graycube.run.fetch import fetch
    >>> swap = AffineMap(Matrix.permutation([1, 0]))
    >>> def program(comm, script, block, result):  # on two ranks
    ...     seen = lambda: fetch(swap, 1, comm.rank)
    ...     return redistribution(seen, script, comm, block, result).run()
    """
    shared = windows(comm)
    if shared is not None and block.nbytes and shared.reserve(comm.size * block.nbytes):
        return Redistribution(shared, fetch(), block, result, name)
    return Execution(script(), comm, block, result, name)


@lru_cache(maxsize=KEPT)
def _told(name: str, nbytes: int) -> Told:
    """What all ranks must have alike when they meet."""
    return Told({"redistribution": name, "bytes": nbytes})


class Redistribution:
    """A redistribution by memory, on one block and one result.

    >>> def program(shared, fetch, block, result):  # on all ranks, once they are agreed
    ...     return Redistribution(shared, fetch, block, result, "a test").run()
    """

    def __init__(
        self, shared: Windows, fetch: Fetch, block: _Blocks, result: _Blocks, name: str
    ) -> None:
        self.result, self._block, self._name = result, block, name
        self._shared, self._fetch = shared, fetch
        whole = result.flags.c_contiguous
        self._target = result if whole else np.empty(result.shape, result.dtype)
        self._facts = _told(name, block.nbytes)
        self._words = (0, *self._facts.digest)
        width = block.nbytes // fetch.rows
        self._rows = in_words(self._target, result.nbytes // width)
        self._views: dict[int, tuple[Call, _Blocks]] = {}
        self._grown = -1
        self._alive = True

    def run(self) -> _Blocks:
        """Redistribute what is in the block now; collective."""
        shared = self._shared
        if not (shared.alive and self._alive):
            raise InvalidValueError(
                f"{self._name!r} was freed",
                "its memory is gone, by free() or with its communicator",
                "bind it again",
            )
        turn = shared.turn
        with no_way_back(self._doing):
            whole = self._written(turn)
        if self._fetch.crosses and not shared.meet(self._words):
            raise different(shared.comm, self._facts)
        with no_way_back(self._doing):
            self._fetch.into(self._rows, whole)
            if self._target is not self.result:
                np.copyto(self.result, self._target)
        return self.result

    def free(self) -> None:
        """Let the arrays go; :meth:`run` cannot be called any more."""
        self._alive = False

    def _doing(self) -> str:
        return self._name

    def _written(self, turn: int) -> _Blocks:
        """The rows to read from, with the block among them."""
        if not self._fetch.crosses:
            alone = self._block.flags.c_contiguous
            alone = alone and not np.may_share_memory(self._block, self._target)
            block = self._block if alone else self._block.copy(order="C")
            return in_words(block, self._fetch.rows)
        if self._grown != self._shared.grown:
            self._grown, self._views = self._shared.grown, {}
        if turn not in self._views:
            self._views[turn] = self._seen(self._shared.buffers[turn])
        copy, whole = self._views[turn]
        copy()
        return whole

    def _seen(self, buffer: NDArray[np.uint8]) -> tuple[Call, _Blocks]:
        """What copies the own block to a buffer, and the rows of all there."""
        block, ranks = self._block, self._shared.comm.size
        start = self._fetch.position * block.nbytes
        own = buffer[start : start + block.nbytes].view(block.dtype).reshape(block.shape)
        return in_bulk(own, block), in_words(
            buffer[: ranks * block.nbytes], ranks * self._fetch.rows
        )
