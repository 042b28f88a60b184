"""Scans: running sums, products and anything associative, in the true order of an axis.

Rules.

1. Each node scans its stretch of every line, in memory. The totals of the stretches, one
   element a line, go through one round for each dimension of the nodes along the axis.
2. Where a node has no stretch (:mod:`graycube.array.stretches`), elements go where it has one,
   and their results come back: the result is in the layout of the array.
3. A user's function of two arrays works on many elements at once. The payload is the last axes.
   Its left operand is always before its right one, so it need not be commutative.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array.careful import Careful
from graycube.array.held import Held, require_array
from graycube.array.moving import straight
from graycube.array.ranks import facts_of, spread, together
from graycube.array.segments import finished, joined, records
from graycube.array.sharing import require_plain, swapped
from graycube.array.stretches import Stretches, stretches
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.required import require_axis

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]
Combine = Callable[[_Array, _Array], _Array]
"""What is made of elements and those after them."""
_LINE = 2  # the axis of the points of a line


@dataclass(frozen=True, slots=True)
class _Scan:
    """A scan: what combines two elements, and what is before the first one, if anything."""

    op: Combine
    ufunc: np.ufunc | None
    dtype: np.dtype[Any]
    first: _Array | None
    exclusive: bool
    reverse: bool


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

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[3], [1], [4], [1]]), Layout.nodes(2))
    >>> scan(np.add, x, 0).blocks.ravel().tolist()
    [3, 4, 8, 9]
    >>> scan(lambda x, y: np.maximum(x, y), x, 0, reverse=True).blocks.ravel().tolist()
    [4, 4, 4, 1]
    >>> scan(np.add, x, 0, exclusive=True).blocks.ravel().tolist()
    [0, 3, 4, 8]
    >>> scan(np.add, x, 0, segments=x.with_blocks(x.blocks == 4)).blocks.ravel().tolist()
    [3, 4, 4, 5]
    """
    require_array(a, "a scan")

    def prepare() -> "tuple[tuple[int, _Scan, _Array | None], dict[str, object]]":
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
        return _scanned(a, k, made)
    careful: Careful[_Array] = Careful(made.op, instead=lambda _, y: y)
    if marked is None:
        found = _scanned(a, k, _with(made, careful))
    else:
        found = _segmented(a.with_blocks(marked), k, made, careful)
    careful.settle(a.comm)
    return found


def _segmented(a: _H, axis: int, made: _Scan, op: Combine) -> _H:
    """The scan of records, and the values of what it gives."""
    first = None
    if made.first is not None:
        first = np.zeros(made.first.shape, a.dtype)
        first["value"] = made.first
    join = joined(op, reverse=made.reverse)
    all_of = _Scan(join, None, a.dtype, first, made.exclusive, made.reverse)
    found = _scanned(a, axis, all_of).blocks
    initial = made.first
    if initial is not None:
        place = axis - len(a.layout.shape)
        initial = initial if place < 0 else np.expand_dims(initial, place)
        initial = np.broadcast_to(initial, found.shape)
    begins, how = a.blocks["begins"], {"exclusive": made.exclusive, "reverse": made.reverse}
    return a.with_blocks(finished(op, found, begins, initial, **how))


def cumsum(a: _H, axis: int | None = None, dtype: DTypeLike | None = None) -> _H:
    """Running sums along an axis, as ``numpy.cumsum``, with its dtypes; collective.

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[1, 3], [2, 4]], "i2"), Layout.cyclic(2, 1))
    >>> cumsum(x).blocks.tolist(), cumsum(x).dtype
    ([[1, 6], [3, 10]], dtype('int64'))
    """
    return _cumulated(np.add, np.cumsum, a, axis, dtype)


def cumprod(a: _H, axis: int | None = None, dtype: DTypeLike | None = None) -> _H:
    """Running products along an axis, as ``numpy.cumprod``, with its dtypes; collective.

    >>> from graycube.layout import Layout
    >>> cumprod(Held(np.array([[2], [3]]), Layout.nodes(1, "gray"))).blocks.tolist()
    [[2], [6]]
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

    def prepare() -> "tuple[tuple[int, _Scan], dict[str, object]]":
        if axis is None and a.ndim > 1:
            raise InvalidTypeError(
                f"axis is None for an array of shape {a.shape}",
                "an array over nodes is not flattened",
                "name an axis, or call it on to_numpy()",
            )
        k = require_axis(0 if axis is None else axis, a.ndim)
        wanted = numpys(np.ones(1, a.dtype), dtype=dtype).dtype
        require_plain(wanted)
        facts = {"function": numpys.__name__, "axis": k, "result": wanted}
        made = _Scan(ufunc, ufunc, wanted, None, exclusive=False, reverse=False)
        return (k, made), {**facts_of("scan", a.layout, a.blocks), **facts}

    return _scanned(a, *together(a.comm, prepare))


def _made(  # noqa: PLR0913
    op: Any,  # noqa: ANN401 - of the user's
    given: np.dtype[Any],
    element: Sequence[int],
    *,
    exclusive: bool,
    reverse: bool,
    initial: object,
) -> _Scan:
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
            raise InvalidValueError(
                f"an exclusive scan by {getattr(op, '__name__', 'op')} has no initial element",
                "nothing is before the first one",
                "pass initial=, what does not change an element",
            )
    require_plain(dtype)
    first = None if initial is None else _first(initial, tuple(element), dtype)
    combine = ufunc if ufunc is not None else partial(_checked, op)
    return _Scan(combine, ufunc, dtype, first, exclusive, reverse)


def _first(initial: object, element: tuple[int, ...], dtype: np.dtype[Any]) -> _Array:
    """What is before the first element, for all of its payload."""
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
    found = np.asarray(op(*given))
    if (found.shape, found.dtype) != (x.shape, x.dtype):
        raise InvalidValueError(
            f"op gives an array of shape {found.shape} and dtype {found.dtype}",
            f"its operands have shape {x.shape} and dtype {x.dtype}, and so has its result",
            "call astype on the array first",
        )
    return found


def _with(made: _Scan, op: Combine) -> _Scan:
    return _Scan(op, None, made.dtype, made.first, made.exclusive, made.reverse)


def _scanned(a: _H, axis: int, made: _Scan) -> _H:
    """The array after a scan along an axis of the layout or of the payload."""
    blocks = a.blocks.astype(made.dtype, copy=False)
    d = len(a.layout.shape)
    with np.errstate(all="ignore"):  # what is raised on some ranks only, hangs the others
        if axis >= d:
            place = 2 + axis - d
            lines = np.moveaxis(blocks, place, _LINE)
            found = np.moveaxis(_of_lines(lines, None, None, made), _LINE, place)
            return a.with_blocks(np.ascontiguousarray(found))
        where = stretches(a.layout, axis, a.nodes, reverse=made.reverse)
        blocks = straight(blocks, a.layout, where.layout, a.comm)
        found = where.blocks(_of_lines(where.lines(blocks), where, a.comm, made))
        return a.with_blocks(straight(found, where.layout, a.layout, a.comm))


def _of_lines(
    lines: _Array, where: Stretches | None, comm: "Intracomm | None", made: _Scan
) -> _Array:
    """The scans of the stretches that are here, and of what is before them on other nodes."""
    op: Combine = made.op
    if made.reverse:
        lines = np.flip(lines, _LINE)
        op = lambda x, y: made.op(y, x)  # noqa: E731 - the same with its operands exchanged
    points = lines.shape[_LINE]
    if not lines.size:
        return lines.copy()
    own = _inclusive(op, made.ufunc, lines, made.dtype)
    before, some = _before(own[:, :, -1], where, comm, op)
    if made.first is not None:
        joined = op(np.broadcast_to(made.first, before.shape), before)
        rows = some.reshape(-1, *(1,) * (before.ndim - 1))
        before, some = np.where(rows, joined, made.first), np.ones_like(some)
    found = own if own is not lines else own.copy()
    if some.all() and made.ufunc is not None:
        made.ufunc(before[:, :, None], own, out=own)
    elif some.any():
        each = np.broadcast_to(before[some][:, :, None], own[some].shape)
        found[some] = op(each, own[some])
    if made.exclusive:
        found[:, :, 1:] = found[:, :, : points - 1].copy()
        found[:, :, 0] = before
    return np.flip(found, _LINE) if made.reverse else found


def _inclusive(
    op: Combine, ufunc: np.ufunc | None, lines: _Array, dtype: np.dtype[Any]
) -> _Array:
    """The scan in memory: of pairs first, then of what is between them."""
    points = lines.shape[_LINE]
    if ufunc is not None:
        made: _Array = ufunc.accumulate(lines, _LINE, dtype)
        return made
    if points == 1:
        return lines
    pairs = op(lines[:, :, : points - 1 : 2], lines[:, :, 1::2])
    found, every = np.empty_like(lines), _inclusive(op, None, pairs, dtype)
    found[:, :, 0], found[:, :, 1::2] = lines[:, :, 0], every
    if points > 2:
        behind = every[:, :, : (points - 1) // 2]
        found[:, :, 2::2] = op(behind, lines[:, :, 2::2])
    return found


def _before(
    totals: _Array, where: Stretches | None, comm: "Intracomm | None", op: Combine
) -> tuple[_Array, NDArray[np.bool_]]:
    """What all stretches before those of the nodes here make together, where there are some."""
    before, some = totals, np.zeros(len(totals), bool)
    for met in where.rounds if where is not None else ():
        over, peer = spread(comm), int(met.peers[0])
        if over is not None and peer == over.rank:
            continue
        other = totals[met.peers] if over is None else swapped(totals, peer, over, "a scan")
        behind = met.behind.reshape(-1, *(1,) * (totals.ndim - 1))
        first, second = np.where(behind, other, totals), np.where(behind, totals, other)
        totals = op(first, second)
        both, fresh, before = met.behind & some, met.behind & ~some, before.copy()
        before[fresh] = other[fresh]
        if both.any():
            before[both] = op(other[both], before[both])
        some = some | met.behind
    return before, some
