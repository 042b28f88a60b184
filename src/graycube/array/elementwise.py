"""Operations that work element by element, on the blocks that are here."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.ranks import spread
from graycube.errors import InvalidTypeError, InvalidValueError

if TYPE_CHECKING:
    from graycube.array.cube_array import CubeArray


def aligned(arrays: Sequence["CubeArray"]) -> list[NDArray[Any]]:
    """The blocks of arrays of one layout, with as many axes; payload is matched from the front.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x, y = (CubeArray.from_numpy(v, Layout.nodes(1)) for v in ([1, 2], [[3, 4], [5, 6]]))
    >>> [blocks.shape for blocks in aligned([x, y])]
    [(2, 1, 1), (2, 1, 2)]
    """
    for other in arrays[1:]:
        _require_alike(arrays[0], other)
    axes = max(x.blocks.ndim for x in arrays)
    return [x.blocks.reshape(*x.blocks.shape, *(1,) * (axes - x.blocks.ndim)) for x in arrays]


def where(
    condition: "CubeArray", x: "CubeArray | complex", y: "CubeArray | complex"
) -> "CubeArray":
    """Elements of x where the condition is true, else of y, as ``numpy.where``.

    Both are arrays of the layout of the condition, or numbers.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1, 2, 0], Layout.nodes(2, "gray"))
    >>> where(x > 1, x, -1).to_numpy()
    array([ 3, -1,  2, -1])
    """
    kind = type(condition)
    plain = all(isinstance(v, kind) or np.ndim(v) == 0 for v in (x, y))
    if not plain or not hasattr(condition, "with_blocks"):
        raise InvalidTypeError(
            "the condition is no CubeArray, or something else is neither one nor a number",
            "where works element by element on arrays of one layout",
            "make a CubeArray of it, with CubeArray.from_numpy",
        )
    first, *others = aligned([condition, *(v for v in (x, y) if isinstance(v, kind))])
    chosen = [others.pop(0) if isinstance(v, kind) else v for v in (x, y)]
    return condition.with_blocks(np.where(first, *chosen))


def _require_alike(first: "CubeArray", other: "CubeArray") -> None:
    if other.layout != first.layout:
        raise InvalidValueError(
            f"the layouts are {first.layout} and {other.layout}",
            "elementwise operations need the same layout",
            "call relayout on one of the arrays",
        )
    if spread(other.comm) != spread(first.comm):
        raise InvalidValueError(
            "the arrays have different communicators",
            "elementwise operations need the same rank for each node",
            "make both on one communicator",
        )
