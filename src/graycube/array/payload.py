"""What each element holds, its payload: components taken and joined, and the order of axes.

Rules.

1. Axes of the layout stay before those of the payload, and nothing is sent. Axes of the layout
   may change places among themselves, which renames the bits of the index.
2. Components that are joined lie apart in memory, each of them together, and so do those of
   what is computed from them (NumPy's order "K"): loops over the few components are slow.
3. What takes components shares their memory, as NumPy's views do. An array with its axes in
   another order never does: in some layouts it could not.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.aligning import require_same_ranks, same_places
from graycube.array.held import Held
from graycube.array.indexed.indices import coordinates_of
from graycube.array.indexed.points import in_brackets, is_list, spelled_out
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import require_ints
from graycube.layout.indices import as_array
from graycube.layout.required import require_axis
from graycube.run.reused import components_first, components_last

_H = TypeVar("_H", bound=Held)
_Blocks = NDArray[Any]
WHOLE = slice(None)


def of_payload(a: Held, key: object) -> tuple[Any, ...]:
    """The index into the blocks for an index into the whole array that takes payload only.

    >>> from graycube.layout import Layout
    >>> of_payload(Held(np.zeros((2, 1, 3)), Layout.nodes(1)), (..., 0))
    (slice(None, None, None), slice(None, None, None), 0)
    """
    if is_mask(key):
        raise InvalidTypeError(
            "u[mask] is asked for",
            "elements where a mask is true are on any nodes",
            "on all ranks write u.read[mask] for a plain array of them, np.where(mask, u, 0), "
            "u.sum(where=mask), or np.add(u, 1, out=u, where=mask)",
        )
    along, inside = parts_of(a, key)
    if not all_whole(along):
        shown, taken = in_brackets(key), _by_taking(a, along, inside)
        both = "" if taken is None else f"{taken} for an array over nodes, "
        raise InvalidTypeError(
            f"u[{shown}] is asked for",
            "its elements are on some of the nodes, and reading by [] sends nothing",
            f"on all ranks write {both}u.read[{shown}] for a plain one, or u.halo(1) for "
            "neighbours; u.local is what is here",
        )
    return (WHOLE, WHOLE, *inside)


def _by_taking(a: Held, along: Sequence[Any], inside: Sequence[Any]) -> str | None:
    """What takes the same elements to nodes, as a line, if they are a box."""
    some = [
        part for part in (*along, *inside) if part is not None and not isinstance(part, slice)
    ]
    if len(some) > 1 and any(map(is_list, some)):
        return None
    line = "u"
    for k, part in reversed([*enumerate(along)]):  # as an integer takes its axis away
        if isinstance(part, list | np.ndarray):
            at = np.asarray(part)
            line = (
                f"np.compress({at.tolist()}, {line}, axis={k})"
                if at.dtype == bool
                else f"np.take({line}, {at.tolist()}, axis={k})"
            )
        elif not isinstance(part, slice):
            (place,) = as_array(coordinates_of(k, part, a.shape[k]))
            line = f"np.take({line}, {place}, axis={k})"
        elif part != WHOLE:
            line = f"np.take({line}, {range(*part.indices(a.shape[k]))}, axis={k})"
    return line if all_whole(inside) else f"{line}[..., {in_brackets((*inside,))}]"


def field_of(a: _H, name: str) -> _H:
    """The field of records that has a name, which shares their memory.

    >>> from graycube.layout import Layout
    >>> pairs = np.array([[(7, 0.5)], [(5, 0.2)]], [("k", int), ("x", float)])
    >>> field_of(Held(pairs, Layout.nodes(1)), "k").blocks.tolist()
    [[7], [5]]
    """
    known = a.dtype.names or ()
    if name not in known:
        raise InvalidTypeError(
            f"u[{name!r}] is asked for",
            f"an array of dtype {a.dtype} has {', '.join(known) or 'no fields'}",
            "name a field of records, or use integers and slices",
        )
    return a.with_blocks(a.blocks[name])


def parts_of(a: Held, key: object) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What an index has along the axes of the layout, and for the payload.

    >>> from graycube.layout import Layout
    >>> parts_of(Held(np.zeros((2, 1, 3)), Layout.nodes(1)), (1, 2))
    ((1,), (2,))
    >>> parts_of(Held(np.zeros((2, 1, 3)), Layout.nodes(1)), (..., None))
    ((slice(None, None, None),), (slice(None, None, None), None))
    """
    d, parts = len(a.layout.shape), spelled_out(key, a.shape)
    if new := [k for k, part in enumerate(parts[:d]) if part is None]:
        raise InvalidTypeError(
            f"u[{in_brackets(key)}] has a new axis before those of the layout",
            "new axes come behind them, as payload",
            f"write u[..., None], or np.expand_dims(u, {new[0]}) for one before them",
        )
    for part in parts[d:]:
        if isinstance(part, Held):
            raise InvalidTypeError(
                "the index is a CubeArray", "payload is taken by plain indices", "use np.where"
            )
    return parts[:d], parts[d:]


def all_whole(along: Sequence[object]) -> bool:
    """Whether an index takes all along axes.

    >>> all_whole([slice(None), slice(None)]), all_whole([slice(3)])
    (True, False)
    """
    return not [part for part in along if not (isinstance(part, slice) and part == WHOLE)]


def is_mask(key: object) -> bool:
    """Whether an index is an array of truth values, or one over nodes.

    >>> is_mask(np.array([True])), is_mask(np.array([1]))
    (True, False)
    """
    return isinstance(key, Held) or (isinstance(key, np.ndarray) and key.dtype == bool)


def stack(arrays: Sequence[_H], axis: int = -1) -> _H:
    """Arrays of one layout as the components of one: joined along a new axis, the last one.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1], Layout.nodes(1))
    >>> v = stack([x, 10 * x])
    >>> v.to_numpy().tolist(), v[..., 1].to_numpy().tolist()
    ([[3, 30], [1, 10]], [30, 10])
    """
    first, blocks = _alike(arrays, "stack")
    place = _payload_axis(first, axis, first.ndim + 1, "stack")
    made = np.stack([components_first(x) for x in blocks], axis=place - 2)
    return first.with_blocks(components_last(made))


def concatenated(arrays: Sequence[_H], axis: int = 0) -> _H:
    """Arrays of one layout, joined along an axis of the payload.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[[1]], [[2]]]), Layout.nodes(1))
    >>> concatenated([a, a], axis=1).blocks.tolist()
    [[[1, 1]], [[2, 2]]]
    """
    first, blocks = _alike(arrays, "concatenate", same_shape=False)
    place = _payload_axis(first, axis, first.ndim, "concatenate")
    return first.with_blocks(np.concatenate(blocks, axis=place))


def along_payload(
    function: Callable[..., Any], a: _H, axis: int, *args: object, **options: object
) -> _H:
    """A function of NumPy's along an axis of the payload.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[[1, 2]], [[3, 4]]]), Layout.nodes(1))
    >>> along_payload(np.cumsum, a, -1).blocks.tolist()
    [[[1, 3]], [[3, 7]]]
    """
    place = _payload_axis(a, axis, a.ndim, function.__name__)
    return a.with_blocks(function(a.blocks, *args, axis=place, **options))


def permuted(a: _H, order: Sequence[int] | None = None) -> _H:
    """The array with its axes in another order, in memory of its own; nothing is sent.

    >>> from graycube.layout import Layout
    >>> a = Held(np.arange(8).reshape(2, 4), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> print(permuted(a).layout, permuted(a).shape)
    (b1:0 b0:0 || b1:1) (2, 4)
    """
    d = len(a.layout.shape)
    axes = [*reversed(range(a.ndim))] if order is None else [*require_ints(order, "axes")]
    axes = [require_axis(k, a.ndim) for k in axes]
    if sorted(axes) != [*range(a.ndim)] or max(axes[:d], default=0) >= d:
        raise InvalidValueError(
            f"the axes of shape {a.shape} are to be in the order {tuple(axes)}",
            f"each is named once, and the {d} axes of the layout stay before the payload",
            f"use transpose{(*reversed(range(d)), *range(d, a.ndim))}, or to_numpy()"
            if order is None
            else "change the order among these, or use to_numpy()",
        )
    layout = a.layout.permuted(axes[:d])
    split = a.blocks.reshape(*a.layout.boxes(a.nodes), *a.payload)
    moved = split.transpose(0, 1, *(2 + k for k in axes))
    made = moved.reshape(*a.blocks.shape[:2], *moved.shape[2 + d :])
    return a.with_blocks(made.copy() if np.may_share_memory(made, a.blocks) else made, layout)


def ordered_by(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's that brings axes into another order, such as ``numpy.moveaxis``.

    >>> from graycube.layout import Layout
    >>> a = Held(np.zeros((2, 2, 3, 1)), Layout.mesh((4,), nodes=(2,)))
    >>> ordered_by(np.moveaxis)(a, 1, 2).shape
    (4, 1, 3)
    """

    def call(a: _H, *args: Any, **options: Any) -> _H:  # noqa: ANN401 - as NumPy's
        named = np.empty(range(a.ndim))  # axis k has length k, and there are no elements
        try:
            return permuted(a, function(named, *args, **options).shape)
        except np.exceptions.AxisError as error:
            if error.axis is not None:
                require_axis(error.axis, a.ndim)
            raise OutOfRangeError(
                f"of the axes NumPy says: {error}",
                f"the array has shape {a.shape}",
                "count axes from 0",
            ) from None

    return call


def _payload_axis(a: Held, axis: int, count: int, what: str) -> int:
    """The axis of the blocks for an axis of the payload, where there are ``count`` axes."""
    k, d = require_axis(axis, count), len(a.layout.shape)
    if k < d:
        raise InvalidValueError(
            f"axis {axis} of numpy.{what} is one of the {d} axes of the layout",
            "new axes come behind them, as payload"
            if count > a.ndim
            else "it works on payload",
            "use axis=-1" if count > d else "add axes of payload with u[..., None] or gc.stack",
        )
    return k - d + 2


def _alike(
    arrays: Sequence[_H], what: str, *, same_shape: bool = True
) -> tuple[_H, list[_Blocks]]:
    """The first of some arrays, and the blocks of all."""
    given = [*arrays]
    if not given or not all(isinstance(x, Held) for x in given):
        kinds = ", ".join(type(x).__name__ for x in given) or "nothing"
        raise InvalidTypeError(
            f"numpy.{what} is given {kinds:.60}",
            "it joins CubeArrays of one layout",
            "use CubeArray.from_numpy(x, layout), or a.to_cube() of a gc.jax.Array",
        )
    for x in given[1:]:
        require_same_layout(given[0], x)
        if same_shape and x.shape != given[0].shape:
            raise InvalidValueError(
                f"the arrays have shapes {given[0].shape} and {x.shape}",
                "they must be the same",
                "index one of them, as in u[..., None]",
            )
    return given[0], [x.blocks for x in given]


def require_same_layout(first: Held, other: Held) -> None:
    """Refuse arrays of different layouts or communicators.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[1], [2]]), Layout.nodes(1))
    >>> require_same_layout(a, a)
    """
    if same_places(other, first):
        return
    if other.layout != first.layout:
        raise InvalidValueError(
            f"the layouts are {first.layout} and {other.layout}",
            "one layout is needed here",
            "call relayout on one of the arrays"
            if other.layout.shape == first.layout.shape
            else f"their shapes {first.layout.shape} and {other.layout.shape} have to be alike",
        )
    require_same_ranks(first, other)
