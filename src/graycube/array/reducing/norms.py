"""Norms, and the sum of products; all are collective.

They are NumPy's, with NumPy's names and types.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.aligning import same_kind
from graycube.array.elementwise import element_by_element
from graycube.array.held import Held
from graycube.array.reducing.over import Axes, Over, over_axes
from graycube.array.reducing.reductions import reduced
from graycube.array.reducing.statistics import of_arrays
from graycube.errors import InvalidTypeError, InvalidValueError

_Any = Any  # an array over nodes, or a plain one
_Blocks = NDArray[Any]
_PIECE = 1 << 13  # elements
_OF_SUMS = {1: np.maximum, -1: np.minimum, np.inf: np.maximum, -np.inf: np.minimum}
"""Orders of norms of matrices, which are sums along one axis: what is taken of these."""


def norm(
    a: Held,
    ord: float | str | None = None,  # noqa: A002 - NumPy's
    axis: Axes = None,
    *,
    keepdims: bool = False,
) -> _Any:
    """The norm of vectors along an axis, or of matrices along two, as ``numpy.linalg.norm``.

    Of matrices there are the norms of Frobenius, 1 and infinity.

    >>> from graycube.layout import Layout
    >>> norm(Held(np.array([[3.0], [4.0]]), Layout.nodes(1)))
    np.float64(5.0)
    """
    given = range(a.ndim) if axis is None else axis
    if not isinstance(given, Sequence) or len(given) != 2 or ord not in _OF_SUMS:
        return vector_norm(a, ord, axis, keepdims=keepdims, known=_require_norm)
    rows, columns = given if abs(ord) == 1 else reversed(given)
    sums = vector_norm(a, 1, rows, keepdims=True)
    return reduced(sums, _OF_SUMS[ord], (rows, columns), keepdims=keepdims)


def vector_norm(
    a: Held,
    ord: _Any = 2,  # noqa: A002 - NumPy's
    axis: Axes = None,
    *,
    keepdims: bool = False,
    known: Callable[[object, Over], None] | None = None,
) -> _Any:
    """The norm of all elements along some axes, of any order that is ``known``; collective.

    >>> from graycube.layout import Layout
    >>> vector_norm(Held(np.array([[3.0], [4.0]]), Layout.nodes(1)), 1)
    np.float64(7.0)
    """
    monoid = {np.inf: np.maximum, -np.inf: np.minimum}.get(ord, np.add)
    power = 2.0 if ord is None or ord == "fro" else float(ord) if _is_number(ord) else 0.0

    def of() -> Held | _Blocks:
        (known or _require_number)(ord, over_axes(a, axis))
        if power == 2 and a.dtype.kind in "fc":
            parts = [a.blocks] if a.dtype.kind == "f" else [a.blocks.real, a.blocks.imag]
            if axis is None:
                squares: _Blocks = np.add.reduce([_products(part, part) for part in parts])
                return squares
            return a.with_blocks(sum(part * part for part in parts))
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
    return isinstance(ord, int | float | np.integer | np.floating)


def _require_number(ord: object, _: Over) -> None:  # noqa: A002 - NumPy's
    if not _is_number(ord):
        raise InvalidValueError(
            f"ord is {ord!r:.30}", "it is a number or infinity", "use 2 for the usual norm"
        )


def _require_norm(ord: object, over: Over) -> None:  # noqa: A002 - NumPy's
    """Refuse norms of matrices that are more than sums."""
    count = len(over.layout) + len(over.payload)
    if not (ord is None or (_is_number(ord) and count == 1) or (ord == "fro" and count == 2)):
        raise InvalidValueError(
            f"ord is {ord!r} for {count} axes",
            "norms are those of vectors, along one axis, and 1, inf and 'fro' along two",
            "use to_numpy() for other norms of matrices",
        )


def vdot(a: _Any, b: _Any, *, conjugate: bool = True) -> _Any:
    """The sum of all products, the first array conjugated or not.

    >>> from graycube.layout import Layout
    >>> vdot(*2 * [Held(np.array([[1j], [2]]), Layout.nodes(1))])
    np.complex128(5+0j)
    """

    def of() -> Held | _Blocks:
        _require_alike(a, b)
        if same_kind(a, b) and a.dtype == b.dtype and a.dtype.kind in "fc":
            return _products(a.blocks, b.blocks, conjugate=conjugate)
        found: Held = element_by_element(
            lambda x, y: (x.conj() if conjugate else x) * y, [a, b], {}
        )
        return found

    like = a if isinstance(a, Held) else b
    return reduced(like, np.add, dtype=np.result_type(a, b), of=of)


def _products(x: _Blocks, y: _Blocks, *, conjugate: bool = True) -> _Blocks:
    """The sum of products of each node here, of blocks that are alike.

    Pieces are short: for long ones BLAS has threads, which ranks on the same cores wait for.
    """
    x, y = (z.reshape(len(z), -1) for z in (x if conjugate else x.conj(), y))
    whole = x.shape[1] // _PIECE * _PIECE
    found: _Blocks = np.vecdot(x[:, whole:], y[:, whole:])
    if whole:
        pieces = (z[:, :whole].reshape(len(z), -1, _PIECE) for z in (x, y))
        found = found + np.vecdot(*pieces).sum(axis=-1)
    return found


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
