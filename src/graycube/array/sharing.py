"""Whole arrays brought together on one rank or all, and sent from one rank to all."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array.ranks import facts_of, nodes_here, require_layout, spread, together
from graycube.errors import InvalidTypeError, OutOfRangeError
from graycube.gf2 import require_int
from graycube.layout.placement import Placement
from graycube.run import mpi, no_way_back, private
from graycube.run.mpi import Comm
from graycube.run.roll import DATA

_Blocks = NDArray[Any]


def brought_together(
    blocks: _Blocks, layout: Placement, comm: Comm | None, root: int | None = None
) -> _Blocks | None:
    """The whole array, on all ranks or on ``root`` only; collective.

    >>> from graycube.layout import Layout
    >>> brought_together(np.array([[5], [6]]), Layout.nodes(1), None).tolist()
    [5, 6]
    """
    over = spread(comm)
    if over is None:
        _require_root(root or 0, layout.node_count)
        whole = layout.gather(blocks)
        return whole.copy() if np.may_share_memory(whole, blocks) else whole

    def prepare() -> tuple[_Blocks, dict[str, object]]:
        _require_root(root or 0, over.size)
        require_plain(blocks.dtype)
        facts = {**facts_of("gather", layout, blocks), "root": root}
        return np.ascontiguousarray(blocks), facts

    own = together(over, prepare)
    counts = rows_of_nodes(layout)
    if root is None:
        return layout.gathered(rows_of_all(own[0], counts, over))
    found, room = None, None
    if over.rank == root:
        found = np.empty((sum(counts), *own.shape[2:]), own.dtype)
        room = _in_parts(found, counts)
    over.Gatherv(as_bytes(own), room, root)
    return None if found is None else layout.gathered(found)


def not_unasked(who: str, shape: tuple[int, ...]) -> InvalidTypeError:
    """The error for a library that asks for the whole of an array, as a rule on one rank only.

    >>> print(not_unasked("matplotlib", (64, 32)))
    matplotlib asks for the whole of a CubeArray of shape (64, 32): its elements are on several
    ranks, and nothing gathers unless all ranks say so; write whole = u.to_numpy() on all ranks,
    or whole = u.gather() for rank 0 alone, and pass that
    """
    return InvalidTypeError(
        f"{who} asks for the whole of a CubeArray of shape {shape}",
        "its elements are on several ranks, and nothing gathers unless all ranks say so",
        ("use np.fft, or gc.fourier.dctn(u) and the like; or " * (who == "scipy.fft"))
        + "write whole = u.to_numpy() on all ranks, or whole = u.gather() for rank 0 alone, "
        "and pass that"
        + ("; for table[u] write u.with_blocks(table[u.blocks])" * (who == "numpy")),
    )


def rows_of_nodes(layout: Placement) -> list[int]:
    """How many elements each node holds.

    >>> from graycube.layout import Layout
    >>> rows_of_nodes(Layout.mesh((9,), nodes=(4,)))
    [3, 3, 3, 0]
    """
    nodes = range(layout.node_count)
    return [prod(layout.held_shape(range(node, node + 1))) for node in nodes]


def sent_from(root: int, x: ArrayLike | None, layout: Placement, comm: Comm) -> _Blocks:
    """The block of this rank, of an array that ``root`` has; collective."""

    def prepare() -> tuple[list[_Blocks] | None, dict[str, object]]:
        nodes_here(require_layout(layout), comm)
        _require_root(root, comm.size)
        facts = {"root": root, "layout": layout}
        if comm.rank != root:
            return None, facts
        if x is None:
            raise InvalidTypeError(
                "x is None on the root",
                "the root has the whole array",
                "pass it there, and None on all other ranks",
            )
        each = [layout.scatter(x, range(node, node + 1)) for node in range(comm.size)]
        require_plain(each[0].dtype)
        return each, facts

    each = together(comm, prepare)
    about = None if each is None else (each[0].shape[2:], each[0].dtype)
    payload, dtype = comm.bcast(about, root)
    own = np.empty((*layout.held_shape(nodes_here(layout, comm)), *payload), dtype)
    given = None
    if each is not None:
        sent = np.concatenate([as_bytes(block)[0] for block in each])
        given = [sent, [block.nbytes for block in each], mpi().BYTE]
    comm.Scatterv(given, as_bytes(own), root)
    return own


def as_bytes(array: _Blocks) -> list[Any]:
    """The bytes of a contiguous array, as mpi4py takes them.

    >>> def program(comm, x):
    ...     comm.Bcast(as_bytes(x))
    """
    return [array.reshape(-1).view(np.uint8), mpi().BYTE]


def _in_parts(rows: _Blocks, counts: ArrayLike) -> list[Any]:
    """The bytes of rows, so many of these to or from each rank, as mpi4py takes them."""
    width = rows.itemsize * prod(rows.shape[1:])
    return [as_bytes(rows)[0], (np.asarray(counts) * width).tolist(), mpi().BYTE]


def rows_of_all(own: _Blocks, counts: Sequence[int], comm: Comm) -> _Blocks:
    """The rows of all ranks, so many of each, one rank after the other; collective.

    >>> def program(comm, x):
    ...     return rows_of_all(x, comm.allgather(len(x)), comm)
    """
    found = np.empty((sum(counts), *own.shape[1:]), own.dtype)
    comm.Allgatherv(as_bytes(np.ascontiguousarray(own)), _in_parts(found, counts))
    return found


def rows_traded(
    rows: _Blocks, going: NDArray[np.intp], coming: NDArray[np.intp], comm: Comm
) -> _Blocks:
    """The rows that come, so many from each rank, while as many as are said go to each.

    >>> def program(comm, x):  # one row to each rank
    ...     each = np.ones(comm.size, np.intp)
    ...     return rows_traded(x, each, each, comm)
    """
    found = np.empty((coming.sum(), *rows.shape[1:]), rows.dtype)
    comm.Alltoallv(_in_parts(np.ascontiguousarray(rows), going), _in_parts(found, coming))
    return found


def swapped(blocks: _Blocks, peer: int, comm: Comm, doing: str) -> _Blocks:
    """What another rank has of the same shape and dtype, which gets ours meanwhile.

    >>> def program(comm, x):
    ...     return swapped(x, comm.rank ^ 1, comm, "an example")
    """
    own, found = np.ascontiguousarray(blocks), np.empty(blocks.shape, blocks.dtype)
    with no_way_back(lambda: doing):
        both = private(comm).comm
        both.Sendrecv(as_bytes(own), peer, DATA, as_bytes(found), peer, DATA)
    return found


def _require_root(root: int, size: int) -> None:
    """Refuse ranks that there are not, in one process those that there would be not."""
    if not 0 <= require_int(root, "the root") < size:
        raise OutOfRangeError(
            f"the root is {root}", f"the ranks are 0..{size - 1}", "pass one of them"
        )


def require_plain(dtype: np.dtype[Any]) -> None:
    """Refuse arrays of Python objects."""
    if dtype.hasobject:
        raise InvalidTypeError(
            f"the array has dtype {dtype}",
            "Python objects cannot be sent as they are",
            "use numbers, records or strings of fixed length",
        )
