"""The table of NumPy's functions that work on arrays over nodes; all others raise.

Rules.

1. A function is one row: what it is to NumPy, of which kind, and what carries it out.
2. Each kind has one rule. None of them gathers: what needs the whole array says ``to_numpy()``.
3. Ufuncs are not in the table: all that work element by element do.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from importlib import import_module
from typing import Any

import numpy as np

from graycube.array import linear, payload
from graycube.array.differences import diff, gradient, trapezoid, unwrap
from graycube.array.elementwise import assigned, element_by_element
from graycube.array.held import Held
from graycube.array.indexed import parts
from graycube.array.indexed.choosing import concatenated, flip, pad, repeat, take
from graycube.array.indexed.rolling import roll
from graycube.array.indexed.taking import take_along_axis
from graycube.array.instead import instead_of
from graycube.array.ordering.quantiles import median, percentile, quantile, unique
from graycube.array.ordering.sorting import argsort, sort
from graycube.array.reducing import nans, statistics
from graycube.array.reducing.joint import corrcoef, cov, histogram2d, histogramdd
from graycube.array.reducing.reductions import reduced
from graycube.array.reducing.weighted import average, bincount, histogram
from graycube.array.scanning.scans import cumprod, cumsum
from graycube.errors import InvalidTypeError
from graycube.layout.required import require_axis

Function = Callable[..., Any]


class Kind(Enum):
    """What a function does with the layout, and what it sends."""

    ELEMENTWISE = "works element by element, and keeps the layout"
    REDUCES = "reduces axes, and leaves the result where it comes about"
    PAYLOAD = "works on the payload, and sends nothing"
    QUERY = "says something of the array"
    SCANS = "combines all elements up to each one, and keeps the layout"
    MOVES = "sends elements where they belong"
    TRANSFORMS = "transforms, and the result carries its layout"


@dataclass(frozen=True, slots=True)
class Row:
    """A function of NumPy's: its kind, and what is called with the same arguments."""

    kind: Kind
    call: Function


def called(function: Function, args: Sequence[Any], options: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """What a function of the table gives, or the error that says what else to do.

    >>> from graycube.layout import Layout
    >>> called(np.sum, (Held(np.array([[1], [2]]), Layout.nodes(1)),), {})
    np.int64(3)
    >>> called(np.kron, (), {})
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: numpy.kron is given a CubeArray: it is not among the
    functions that work where the elements are; use np.vdot(a, b) for the sum of products, and
    np.einsum or @ for those of payload
    """
    if function not in TABLE and function.__module__ in _ABOVE:
        import_module(_ABOVE[function.__module__])
    row = TABLE.get(function)
    if row is None:
        raise _refused(function)
    try:
        return row.call(*args, **options)
    except TypeError:
        if (extra := _unknown(row.call, args, options)) is None:
            raise
    raise InvalidTypeError(
        f"{name_of(function)} is given {extra}",
        "over nodes it does not take that",
        "leave it out, or work on u.local, what is here",
    )


def _refused(function: Function) -> InvalidTypeError:
    return InvalidTypeError(
        f"{name_of(function)} is given a CubeArray",
        "it is not among the functions that work where the elements are",
        instead_of(function),
    )


def _unknown(call: Function, args: Sequence[Any], options: Mapping[str, Any]) -> str | None:
    """The arguments that a row does not take, if that is what was wrong."""
    known = inspect.signature(call)
    try:
        known.bind(*args, **options)
    except TypeError:
        return ", ".join({*options} - {*known.parameters}) or f"{len(args)} arguments"
    return None


def name_of(function: Function) -> str:
    """The name by which users call a function.

    >>> name_of(np.fft.fft)
    'numpy.fft.fft'
    """
    return f"{function.__module__}.{function.__name__}"


def _given(
    function: Function, args: Sequence[Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments by their names, without those that say nothing; NumPy looked at them."""
    given = {**dict(zip(_names(function), args, strict=False)), **options}
    return {k: v for k, v in given.items() if v is not None or k not in {"out", "shape"}}


@cache
def _names(function: Function) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _elementwise(function: Function) -> Row:
    """Aligned, and carried out on the blocks."""

    def call(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        given = _given(function, args, options)
        out = given.pop("out", None)
        if "shape" in given:
            raise InvalidTypeError(
                f"{name_of(function)} is given a shape",
                "what is like an array has its layout, and so its shape",
                "use CubeArray.from_function with another layout",
            )
        return element_by_element(function, (), given, out)

    return Row(Kind.ELEMENTWISE, call)


def _reduction(function: Function, make: Function, kind: Kind = Kind.REDUCES) -> Row:
    """NumPy's arguments by name, to what is called in the same way."""
    known = {*inspect.signature(make).parameters}

    def call(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        given = _given(function, args, options)
        a = given.pop(_names(function)[0])
        named = {k: v for k, v in given.items() if not (k == "where" and v is True)}
        if extra := {*named} - known:
            raise InvalidTypeError(
                f"{name_of(function)} is given {', '.join(sorted(extra))}",
                f"over nodes it takes {', '.join(sorted(known - {'a', 'monoid', 'of'}))}",
                "leave it out, or work on u.local, what is here",
            )
        return make(_array(a, function), **named)

    return Row(kind, call)


def _array(a: object, function: Function) -> Held:
    if not isinstance(a, Held):
        raise InvalidTypeError(
            f"{name_of(function)} is given a {type(a).__name__} first",
            "the array that is reduced must be a CubeArray",
            "spread it first, with CubeArray.from_numpy(x, layout)",
        )
    return a


def _of_two(function: Function, make: Function) -> Row:
    """A number that two arrays give; either may be a plain one."""

    def call(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        return make(**_given(function, args, options))

    return Row(Kind.REDUCES, call)


def _where(condition: object, x: object = None, y: object = None) -> Any:  # noqa: ANN401
    if x is None or y is None:
        raise InvalidTypeError(
            "numpy.where is given a mask alone",
            "the indices of where it is true are as many as they are, on any nodes",
            "use np.where(mask, x, y), np.count_nonzero(mask), u.sum(where=mask), or "
            "np.argwhere(mask.local), which counts from where u.slices begins",
        )
    return element_by_element(np.where, [condition, x, y], {})


def _select(condlist: Sequence[Any], choicelist: Sequence[Any], default: object = 0) -> Any:  # noqa: ANN401
    """Aligned all together, and chosen at every element."""
    n = len(condlist)

    def pick(*given: Any) -> Any:  # noqa: ANN401
        return np.select([*given[:n]], [*given[n:-1]], given[-1])

    return element_by_element(pick, [*condlist, *choicelist, default], {})


def _assigned(
    dst: object,
    src: object,
    casting: str = "same_kind",
    where: object = True,  # noqa: FBT002 - NumPy's
) -> None:
    element_by_element(assigned, [src], {"where": where, "casting": casting}, dst)


def _looked_up(function: Function, name: str) -> Row:
    """What plain arrays, which every rank has, say of each element."""

    def call(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        given = _given(function, args, options)
        a = given.pop(name)
        if not isinstance(a, Held) or any(isinstance(x, Held) for x in given.values()):
            raise InvalidTypeError(
                f"{name_of(function)} is given a {type(a).__name__} as {name}",
                f"{name} alone is over nodes: the rest is plain, and every rank has it",
                "make the others plain arrays, with to_numpy()",
            )
        return a.with_blocks(function(**given, **{name: a.blocks}))

    return Row(Kind.ELEMENTWISE, call)


def _choose(a: object, choices: Sequence[Any], out: object = None, mode: str = "raise") -> Any:  # noqa: ANN401
    """Aligned all together, and chosen by number at every element."""

    def pick(which: Any, *given: Any) -> Any:  # noqa: ANN401
        return np.choose(which, given, None, mode)  # type: ignore[call-overload]

    return element_by_element(pick, [a, *choices], {}, out)


def _piecewise(x: object, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:  # noqa: ANN401
    """Functions of a single element each, where their conditions are true."""

    def pick(x: Any, *given: Any) -> Any:  # noqa: ANN401
        where = [np.broadcast_to(each, x.shape) for each in given]
        return np.piecewise(x, where, [*funclist], *args, **kw)

    return element_by_element(pick, [x, *condlist], {})


def _diagonal(function: Function, axes: tuple[int, int] | None = None) -> Row:
    """Of matrices that are payload; others have no diagonal where the elements are."""

    def call(a: Held, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:  # noqa: ANN401
        found = linear.on_diagonals(function, a, offset, *(axes or (axis1, axis2)))
        if found is None:
            raise _refused(function)
        return found

    return Row(Kind.PAYLOAD, call)


def _columns(arrays: Sequence[Any]) -> Any:  # noqa: ANN401
    """Lines as columns, which are payload."""
    given = [*arrays]
    return payload.stack(given) if np.ndim(given[0]) == 1 else concatenated(given, 1)


def _deep(arrays: Sequence[Any]) -> Any:  # noqa: ANN401
    given = [*arrays]
    return payload.stack(given) if np.ndim(given[0]) == 2 else concatenated(given, 2)


def _appended(arr: Any, values: Any, axis: int | None = None) -> Any:  # noqa: ANN401
    if axis is None and np.ndim(arr) > 1:
        raise _refused(np.append)
    return concatenated([arr, values], axis or 0)


def _split(axis: Callable[[int], int]) -> Row:
    """Parts along an axis that depends on how many there are."""

    def call(ary: Held, indices_or_sections: Any) -> list[Any]:  # noqa: ANN401
        return parts.parted(ary, indices_or_sections, axis(ary.ndim))

    return Row(Kind.MOVES, call)


def _swapped(a: Held, axis1: int, axis2: int) -> Held:
    one, other = (require_axis(axis, a.ndim) for axis in (axis1, axis2))
    order = [*range(a.ndim)]
    order[one], order[other] = other, one
    return payload.permuted(a, order)


def _dtypes(function: Function) -> Row:
    """Asked about the dtypes alone."""

    def call(*args: Any) -> Any:  # noqa: ANN401
        return function(*(np.empty((1,), a.dtype) if isinstance(a, Held) else a for a in args))

    return Row(Kind.QUERY, call)


def _of_blocks(function: Function) -> Row:
    """Asked about the memory that is here."""

    def call(*args: Any) -> Any:  # noqa: ANN401
        return function(*(a.blocks if isinstance(a, Held) else a for a in args))

    return Row(Kind.QUERY, call)


def _size(a: Held, axis: int | None = None) -> int:
    return a.size if axis is None else a.shape[axis]


_REDUCTIONS: dict[Function, Function] = {
    np.sum: partial(reduced, monoid=np.add),
    np.prod: partial(reduced, monoid=np.multiply),
    np.min: partial(reduced, monoid=np.minimum),
    np.max: partial(reduced, monoid=np.maximum),
    np.amin: partial(reduced, monoid=np.minimum),
    np.amax: partial(reduced, monoid=np.maximum),
    np.all: partial(reduced, monoid=np.logical_and),
    np.any: partial(reduced, monoid=np.logical_or),
    np.nanmin: partial(reduced, monoid=np.fmin),
    np.nanmax: partial(reduced, monoid=np.fmax),
    np.nansum: nans.nansum,
    np.nanprod: nans.nanprod,
    np.nanargmin: partial(nans.nan_extreme_at, monoid=np.minimum),
    np.nanargmax: partial(nans.nan_extreme_at, monoid=np.maximum),
    np.cov: cov,
    np.corrcoef: corrcoef,
    np.histogram2d: histogram2d,
    np.nanmean: nans.nanmean,
    np.nanvar: nans.nanvar,
    np.nanstd: nans.nanstd,
    np.trapezoid: trapezoid,
    np.mean: statistics.mean,
    np.var: statistics.var,
    np.std: statistics.std,
    np.argmin: partial(statistics.extreme_at, monoid=np.minimum),
    np.argmax: partial(statistics.extreme_at, monoid=np.maximum),
    np.count_nonzero: statistics.count_nonzero,
    np.ptp: statistics.ptp,
    np.linalg.norm: statistics.norm,
}
_ELEMENTWISE: tuple[Function, ...] = (
    np.angle, np.around, np.clip, np.copy, np.empty_like, np.fix, np.full_like, np.i0, np.imag,
    np.iscomplex, np.isclose, np.isneginf, np.isposinf, np.isreal, np.nan_to_num, np.ones_like,
    np.real, np.round, np.sinc, np.zeros_like,
)  # fmt: skip
_LOOKED_UP: dict[Function, str] = {
    np.digitize: "x",
    np.interp: "x",
    np.isin: "element",
    np.polyval: "x",
    np.searchsorted: "v",
}
_OF_MATRICES: tuple[Function, ...] = (
    np.linalg.cholesky, np.linalg.cond, np.linalg.det, np.linalg.eigh, np.linalg.eigvalsh,
    np.linalg.inv, np.linalg.matrix_norm, np.linalg.matrix_power, np.linalg.matrix_rank,
    np.linalg.pinv, np.linalg.qr, np.linalg.slogdet, np.linalg.solve, np.linalg.svd,
    np.linalg.svdvals,
)  # fmt: skip
TABLE: dict[Function, Row] = {
    **{function: _elementwise(function) for function in _ELEMENTWISE},
    np.where: Row(Kind.ELEMENTWISE, _where),
    np.select: Row(Kind.ELEMENTWISE, _select),
    np.choose: Row(Kind.ELEMENTWISE, _choose),
    np.piecewise: Row(Kind.ELEMENTWISE, _piecewise),
    np.astype: Row(Kind.ELEMENTWISE, lambda x, dtype, copy=True: x.astype(dtype, copy=copy)),
    np.copyto: Row(Kind.ELEMENTWISE, _assigned),
    np.putmask: Row(
        Kind.ELEMENTWISE, lambda a, mask, values: _assigned(a, values, "unsafe", mask)
    ),
    **{function: _looked_up(function, name) for function, name in _LOOKED_UP.items()},
    **{function: _reduction(function, make) for function, make in _REDUCTIONS.items()},
    np.vdot: Row(Kind.REDUCES, statistics.vdot),
    np.allclose: _of_two(np.allclose, partial(statistics.all_of, np.isclose)),
    np.array_equal: _of_two(
        np.array_equal,
        lambda a1, a2, equal_nan=False: statistics.array_equal(a1, a2, equal_nan),
    ),
    np.array_equiv: _of_two(np.array_equiv, lambda a1, a2: statistics.all_of(np.equal, a1, a2)),
    np.histogramdd: Row(Kind.REDUCES, histogramdd),
    np.dot: Row(Kind.REDUCES, linear.dot),
    np.inner: Row(Kind.REDUCES, linear.dot),
    np.tensordot: Row(Kind.REDUCES, linear.tensordot),
    np.linalg.tensordot: Row(Kind.REDUCES, lambda x1, x2, axes=2: np.tensordot(x1, x2, axes)),
    np.linalg.vector_norm: Row(Kind.REDUCES, linear.vector_norm),
    np.stack: Row(Kind.PAYLOAD, lambda arrays, axis=0: payload.stack(arrays, axis)),
    np.einsum: Row(Kind.PAYLOAD, linear.summed_products),
    np.moveaxis: Row(Kind.PAYLOAD, payload.moved_axes),
    np.swapaxes: Row(Kind.PAYLOAD, _swapped),
    np.rollaxis: Row(
        Kind.PAYLOAD, lambda a, axis, start=0: payload.rolled_axis(a, axis, start)
    ),
    np.matrix_transpose: Row(Kind.PAYLOAD, lambda x: _swapped(x, -1, -2)),
    np.linalg.matrix_transpose: Row(Kind.PAYLOAD, lambda x: _swapped(x, -1, -2)),
    np.expand_dims: Row(Kind.PAYLOAD, parts.expand_dims),
    np.transpose: Row(Kind.PAYLOAD, lambda a, axes=None: payload.permuted(a, axes)),
    np.sort: _reduction(np.sort, sort, Kind.MOVES),
    np.argsort: _reduction(np.argsort, argsort, Kind.MOVES),
    np.unique: _reduction(np.unique, unique, Kind.MOVES),
    np.quantile: _reduction(np.quantile, quantile),
    np.percentile: _reduction(np.percentile, percentile),
    np.median: _reduction(np.median, median),
    np.average: _reduction(np.average, average),
    np.bincount: _reduction(np.bincount, bincount),
    np.histogram: _reduction(np.histogram, histogram),
    np.concatenate: Row(Kind.MOVES, concatenated),
    np.diff: _reduction(np.diff, diff, Kind.MOVES),
    np.flip: _reduction(np.flip, flip, Kind.MOVES),
    np.fliplr: Row(Kind.MOVES, lambda m: flip(m, 1)),
    np.flipud: Row(Kind.MOVES, lambda m: flip(m, 0)),
    np.gradient: Row(Kind.MOVES, gradient),
    np.pad: _reduction(np.pad, pad, Kind.MOVES),
    np.repeat: _reduction(np.repeat, repeat, Kind.MOVES),
    np.take: _reduction(np.take, take, Kind.MOVES),
    np.cumsum: _reduction(np.cumsum, cumsum, Kind.SCANS),
    np.cumprod: _reduction(np.cumprod, cumprod, Kind.SCANS),
    np.cumulative_sum: _reduction(np.cumulative_sum, cumsum, Kind.SCANS),
    np.cumulative_prod: _reduction(np.cumulative_prod, cumprod, Kind.SCANS),
    np.nancumsum: Row(
        Kind.SCANS, lambda a, axis=None, dtype=None: cumsum(nans.filled(a, 0), axis, dtype)
    ),
    np.nancumprod: Row(
        Kind.SCANS, lambda a, axis=None, dtype=None: cumprod(nans.filled(a, 1), axis, dtype)
    ),
    **{function: Row(Kind.PAYLOAD, linear.matrices(function)) for function in _OF_MATRICES},
    np.cross: Row(Kind.PAYLOAD, linear.cross),
    np.linalg.cross: Row(Kind.PAYLOAD, lambda x1, x2, axis=-1: np.cross(x1, x2, axis=axis)),
    np.linalg.matmul: Row(Kind.PAYLOAD, np.matmul),
    np.linalg.vecdot: Row(Kind.PAYLOAD, np.vecdot),
    np.outer: Row(Kind.PAYLOAD, linear.outer),
    np.trace: _diagonal(np.trace),
    np.diagonal: _diagonal(np.diagonal),
    np.linalg.trace: _diagonal(np.trace, (-2, -1)),
    np.linalg.diagonal: _diagonal(np.diagonal, (-2, -1)),
    np.squeeze: _reduction(np.squeeze, parts.squeeze, Kind.MOVES),
    np.tile: Row(Kind.MOVES, parts.tile),
    np.rot90: _reduction(np.rot90, parts.rot90, Kind.MOVES),
    np.split: Row(Kind.MOVES, parts.parted),
    np.array_split: Row(Kind.MOVES, partial(parts.parted, even=False)),
    np.vsplit: _split(lambda _: 0),
    np.hsplit: _split(lambda ndim: int(ndim > 1)),
    np.dsplit: _split(lambda _: 2),
    np.unstack: Row(Kind.MOVES, lambda x, *, axis=0: parts.unstacked(x, axis)),
    np.delete: Row(Kind.MOVES, parts.without),
    np.compress: Row(Kind.MOVES, parts.compressed),
    np.append: Row(Kind.MOVES, _appended),
    np.hstack: Row(Kind.MOVES, parts.side_by_side),
    np.vstack: Row(Kind.MOVES, parts.below),
    np.column_stack: Row(Kind.MOVES, _columns),
    np.dstack: Row(Kind.MOVES, _deep),
    np.unwrap: _reduction(np.unwrap, unwrap, Kind.SCANS),
    np.roll: Row(Kind.MOVES, roll),
    np.take_along_axis: Row(Kind.MOVES, take_along_axis),
    np.shape: Row(Kind.QUERY, lambda a: a.shape),
    np.ndim: Row(Kind.QUERY, lambda a: a.ndim),
    np.size: Row(Kind.QUERY, _size),
    np.result_type: _dtypes(np.result_type),
    np.iscomplexobj: _dtypes(np.iscomplexobj),
    np.isrealobj: _dtypes(np.isrealobj),
    np.common_type: _dtypes(np.common_type),
    np.can_cast: Row(
        Kind.QUERY, lambda from_, to, casting="safe": np.can_cast(from_.dtype, to, casting)
    ),
    np.may_share_memory: _of_blocks(np.may_share_memory),
    np.shares_memory: _of_blocks(np.shares_memory),
}
"""Layers above add their rows: :mod:`graycube.fourier` those of ``numpy.fft``."""
_ABOVE = {"numpy.fft": "graycube.fourier"}
"""Which layer that is, in case nobody has used it yet."""
