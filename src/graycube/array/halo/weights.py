"""Weighted sums of what is around each element, straight from a mesh in its frame.

Rule: rows are summed piece by piece, so that a piece of the result stays in the cache until it
is complete. What ``w[1, 0] + w[-1, 0]`` copies and writes for each term is read here once.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array

_PIECE = 1 << 18  # bytes
_Mesh = NDArray[Any]
Term = tuple[tuple[int, ...], Any]
"""How many steps on, and the weight of what is there."""


def terms_of(weights: object, axes: int) -> list[Term]:
    """The steps and weights of an array of weights whose middle is the element itself.

    >>> terms_of([1, -2, 0], 1)
    [((-1,), 1), ((0,), -2)]
    """
    given = host_array(weights)
    if given.dtype.kind not in "biufc":
        raise InvalidTypeError(
            f"the weights have dtype {given.dtype}",
            "they are numbers",
            "pass an array of numbers",
        )
    if given.ndim != axes or any(length % 2 == 0 for length in given.shape):
        raise InvalidValueError(
            f"the weights have shape {given.shape}",
            f"they have {axes} axes, as the layout, and a middle, which is the element itself",
            "pass an odd number of weights along each axis; 0 for those that do not count",
        )
    steps = product(*(range(-(length // 2), length // 2 + 1) for length in given.shape))
    pairs = zip(steps, given.ravel().tolist(), strict=True)
    return [(step, weight) for step, weight in pairs if weight]


def dtype_of(terms: Sequence[Term], dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What sums of an array of this dtype have: that of the array times each weight.

    >>> dtype_of([((1,), 0.5)], np.dtype("f4")), dtype_of([((1,), 2)], np.dtype("i8"))
    (dtype('float32'), dtype('int64'))
    """
    made = np.result_type(dtype, *(weight for _, weight in terms))
    try:
        for _, weight in terms:
            made.type(weight)
    except OverflowError as error:
        raise InvalidValueError(
            f"of the weights NumPy says: {error}",
            f"the array has dtype {dtype}",
            "convert it first, as with u.astype(float)",
        ) from None
    return made


def weighted(terms: Sequence[tuple[Any, _Mesh]], out: _Mesh) -> None:
    """The sum of views of one shape, each times its weight.

    What has one weight is added up first, and multiplied once, but for numbers of half
    precision, which are soon too large.

    >>> x, out = np.arange(4.0), np.empty(2)
    >>> weighted([(1, x[:2]), (10, x[2:])], out)
    >>> out
    array([20., 31.])
    """
    groups: dict[Any, list[_Mesh]] = {}
    half = out.dtype == np.float16
    for number, (weight, view) in enumerate(terms):
        groups.setdefault((weight, number if half else 0), []).append(view)
    ones = groups.pop((1, 0), [])  # they need no multiplication
    one = out.dtype.type(1)
    every = [(weight, views) for (weight, _), views in groups.items()]
    (weight, views), *others = every or [(one, [ones.pop()] if ones else [])]
    spare = np.empty(0, out.dtype)
    for rows in pieces(out):
        target = out[rows]
        _summed([view[rows] for view in views], weight, target)
        for view in ones:
            target += view[rows]
        if others and spare.shape != target.shape:
            spare = np.empty(target.shape, out.dtype)
        for factor, group in others:
            _summed([view[rows] for view in group], factor, spare)
            target += spare


def _summed(views: Sequence[_Mesh], weight: Any, out: _Mesh) -> None:  # noqa: ANN401
    """The sum of some views times a number."""
    if not views:
        out[...] = 0
    elif len(views) == 1:
        np.multiply(views[0], weight, out=out, dtype=out.dtype)
    else:
        np.add(views[0], views[1], out=out, dtype=out.dtype)
        for view in views[2:]:
            out += view
        if weight != 1:
            out *= weight


def pieces(out: _Mesh) -> Iterator[slice]:
    """Rows that stay in the cache together.

    >>> [*pieces(np.zeros((100, 1024)))]
    [slice(0, 32, None), slice(32, 64, None), slice(64, 96, None), slice(96, 128, None)]
    """
    count = len(out)
    each = max(1, _PIECE * count // max(out.nbytes, 1))
    return (slice(start, start + each) for start in range(0, count, each))
