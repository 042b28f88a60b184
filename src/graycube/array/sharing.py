"""Whole arrays brought together on one rank or all, and sent from one rank to all."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array.ranks import facts_of, nodes_here, require_layout, spread, together
from graycube.errors import InvalidTypeError, OutOfRangeError
from graycube.gf2 import require_int
from graycube.layout import Layout
from graycube.run import mpi

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_Blocks = NDArray[Any]


def all_blocks(
    blocks: _Blocks, layout: Layout, comm: "Intracomm | None", root: int | None = None
) -> _Blocks | None:
    """The blocks of all nodes, on all ranks or on ``root`` only; collective.

    >>> all_blocks(np.array([[5], [6]]), Layout.nodes(1), None).tolist()
    [[5], [6]]
    """
    over = spread(comm)
    if over is None:
        _require_root(root or 0, 1 << layout.n)
        return blocks

    def prepare() -> tuple[_Blocks, dict[str, object]]:
        _require_root(root or 0, over.size)
        require_plain(blocks.dtype)
        facts = {**facts_of("gather", layout, blocks), "root": root}
        return np.ascontiguousarray(blocks), facts

    own = together(over, prepare)
    if root is None or over.rank == root:
        found = np.empty((1 << layout.n, *own.shape[1:]), own.dtype)
    else:
        found = None
    raw = None if found is None else _raw(found)
    if root is None:
        over.Allgather(_raw(own), raw)
    else:
        over.Gather(_raw(own), raw, root)
    return found


def sent_from(root: int, x: ArrayLike | None, layout: Layout, comm: "Intracomm") -> _Blocks:
    """The block of this rank, of an array that ``root`` has; collective."""

    def prepare() -> tuple[_Blocks | None, dict[str, object]]:
        nodes_here(require_layout(layout), comm)
        _require_root(root, comm.size)
        if comm.rank != root:
            return None, {"root": root, "layout": layout}
        if x is None:
            raise InvalidTypeError("x is None", "the root has the array", "pass it there")
        blocks = layout.scatter(x)
        require_plain(blocks.dtype)
        return blocks, {"root": root, "layout": layout}

    blocks = together(comm, prepare)
    shape, dtype = comm.bcast(
        None if blocks is None else (blocks.shape[1:], blocks.dtype), root
    )
    own = np.empty((1, *shape), dtype)
    comm.Scatter(None if blocks is None else _raw(blocks), _raw(own), root)
    return own


def _raw(array: _Blocks) -> list[Any]:
    """The bytes of a contiguous array, as mpi4py takes them."""
    return [array.reshape(-1).view(np.uint8), mpi().BYTE]


def _require_root(root: int, size: int) -> None:
    """Refuse ranks that there are not, in one process those that there would be not."""
    if not 0 <= require_int(root, "the root") < size:
        raise OutOfRangeError(f"the root is {root}", f"the ranks are 0..{size - 1}", "pass one")


def require_plain(dtype: np.dtype[Any]) -> None:
    """Refuse arrays of Python objects."""
    if dtype.hasobject:
        raise InvalidTypeError(
            f"the array has dtype {dtype}",
            "Python objects cannot be sent as they are",
            "use numbers, records or strings of fixed length",
        )
