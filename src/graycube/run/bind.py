"""Schedules over MPI: what a rank passes is checked, agreed upon, and bound."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array
from graycube.run.agreement import Told, agreed
from graycube.run.channels import LARGE, Channels, channels
from graycube.run.execution import Execution
from graycube.run.fetch import KEPT
from graycube.run.local import require_out
from graycube.run.meeting import Note
from graycube.run.mpi import private, require_comm
from graycube.run.script import Script
from graycube.run.windows import windows
from graycube.schedule import Task

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_Block = NDArray[Any]
_ROOM = np.dtype(np.int64)
_SMALL, _MOST = 1 << 16, 16
"""Blocks up to so many bytes are copied, to use again what was bound; so many are kept."""


def bind(  # noqa: PLR0913
    task: Task,
    script: Callable[[int], Script],
    identity: str,
    block: ArrayLike,
    *,
    comm: "Intracomm",
    out: _Block | None = None,
) -> Execution:
    """The script of this rank, bound to its block; collective, and all ranks fail or none.

    ``script`` gives that of a node, and ``identity`` is what all ranks must have alike.

    >>> from graycube.run import scripts
    >>> def program(schedule, block, comm):
    ...     def script(node):
    ...         return next(scripts(schedule, range(node, node + 1)))
    ...     return bind(schedule.task, script, "by hand", block, comm=comm).run()
    """

    def prepare() -> tuple[Execution, Told]:
        given, result, facts = _given(task, identity, block, comm=comm, out=out)
        return _bound(script(comm.rank), identity, facts, comm, given, result), facts

    ready = agreed(comm, prepare, _noted)
    ready.through(_channels(comm))
    return ready


def execute(  # noqa: PLR0913
    task: Task,
    script: Callable[[int], Script],
    identity: str,
    block: ArrayLike,
    *,
    comm: "Intracomm",
    out: _Block | None = None,
) -> _Block:
    """The same, carried out once. What was bound to copies of small blocks is used again.

    >>> from graycube.run import scripts
    >>> def program(schedule, block, comm):
    ...     def script(node):
    ...         return next(scripts(schedule, range(node, node + 1)))
    ...     return execute(schedule.task, script, "by hand", block, comm=comm)
    """

    def prepare() -> tuple[tuple[Execution, _Block, _Block], Told]:
        given, result, facts = _given(task, identity, block, comm=comm, out=out)
        own = script(comm.rank)

        def made() -> Execution:
            copies = (np.empty(given.shape, given.dtype) for _ in range(2))
            return _bound(own, identity, facts, comm, *copies)

        if given.nbytes > _SMALL:
            return (_bound(own, identity, facts, comm, given, result), given, result), facts
        key = own, given.shape, given.dtype
        kept = private(comm).remembered(key, made, _MOST, "executions")
        return (kept, given, result), facts

    ready, given, result = agreed(comm, prepare, lambda prepared: _noted(prepared[0]))
    ready.through(_channels(comm))
    if ready.result is result:
        ready.run()
        ready.free()
    else:
        np.copyto(ready.block, given)
        np.copyto(result, ready.run())
    return result


def _given(
    task: Task, identity: str, block: ArrayLike, *, comm: "Intracomm", out: _Block | None
) -> tuple[_Block, _Block, Told]:
    """The block, where its result goes, and what all ranks must have alike."""
    require_comm(comm, 1 << task.n)
    given = require_block(task, block)
    result = np.empty_like(given, order="C") if out is None else require_out(out, given)
    return given, result, _told(identity, given.shape, given.dtype)


@lru_cache(maxsize=KEPT)
def _told(identity: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Told:
    return Told({"plan": identity, "shape of the block": shape, "dtype": dtype})


def _bound(  # noqa: PLR0913, PLR0917
    script: Script, identity: str, facts: Told, comm: "Intracomm", given: _Block, result: _Block
) -> Execution:
    name = identity.partition(",")[0]
    made = Execution(script, comm, given, result, name, facts.digest[0])
    if channels(comm) is None or made.room >= LARGE:
        made.through(None)  # all ranks hear of it if there is no memory for large messages
    return made


def _noted(ready: Execution) -> Note:
    """How much a rank sends at a time."""
    return np.array([ready.room], _ROOM).view(np.uint8)


def _channels(comm: "Intracomm") -> Channels | None:
    """Those that have room for what all ranks noted, if that is little; collective."""
    through, shared = channels(comm), windows(comm)
    if through is None or shared is None:
        return None
    most = int(shared.notes(_ROOM.itemsize).view(_ROOM).max())
    return through if most < LARGE and through.reserve(most) else None


def require_block(task: Task, block: ArrayLike) -> NDArray[Any]:
    """The block of one node: elements of the task, with any payload behind each."""
    array = host_array(block)
    if array.dtype.hasobject:
        raise InvalidTypeError(
            f"the block has dtype {array.dtype}",
            "Python objects cannot be sent as they are",
            "use numbers, records or strings of fixed length",
        )
    if array.size == 0 or array.size % task.block:
        raise InvalidValueError(
            f"the block has shape {array.shape}: {array.size} numbers",
            f"a block has {task.block} elements",
            "pass a block of that many elements, with any payload behind each",
        )
    return array
