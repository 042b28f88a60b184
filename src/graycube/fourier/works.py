"""Transforms of lines and copies that are to be done, and how some of them become one.

FFTW plans several axes at once, and may then go through memory once for all of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.run.stores import in_bulk

Lines = NDArray[Any]
Call = Callable[[], object]


class LineWork(NamedTuple):
    """A transform along ``axes``, one after the other, from one array into another or in place.

    The ``kind`` is "c2c", or "r2c" or "c2r" with half a spectrum along the last of the axes,
    which comes first in "r2c". The ``scaling`` of each is 0 for none, 1 for that by the root of
    the number of points, 2 for that by their number. What is ``spent`` may be overwritten. If
    FFTW plans it, the result is multiplied by a ``factor``.

    >>> x, y = np.ones((4, 6)), np.empty((4, 4), complex)
    >>> work = LineWork(x, (1,), y, "r2c").then(LineWork(y, (0,), y))
    >>> work.axes, [each.axes for each in work.apart()]
    ((0, 1), [(1,), (0,)])
    """

    lines: Lines
    axes: tuple[int, ...]
    out: Lines
    kind: str = "c2c"
    inverse: bool = False
    scaling: int = 0
    spent: bool = False
    factor: float | np.longdouble = 1

    @property
    def points(self) -> int:
        """How many points are transformed together."""
        points = self.lines if self.kind == "r2c" else self.out
        return prod(points.shape[axis] for axis in self.axes)

    def apart(self) -> "Iterator[LineWork]":
        """One axis after the other."""
        *others, last = self.axes
        rest = partial(self._replace, kind="c2c", spent=False)
        if self.kind == "r2c":
            yield self._replace(axes=(last,))
            yield from (rest(lines=self.out, axes=(axis,)) for axis in others)
        elif self.kind == "c2r":
            yield from (rest(axes=(axis,), out=self.lines) for axis in others)
            yield self._replace(axes=(last,))
        else:
            yield self._replace(axes=self.axes[:1])
            yield from (rest(lines=self.out, axes=(axis,)) for axis in self.axes[1:])

    def then(self, after: "LineWork") -> "LineWork | None":
        """Both as one, if the other one goes on with what this one made, and leaves nothing.

        What was between them may have kept apart what overlaps.
        """
        kinds = self.kind, after.kind
        if (
            self.inverse != after.inverse
            or self.scaling
            or after.scaling
            or self.out.size < 2
            or not of_one(self.out, after.lines)
            or _overlap(self.lines, after.out)
            or not (
                kinds in {("c2c", "c2c"), ("r2c", "c2c")}
                or (kinds == ("c2c", "c2r") and of_one(self.lines, self.out))
            )
        ):
            return None
        shape = _both(self.out.shape, after.lines.shape)
        if shape is None:
            return None
        first, last = self.cut(shape), after.cut(shape)
        if first is None or last is None or {*first.axes} & {*last.axes}:
            return None
        axes = (*first.axes, *last.axes)
        if self.kind == "r2c":
            axes = (*last.axes, *first.axes)
        kind = self.kind if after.kind == "c2c" else after.kind
        factor = self.factor * after.factor
        spent = self.spent or kind == "c2r"
        return LineWork(first.lines, axes, last.out, kind, self.inverse, 0, spent, factor)

    def cut(self, shape: Sequence[int]) -> "LineWork | None":
        """The same on arrays whose axes are cut, so that half a spectrum has this shape.

        >>> x = np.ones((4, 6), complex)
        >>> LineWork(x, (1,), x).cut((2, 2, 6)).axes
        (2,)
        """
        old = (self.lines if self.kind == "c2r" else self.out).shape
        places = {prod(shape[k + 1 :]): k for k in range(len(shape))}
        axes = tuple(places.get(prod(old[axis + 1 :]), -1) for axis in self.axes)
        if any(old[k] != shape[new] for k, new in zip(self.axes, axes, strict=True)):
            return None
        half = self.axes[-1], axes[-1]

        def parts(x: Lines) -> Lines:
            return x.reshape(*shape[: half[1]], x.shape[half[0]], *shape[half[1] + 1 :])

        return self._replace(lines=parts(self.lines), axes=axes, out=parts(self.out))


class Copy(NamedTuple):
    """All that a leg reads goes from one array to another, and may be multiplied on the way."""

    lines: Lines
    out: Lines
    factor: float | np.longdouble = 1

    @property
    def multiplies(self) -> bool:
        """Whether it can, and takes no longer: complex numbers that are neighbours are reals.

        >>> x = np.ones((2, 2), complex)
        >>> [Copy(lines, x).multiplies for lines in (x, x.T, x.real)]
        [True, False, False]
        """
        both = self.lines, self.out
        near = all(x.ndim and x.strides[-1] == x.itemsize for x in both)
        return self.lines.dtype == self.out.dtype and near

    def ready(self) -> Call:
        """What is called to do it.

        >>> x, y = np.array([1 + 2j]), np.zeros(1, complex)
        >>> _ = Copy(x, y, 2).ready()()
        >>> y.tolist()
        [(2+4j)]
        """
        scaling = scaled(self.out, self.factor)
        if scaling is None or not self.multiplies:
            copy = in_bulk(self.out, self.lines)
            return copy if scaling is None else all_of([copy, scaling])
        real = self.out.real.dtype.type(self.factor)
        lines, out = (x.view(real.dtype) for x in (self.lines, self.out))
        return partial(np.multiply, lines, real, out)


def all_of(calls: Sequence[Call]) -> Call:
    """All, one after the other.

    >>> all_of([partial(print, 1), partial(print, 2)])()
    1
    2
    """

    def run() -> None:
        for call in calls:
            call()

    return calls[0] if len(calls) == 1 else run


def multiplied(todo: Sequence[Any], factor: float | np.longdouble) -> list[Any] | None:
    """The same to do, where a copy multiplies, or else the last transform; None without one.

    All that is to be done is linear.

    >>> x = np.ones(2)
    >>> [each.factor for each in multiplied([Copy(x, x), LineWork(x, (0,), x)], 3)]
    [3, 1]
    """
    copies = [k for k, each in enumerate(todo) if isinstance(each, Copy) and each.multiplies]
    works = [k for k, each in enumerate(todo) if isinstance(each, LineWork)]
    if not (copies or works):
        return None
    chosen = copies[0] if copies else works[-1]
    return [
        each._replace(factor=factor) if k == chosen else each for k, each in enumerate(todo)
    ]


def scaled(out: Lines, factor: float | np.longdouble) -> Call | None:
    """What multiplies an array by a real number, in place; None for 1.

    Real and imaginary parts are multiplied apart: what is infinite gives no NaN.

    >>> x = np.array([1, np.inf + 2j])
    >>> _ = scaled(x, 0.5)()
    >>> x.tolist()
    [(0.5+0j), (inf+1j)]
    """
    if factor == 1:
        return None
    real = out.real.dtype.type(factor)
    if out.ndim and out.strides[-1] != out.itemsize:
        out = out.transpose(np.argsort(np.abs(out.strides))[::-1])  # neighbours are last
    if out.dtype.kind != "c" or (out.ndim and out.strides[-1] == out.itemsize):
        parts = out.view(real.dtype)
        return partial(np.multiply, parts, real, parts)
    first, second = (partial(np.multiply, part, real, part) for part in (out.real, out.imag))
    return all_of([first, second])


def joined(todo: Iterable[Any]) -> list[Any]:
    """The same to do, where works that follow each other and can be one are one.

    >>> x = np.ones((2, 2), complex)
    >>> works = LineWork(x, (0,), x), LineWork(x, (1,), x)
    >>> len(joined(works)), len(joined([works[0], print, works[1]]))
    (1, 3)
    """
    found: list[Any] = []
    for each in reversed([*todo]):  # the last axes are those with the shortest strides
        both = None
        if found and isinstance(each, LineWork) and isinstance(found[-1], LineWork):
            both = each.then(found[-1])
            if both is None and found[-1].kind == "c2r" and of_one(each.out, found[-1].lines):
                found[-1] = found[-1]._replace(spent=True)  # nobody else needs what that made
        if both is None:
            found.append(each)
        else:
            found[-1] = both
    return found[::-1]


def _overlap(x: Lines, y: Lines) -> bool:
    """Whether two have some of their elements in the same memory, but not all in order."""
    return np.may_share_memory(x, y) and not of_one(x, y)


def of_one(x: Lines, y: Lines) -> bool:
    """Whether two have the same elements, in the same order.

    >>> x = np.zeros((2, 3))
    >>> of_one(x, x.reshape(6)), of_one(x, x.T)
    (True, False)
    """
    if x.dtype != y.dtype or x.ctypes.data != y.ctypes.data or x.size != y.size:
        return False
    if (x.shape, x.strides) == (y.shape, y.strides):
        return True
    if x.flags.c_contiguous or y.flags.c_contiguous:
        return x.flags.c_contiguous and y.flags.c_contiguous
    return _steps(x) == _steps(y)


def _steps(x: Lines) -> list[tuple[int, int]]:
    """The lengths and strides of the axes, as few as there can be."""
    found: list[tuple[int, int]] = []
    for size, step in zip(x.shape, x.strides, strict=True):
        if found and found[-1][1] == size * step:
            found[-1] = found[-1][0] * size, step
        elif size > 1:
            found.append((size, step))
    return found


def _both(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...] | None:
    """The shape with fewest axes that two shapes of as many elements become if axes are cut.

    >>> _both((4, 6), (2, 12)), _both((2, 3), (3, 2))
    ((2, 2, 6), None)
    """
    ends = {prod(shape[k:]) for shape in (first, second) for k in range(len(shape) + 1)}
    steps = [*pairwise(sorted(ends, reverse=True))]
    if any(above % below for above, below in steps):
        return None
    return tuple(above // below for above, below in steps)
