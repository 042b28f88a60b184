"""Numbers that sum an array up: every node reduces its block, and all ranks get the result.

The results of the nodes are combined in the order of the nodes on every rank, so all ranks have
the same number to the last bit.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array.ranks import spread, together
from graycube.errors import InvalidValueError

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from graycube.runtime.agreement import Facts

_Reduction = Callable[[NDArray[Any]], Any]


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

    def _reduced(self, axis: object, out: object, reduction: _Reduction, what: str) -> Any:  # noqa: ANN401
        """The reduction of all blocks: first on every node, then of these in their order."""

        def prepare() -> "tuple[NDArray[Any], Facts]":
            if axis is not None or out is not None:
                raise InvalidValueError(
                    f"axis is {axis!r:.40} and out {out!r:.40}",
                    "a reduction takes the whole array",
                    "leave axis and out alone, or reduce the blocks yourself",
                )
            own = np.array([reduction(block) for block in self.blocks])
            return own, {"reduction": what, "dtype": self.blocks.dtype}

        own, over = together(self.comm, prepare), spread(self.comm)
        return reduction(own if over is None else np.concatenate(over.allgather(own)))

    def sum(self, axis: None = None, dtype: DTypeLike | None = None, out: None = None) -> Any:  # noqa: ANN401
        """The sum of all elements, the same on all ranks; collective, as all reductions.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> np.sum(CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2)))
        np.int64(26)
        """
        return self._reduced(axis, out, partial(np.sum, dtype=dtype), f"sum in {dtype}")

    def mean(self, axis: None = None, dtype: DTypeLike | None = None, out: None = None) -> Any:  # noqa: ANN401
        """The mean of all elements.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> np.mean(CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2)))
        np.float64(6.5)
        """
        own = self.blocks.dtype
        half = own == np.float16
        wide = np.float32 if half else np.float64 if own.kind in "biu" else None
        inside = wide if dtype is None else dtype  # as NumPy's mean
        mean = self.sum(axis, inside, out) / self.size
        return mean.astype(own) if half and dtype is None else mean

    def max(self, axis: None = None, out: None = None) -> Any:  # noqa: ANN401
        """The largest element."""
        return self._reduced(axis, out, np.max, "max")

    def min(self, axis: None = None, out: None = None) -> Any:  # noqa: ANN401
        """The smallest element."""
        return self._reduced(axis, out, np.min, "min")

    def all(self, axis: None = None, out: None = None) -> Any:  # noqa: ANN401
        """Whether all elements are true."""
        return self._reduced(axis, out, np.all, "all")

    def any(self, axis: None = None, out: None = None) -> Any:  # noqa: ANN401
        """Whether any element is true."""
        return self._reduced(axis, out, np.any, "any")
