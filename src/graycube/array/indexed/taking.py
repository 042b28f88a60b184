"""Elements taken along an axis, each by an index of its own, from wherever they are.

Rules.

1. The result is where the indices are: it has their layout. Each asks for one element.
2. Where ranks share memory, the whole array lies there, and each reads what it asks for.
3. Elsewhere a rank sends each rank the indices of what it wants from it, and gets the elements
   in that order.
"""

from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.aligning import require_same_ranks
from graycube.array.boxes import in_memory
from graycube.array.held import Held
from graycube.array.indexed.points import by_axes
from graycube.array.ranks import facts_of, spread, together
from graycube.array.sharing import as_bytes, require_plain, rows_traded
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2.arrays import IntArray
from graycube.layout.required import require_axis
from graycube.run import no_way_back, private
from graycube.run.agreement import Facts, Told
from graycube.run.mpi import Comm

_H = TypeVar("_H", bound=Held)
_Blocks = NDArray[Any]
_TOLD = Told(operation="take_along_axis")


def take_along_axis(arr: _H, indices: Held, axis: int = -1) -> _H:
    """The elements at some indices along an axis, as ``numpy.take_along_axis``; collective.

    Indices without payload take whole payloads: rows go in the order of one of their columns.

    >>> from graycube.layout import Layout
    >>> rows = Held(np.array([[[7, 1], [5, 2]], [[6, 3], [4, 4]]]), Layout.consecutive(2, 1))
    >>> order = rows.with_blocks(np.array([[3, 1], [2, 0]]))  # that of the first column
    >>> take_along_axis(rows, order, 0).blocks.tolist()
    [[[4, 4], [5, 2]], [[6, 3], [7, 1]]]
    """
    given: dict[str, object] = {"arr": arr, "indices": indices}
    for name, x in given.items():
        if not isinstance(x, Held):
            raise InvalidTypeError(
                f"{name} is given as a {type(x).__name__}",
                "both are CubeArrays, such as u and np.argsort(u)",
                "spread what is plain, with CubeArray.from_numpy(x, layout)",
            )

    def prepare() -> tuple[tuple[int, _Blocks], Facts]:
        k, payload = _axis(arr, indices, axis), indices.blocks.shape[2:]
        facts = {**facts_of("take_along_axis", arr.layout, arr.blocks), "axis": k}
        facts |= {"layout of the indices": indices.layout, "payload of the indices": payload}
        return (k, _counted_from_0(indices.blocks, arr.shape[k])), facts

    k, at = together(arr.comm, prepare)
    made = np.empty((*at.shape[:2], *arr.payload), arr.dtype)
    payload, rows = at.shape[2:], (slice(None), slice(None))
    for one in product(*map(range, payload)):
        asks: Any = (*rows, *one)
        goes = (
            *rows,
            *(slice(None) if n == 1 else j for j, n in zip(one, payload, strict=True)),
        )
        places = [*indices.layout.indices_on(indices.nodes)]
        places[k] = at[asks]
        made[goes] = _taken(arr.with_blocks(arr.blocks[goes]), places)
    return arr.with_blocks(made, indices.layout)


def _axis(arr: Held, indices: Held, axis: int) -> int:
    """The axis, if arrays over nodes can be taken from along it."""
    require_same_ranks(arr, indices)
    require_plain(arr.dtype)
    if indices.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"the indices have dtype {indices.dtype}",
            "an index is an integer",
            "use np.argsort, or np.where for masks",
        )
    k, axes = require_axis(axis, arr.ndim), arr.layout.shape
    if k >= len(axes):
        raise InvalidValueError(
            f"axis {k} is one of the payload",
            f"elements are taken along the {len(axes)} axes of the layout",
            "call np.take_along_axis on the blocks, which have all of the payload",
        )
    wanted, payload = indices.layout.shape, indices.blocks.shape[2:]
    fits = not payload or (
        len(payload) == len(arr.payload)
        and all(n in {1, m} for n, m in zip(payload, arr.payload, strict=True))
    )
    if not fits or [*wanted[:k], *wanted[k + 1 :]] != [*axes[:k], *axes[k + 1 :]]:
        raise InvalidValueError(
            f"the array has shape {arr.shape} and its indices {indices.shape}",
            f"they have the same lengths along all axes but axis {k}, and indices no payload, "
            "or that of the array",
            "look at the axis along which they were sorted",
        )
    return k


def _counted_from_0(at: _Blocks, length: int) -> _Blocks:
    """Indices that may count from the end, all of which there are."""
    if at.size and not (-length <= int(at.min()) and int(at.max()) < length):
        raise OutOfRangeError(
            f"the indices go from {at.min()} to {at.max()}",
            f"the axis has {length} elements",
            f"use {-length}..{length - 1}",
        )
    at = at.astype(np.intp)
    return np.where(at < 0, at + length, at)


def _taken(a: Held, places: list[IntArray]) -> Any:  # noqa: ANN401 - an array
    """The elements at some places, given by an index along each axis; collective."""
    over = spread(a.comm)
    if over is None:
        return a.layout.gather(a.blocks)[tuple(places)]
    wholes = in_memory([(a.blocks, a.layout)], over, _TOLD) if by_axes(a) else None
    with no_way_back(lambda: "take_along_axis"):
        if wholes is not None:
            return wholes[0][tuple(places)]
        return _asked_for(a.blocks, *a.layout.locate(*places), private(over).comm)


def _asked_for(blocks: _Blocks, nodes: IntArray, slots: IntArray, comm: Comm) -> _Blocks:
    """What ranks send that were asked for it."""
    order = np.argsort(nodes, axis=None, kind="stable")
    wanted = np.bincount(nodes.ravel(), minlength=comm.size).astype(np.intp)
    theirs = np.empty_like(wanted)
    comm.Alltoall(as_bytes(wanted), as_bytes(theirs))
    asked = rows_traded(slots.ravel()[order].astype(np.intp), wanted, theirs, comm)
    found = rows_traded(blocks[0][asked], theirs, wanted, comm)
    made = np.empty_like(found)
    made[order] = found
    return made.reshape(*nodes.shape, *blocks.shape[2:])
