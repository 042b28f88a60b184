"""What functions of NumPy's make of large blocks, in memory that was used before.

Rules.

1. What NumPy makes is made here, to the last bit, and in the same dtype.
2. To get pages from the system takes longer than most arithmetic: :mod:`graycube.run.reused`.
3. NumPy's inner loops are along the last axis. Those over the few components of a vector are
   slow, so what is the same for all components is written for each of them. Of a product of
   vectors a few thousand are made at a time, which stay in the cache.
4. Where there are no elements, NumPy takes what it cannot compute, such as ``x + None``. A rank
   that has none tries one, and raises what the others raise.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.run.reused import LARGE, apart, reused

_Blocks = NDArray[Any]
_AT_A_TIME = 1 << 13  # vectors
_IN_ORDER = 3  # numbers that NumPy adds one after the other, complex ones, too
_FEW, _SHORT = 8, 8  # components, and bytes of a number that is written for each of them
_KEPT = 512  # ufuncs, and shapes and dtypes of what they are given


def made_of(
    function: Callable[..., Any],
    values: Sequence[Any],
    options: Mapping[str, Any],
    lead: int = 2,
) -> Any:  # noqa: ANN401 - one result, or several
    """What a function makes of arrays that broadcast, and of numbers.

    So many axes of the arrays are those of nodes and slots; what follows is payload.

    >>> made_of(np.add, [np.array([1, 2]), 0.5], {})
    array([1.5, 2.5])
    """
    if type(function) is np.ufunc and not options:
        shape, kind, spread = _result_of(function, tuple(map(_typed, values)))
        if kind is not None:
            like = _of_shape(values, shape)
            if spread and not (like is not None and apart(like)):
                values = [_spread(x, shape) for x in values]
            return function(*values, out=reused(shape, kind, like))
        if 0 in shape:
            tried(function, values, lead)
    return function(*values, **options)


def tried(function: np.ufunc, values: Sequence[Any], lead: int = 2) -> None:
    """Raise what a function raises where there are elements (rule 4).

    Of objects, and of functions of the user's own, nobody knows what they take.

    >>> tried(np.power, [np.zeros((1, 0), int), -1])
    Traceback (most recent call last):
    ...
    ValueError: Integers to negative integer powers are not allowed.
    """
    given = [*values]
    for k, x in enumerate(given):
        if isinstance(x, np.ndarray) and 0 in x.shape[:lead]:
            if x.dtype.hasobject:
                return
            given[k] = np.ones((*(n or 1 for n in x.shape[:lead]), *x.shape[lead:]), x.dtype)
    if "".join(function.types).strip("O->"):  # else it is of numpy.frompyfunc
        with np.errstate(all="ignore"):
            function(*given)


def along_last(monoid: np.ufunc, x: _Blocks) -> _Blocks | None:
    """``monoid.reduce(x, -1)`` of a few components; None where NumPy does as well.

    >>> x = np.arange(49152.0).reshape(-1, 3)
    >>> along_last(np.add, x)[:3].tolist(), along_last(np.add, x[:3])
    ([3.0, 12.0, 21.0], None)
    """
    count = x.shape[-1] if x.ndim else 0
    if not 1 < count <= _IN_ORDER or x.nbytes < LARGE or x.dtype.char not in "fdFD":
        return None
    if monoid is np.multiply or _kind_of(monoid, (x.dtype, x.dtype)) != x.dtype:
        return None
    out = reused(x.shape[:-1], x.dtype)
    monoid(x[..., 0], x[..., 1], out=out)
    for k in range(2, count):
        monoid(out, x[..., k], out=out)
    return out


def crossed(a: _Blocks, b: _Blocks) -> _Blocks:
    """``numpy.cross`` of vectors of three components, the last axis.

    >>> crossed(np.array([1, 0, 0]), np.array([[0, 1, 0], [0, 0, 1]])).tolist()
    [[0, 0, 1], [0, -1, 0]]
    """
    shape, kind = a.shape, np.promote_types(a.dtype, b.dtype)
    if b.shape != shape:
        shape = np.broadcast_shapes(shape, b.shape)
        a, b = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
    out = reused(shape, kind, a)
    for cut in _cuts(shape[:-1]):
        x, y, made = a[cut], b[cut], out[cut]
        one, other = np.empty((2, *made.shape[:-1]), kind)
        for k in range(3):
            np.multiply(x[..., k - 2], y[..., k - 1], out=one)
            np.multiply(x[..., k - 1], y[..., k - 2], out=other)
            np.subtract(one, other, out=made[..., k])
    return out


def _of_shape(values: Sequence[Any], shape: tuple[int, ...]) -> _Blocks | None:
    """The first one with the shape of the result, whose order in memory that has, too."""
    for x in values:
        if isinstance(x, np.ndarray) and x.shape == shape:
            return x
    return None


def _cuts(shape: tuple[int, ...]) -> Iterator[Any]:
    """Some slots at a time, which are the second axis of blocks."""
    if len(shape) < 2:
        yield ...
        return
    step = max(1, _AT_A_TIME * shape[1] // max(1, prod(shape)))
    for start in range(0, shape[1], step):
        yield slice(None), slice(start, start + step)


def _spread(x: Any, shape: tuple[int, ...]) -> Any:  # noqa: ANN401 - an array or a number
    """A number for each vector as one for each component, if that is short."""
    if not isinstance(x, np.ndarray) or x.itemsize > _SHORT or x.shape != _one_each(shape):
        return x
    made = reused(shape, x.dtype)
    for k in range(shape[-1]):
        made[..., k] = x[..., 0]
    return made


def _one_each(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of numbers for vectors, one for each."""
    return (*shape[:-1], 1)


_Typed = tuple[tuple[int, ...] | None, Any]


def _typed(x: object) -> _Typed:
    """The shape of an array, and what NumPy's rules of types need to know of anything."""
    if isinstance(x, np.ndarray):
        return x.shape, x.dtype
    return None, type(x) if type(x) in {int, float, complex} else getattr(x, "dtype", type(x))


@lru_cache(maxsize=_KEPT)
def _result_of(
    function: np.ufunc, given: tuple[_Typed, ...]
) -> tuple[tuple[int, ...], "np.dtype[Any] | None", bool]:
    """The shape and the dtype of a result, and whether short vectors meet a number for each.

    There is no dtype where rules do not say it, where there are several results, and where
    nothing given is large.
    """
    arrays = [(shape, kind) for shape, kind in given if shape is not None]
    shapes = {shape for shape, _ in arrays}
    whole = np.broadcast_shapes(*shapes)
    if max((kind.itemsize * prod(shape) for shape, kind in arrays), default=0) < LARGE:
        return whole, None, False
    vectors = 1 < max(whole[-1:], default=0) <= _FEW and _one_each(whole) in shapes
    kind = _kind_of(function, tuple(kind for _, kind in given)) if function.nout == 1 else None
    return whole, kind, vectors


@lru_cache(maxsize=_KEPT)
def _kind_of(function: np.ufunc, kinds: tuple[Any, ...]) -> "np.dtype[Any] | None":
    """The dtype of the result, if the rules say what it is."""
    given = (kind if kind in {int, float, complex} else np.dtype(kind) for kind in kinds)
    try:
        return function.resolve_dtypes((*given, None))[-1]
    except (TypeError, ValueError):
        return None
