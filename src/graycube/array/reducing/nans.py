"""Reductions of what is a number, NaN left out; all are collective."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from graycube.array.held import Held
from graycube.array.reducing.over import Axes
from graycube.array.reducing.reductions import reduced
from graycube.array.reducing.statistics import mean, of_arrays, var


def nansum(
    a: Held, axis: Axes = None, dtype: DTypeLike | None = None, *, keepdims: bool = False
) -> Any:  # noqa: ANN401 - an array or a number
    """The sum of what is a number.

    >>> from graycube.layout import Layout
    >>> nansum(Held(np.array([[1.0], [np.nan]]), Layout.nodes(1)))
    np.float64(1.0)
    """

    def of() -> Held:
        return a.with_blocks(np.where(np.isnan(a.blocks), 0, a.blocks))

    return reduced(a, np.add, axis, dtype=dtype, keepdims=keepdims, of=of)


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


def _there(a: Held) -> Held:
    return a.with_blocks(~np.isnan(a.blocks))
