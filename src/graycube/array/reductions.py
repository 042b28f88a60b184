"""Numbers that sum an array up: every node reduces its block, and all ranks get the result.

The results of the nodes are combined in the order of the nodes on every rank, so all ranks have
the same number to the last bit.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.ranks import spread
from graycube.errors import InvalidValueError

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_Reduction = Callable[[NDArray[Any]], Any]


def reduced(blocks: NDArray[Any], comm: "Intracomm | None", reduction: _Reduction) -> Any:  # noqa: ANN401 - a scalar of NumPy's
    """The reduction of all blocks; collective.

    >>> reduced(np.array([[1, 2], [3, 4]]), None, np.sum)
    np.int64(10)
    """
    own = np.array([reduction(block) for block in blocks])
    over = spread(comm)
    if over is not None:
        own = np.concatenate(over.allgather(own))
    return reduction(own)


def require_all_axes(axis: object, out: object) -> None:
    """Refuse to reduce along single axes: they are spread over nodes."""
    if axis is not None or out is not None:
        raise InvalidValueError(
            f"axis is {axis!r:.40}",
            "a reduction takes the whole array",
            "leave axis and out alone, or reduce the blocks yourself",
        )
