"""NumPy's functions that choose, join and pad along axes; all are collective.

Along axes of the layout :mod:`.assembling` brings the elements; along those of the payload
everything is here, and NumPy does it.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from graycube.array import payload
from graycube.array.aligning import require_same_ranks
from graycube.array.held import Held
from graycube.array.indexed.assembling import (
    again,
    assembled,
    chosen,
    with_length,
    with_lengths,
)
from graycube.array.indexed.indices import coordinates_of
from graycube.array.payload import along_payload
from graycube.array.ranks import facts_of, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.indices import Indices
from graycube.layout.required import require_axis
from graycube.run.agreement import Facts, of_array
from graycube.warned import as_written

_H = TypeVar("_H", bound=Held)
FEW = 64
"""So many copies are put in their places, and entries of a list told, one by one."""
_MODES = ("constant", "edge", "wrap", "reflect", "symmetric")


def take(a: Held, indices: Any, axis: int | None = None) -> Any:  # noqa: ANN401 - arrays
    """The elements at some indices along an axis, as ``numpy.take``.

    With one index the axis is gone, and all nodes that shared it have a copy.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> take(a, [3, -4], 0).blocks.tolist(), take(a, 1, 0)
    ([[8, 5]], np.int64(6))
    """
    agree("take", a, indices=indices, axis=axis)
    k, at = axis_of("take", a, axis), np.asarray(indices)
    inside = k >= len(a.layout.shape)
    if at.dtype.kind not in "iu" or (at.ndim > 1 and not inside):
        raise InvalidTypeError(
            f"the indices have shape {at.shape} and dtype {at.dtype}",
            "a line of integers, or one integer, is taken along an axis",
            "use np.where(mask, u, 0) for masks",
        )
    some = coordinates_of(k, at.ravel(), a.shape[k])
    if inside:
        return along_payload(np.take, a, k, at)
    if at.ndim:
        return chosen(a, {k: some})
    one = chosen(a, {k: some}, a.layout.without_axes([k], keepdims=True))
    if len(a.layout.shape) == 1:
        return one.blocks[0, 0]
    return a.with_blocks(one.blocks, a.layout.without_axes([k]))


def repeat(a: _H, repeats: int | Sequence[int], axis: int | None = None) -> _H:
    """Every element so many times along an axis, as ``numpy.repeat``.

    >>> from graycube.layout import Layout
    >>> repeat(Held(np.array([[5], [6]]), Layout.nodes(1)), 2, 0).blocks.tolist()
    [[5, 5, 6, 6]]
    """
    agree("repeat", a, repeats=repeats, axis=axis)
    k = axis_of("repeat", a, axis)
    if k >= len(a.layout.shape):
        return along_payload(np.repeat, a, k, repeats)
    n, many = a.shape[k], repeats
    if isinstance(many, int | np.integer) and 0 < many <= FEW:
        return again(a, {k: [range(j, n * many, many) for j in range(many)]})
    return chosen(a, {k: Indices.of(np.repeat(np.arange(n), many))})


def flip(a: _H, axis: int | Sequence[int] | None = None) -> _H:
    """The elements in reverse order along axes, or along all of them, as ``numpy.flip``.

    >>> from graycube.layout import Layout
    >>> flip(Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))).blocks.tolist()
    [[8, 7], [6, 5]]
    """
    agree("flip", a, axis=axis)
    given = range(a.ndim) if axis is None else axis if isinstance(axis, Sequence) else [axis]
    axes, d = {require_axis(k, a.ndim) for k in given}, len(a.layout.shape)
    made = a.with_blocks(np.flip(a.blocks, tuple(2 + k - d for k in axes if k >= d)))
    along = {k: range(a.shape[k] - 1, -1, -1) for k in axes if k < d}
    return chosen(made, along) if along else made


def concatenated(arrays: Sequence[Any], axis: int = 0) -> Any:  # noqa: ANN401 - an array
    """Arrays one after the other along an axis, as ``numpy.concatenate``.

    The result is spread as the largest of them, or the first such.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> concatenated([a, a]).shape
    (8,)
    """
    given = [*arrays]
    like = max((x for x in given if isinstance(x, Held)), key=lambda x: x.size)

    def prepare() -> tuple[int, Facts]:
        if not all(isinstance(x, Held) for x in given):
            raise InvalidTypeError(
                f"numpy.concatenate is given {', '.join(type(x).__name__ for x in given):.60}",
                "it joins CubeArrays",
                "use CubeArray.from_numpy(x, layout)",
            )
        k = require_axis(axis, like.ndim)
        shapes = {tuple(n for j, n in enumerate(x.shape) if j != k) for x in given}
        if len(shapes) > 1 or len({len(x.layout.shape) for x in given}) > 1:
            raise InvalidValueError(
                f"arrays of shapes {', '.join(str(x.shape) for x in given):.60} are joined",
                f"they have the same lengths, and layouts of as many axes, but for axis {k}",
                f"cut or pad them to the same lengths along the axes other than {k}",
            )
        for x in given:
            require_same_ranks(like, x)
            if spread(like.comm) is not None:
                require_plain(x.dtype)
        told = [(str(x.layout), str(x.dtype)) for x in given]
        return k, {**facts_of("concatenate", like.layout, like.blocks), "list": told, "axis": k}

    k = together(like.comm, prepare)
    if k >= len(like.layout.shape):
        return payload.concatenated(given, k)
    ends = np.cumsum([0, *(x.shape[k] for x in given)]).tolist()
    parts = []
    for x, pair in zip(given, pairwise(ends), strict=True):
        along = [*map(range, x.layout.shape)]
        along[k] = range(*pair)
        parts.append((x, (*along,)))
    dtype = np.result_type(*(x.dtype for x in given))
    return assembled(
        with_length(like.layout, k, ends[-1]), parts, partial(np.empty, dtype=dtype)
    )


def pad(
    a: _H,
    pad_width: Any,  # noqa: ANN401 - as NumPy's
    mode: str = "constant",
    *,
    constant_values: Any = 0,  # noqa: ANN401
) -> _H:
    """The array with more at its ends, as ``numpy.pad``, along axes of the layout.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5], [6]]), Layout.nodes(1))
    >>> pad(a, 1, "edge").shape, pad(a, (0, 2)).blocks.tolist()
    ((4,), [[5, 6, 0, 0]])
    """
    agree("pad", a, pad_width=pad_width, mode=mode, constant=constant_values)
    ends, d = np.broadcast_to(pad_width, (a.ndim, 2)), len(a.layout.shape)
    if mode not in _MODES or np.ndim(constant_values) or ends[d:].any() or ends.min() < 0:
        raise InvalidValueError(
            f"pad_width is {pad_width!r:.60} and mode is {mode!r:.20}",
            f"the {d} axes of the layout are padded, as {', '.join(_MODES)}, with one constant",
            "give payload the width 0, as in ((1, 1), (0, 0)), and write the ends later",
        )
    pairs, shape = ends[:d].tolist(), a.layout.shape
    if mode != "constant":
        padded = {k: np.pad(np.arange(n), pairs[k], mode) for k, n in enumerate(shape)}  # type: ignore[call-overload]
        return chosen(a, {k: Indices.of(x) for k, x in padded.items() if any(pairs[k])})
    lengths = {k: low + shape[k] + high for k, (low, high) in enumerate(pairs)}
    inside = tuple(range(low, low + n) for (low, _), n in zip(pairs, shape, strict=True))
    constant = as_written(np.asarray(constant_values), a.dtype).astype(a.dtype)
    found: _H = assembled(
        with_lengths(a.layout, lengths), [(a, inside)], partial(np.full, fill_value=constant)
    )
    return found


def agree(what: str, a: Held, **given: object) -> None:
    """Make sure that all ranks have such an array, and are given the same; collective.

    What follows from that alone may raise on all of them.

    >>> from graycube.layout import Layout
    >>> agree("take", Held(np.array([[5], [6]]), Layout.nodes(1)), axis=0)
    """

    def told(name: str, x: object) -> object:
        if isinstance(x, Held):
            raise InvalidTypeError(
                f"numpy.{what} is given a CubeArray as {name}",
                "it is plain, and alike on all ranks",
                "use np.where(mask, u, 0) for masks, and to_numpy() for others",
            )
        if isinstance(x, list | tuple) and len(x) <= FEW:
            return [told(name, entry) for entry in x]
        return of_array(np.asarray(x)) if isinstance(x, list | tuple | np.ndarray) else x

    def prepare() -> tuple[None, Facts]:
        if spread(a.comm) is not None:
            require_plain(a.dtype)
        facts = {name: told(name, x) for name, x in given.items()}
        return None, {**facts_of(what, a.layout, a.blocks), **facts}

    together(a.comm, prepare)


def axis_of(what: str, a: Held, axis: int | None) -> int:
    """The axis along which elements are chosen, from 0.

    >>> from graycube.layout import Layout
    >>> axis_of("take", Held(np.array([[5], [6]]), Layout.nodes(1)), None)
    0
    """
    if axis is None and a.ndim > 1:
        raise InvalidValueError(
            f"axis is None for numpy.{what}",
            "an array over nodes is not flattened",
            "name the axis, such as axis=0",
        )
    return require_axis(axis or 0, a.ndim)
