"""Elements chosen from one array or another, and written where a mask is true."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graycube.array.elementwise import assigned, element_by_element
from graycube.array.instead import PLACES
from graycube.errors import InvalidTypeError


def where_of(condition: object, x: object = None, y: object = None) -> Any:  # noqa: ANN401
    """Elements of x where the condition is true, else of y; both are needed.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1], Layout.nodes(1))
    >>> where_of(x > 1, x, 0).to_numpy()
    array([3, 0])
    """
    if x is None or y is None:
        raise InvalidTypeError(
            "numpy.where is given a mask alone",
            "the indices of where it is true are as many as they are, on any nodes",
            f"use np.where(mask, x, y), {PLACES}",
        )
    return element_by_element(np.where, [condition, x, y], {})


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: object = 0) -> Any:  # noqa: ANN401
    """Aligned all together, and chosen at every element.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1], Layout.nodes(1))
    >>> select([x > 1], [x], 7).to_numpy()
    array([3, 7])
    """
    n = len(condlist)

    def pick(*given: Any) -> Any:  # noqa: ANN401
        return np.select([*given[:n]], [*given[n:-1]], given[-1])

    return element_by_element(pick, [*condlist, *choicelist, default], {})


def choose(a: object, choices: Sequence[Any], out: object = None, mode: str = "raise") -> Any:  # noqa: ANN401
    """Aligned all together, and chosen by number at every element.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1], Layout.nodes(1))
    >>> choose(x > 1, [x, 7]).to_numpy()
    array([7, 1])
    """

    def pick(which: Any, *given: Any) -> Any:  # noqa: ANN401
        return np.choose(which, given, None, mode)  # type: ignore[call-overload]

    return element_by_element(pick, [a, *choices], {}, out)


def piecewise(x: object, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:  # noqa: ANN401
    """Functions of a single element each, where their conditions are true.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1], Layout.nodes(1))
    >>> piecewise(x, [x > 1], [np.negative, 7]).to_numpy()
    array([-3,  7])
    """

    def pick(x: Any, *given: Any) -> Any:  # noqa: ANN401
        where = [np.broadcast_to(each, x.shape) for each in given]
        return np.piecewise(x, where, [*funclist], *args, **kw)

    return element_by_element(pick, [x, *condlist], {})


def copied_to(
    dst: object,
    src: object,
    casting: str = "same_kind",
    where: object = True,  # noqa: FBT002 - NumPy's
) -> None:
    """As ``numpy.copyto``.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1], Layout.nodes(1))
    >>> copied_to(x, 5, where=x > 1)
    >>> x.to_numpy()
    array([5, 1])
    """
    element_by_element(assigned, [src], {"where": where, "casting": casting}, dst)
