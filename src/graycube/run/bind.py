"""Schedules over MPI: what a rank passes is checked, agreed upon, and bound."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array
from graycube.run.agreement import agreed
from graycube.run.execution import Execution
from graycube.run.local import require_out
from graycube.run.mpi import require_comm
from graycube.run.script import Script
from graycube.schedule import Task

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def bind(  # noqa: PLR0913
    task: Task,
    script: Callable[[int], Script],
    identity: str,
    block: ArrayLike,
    *,
    comm: "Intracomm",
    out: NDArray[Any] | None = None,
) -> Execution:
    """The script of this rank, bound to its block; collective, and all ranks fail or none.

    ``script`` gives that of a node, and ``identity`` is what all ranks must have alike.

    >>> from graycube.run import scripts
    >>> def program(schedule, block, comm):
    ...     def script(node):
    ...         return next(scripts(schedule, range(node, node + 1)))
    ...     return bind(schedule.task, script, "by hand", block, comm=comm).run()
    """

    def prepare() -> tuple[Execution, dict[str, object]]:
        require_comm(comm, 1 << task.n)
        given = require_block(task, block)
        result = np.empty_like(given, order="C") if out is None else require_out(out, given)
        facts = {"plan": identity, "shape of the block": given.shape, "dtype": given.dtype}
        name = identity.partition(",")[0]
        return Execution(script(comm.rank), comm, given, result, name), facts

    return agreed(comm, prepare)


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
