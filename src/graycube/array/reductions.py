"""Numbers that sum an array up: every node reduces its block, and all ranks get the result.

The results of the nodes are combined in the order of the nodes on every rank, so all ranks have
the same number to the last bit.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

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


class Reductions:
    """The reductions of an array that has blocks; all of them are collective.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2))
    >>> x.min(), x.max(), (x > 5).all(), (x > 5).any()
    (np.int64(5), np.int64(8), np.False_, np.True_)
    """

    blocks: NDArray[Any]
    comm: "Intracomm | None"

    if TYPE_CHECKING:

        @property
        def size(self) -> int: ...  # noqa: D102

    def sum(self, axis: None = None, dtype: DTypeLike | None = None, out: None = None) -> Any:  # noqa: ANN401
        """The sum of all elements, the same on all ranks; collective, as all reductions.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> np.sum(CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2)))
        np.int64(26)
        """
        require_all_axes(axis, out)
        return reduced(self.blocks, self.comm, partial(np.sum, dtype=dtype))

    def mean(self, axis: None = None, dtype: DTypeLike | None = None, out: None = None) -> Any:  # noqa: ANN401
        """The mean of all elements.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> np.mean(CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2)))
        np.float64(6.5)
        """
        require_all_axes(axis, out)
        own = self.blocks.dtype
        half = own == np.float16
        wide = np.float32 if half else np.float64 if own.kind in "biu" else None
        mean = self.sum(dtype=wide if dtype is None else dtype) / self.size  # as NumPy's mean
        return mean.astype(own) if half and dtype is None else mean

    def max(self, axis: None = None, out: None = None) -> Any:  # noqa: ANN401
        """The largest element."""
        require_all_axes(axis, out)
        return reduced(self.blocks, self.comm, np.max)

    def min(self, axis: None = None, out: None = None) -> Any:  # noqa: ANN401
        """The smallest element."""
        require_all_axes(axis, out)
        return reduced(self.blocks, self.comm, np.min)

    def all(self, axis: None = None, out: None = None) -> Any:  # noqa: ANN401
        """Whether all elements are true."""
        require_all_axes(axis, out)
        return reduced(self.blocks, self.comm, np.all)

    def any(self, axis: None = None, out: None = None) -> Any:  # noqa: ANN401
        """Whether any element is true."""
        require_all_axes(axis, out)
        return reduced(self.blocks, self.comm, np.any)
