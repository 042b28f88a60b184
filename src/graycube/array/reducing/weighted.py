"""Histograms, counts and averages, with weights: each element counts once.

Rule: nodes may have copies of the same elements. What one rank has of all elements, each of
them on one rank, is :func:`each_once`; what ranks make of that is added up.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.aligning import aligned
from graycube.array.held import Held
from graycube.array.ranks import facts_of, spread, together
from graycube.array.reducing.over import Axes, over_axes
from graycube.array.reducing.reductions import reduced
from graycube.array.reducing.statistics import mean, of_arrays
from graycube.array.unlike import unlike
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.required import require_axis
from graycube.run.agreement import Facts

_Array = NDArray[Any]


def each_once(a: Held) -> _Array:
    """What is here of all elements, each of them on one rank.

    >>> from graycube.layout import Layout
    >>> each_once(Held(np.array([[7], [5]]), Layout.nodes(1))).tolist()
    [7, 5]
    """
    over = spread(a.comm)
    if over is None:
        return a.layout.gather(a.blocks).ravel()
    if a.layout.nodes_like(over.rank)[0] != over.rank:
        return a.blocks[:, :0].ravel()
    return a.blocks.ravel()


def histogram(
    a: Held,
    bins: int | Sequence[float] = 10,
    range: tuple[float, float] | None = None,  # noqa: A002 - NumPy's
    density: bool | None = None,  # noqa: FBT001 - NumPy's
    weights: object = None,
) -> tuple[_Array, _Array]:
    """How many elements are in each bin, and the edges of the bins, on all ranks; collective.

    >>> from graycube.layout import Layout
    >>> histogram(Held(np.array([[7, 1], [5, 7]]), Layout.cyclic(2, 1)), 3, (0, 9))
    (array([1, 1, 2]), array([0., 3., 6., 9.]))
    """
    numbers = a.astype(np.uint8) if a.dtype.kind == "b" else a
    nothing = np.empty(0, numbers.dtype)

    def prepare() -> tuple[Held | None, Facts]:
        if a.dtype.kind not in "biuf" or isinstance(bins, str):
            raise InvalidTypeError(
                f"bins is {bins!r:.40} for an array of dtype {a.dtype}",
                "real numbers are counted, in a number of bins or between edges",
                "pass their number, or edges in ascending order",
            )
        np.histogram_bin_edges(nothing, bins, range)
        made = None if weights is None else of_elements(weights, a)
        named = {"bins": np.asarray(bins).tolist(), "range": range, "density": density}
        return made, {**facts_of("histogram", a.layout, a.blocks), **named, **told(weights)}

    beside = together(a.comm, prepare)
    if range is None and np.ndim(bins) == 0 and a.size:
        range = reduced(numbers, np.minimum), reduced(numbers, np.maximum)  # noqa: A001

    def counts() -> _Array:
        values, taken = each_once(numbers), None if beside is None else each_once(beside)
        return np.histogram(values, bins, range, weights=taken)[0]

    found: Any = added(a, counts, np.dtype(np.intp) if beside is None else beside.dtype)
    edges = np.histogram_bin_edges(nothing, bins, range)
    if density:
        found = found / np.diff(edges).astype(float) / found.sum()
    return found, edges


def bincount(x: Held, weights: object = None, minlength: int = 0) -> _Array:
    """How often each of the numbers 0, 1, 2, ... is an element, on all ranks; collective.

    With weights, their sum over the elements with each number. The array has any shape.

    >>> from graycube.layout import Layout
    >>> shells = Held(np.array([[3, 1], [0, 1]]), Layout.cyclic(2, 1))
    >>> bincount(shells), bincount(shells, 0.5, minlength=5)
    (array([1, 2, 0, 1]), array([0.5, 1. , 0. , 0.5, 0. ]))
    """

    def prepare() -> tuple[Held | None, Facts]:
        if not np.can_cast(x.dtype, np.intp) or (x.blocks < 0).any():
            raise InvalidValueError(
                f"the elements are of dtype {x.dtype}, and {_least(x)} is one of them",
                "integers from 0 are counted",
                "round them first, and call astype(int)",
            )
        made = None if weights is None else of_elements(weights, x)
        if made is not None and not np.can_cast(made.dtype, float):
            raise InvalidTypeError(
                f"the weights have dtype {made.dtype}", "they must be real", "count the parts"
            )
        np.bincount([], minlength=minlength)
        named = {"minlength": minlength}
        return made, {**facts_of("bincount", x.layout, x.blocks), **named, **told(weights)}

    beside = together(x.comm, prepare)
    length = max(int(reduced(x, np.maximum)) + 1 if x.size else 0, minlength)

    def counts() -> _Array:
        values = each_once(x).astype(np.intp)
        return np.bincount(values, None if beside is None else each_once(beside), length)

    return added(x, counts, np.dtype(np.intp if beside is None else float))


def average(
    a: Held,
    axis: Axes = None,
    weights: object = None,
    returned: bool = False,  # noqa: FBT001, FBT002 - NumPy's
    *,
    keepdims: bool = False,
) -> Any:  # noqa: ANN401 - an array of the kind of the first one, or a plain one
    """The mean, in which each element has its weight; collective.

    Weights are an array with the axes of the layout, of length 1 where they do not depend on
    them, or a plain one for a single axis.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[1, 2], [3, 4]]), Layout.mesh((2, 2), nodes=(2, 1)))
    >>> average(a, weights=a, returned=True), average(a, 0, [1, 3]).blocks.tolist()
    ((np.float64(3.0), np.float64(10.0)), [[2.5, 3.5], [2.5, 3.5]])
    """
    if weights is None:
        found = mean(a, axis, keepdims=keepdims)
        axes = over_axes(a, axis).counted(len(a.layout.shape))
        total: Any = of_arrays(np.full_like, found, prod(a.shape[k] for k in axes))
        return (found, total) if returned else found

    def prepare() -> tuple[tuple[Held, Held], Facts]:
        made = of_elements(_along(a, axis, weights), a)
        kind = np.result_type(a.dtype, made.dtype, *([float] if a.dtype.kind in "biu" else []))
        product = a.with_blocks(np.multiply(a.blocks, made.blocks, dtype=kind))
        asked = {"axis": over_axes(a, axis)} | told(weights)
        return (product, made.astype(kind)), {
            **facts_of("average", a.layout, a.blocks),
            **asked,
        }

    with np.errstate(all="ignore"):  # what is raised on some ranks only, hangs the others
        product, made = together(a.comm, prepare)
    sums, total = (reduced(each, np.add, axis, keepdims=keepdims) for each in (product, made))
    none = of_arrays(np.equal, total, 0)
    if reduced(none, np.logical_or) if isinstance(none, Held) else np.any(none):
        raise InvalidValueError(
            "the sum of the weights is 0", "an average divides by it", "pass other weights"
        )
    found = of_arrays(np.true_divide, sums, total)
    return (found, total) if returned else found


def _along(a: Held, axis: Axes, weights: object) -> object:
    """Weights of the elements: an array over the nodes, or one that aligns with the payload."""
    d = len(a.layout.shape)
    if isinstance(weights, Held):
        if len(weights.layout.shape) == d:
            return weights
        raise unlike([a, weights], a)
    given = host_array(weights)
    k = require_axis(axis, a.ndim) if isinstance(axis, int) else None
    if k is None or given.shape != (a.shape[k],):
        raise InvalidValueError(
            f"the weights are a plain array of shape {given.shape}, and axis is {axis}",
            f"a plain array is for one axis, of an array of shape {a.shape}",
            "spread it first, with CubeArray.from_numpy(weights, layout)",
        )
    if k >= d:
        return given.reshape(-1, *(1,) * (a.ndim - 1 - k))
    return a.with_blocks(given[a.layout.indices_on(a.nodes)[k]])


def of_elements(weights: object, a: Held) -> Held:
    """The weight of each element, in the layout of the array.

    >>> from graycube.layout import Layout
    >>> of_elements(3, Held(np.array([[7], [5]]), Layout.nodes(1))).blocks.tolist()
    [[3], [3]]
    """
    given: Any = weights if isinstance(weights, Held) else host_array(weights)
    if isinstance(given, Held) and given.ndim == a.ndim:
        pairs = enumerate(zip(a.shape, given.shape, strict=True))
        more = tuple(k for k, (own, other) in pairs if own == 1 < other)
        if more:
            raise InvalidValueError(
                f"the elements have shape {a.shape} and their weights {given.shape}",
                "each element has one weight",
                f"take the sum of those of each, weights.sum(axis={more}, keepdims=True)",
            )
    found = aligned([a, given], a)
    own, other = (each.shape for each in found.arrays)
    if np.broadcast_shapes(own, other) != own:
        raise unlike([a, given], a)
    return a.with_blocks(found.blocks(np.broadcast_to(found.arrays[1], own)))


def told(weights: object) -> dict[str, object]:
    """What all ranks must have alike of weights: plain ones are the same.

    >>> told(None)
    {'weights': None}
    """
    if weights is None or isinstance(weights, Held):
        return {"weights": None if weights is None else weights.dtype}
    plain = host_array(weights)
    return {"weights": sha256(plain.tobytes()).hexdigest(), "dtype of weights": plain.dtype}


def added(a: Held, make: Callable[[], _Array], dtype: "np.dtype[Any]") -> _Array:
    """The sum of what every rank makes of its own elements; collective.

    >>> from graycube.layout import Layout
    >>> added(Held(np.array([[7], [5]]), Layout.nodes(1)), lambda: np.ones(2), np.dtype(float))
    array([1., 1.])
    """
    over = spread(a.comm)
    if over is None:
        return make()
    layout = in_blocks((over.size,), (over.size,))
    like = a.with_blocks(np.zeros((1, 1), dtype), layout)
    found: _Array = reduced(
        like, np.add, 0, dtype=dtype, of=lambda: like.with_blocks(make()[None, None])
    )
    return found


def _least(a: Held) -> Any:  # noqa: ANN401 - a number
    """The smallest element here."""
    return a.blocks.min() if a.blocks.size else "none"
