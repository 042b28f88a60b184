"""Functions of several arrays: chosen from, joined, compared."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from graycube.array import payload
from graycube.array.elementwise import element_by_element
from graycube.array.held import Held
from graycube.array.ranks import together
from graycube.array.reductions import reduced
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.run.agreement import Facts

_H = TypeVar("_H", bound=Held)


def where(condition: _H, x: object, y: object) -> _H:
    """Elements of x where the condition is true, else of y, as ``numpy.where``.

    Both are arrays of the layout of the condition, or numbers.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1, 2, 0], Layout.nodes(2, "gray"))
    >>> where(x > 1, x, -1).to_numpy()
    array([ 3, -1,  2, -1])
    """
    if not isinstance(condition, Held):
        raise InvalidTypeError(
            f"the condition is a {type(condition).__name__}",
            "it must be a CubeArray",
            "spread it first, with CubeArray.from_numpy(x, layout)",
        )
    found: _H = element_by_element(np.where, [condition, x, y], {})
    return found


def stack(arrays: Sequence[_H], axis: int = -1) -> _H:
    """Arrays of one layout as the components of one: joined along a new axis, the last one.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1], Layout.nodes(1))
    >>> v = stack([x, 10 * x])
    >>> v.to_numpy().tolist(), v[..., 1].to_numpy().tolist()
    ([[3, 30], [1, 10]], [30, 10])
    """
    return payload.stacked(arrays, axis)


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
