"""Scans: running sums, products and anything associative, in the true order of an axis.

A user's function of two arrays works on many elements at once. The payload is the last axes.
Its left operand is always before its right one, so it need not be commutative.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array.held import Held, require_array
from graycube.array.ranks import Careful, facts_of, together
from graycube.array.scanning.accumulating import Accumulation, accumulated
from graycube.array.scanning.segments import records, segmented
from graycube.array.sharing import require_plain
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.required import require_axis
from graycube.warned import as_written, at_users_line

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]


@at_users_line
def scan(  # noqa: PLR0913
    op: Callable[[Any, Any], Any],
    a: _H,
    axis: int,
    exclusive: bool = False,  # noqa: FBT001, FBT002 - as the C++ names have it
    reverse: bool = False,  # noqa: FBT001, FBT002
    *,
    initial: object = None,
    segments: object = None,
) -> _H:
    """All elements up to each one along an axis, combined by ``op``; collective.

    ``op(x, y)`` is a ufunc of NumPy's, or a function of two arrays of elements that gives an
    array of the same shape and dtype. It must be associative, which nobody can find out: if it
    is not, the result depends on the layout. The payload is the last axes of its operands,
    which are not to be written; ``axis`` counts it, as NumPy does. Floats are added in another
    order than by ``numpy.cumsum``,
    so the last digits may differ.

    With ``exclusive`` the element itself is left out: the first result is the ``initial`` one,
    or the identity of the ufunc. ``reverse`` combines each element with those behind it.
    The result has the layout of ``a``, and the dtype of ``numpy.ufunc.accumulate``.
    ``segments`` is an array of truth values in the layout of ``a``: where one is true, the scan
    begins anew, with ``initial`` if there is one.

    >>> import graycube as gc
    >>> x = gc.CubeArray.from_numpy(np.array([3, 1, 4, 1]), gc.Layout.nodes(2))
    >>> gc.scan(np.add, x, 0).to_numpy().tolist()
    [3, 4, 8, 9]
    >>> gc.scan(lambda x, y: np.maximum(x, y), x, 0, reverse=True).to_numpy().tolist()
    [4, 4, 4, 1]
    >>> gc.scan(np.add, x, 0, exclusive=True).to_numpy().tolist()
    [0, 3, 4, 8]
    >>> gc.scan(np.add, x, 0, segments=x == 4).to_numpy().tolist()
    [3, 4, 4, 5]
    """
    require_array(a, "a scan")

    def prepare() -> "tuple[tuple[int, Accumulation, _Array | None], dict[str, object]]":
        k = require_axis(axis, a.ndim)
        element = [size for j, size in enumerate(a.payload, len(a.layout.shape)) if j != k]
        made = _made(
            op,
            a.dtype,
            element,
            exclusive=bool(exclusive),
            reverse=bool(reverse),
            initial=initial,
        )
        told = None if made.first is None else made.first.tolist()
        facts: dict[str, object] = {
            "axis": k,
            "exclusive": made.exclusive,
            "reverse": made.reverse,
        }
        facts |= {"result": made.dtype, "initial": told}
        if made.ufunc is not None:
            facts["op"] = made.ufunc.__name__
        marked = None if segments is None else records(a, segments, made.dtype)
        facts["segments"] = None if marked is None else marked.dtype
        return (k, made, marked), {**facts_of("scan", a.layout, a.blocks), **facts}

    k, made, marked = together(a.comm, prepare)
    if made.ufunc is not None and marked is None:
        return accumulated(a, k, made)
    careful: Careful[_Array] = Careful(made.op, instead=lambda _, y: y)
    made = replace(made, op=careful, ufunc=None)
    found = accumulated(a, k, made) if marked is None else segmented(a, marked, k, made)
    careful.settle(a.comm)
    return found


def cumsum(a: _H, axis: int | None = None, dtype: DTypeLike | None = None) -> _H:
    """Running sums along an axis, as ``numpy.cumsum``, with its dtypes; collective.

    >>> import graycube as gc
    >>> x = gc.CubeArray.from_numpy(np.array([1, 2, 3, 4], "i2"), gc.Layout.cyclic(2, 1))
    >>> gc.cumsum(x).to_numpy().tolist(), gc.cumsum(x).dtype
    ([1, 3, 6, 10], dtype('int64'))
    """
    return _cumulated(np.add, np.cumsum, a, axis, dtype)


def cumprod(a: _H, axis: int | None = None, dtype: DTypeLike | None = None) -> _H:
    """Running products along an axis, as ``numpy.cumprod``, with its dtypes; collective.

    >>> import graycube as gc
    >>> x = gc.CubeArray.from_numpy(np.array([2, 3]), gc.Layout.nodes(1, "gray"))
    >>> gc.cumprod(x).to_numpy().tolist()
    [2, 6]
    """
    return _cumulated(np.multiply, np.cumprod, a, axis, dtype)


def _cumulated(
    ufunc: np.ufunc,
    numpys: Callable[..., Any],
    a: _H,
    axis: int | None,
    dtype: DTypeLike | None,
) -> _H:
    require_array(a, f"numpy.{numpys.__name__}")

    def prepare() -> "tuple[tuple[int, Accumulation], dict[str, object]]":
        if axis is None and a.ndim > 1:
            raise not_flattened(a.shape)
        k = require_axis(0 if axis is None else axis, a.ndim)
        wanted = numpys(np.ones(1, a.dtype)).dtype if dtype is None else np.dtype(dtype)
        require_plain(wanted)
        facts = {"function": numpys.__name__, "axis": k, "result": wanted}
        made = Accumulation(ufunc, ufunc, wanted, None, exclusive=False, reverse=False)
        return (k, made), {**facts_of("scan", a.layout, a.blocks), **facts}

    k, made = together(a.comm, prepare)
    return accumulated(a if dtype is None else as_written(a, dtype), k, made)


def _made(  # noqa: PLR0913
    op: Any,  # noqa: ANN401 - of the user's
    given: np.dtype[Any],
    element: Sequence[int],
    *,
    exclusive: bool,
    reverse: bool,
    initial: object,
) -> Accumulation:
    """The scan, if it is one that there is."""
    require_plain(given)
    if not callable(op):
        raise InvalidTypeError(
            f"op is a {type(op).__name__}",
            "it is a ufunc, or a function of two arrays",
            "pass one, such as np.add",
        )
    ufunc: Any = op if isinstance(op, np.ufunc) and not op.signature else None
    if ufunc is not None and (ufunc.nin, ufunc.nout) != (2, 1):
        raise InvalidTypeError(
            f"op is {ufunc.__name__}, of {ufunc.nin} operands with {ufunc.nout} results",
            "two elements are made one",
            "pass a function of two arrays",
        )
    dtype = given if ufunc is None else ufunc.accumulate(np.ones(1, given)).dtype
    if initial is None and exclusive:
        initial = None if ufunc is None else ufunc.identity
        if initial is None:
            raise no_initial(op)
    require_plain(dtype)
    first = None if initial is None else first_of(initial, tuple(element), dtype)
    combine = ufunc if ufunc is not None else partial(_checked, op)
    return Accumulation(combine, ufunc, dtype, first, exclusive, reverse)


def not_flattened(shape: tuple[int, ...]) -> InvalidTypeError:
    """What to raise for an array of several axes of which none is named.

    >>> str(not_flattened((2, 3)))[:41]
    'axis is None for an array of shape (2, 3)'
    """
    return InvalidTypeError(
        f"axis is None for an array of shape {shape}",
        "an array over nodes is not flattened",
        "name an axis",
    )


def no_initial(op: object) -> InvalidValueError:
    """What to raise for an exclusive scan that has nothing before its first element.

    >>> str(no_initial(np.maximum))[:59]
    'an exclusive scan by maximum has no initial element: nothin'
    """
    return InvalidValueError(
        f"an exclusive scan by {getattr(op, '__name__', 'op')} has no initial element",
        "nothing is before the first one",
        "pass initial=, what does not change an element",
    )


def first_of(initial: object, element: tuple[int, ...], dtype: np.dtype[Any]) -> _Array:
    """What is before the first element, for all of its payload.

    >>> first_of(1, (2,), np.dtype(float))
    array([1., 1.])
    """
    given = np.asarray(initial)
    if not np.can_cast(given.dtype, dtype, "same_kind") or given.ndim > len(element):
        raise InvalidValueError(
            f"initial has shape {given.shape} and dtype {given.dtype}",
            f"it is one element, of shape {element} and dtype {dtype}",
            "pass a number, or what fits the payload",
        )
    return np.broadcast_to(given.astype(dtype), element)


def _checked(op: Callable[[_Array, _Array], Any], x: _Array, y: _Array) -> _Array:
    """What a user's function gives, if it is what it should be."""
    given = []
    for part in (x, y):
        view = part.view()
        view.setflags(write=False)
        given.append(view)
    made = np.asarray(op(*given))
    require_alike(made, x)
    return made


def require_alike(found: Any, x: Any) -> None:  # noqa: ANN401 - arrays, or those of JAX
    """Refuse what an operator gives, if it is not like what it was given.

    >>> require_alike(np.array([True]), np.array([1]))
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: op gives an array of shape (1,) and dtype bool: its
    operands have shape (1,) and dtype int64, and so has its result; call astype on the array
    first
    """
    if (found.shape, found.dtype) != (x.shape, x.dtype):
        raise InvalidValueError(
            f"op gives an array of shape {found.shape} and dtype {found.dtype}",
            f"its operands have shape {x.shape} and dtype {x.dtype}, and so has its result",
            "call astype on the array first",
        )
