"""Where elements are in the whole array: their indices and frequencies."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.layout import Layout
from graycube.layout.indices import Indices, Some

_Array = NDArray[Any]


def along_axes(a: Held, *, sparse: bool) -> list[tuple[_Array, Layout]]:
    """The index along each axis of what is here, and its layout; sparse, of length 1 elsewhere.

    >>> a = Held(np.zeros((2, 2)), Layout.mesh((2, 2), nodes=(2, 1)))
    >>> [(index.tolist(), layout.shape) for index, layout in along_axes(a, sparse=True)]
    [([[0], [1]], (2, 1)), ([[0, 1], [0, 1]], (1, 2))]
    """
    every = range(len(a.layout.axes))
    if not sparse:
        return [(index, a.layout) for index in a.layout.indices_on(a.nodes)]
    thin = [a.layout.without_axes([k for k in every if k != j], keepdims=True) for j in every]
    return [(layout.indices_on(a.nodes)[k], layout) for k, layout in enumerate(thin)]


def frequency(index: _Array, values: int, points: int, spacing: float) -> _Array:
    """The frequencies at indices of a spectrum, all or half of it, of so many points.

    To the last bit as NumPy's, so that they fall into the same bins.

    >>> frequency(np.arange(4), 4, 4, 0.5).tolist(), frequency(np.arange(3), 3, 4, 0.5).tolist()
    ([0.0, 0.5, -1.0, -0.5], [0.0, 0.5, 1.0])
    """
    signed = index if values != points else index - points * (2 * index >= points)
    found: _Array = signed * (1 / (points * spacing))
    return found


def spectrum_of(
    a: Held, spacing: float | Sequence[float], s: Sequence[int] | None
) -> list[tuple[int, float]]:
    """The number of points and the spacing along each axis of what has such a spectrum.

    As many values are all of one spectrum, and half of others: only ``s`` says which.

    >>> half = Held(np.zeros((1, 6)), Layout.mesh((2, 3), nodes=(2, 1)))
    >>> spectrum_of(half, 0.5, (2, 4))
    [(2, 0.5), (4, 0.5)]
    """
    shape, d = a.layout.shape, len(a.layout.axes)
    if s is None:
        values = max(shape)
        half = 2 * (values - 1)
        raise InvalidValueError(
            f"the spectrum has {values} values along axis {shape.index(values)}",
            f"that is all of {values} points, or half of {half} or {half + 1}",
            "pass s=u.shape, the shape of what was transformed",
        )
    steps = np.ravel(spacing if np.ndim(spacing) else [spacing] * d)
    points = list(s[:d])
    halves = zip(points, shape, strict=False)
    fits = all(values in {n, n // 2 + 1} for n, values in halves)
    apart = steps.dtype.kind in "biuf" and len(steps) == d and np.all(steps)
    if len(points) != d or not (apart and fits):
        raise InvalidValueError(
            f"s is {tuple(points)} and spacing is {spacing!r} for a spectrum of shape {shape}",
            "s is the shape of what was transformed, and each axis has a spacing but 0",
            "pass s=u.shape, and one spacing or one for each axis",
        )
    return list(zip(points, steps.astype(float).tolist(), strict=True))


def coordinates_of(axis: int, part: object, length: int) -> Some:
    """What a slice, an integer, a list of some or a mask of the axis takes along it.

    >>> coordinates_of(0, slice(None, None, -2), 5), coordinates_of(0, [-1, 2], 5)
    (range(4, -1, -2), range(4, 0, -2))
    """
    if isinstance(part, slice):
        return range(*part.indices(length))
    at = np.asarray(part)
    if at.dtype == bool and at.shape == (length,):
        at = np.flatnonzero(at)
    if at.dtype.kind not in "iu" or at.ndim > 1:
        raise InvalidTypeError(
            f"the index along axis {axis} is {part!r:.60}",
            f"an index is an integer, a slice or a list of integers, or a mask of {length}",
            "a mask over nodes stands alone, as in u.read[u > 0]",
        )
    for k in at[(at < -length) | (at >= length)].reshape(-1)[:1].tolist():
        raise OutOfRangeError(
            f"the index along axis {axis} is {k}",
            f"it must lie in {-length}..{length - 1}",
            "count from 0, or from the end with negative numbers",
        )
    if not at.ndim:
        k = int(at) % length
        return range(k, k + 1)
    return Indices.of(at.astype(np.intp) % length)
