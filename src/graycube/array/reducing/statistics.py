"""What is made of reductions: means, spreads, what is true of all; all are collective.

They are NumPy's, with NumPy's names and types, and take ``axis``, ``keepdims`` and ``where`` as
NumPy's do. Each is written with ufuncs and reductions of arrays: none of them knows of nodes.
"""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from graycube.array.elementwise import element_by_element
from graycube.array.held import Held
from graycube.array.ranks import together
from graycube.array.reducing.extremes import is_best
from graycube.array.reducing.over import Axes, over_axes
from graycube.array.reducing.reductions import reduced
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.run.agreement import Facts

_Any = Any  # an array over nodes, or a plain one


def mean(
    a: Held,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    *,
    keepdims: bool = False,
    where: object = None,
) -> _Any:
    """The mean, in the type that NumPy takes.

    >>> from graycube.layout import Layout
    >>> mean(Held(np.array([[1], [2]]), Layout.nodes(1)))
    np.float64(1.5)
    """
    half = a.dtype == np.float16
    wide = np.float32 if half else np.float64 if a.dtype.kind in "biu" else None
    inside = wide if dtype is None else dtype
    total = reduced(a, np.add, axis, dtype=inside, keepdims=keepdims, where=where)
    found = of_arrays(_quotient, total, _count(a, axis, where, keepdims=keepdims))
    return found.astype(a.dtype) if half and dtype is None else found


def var(  # noqa: PLR0913
    a: Held,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    ddof: float = 0,
    *,
    keepdims: bool = False,
    where: object = None,
) -> _Any:
    """The variance: the mean square of what is left when the mean is taken away.

    >>> from graycube.layout import Layout
    >>> var(Held(np.array([[1], [2]]), Layout.nodes(1)))
    np.float64(0.25)
    """
    half = a.dtype == np.float16 and dtype is None
    inside = np.float32 if half else dtype
    centre = mean(a, axis, inside, keepdims=True, where=where)

    def square() -> Held:  # what it raises on a rank is raised on all
        given = a if inside is None or a.dtype == inside else a.astype(inside)
        apart: Held = element_by_element(np.subtract, [given, centre], {})
        x = apart.blocks
        if x.dtype.kind != "c":
            return apart.with_blocks(np.multiply(x, x, out=x))
        return apart.with_blocks(x.real**2 + x.imag**2)

    total = reduced(a, np.add, axis, keepdims=keepdims, where=where, of=square)
    count = _count(a, axis, where, keepdims=keepdims)
    if isinstance(count, Held):
        left: Any = count.with_blocks(np.maximum(count.blocks - ddof, 0))
    else:
        left = np.maximum(count - ddof, 0)
    found = of_arrays(_quotient, total, left)
    return found.astype(a.dtype) if half else found


def std(  # noqa: PLR0913
    a: Held,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    ddof: float = 0,
    *,
    keepdims: bool = False,
    where: object = None,
) -> _Any:
    """The standard deviation.

    >>> from graycube.layout import Layout
    >>> std(Held(np.array([[1], [2]]), Layout.nodes(1)))
    np.float64(0.5)
    """
    found = var(a, axis, dtype, ddof, keepdims=keepdims, where=where)
    return of_arrays(np.sqrt, found)


def count_nonzero(a: Held, axis: Axes = None, *, keepdims: bool = False) -> _Any:
    """How many elements are not zero.

    >>> from graycube.layout import Layout
    >>> count_nonzero(Held(np.array([[3], [0]]), Layout.nodes(1)))
    np.int64(1)
    """

    def of() -> Held:
        return a.with_blocks(a.blocks.astype(bool))  # a date equals no number

    return reduced(a, np.add, axis, dtype=np.intp, keepdims=keepdims, of=of)


def ptp(a: Held, axis: Axes = None, *, keepdims: bool = False) -> _Any:
    """The largest element less the smallest one.

    >>> from graycube.layout import Layout
    >>> ptp(Held(np.array([[3], [1]]), Layout.nodes(1)))
    np.int64(2)
    """
    most, least = (reduced(a, m, axis, keepdims=keepdims) for m in (np.maximum, np.minimum))
    return of_arrays(np.subtract, most, least)


def all_of(function: _Any, a: object, b: object, **options: object) -> bool:
    """Whether a function of two arrays is true everywhere.

    >>> from graycube.layout import Layout
    >>> all_of(np.equal, Held(np.array([[1], [2]]), Layout.nodes(1)), 1)
    False
    """

    def of() -> Held:
        found: Held = element_by_element(function, [a, b], options)
        return found

    return bool(reduced(_held(a, b), np.logical_and, of=of))


def array_equal(a: _Any, b: _Any, equal_nan: bool = False) -> bool:  # noqa: FBT001, FBT002 - NumPy's
    """Whether two arrays have the same shape and elements.

    >>> from graycube.layout import Layout
    >>> array_equal(*2 * [Held(np.array([[1], [2]]), Layout.nodes(1))])
    True
    """
    like = _held(a, b)

    def of() -> Held:
        if np.shape(a) != np.shape(b):
            return like.with_blocks(np.zeros(like.blocks.shape, bool))
        found: Held = element_by_element(is_best if equal_nan else np.equal, [a, b], {})
        return found

    return bool(reduced(like, np.logical_and, of=of))


def _held(*operands: object) -> Held:
    """The first of the operands that is over nodes."""
    return next(x for x in operands if isinstance(x, Held))


def _count(a: Held, axis: Axes, where: object, *, keepdims: bool) -> Any:  # noqa: ANN401
    """How many elements a reduction takes in."""
    if where is not None:
        ones = a.with_blocks(np.ones(a.blocks.shape, bool))
        return reduced(ones, np.add, axis, dtype=np.intp, keepdims=keepdims, where=where)
    axes = over_axes(a, axis).counted(len(a.layout.shape))
    return prod(a.shape[k] for k in axes)


def _quotient(total: Any, count: Any) -> Any:  # noqa: ANN401
    """As NumPy's means: the count takes the type of the sum."""
    found = np.true_divide(total, count)
    kind = getattr(total, "dtype", None)
    return found if kind is None or kind.kind not in "fc" else found.astype(kind)


def of_arrays(function: Any, *operands: Any) -> Any:  # noqa: ANN401
    """A function of arrays over nodes, or of plain ones.

    >>> of_arrays(np.add, 1, 2)
    np.int64(3)
    """
    if any(isinstance(x, Held) for x in operands):
        return element_by_element(function, operands, {})
    return function(*operands)


def assert_allclose(
    actual: Held, desired: Held | ArrayLike, rtol: float = 1e-7, atol: float = 0
) -> None:
    """Raise an ``AssertionError`` on all ranks unless arrays are close; collective.

    It stands in for ``numpy.testing.assert_allclose``. What is desired is an array of the same
    layout, or a plain array of the whole shape, which every rank passes, or a number.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3.0, 1.0], Layout.nodes(1))
    >>> assert_allclose(x, [3.0, 1.0 + 1e-9])
    >>> assert_allclose(x, [3.0, 1.5])
    Traceback (most recent call last):
    ...
    AssertionError: 1 of 2 elements differ by more than rtol=1e-07, atol=0; by 0.5 at most
    """

    def prepare() -> tuple[Held | Any, Facts]:
        if not isinstance(actual, Held):
            raise InvalidTypeError(
                f"got a {type(actual).__name__}", "it must be a CubeArray", "use numpy.testing"
            )
        if isinstance(desired, Held) or np.ndim(desired) == 0:
            return desired, {}
        if np.shape(desired) != actual.shape:
            raise InvalidValueError(
                f"the arrays have shapes {actual.shape} and {np.shape(desired)}",
                "they must be the same",
                "pass the whole array that is desired",
            )
        return actual.with_blocks(actual.layout.scatter(desired, actual.nodes)), {}

    other = together(getattr(actual, "comm", None), prepare)

    def of() -> Held:
        options = {"rtol": rtol, "atol": atol, "equal_nan": True}
        close = element_by_element(np.isclose, [actual, other], options)
        return actual.with_blocks(~close.blocks)

    wrong = int(reduced(actual, np.add, of=of))
    if wrong:
        apart = element_by_element(lambda x, y: abs(x - y), [actual, other], {})
        most = reduced(apart, np.fmax)
        raise AssertionError(
            f"{wrong} of {actual.size} elements differ by more than {rtol=}, {atol=}; "
            f"by {most:.3g} at most"
        )
