"""Where the largest and smallest elements are; collective.

Rules.

1. Every node finds the first of the best that it has, in the order of the index. The best of
   all is a reduction of what these are. The first of all is one of where those are that are as
   good.
2. What is no number is better than all numbers, as NumPy has it.
"""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.indexed.here import of_box
from graycube.array.local import local
from graycube.array.ranks import spread
from graycube.array.reducing.over import Axes, Over, over_axes
from graycube.array.reducing.reductions import reduced

_Blocks = NDArray[Any]


def extreme_at(a: Held, monoid: np.ufunc, axis: Axes = None, *, keepdims: bool = False) -> Any:  # noqa: ANN401 - an array over nodes, or a plain one
    """Where the first of the smallest or largest elements is, as ``numpy.argmin``.

    >>> from graycube.layout import Layout
    >>> extreme_at(Held(np.array([[3], [1]]), Layout.nodes(1)), np.minimum)
    np.int64(1)
    """
    own: list[_Blocks] = []

    def values() -> _Blocks:
        own.extend(_first_here(a, monoid, over_axes(a, axis)))
        return own[1].copy()  # ranks receive the best where this lies

    best = reduced(a, monoid, axis, keepdims=True, of=values)

    def places() -> _Blocks:
        at, value = own
        return np.where(is_best(value, best.blocks), at, np.int64(a.size))

    return reduced(a, np.minimum, axis, keepdims=keepdims, of=places)


def is_best(x: Any, best: Any) -> Any:  # noqa: ANN401 - arrays
    """Where the best element is (rule 2).

    >>> is_best(np.array([1, np.nan]), np.nan)
    array([False,  True])
    """
    return (x == best) | ((x != x) & (best != best))  # noqa: PLR0124


def _first_here(a: Held, monoid: np.ufunc, over: Over) -> tuple[_Blocks, _Blocks]:
    """Where the first of the best is that every node here has, and this one, as blocks.

    They have anything where a node has nothing along the axes.
    """
    box, lead = (local(a), len(a.layout.shape)) if over.layout else (a.blocks, 2)
    axes = over.counted(lead)
    thin = tuple(1 if k in axes else length for k, length in enumerate(box.shape))
    lines = np.moveaxis(box, axes, range(-len(axes), 0))
    shape = lines.shape[-len(axes) :]
    if prod(shape) or not a.size:
        lines = lines.reshape(*lines.shape[: -len(axes)], prod(shape))
        found = (np.argmax if monoid is np.maximum else np.argmin)(lines, -1, keepdims=True)
        value = np.take_along_axis(lines, found, -1).reshape(thin)
        at = _in_whole(a, over, np.unravel_index(found, shape)).reshape(thin)
    else:
        value, at = np.zeros(thin, a.dtype), np.zeros(thin, np.intp)
    if not over.layout:
        return at, value
    layout = a.layout.without_axes(over.layout, keepdims=True)
    return of_box(a, at, layout).blocks, of_box(a, value, layout).blocks


def _in_whole(a: Held, over: Over, places: tuple[Any, ...]) -> Any:  # noqa: ANN401
    """The index, in C order of the axes, of places in what is here."""
    axes = over.counted(len(a.layout.shape))
    one = spread(a.comm) is None or not over.layout
    own = () if one else a.layout.piece(a.nodes).coordinates
    number: Any = 0
    for k, place in zip(axes, places, strict=True):
        number = number * a.shape[k] + (own[k][place] if k < len(own) else place)
    return number
