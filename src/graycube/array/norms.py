"""Norms and products, as NumPy has them; all are collective."""

from typing import Any

import numpy as np

from graycube.array.elementwise import element_by_element
from graycube.array.held import Held
from graycube.array.over import Axes, Over, over_axes
from graycube.array.reductions import reduced
from graycube.array.statistics import of_arrays
from graycube.errors import InvalidTypeError, InvalidValueError

_Any = Any  # an array over nodes, or a plain one


def norm(
    a: Held,
    ord: float | str | None = None,  # noqa: A002 - NumPy's
    axis: Axes = None,
    *,
    keepdims: bool = False,
) -> _Any:
    """The norm of vectors along axes, as ``numpy.linalg.norm``; of matrices, that of Frobenius.

    >>> from graycube.layout import Layout
    >>> norm(Held(np.array([[3.0], [4.0]]), Layout.nodes(1)))
    np.float64(5.0)
    """
    monoid = {np.inf: np.maximum, -np.inf: np.minimum}.get(ord, np.add)  # type: ignore[arg-type]
    power = 2.0 if ord is None or ord == "fro" else float(ord) if _is_number(ord) else 0.0

    def of() -> Held:
        _require_norm(ord, over_axes(a, axis))
        size = abs(a.blocks) if a.dtype.kind in "fc" else abs(a.blocks.astype(float))
        if power == 0:
            return a.with_blocks((size != 0).astype(size.dtype))
        return a.with_blocks(size if np.isinf(power) else size ** size.dtype.type(power))

    total = reduced(a, monoid, axis, keepdims=keepdims, of=of)
    if power == 2:
        return of_arrays(np.sqrt, total)
    if power == 0 or np.isinf(power):
        return total
    return of_arrays(np.power, total, total.dtype.type(1 / power))


def _is_number(ord: object) -> bool:  # noqa: A002 - NumPy's
    return isinstance(ord, int | float)


def _require_norm(ord: object, over: Over) -> None:  # noqa: A002 - NumPy's
    """Refuse norms of matrices but that of Frobenius."""
    count = len(over.layout) + len(over.payload)
    if not (ord is None or (_is_number(ord) and count == 1) or (ord == "fro" and count == 2)):
        raise InvalidValueError(
            f"ord is {ord!r} for {count} axes",
            "norms are those of vectors, along one axis, and 'fro' along two",
            "use to_numpy() for other norms of matrices",
        )


def vdot(a: _Any, b: _Any) -> _Any:
    """The sum of all products, the first array conjugated.

    >>> from graycube.layout import Layout
    >>> vdot(*2 * [Held(np.array([[1j], [2]]), Layout.nodes(1))])
    np.complex128(5+0j)
    """

    def of() -> Held:
        _require_alike(a, b)
        found: Held = element_by_element(lambda x, y: x.conj() * y, [a, b], {})
        return found

    return reduced(a if isinstance(a, Held) else b, np.add, of=of)


def _require_alike(a: _Any, b: _Any) -> None:
    """Two arrays over nodes, of one shape."""
    for x in (a, b):
        if not isinstance(x, Held):
            raise InvalidTypeError(
                f"numpy.vdot is given a {type(x).__name__}",
                "both arrays must be CubeArrays",
                "spread it first, with CubeArray.from_numpy(x, layout)",
            )
    if np.shape(a) != np.shape(b):
        raise InvalidValueError(
            f"the arrays have shapes {np.shape(a)} and {np.shape(b)}",
            "they must be the same",
            "index or reshape one of them",
        )
