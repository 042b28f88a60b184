"""The quantiles of arrays.

Every rank sorts what it has, and ``merging`` finds elements of all, and of lines that are over
all ranks. Other lines are brought to memory, and what is found goes back. Several axes are one
line there. Along all axes of the layout, each component is an array of its own.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array.along import in_memory
from graycube.array.held import Held
from graycube.array.indexed.choosing import concatenated
from graycube.array.indexed.parts import expand_dims
from graycube.array.local import local
from graycube.array.moving import brought
from graycube.array.ordering.blocks import with_lines
from graycube.array.ordering.merging import elements_at
from graycube.array.ordering.sorting import agreed_on
from graycube.array.ranks import spread
from graycube.array.reducing.over import Axes, over_axes
from graycube.array.reducing.reductions import reduced
from graycube.array.reducing.weighted import each_once
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.placement import Placement
from graycube.layout.required import require_axis
from graycube.run import no_way_back
from graycube.run.mpi import Comm

_Array = NDArray[Any]


def quantile(
    a: Held,
    q: ArrayLike,
    axis: Axes = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Any:  # noqa: ANN401 - one or several
    """The quantiles of all elements or along axes, as NumPy interpolates; collective.

    >>> import graycube as gc
    >>> a = gc.CubeArray.from_numpy(np.array([4.0, 2.0, 1.0, 3.0]), gc.Layout.cyclic(2, 1))
    >>> gc.quantile(a, [0, 0.5])
    array([1. , 2.5])
    >>> rows = gc.CubeArray.from_numpy(np.eye(4), gc.Layout.mesh((4, 4), nodes=(2, 2)))
    >>> gc.quantile(rows, [0, 0.5, 1], axis=1).shape
    (3, 4)
    """
    return quantiles(a, q, axis, method=method, keepdims=keepdims)


def quantiles(  # noqa: PLR0913
    a: Held,
    q: ArrayLike,
    axis: Axes = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    whole: int = 1,
    numbers: bool = False,
) -> Any:  # noqa: ANN401 - as quantile
    """The same with ``q`` in parts of a ``whole``, such as percent, or of ``numbers`` only.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[4.0, np.nan], [2.0, 3.0]]), Layout.cyclic(2, 1))
    >>> quantiles(a, 100, whole=100), quantiles(a, 100, whole=100, numbers=True)
    (np.float64(nan), np.float64(4.0))
    """
    shares = _Shares(q, whole, method, _interpolated, numbers)
    return _quantile(a, shares, axis, keepdims=keepdims)


def median(a: Held, axis: Axes = None, *, keepdims: bool = False, numbers: bool = False) -> Any:  # noqa: ANN401 - as quantile
    """The median of all elements, or of ``numbers`` only, or along axes; collective.

    >>> from graycube.layout import Layout
    >>> rows = Held(np.array([[4.0, np.nan], [2.0, 3.0]]), Layout.mesh((2, 2), nodes=(2, 1)))
    >>> median(rows), median(rows, axis=1, numbers=True).blocks.tolist()
    (np.float64(nan), [[4.0], [2.5]])
    """
    shares = _Shares(0.5, 1, "linear", _middle, numbers)
    return _quantile(a, shares, axis, keepdims=keepdims)


@dataclass(frozen=True, slots=True)
class _Shares:
    """Which quantiles: parts of a whole, what is between two elements, and of ``numbers`` only.

    NaN is last in the order. So what is left out is behind all quantiles.
    """

    q: ArrayLike
    whole: int
    method: str
    between: Callable[[_Array, Any], _Array]
    numbers: bool = False


def _interpolated(pair: _Array, part: Any) -> Any:  # noqa: ANN401 - a float or one of NumPy's
    return np.quantile(pair, part, axis=0)


def _middle(pair: _Array, part: Any) -> Any:  # noqa: ANN401
    return pair[: 2 if part else 1].mean(axis=0)


def _quantile(a: Held, shares: _Shares, axis: Axes, *, keepdims: bool) -> Any:  # noqa: ANN401
    """As NumPy interpolates between the two elements around each."""
    what = "a quantile of numbers" if shares.numbers else "a quantile"
    asked = agreed_on(a, what, lambda: _wanted(a, shares, axis, keepdims=keepdims))
    axes, wanted = asked["axes"], np.array(asked["q"])
    single = type(shares.q) in {int, float}  # then NumPy keeps single precision
    every = {*range(len(a.layout.shape))}
    if axes is not None and every <= {*axes} and (shares.numbers or len(axes) > 1):
        return _by_components(a, shares, axes, wanted.shape, keepdims=keepdims)
    if axes is not None and shares.numbers:
        middle = shares.between is _middle
        of_numbers = partial(_of_numbers, q=wanted, single=single, middle=middle)
        made, layout = _of_lines(a, axes, of_numbers, None, keepdims=keepdims)
        return _result(a, made, layout, several=wanted.ndim > 0)
    size = a.size if axes is None else prod(a.shape[k] for k in axes)
    if shares.numbers:
        size = int(
            reduced(a, np.add, dtype=np.intp, of=lambda: a.with_blocks(~np.isnan(a.blocks)))
        )
        if not size:
            return np.full(wanted.shape, np.nan)[()]
    below = np.floor(wanted.ravel() * (size - 1)).astype(np.intp)
    places = np.append(np.stack([below, np.minimum(below + 1, size - 1)], axis=1), size - 1)
    parts: Any = wanted.ravel() * (size - 1) - below
    parts = parts.tolist() if single else parts.astype(np.true_divide(shares.q, 1).dtype)

    def between(found: _Array) -> _Array:
        """The quantiles, of the elements with these places."""
        pairs = found[:-1].reshape(len(below), 2, *found.shape[1:])
        made = np.array([shares.between(*each) for each in zip(pairs, parts, strict=True)])
        made = np.where(found[-1] != found[-1], found[-1], made)  # NaN is last
        return made.reshape((*wanted.shape, *found.shape[1:]))

    if axes is None:
        return between(_of_all(a, places))[()]
    made, layout = _of_lines(
        a,
        axes,
        lambda x, axis: between(_placed(x, axis, places)),
        lambda x, axis, over: between(_over_ranks(x, axis, places, over)),
        keepdims=keepdims,
    )
    return _result(a, made, layout, several=wanted.ndim > 0)


def _result(a: Held, made: _Array, layout: Placement | None, *, several: bool) -> Any:  # noqa: ANN401
    """What was made of lines; several stand first."""
    if layout is None:
        return made[()]
    if not several:
        return a.with_blocks(made, layout)
    return concatenated([expand_dims(a.with_blocks(each, layout), 0) for each in made], 0)


def _wanted(a: Held, shares: _Shares, axis: Axes, *, keepdims: bool) -> dict[str, Any]:
    """What all ranks have to want alike, if NumPy has it."""
    axes = _axes(a, axis)
    if shares.method != "linear" or (keepdims and axes is None):
        raise InvalidValueError(
            f"the method is {shares.method!r:.20} and keepdims is {keepdims!r:.20}",
            "quantiles are interpolated linearly, and keepdims is for those along an axis",
            "sort, and read what you need: np.sort(u, 1).read[:, k]",
        )
    if a.dtype.kind not in "biuf":
        raise InvalidTypeError(
            f"the array has dtype {a.dtype}", "quantiles are of real numbers", "use np.sort"
        )
    try:
        q = np.asarray(shares.q, float) / shares.whole
    except (TypeError, ValueError):  # a text, or lines of several lengths
        q = np.full(1, np.nan)
    if not all(0 <= each <= 1 for each in q.flat):
        raise InvalidValueError(
            f"q is {shares.q!r:.60}",
            f"it is 0..{shares.whole}",
            "use np.quantile, or np.percentile",
        )
    if q.ndim > 1 and axes is not None:
        raise InvalidValueError(
            f"q has shape {q.shape}",
            "along an axis it is a number, or a line of some",
            "pass q.ravel(), which makes the first axis of the result",
        )
    if not a.size:
        raise InvalidValueError("the array is empty", "it has no quantiles", "pass another")
    return {"q": q.tolist(), "axes": axes, "keepdims": keepdims}


def _axes(a: Held, axis: Axes) -> tuple[int, ...] | None:
    """The axes of quantiles; None for all of several, which may be named."""
    if axis is None or isinstance(axis, SupportsIndex):
        return None if axis is None else (require_axis(operator.index(axis), a.ndim),)
    over = over_axes(a, axis).counted(len(a.layout.shape))
    return None if 1 < len(over) == a.ndim else over


def _by_components(
    a: Held, shares: _Shares, axes: Sequence[int], several: Sequence[int], *, keepdims: bool
) -> _Array:
    """The quantiles of each component over all of the layout, and over axes of payload."""
    d, here = len(a.layout.shape), slice(None)
    left = [n for k, n in enumerate(a.payload) if d + k not in axes]
    every: Any = ([here] if d + k in axes else range(n) for k, n in enumerate(a.payload))
    found = [
        _quantile(a.with_blocks(a.blocks[here, here, *at]), shares, None, keepdims=False)
        for at in product(*every)
    ]
    made = np.moveaxis(np.reshape(found, (prod(left), *several)), 0, -1)
    made = made.reshape(*several, *left)
    return _with_ones(made, a, axes) if keepdims else made[()]


def _of_all(a: Held, places: _Array) -> _Array:
    """The elements with these places in the order of all."""
    over, own = spread(a.comm), each_once(a)
    return _placed(own, 0, places) if over is None else _over_ranks(own, 0, places, over)


def _of_lines(
    a: Held,
    axes: Sequence[int],
    here: Callable[[_Array, int], _Array],
    there: Callable[[_Array, int, Comm], _Array] | None,
    *,
    keepdims: bool,
) -> tuple[_Array, Placement | None]:
    """What comes of each line, as blocks, and their layout if any.

    A line is in the memory of one rank or, if something is ``there`` for it, over all of them.
    """
    d, over = len(a.layout.shape), spread(a.comm)
    inside = [k for k in axes if k < d]
    if not inside:
        made = here(*_as_one(a.blocks, [k - d + 2 for k in axes]))
        return (_with_ones(made, a, axes) if keepdims else made), a.layout
    alone = there is not None and len(axes) == 1
    few = a.layout.shape[axes[0]] ** 2 > prod(a.layout.shape)  # fewer lines than they are long
    where = with_lines(a.layout, axes[0], stays=few) if alone else in_memory(a, *inside)
    box, axis = _as_one(local(brought(a, where)), axes)
    if over is None or there is None or where.axes[axes[0]].parts == 1:
        made = here(box, axis)
    else:
        made = there(box, axis, over)
    if d == 1 and not keepdims:
        return made, None
    several = made.ndim == box.ndim  # they stand first, and behind the payload on their way
    if keepdims:
        made = _with_ones(made, a, axes)
    left, goal = (x.without_axes(inside, keepdims=keepdims) for x in (where, a.layout))
    payload = made.shape[several + len(left.shape) :]
    flat = made.reshape(len(made) if several else 1, *left.held_shape(a.nodes), *payload)
    last = a.with_blocks(np.ascontiguousarray(np.moveaxis(flat, 0, -1)), left)
    found = np.moveaxis(brought(last, goal).blocks, -1, 0)
    return found if several else found[0], goal


def _as_one(x: _Array, axes: Sequence[int]) -> tuple[_Array, int]:
    """The array with some axes as one, and which that is."""
    if len(axes) == 1:
        return x, axes[0]
    behind = np.moveaxis(x, axes, range(-len(axes), 0))
    left = behind.shape[: -len(axes)]
    return behind.reshape(*left, prod(behind.shape[len(left) :])), len(left)


def _with_ones(made: _Array, a: Held, axes: Sequence[int]) -> _Array:
    return np.expand_dims(made, [k - a.ndim for k in axes])


def _of_numbers(x: _Array, axis: int, *, q: _Array, single: bool, middle: bool) -> _Array:
    """The quantiles of what is a number in each line; they stand first."""
    lines = np.sort(np.moveaxis(x, axis, 0), axis=0)
    count = np.count_nonzero(~np.isnan(lines), axis=0)
    exact = q.reshape(q.shape + (1,) * count.ndim) * np.maximum(count - 1, 0)
    below = np.floor(exact).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(count - 1, 0))
    low, high = (
        np.take_along_axis(lines, at.reshape(q.size, *count.shape), axis=0).reshape(exact.shape)
        for at in (below, above)
    )
    part = exact - below
    if middle:
        halfway: _Array = np.where(part > 0, np.mean([low, high], axis=0), low)
        return halfway
    if single and lines.dtype.kind == "f":
        part = part.astype(lines.dtype)
    near, apart = 2 * part < 1, high - low  # from the nearer one, as NumPy does
    found: _Array = np.where(near, low + apart * part, high - apart * (1 - part))
    return found


def _placed(x: _Array, axis: int, places: _Array) -> _Array:
    """The elements with some places in the order of an axis; the places stand first."""
    return np.moveaxis(np.partition(x, np.unique(places), axis).take(places, axis), axis, 0)


def _over_ranks(x: _Array, axis: int, places: _Array, comm: Comm) -> _Array:
    """The same along an axis that is over all ranks."""
    lines = np.moveaxis(x, axis, -1)
    different, which = np.unique(places, return_inverse=True)
    with no_way_back(lambda: "quantile"):
        flat = lines.reshape(prod(lines.shape[:-1]), lines.shape[-1])
        found = elements_at(flat, different.tolist(), comm)
    return np.moveaxis(found.reshape(*lines.shape[:-1], -1)[..., which], -1, 0)
