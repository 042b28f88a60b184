"""Reductions of what is a number, NaN left out; all are collective."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from graycube.array.elementwise import element_by_element
from graycube.array.held import Held
from graycube.array.ranks import together
from graycube.array.reducing.extremes import extreme_at
from graycube.array.reducing.over import Axes
from graycube.array.reducing.reductions import reduced
from graycube.errors import InvalidValueError


def of_filled(
    a: Held,
    monoid: np.ufunc,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    *,
    keepdims: bool = False,
) -> Any:  # noqa: ANN401 - an array or a number
    """The sum or the product of what is a number.

    >>> from graycube.layout import Layout
    >>> of_filled(Held(np.array([[3.0], [np.nan]]), Layout.nodes(1)), np.multiply)
    np.float64(3.0)
    """
    of = partial(filled, a, monoid.identity)
    return reduced(a, monoid, axis, dtype=dtype, keepdims=keepdims, of=of)


def of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction that takes ``where``, of what is a number.

    >>> from graycube.layout import Layout
    >>> from graycube.array.reducing.statistics import mean
    >>> of_numbers(mean)(Held(np.array([[1.0], [np.nan]]), Layout.nodes(1)))
    np.float64(1.0)
    """

    @wraps(function)
    def call(a: Held, *, where: object = None, **options: Any) -> Any:  # noqa: ANN401
        there = a.with_blocks(~np.isnan(a.blocks))
        if where is not None:
            both = partial(element_by_element, np.logical_and, [there, where], {})
            there = together(a.comm, lambda: (both(), {}))
        return function(a, where=there, **options)

    return call


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
