"""A function of the user's on whole lines of an axis, which are brought to memory and back.

Rule: a node may have no line, and does not know what comes of one. So ranks tell each other.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.indexed.assembling import with_length
from graycube.array.indexed.choosing import agree
from graycube.array.local import local
from graycube.array.moving import brought
from graycube.array.ordering.blocks import with_lines
from graycube.array.ranks import spread, together
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.ownership import Ownership
from graycube.layout.required import require_axis

_Array = NDArray[Any]


def apply_along_axis(
    func1d: Callable[..., Any],
    axis: int,
    arr: Held,
    *args: Any,  # noqa: ANN401 - of the function
    **kwargs: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401 - an array, or plain
    """What a function gives for every line of an axis, as NumPy's of this name; collective.

    It is called with whole lines, in the order of their index, and gives a number or a line.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[1, 2], [3, 4]]), Layout.mesh((2, 2), nodes=(2, 1)))
    >>> apply_along_axis(lambda line: line[::-1], 0, a).blocks.tolist()
    [[3, 4], [1, 2]]
    >>> apply_along_axis(np.sum, 0, a).shape
    (2,)
    """
    if not isinstance(arr, Held):
        raise InvalidTypeError(
            f"arr is a {type(arr).__name__}", "it must be a CubeArray", "spread it first"
        )
    agree("apply_along_axis", arr, axis=axis)
    k, d = require_axis(axis, arr.ndim), len(arr.layout.shape)
    if k >= d:
        place = 2 + k - d
        return arr.with_blocks(_of_lines(func1d, arr, arr.blocks, place, args, kwargs))
    where = in_memory(arr, k)
    box = local(brought(arr, where))
    made = _of_lines(func1d, arr, box, k, args, kwargs)
    left: Any = where
    goal: Any = arr.layout
    if made.ndim == box.ndim:
        length = made.shape[k]
        goal = with_length(arr.layout, k, length)
        left = where.with_axis(k, replace(where.axes[k], length=length))
    elif d == 1:
        return made.reshape(arr.payload)[()]
    else:
        left, goal = (each.without_axes([k]) for each in (where, arr.layout))
    blocks = np.ascontiguousarray(made).reshape(*left.held_shape(arr.nodes), *arr.payload)
    return brought(arr.with_blocks(blocks, left), goal)


def in_memory(a: Held, *axes: int) -> Ownership:
    """Blocks with the axes in memory, over other axes.

    >>> from graycube.layout import Layout
    >>> print(in_memory(Held(np.zeros((4, 16)), Layout.mesh((8, 8), nodes=(4, 1))), 0))
    (8, 8 on 4)
    """
    shape, count = a.layout.shape, a.layout.node_count
    found = with_lines(a.layout, axes[0])
    if found.axes[axes[0]].parts > 1 and len(shape) == 1:
        raise InvalidValueError(
            f"the only axis of the layout is over {count} nodes",
            "whole lines are needed, and there is one",
            "call it with u.to_numpy() on all ranks",
        )
    if any(found.axes[k].parts > 1 for k in axes):  # some nodes may have nothing to do
        most = max({*range(len(shape))} - {*axes}, key=lambda k: shape[k])
        found = in_blocks(shape, [count if k == most else 1 for k in range(len(shape))])
    return found


def _of_lines(  # noqa: PLR0913, PLR0917 - NumPy's, and where
    func1d: Callable[..., Any],
    a: Held,
    box: _Array,
    axis: int,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> _Array:
    """What comes of the lines that are here, of a shape and dtype that all ranks have."""

    def prepare() -> "tuple[_Array | None, dict[str, object]]":
        some = np.apply_along_axis(func1d, axis, box, *args, **kwargs) if box.size else None
        return some, {"operation": "apply_along_axis"}

    found, over = together(a.comm, prepare), spread(a.comm)
    own = (
        None if found is None else (found.ndim - box.ndim, found.shape[axis:], found.dtype.str)
    )
    told = [own] if over is None else over.allgather(own)
    kinds = {(more, rest[: more + 1], kind) for more, rest, kind in filter(None, told)}
    if len(kinds) != 1 or min(kinds)[0] > 0:
        raise InvalidValueError(
            f"the function gives for lines {sorted(kinds)!s:.80}",
            "it gives a number for each line or a line, always of one length and dtype",
            "look at what it gives for the first line, u.local[0]",
        )
    if found is not None:
        return found
    ((_, line, kind),) = kinds
    return np.zeros((*box.shape[:axis], *line, *box.shape[axis + 1 :]), kind)
