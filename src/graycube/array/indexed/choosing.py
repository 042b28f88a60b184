"""Elements chosen, joined and padded by their index along axes; all are collective.

Rules.

1. What comes about has another length along an axis, on the same nodes as before: the layout is
   that of the array where all lengths stay, else one by ownership, with the same codes.
2. Each element goes straight to where it belongs.
3. Along axes of the payload everything is here, and NumPy does it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise, product
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array import payload
from graycube.array.aligning import require_same_ranks
from graycube.array.boxes import carried, in_memory, places_here, places_of, places_read
from graycube.array.held import Held
from graycube.array.indexed.here import of_box, remains
from graycube.array.indexed.indices import coordinates_of
from graycube.array.local import local
from graycube.array.moving import as_product, straight
from graycube.array.payload import along_payload
from graycube.array.ranks import facts_of, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout import Layout, Ownership
from graycube.layout.chosen import Chosen
from graycube.layout.grids import in_shares
from graycube.layout.in_bits import in_boxes
from graycube.layout.indices import Indices, Some
from graycube.layout.placement import Placement
from graycube.layout.required import require_axis
from graycube.run import no_way_back
from graycube.run.agreement import Facts, Told, of_array
from graycube.run.mpi import Comm
from graycube.warned import as_written

_H = TypeVar("_H", bound=Held)
_KEPT = 64  # layouts and lengths
FEW = 64
"""So many copies are put in their places, and entries of a list told, one by one."""
_ASSEMBLED = Told(operation="arrays put together")
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

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> concatenated([a, a]).shape
    (8,)
    """
    given = [*arrays]
    like = next(x for x in given if isinstance(x, Held))

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
    target: Placement = a.layout
    for k, (low, high) in enumerate(pairs):
        target = with_length(target, k, low + shape[k] + high)
    inside = tuple(range(low, low + n) for (low, _), n in zip(pairs, shape, strict=True))
    constant = as_written(np.asarray(constant_values), a.dtype).astype(a.dtype)
    found: _H = assembled(target, [(a, inside)], partial(np.full, fill_value=constant))
    return found


@lru_cache(maxsize=_KEPT)
def with_length(layout: Placement, axis: int, length: int) -> Placement:
    """The layout with another length of an axis, on the same nodes (rule 1).

    >>> print(with_length(Layout.mesh((8, 8), (4, 1), code="gray"), 0, 9))
    (9 on 4 gray, 8)
    """
    if length == layout.shape[axis]:
        return layout
    if length < 1:
        raise InvalidValueError(
            f"axis {axis} would have {length} elements",
            "an array over nodes has one at least along each axis",
            f"its length is {layout.shape[axis]}: take less away",
        )
    if isinstance(layout, Layout):
        boxes = in_boxes(layout)
        layout = in_shares(layout, [1] * len(layout.shape)) if boxes is None else boxes
    if not isinstance(layout, Ownership):
        raise TypeError(layout)
    return layout.with_axis(axis, replace(layout.axes[axis], length=length))


def agree(what: str, a: Held, **given: object) -> None:
    """Make sure that all ranks have such an array, and are given the same; collective.

    What follows from that alone may raise on all of them.

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


def chosen(a: _H, some: Mapping[int, Some], target: Placement | None = None) -> _H:
    """What is at some indices along axes of the layout.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5], [6]]), Layout.nodes(1))
    >>> chosen(a, {0: Indices.of([1, 1])}).blocks.tolist()
    [[6], [6]]
    """
    if target is None:
        target = a.layout
        for k, indices in some.items():
            target = with_length(target, k, len(indices))
    along = tuple(some.get(k, range(n)) for k, n in enumerate(a.layout.shape))
    over = spread(a.comm)
    if over is None:
        return of_box(a, local(a)[places_of(along)], target)
    if remains(a.layout, target, along):
        return of_box(a, local(a)[places_here(Chosen(a.layout, along), a.nodes)], target)
    source, goal = Chosen(as_product(a.layout), along), as_product(target)
    piece = source.layout.piece(a.nodes).of(straight(a.blocks, a.layout, source.layout, over))
    rows = piece[places_here(source, a.nodes)]
    blocks = rows.reshape(1, prod(rows.shape[: len(along)]), *a.payload)
    made = carried(blocks, source, goal, over)
    return a.with_blocks(straight(made, goal, target, over), target)


def again(a: _H, places: Mapping[int, Sequence[range]]) -> _H:
    """The array in each of some places along axes, which fill these together.

    >>> a = Held(np.array([[5], [6]]), Layout.nodes(1))
    >>> again(a, {0: [range(0, 4, 2), range(1, 4, 2)]}).blocks.tolist()
    [[5, 5, 6, 6]]
    """
    target: Placement = a.layout
    for k, along in places.items():
        target = with_length(target, k, sum(map(len, along)))
    every = (places.get(k, [range(n)]) for k, n in enumerate(a.layout.shape))
    parts = [(a, along) for along in product(*every)]
    found: _H = assembled(target, parts, partial(np.empty, dtype=a.dtype))
    return found


def assembled(
    target: Placement,
    parts: Sequence[tuple[Held, tuple[range, ...]]],
    empty: Callable[..., NDArray[Any]],
) -> Any:  # noqa: ANN401 - an array
    """An array of arrays, each at some indices, and of what is in an empty one elsewhere.

    >>> odd = Held(np.array([[5], [6]]), Layout.nodes(1)), (range(1, 4, 2),)
    >>> assembled(Layout.mesh((4,), nodes=(2,)), [odd], np.zeros).blocks.tolist()
    [[0.0, 5.0], [0.0, 6.0]]
    """
    first = parts[0][0]
    over, nodes, payload = spread(first.comm), first.nodes, first.payload
    last = target if over is None else as_product(target)
    shape = target.shape if over is None else last.piece(nodes).shape
    box = empty((*shape, *payload))
    if over is None:
        for x, along in parts:
            box[places_of(along)] = local(x)
        return of_box(first, box, last)
    come = list[tuple[Held, Chosen]]()
    for x, along in parts:
        goal = Chosen(last, along)
        if remains(last, x.layout, along):
            box[places_here(goal, nodes)] = local(x)
        else:
            come.append((x, goal))
    if come:
        _brought(come, box, over)
    made = of_box(first, box, last)
    return made.with_blocks(straight(made.blocks, last, target, over), target)


def _brought(come: Sequence[tuple[Held, Chosen]], box: NDArray[Any], comm: Comm) -> None:
    """Put arrays into the box of a node where they belong, each sent once; collective."""
    sent: dict[int, tuple[NDArray[Any], Placement]] = {
        id(x): (x.blocks, x.layout) for x, _ in come
    }
    for one, (blocks, layout) in sent.items():
        source = as_product(layout)
        sent[one] = straight(blocks, layout, source, comm), source
    wholes, nodes = in_memory([*sent.values()], comm, _ASSEMBLED), come[0][0].nodes
    with no_way_back(lambda: "arrays put together"):
        for x, goal in come:
            there = places_here(goal, nodes)
            if wholes is None:
                box[there] = carried(*sent[id(x)], goal, comm).reshape(box[there].shape)
            else:
                whole = wholes[[*sent].index(id(x))]
                box[there] = whole[places_read(goal, nodes)[1]]


def axis_of(what: str, a: Held, axis: int | None) -> int:
    """The axis along which elements are chosen, from 0.

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
