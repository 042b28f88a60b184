"""The piece of an array that is in this process, in the order of its index.

Rules.

1. A piece is a product: some coordinates along each axis, ascending. In one process that has
   all nodes it is the whole array.
2. Where a block has its elements in the same order, the piece is a view of it. Elsewhere it is
   a copy that cannot be written, so that no write is lost.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array.held import Held
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array
from graycube.layout.placement import Placement
from graycube.warned import as_written

_Array = NDArray[Any]


def local(a: Held) -> _Array:
    """The piece that is here: a view where it can be one, else a copy that cannot be written.

    >>> from graycube.layout import Layout
    >>> a = Held(np.arange(8).reshape(2, 4), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> local(a).tolist()
    [[0, 1], [2, 3], [4, 5], [6, 7]]
    """
    several = len(a.nodes) > 1
    found = a.layout.gather(a.blocks) if several else a.layout.piece(a.nodes).of(a.blocks)
    if found.size and not np.may_share_memory(found, a.blocks):
        found.setflags(write=False)
    return found


def put_local(blocks: _Array, layout: Placement, nodes: range, given: ArrayLike) -> None:
    """Write a piece into the blocks that are here.

    >>> from graycube.layout import Layout
    >>> blocks = np.zeros((2, 2))
    >>> put_local(blocks, Layout.mesh((4,), nodes=(2,), code="gray"), range(2), [1, 2, 3, 4])
    >>> blocks.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    piece = layout.piece(nodes)
    wanted = (*piece.shape, *blocks.shape[2:])
    array = as_written(host_array(given), blocks.dtype)
    if array.shape not in {wanted, ()}:
        raise _other_shape(array.shape, wanted, nodes)
    blocks[...] = laid_out(layout, nodes, array) if array.ndim else array


def blocks_of_local(layout: Placement, nodes: range, given: ArrayLike) -> _Array:
    """The blocks of a piece; what follows the axes of the layout is payload.

    >>> from graycube.layout import Layout
    >>> blocks_of_local(Layout.mesh((4,), nodes=(2,)), range(2), [1, 2, 3, 4]).tolist()
    [[1, 2], [3, 4]]
    """
    array, shape = host_array(given), layout.piece(nodes).shape
    payload = array.shape[len(shape) :]
    if array.shape != (*shape, *payload):
        raise _other_shape(array.shape, shape, nodes)
    blocks = laid_out(layout, nodes, array)
    return blocks.copy() if np.may_share_memory(blocks, array) else blocks


def laid_out(layout: Placement, nodes: range, piece: _Array) -> _Array:
    """The blocks that have a piece, or all of an array; perhaps a view.

    >>> from graycube.layout import Layout
    >>> laid_out(Layout.mesh((4,), nodes=(2,)), range(1, 2), np.array([3, 4])).tolist()
    [[3, 4]]
    """
    rows = layout.scatter(piece) if len(nodes) > 1 else layout.piece(nodes).block(piece)
    return rows.reshape(*layout.held_shape(nodes), *piece.shape[len(layout.shape) :])


def _other_shape(
    found: tuple[int, ...], wanted: tuple[int, ...], nodes: range
) -> InvalidValueError:
    return InvalidValueError(
        f"the piece has shape {found}",
        f"what is here of the array has shape {wanted}",
        f"cut it from the whole, as x[layout.piece({nodes}).slices]",
    )


def of_entries(given: object, entries: tuple[int, ...]) -> _Array:
    """A value for every entry; components, also of components, are the last axes.

    >>> of_entries((1, np.zeros((2, 3))), (2, 3)).shape
    (2, 3, 2)
    """
    if isinstance(given, tuple | list):
        d = len(entries)
        last, front = range(-d, 0), range(d)
        parts = [np.moveaxis(of_entries(part, entries), front, last) for part in given]
        return np.moveaxis(np.stack(parts), last, front)
    if given is None:
        raise InvalidTypeError(
            "the function gives None",
            "it gives a value for each entry",
            "let it return what it computes",
        )
    values = host_array(given)
    payload = values.shape[len(entries) :] if values.shape[: len(entries)] == entries else ()
    try:
        return np.array(np.broadcast_to(values, (*entries, *payload)))
    except ValueError:
        raise InvalidValueError(
            f"the function gives an array of shape {values.shape}",
            f"it is called with arrays of shape {entries}, and gives a value for each entry",
            "give a tuple of such values for the components of a vector",
        ) from None
