"""Reductions of what is a number, NaN left out; all are collective."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from graycube.array.held import Held
from graycube.array.reducing.extremes import extreme_at
from graycube.array.reducing.over import Axes
from graycube.array.reducing.reductions import reduced
from graycube.array.reducing.statistics import mean, of_arrays, var
from graycube.errors import InvalidValueError


def nansum(
    a: Held, axis: Axes = None, dtype: DTypeLike | None = None, *, keepdims: bool = False
) -> Any:  # noqa: ANN401 - an array or a number
    """The sum of what is a number.

    >>> from graycube.layout import Layout
    >>> nansum(Held(np.array([[1.0], [np.nan]]), Layout.nodes(1)))
    np.float64(1.0)
    """
    return reduced(a, np.add, axis, dtype=dtype, keepdims=keepdims, of=lambda: filled(a, 0))


def nanprod(
    a: Held, axis: Axes = None, dtype: DTypeLike | None = None, *, keepdims: bool = False
) -> Any:  # noqa: ANN401 - an array or a number
    """The product of what is a number.

    >>> from graycube.layout import Layout
    >>> nanprod(Held(np.array([[3.0], [np.nan]]), Layout.nodes(1)))
    np.float64(3.0)
    """
    return reduced(
        a, np.multiply, axis, dtype=dtype, keepdims=keepdims, of=lambda: filled(a, 1)
    )


def nanmean(
    a: Held, axis: Axes = None, dtype: DTypeLike | None = None, *, keepdims: bool = False
) -> Any:  # noqa: ANN401 - an array or a number
    """The mean of what is a number.

    >>> from graycube.layout import Layout
    >>> nanmean(Held(np.array([[1.0], [np.nan]]), Layout.nodes(1)))
    np.float64(1.0)
    """
    return mean(a, axis, dtype, keepdims=keepdims, where=_there(a))


def nanvar(
    a: Held,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    ddof: float = 0,
    *,
    keepdims: bool = False,
) -> Any:  # noqa: ANN401 - an array or a number
    """The variance of what is a number.

    >>> from graycube.layout import Layout
    >>> nanvar(Held(np.array([[1.0], [np.nan]]), Layout.nodes(1)))
    np.float64(0.0)
    """
    return var(a, axis, dtype, ddof, keepdims=keepdims, where=_there(a))


def nanstd(
    a: Held,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    ddof: float = 0,
    *,
    keepdims: bool = False,
) -> Any:  # noqa: ANN401 - an array or a number
    """The standard deviation of what is a number.

    >>> from graycube.layout import Layout
    >>> nanstd(Held(np.array([[1.0], [np.nan]]), Layout.nodes(1)))
    np.float64(0.0)
    """
    return of_arrays(np.sqrt, nanvar(a, axis, dtype, ddof, keepdims=keepdims))


def nan_extreme_at(
    a: Held, monoid: np.ufunc, axis: Axes = None, *, keepdims: bool = False
) -> Any:  # noqa: ANN401 - an array or a number
    """Where the first of the smallest or largest numbers is, as ``numpy.nanargmin``.

    >>> from graycube.layout import Layout
    >>> nan_extreme_at(Held(np.array([[np.nan], [1.0]]), Layout.nodes(1)), np.minimum)
    np.int64(1)
    """
    none = reduced(a, np.logical_and, axis, of=lambda: a.with_blocks(np.isnan(a.blocks)))
    if reduced(none, np.logical_or) if isinstance(none, Held) else np.any(none):
        raise InvalidValueError(
            "some line has no number",
            "its largest has no place",
            "look at np.isnan(u).all(axis)",
        )
    most = -np.inf if monoid is np.maximum else np.inf
    return extreme_at(filled(a, most), monoid, axis, keepdims=keepdims)


def filled(a: Held, value: float) -> Held:
    """The array with a value where it is no number.

    >>> from graycube.layout import Layout
    >>> filled(Held(np.array([[1.0], [np.nan]]), Layout.nodes(1)), 0).blocks.tolist()
    [[1.0], [0.0]]
    """
    if a.dtype.kind not in "fc":
        return a
    return a.with_blocks(np.where(np.isnan(a.blocks), a.dtype.type(value), a.blocks))


def _there(a: Held) -> Held:
    return a.with_blocks(~np.isnan(a.blocks))
