"""The table of NumPy's functions that work on arrays over nodes; all others raise.

Rules.

1. A function is one row: what it is to NumPy, of which kind, and what carries it out.
2. Each kind has one rule. None of them gathers: what needs the whole array says ``to_numpy()``.
3. Ufuncs are not in the table: all that work element by element do.
"""

import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from graycube.array import linear, payload
from graycube.array.along import apply_along_axis
from graycube.array.differences import diff, gradient, trapezoid, unwrap
from graycube.array.held import Held
from graycube.array.indexed import parts
from graycube.array.indexed.choosing import concatenated, flip, pad, repeat, take
from graycube.array.indexed.rolling import roll
from graycube.array.indexed.taking import take_along_axis
from graycube.array.ordering.different import unique
from graycube.array.ordering.quantiles import median, quantile, quantiles
from graycube.array.ordering.sorting import argsort, sort
from graycube.array.reducing import extremes, nans, norms, statistics
from graycube.array.reducing.joint import corrcoef, cov, histogram2d, histogramdd
from graycube.array.reducing.reductions import reduced
from graycube.array.reducing.weighted import average, bincount, histogram
from graycube.array.rows import (
    Function,
    Kind,
    Row,
    elementwise,
    looked_up,
    name_of,
    of_blocks,
    of_dtypes,
    of_two,
    on_diagonal,
    reduction,
    refused,
    split_along,
)
from graycube.array.scanning.scans import cumprod, cumsum
from graycube.array.selecting import choose, copied_to, piecewise, select, where_of
from graycube.errors import InvalidTypeError
from graycube.warned import as_written


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
        raise refused(function)
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


def _unknown(call: Function, args: Sequence[Any], options: Mapping[str, Any]) -> str | None:
    """The arguments that a row does not take, if that is what was wrong."""
    known = inspect.signature(call)
    try:
        known.bind(*args, **options)
    except TypeError:
        return ", ".join({*options} - {*known.parameters}) or f"{len(args)} arguments"
    return None


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
    np.nansum: partial(nans.of_filled, monoid=np.add),
    np.nanprod: partial(nans.of_filled, monoid=np.multiply),
    np.nanargmin: partial(nans.nan_extreme_at, monoid=np.minimum),
    np.nanargmax: partial(nans.nan_extreme_at, monoid=np.maximum),
    np.cov: cov,
    np.corrcoef: corrcoef,
    np.histogram2d: histogram2d,
    np.nanmean: nans.of_numbers(statistics.mean),
    np.nanvar: nans.of_numbers(statistics.var),
    np.nanstd: nans.of_numbers(statistics.std),
    np.trapezoid: trapezoid,
    np.mean: statistics.mean,
    np.var: statistics.var,
    np.std: statistics.std,
    np.argmin: partial(extremes.extreme_at, monoid=np.minimum),
    np.argmax: partial(extremes.extreme_at, monoid=np.maximum),
    np.count_nonzero: statistics.count_nonzero,
    np.ptp: statistics.ptp,
    np.linalg.norm: norms.norm,
}
_ELEMENTWISE: tuple[Function, ...] = (
    np.angle, np.around, np.clip, np.copy, np.empty_like, np.fix, np.i0, np.imag,
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
_ORDERS: tuple[Function, ...] = (np.moveaxis, np.swapaxes, np.rollaxis)
TABLE: dict[Function, Row] = {
    **{function: elementwise(function) for function in _ELEMENTWISE},
    np.full_like: Row(
        Kind.ELEMENTWISE,
        lambda a, fill_value, dtype=None, **more: elementwise(np.full_like).call(
            a, as_written(fill_value, dtype or a.dtype), dtype, **more
        ),
    ),
    np.where: Row(Kind.ELEMENTWISE, where_of),
    np.select: Row(Kind.ELEMENTWISE, select),
    np.choose: Row(Kind.ELEMENTWISE, choose),
    np.piecewise: Row(Kind.ELEMENTWISE, piecewise),
    np.astype: Row(Kind.ELEMENTWISE, lambda x, dtype, copy=True: x.astype(dtype, copy=copy)),
    np.copyto: Row(Kind.ELEMENTWISE, copied_to),
    np.putmask: Row(
        Kind.ELEMENTWISE, lambda a, mask, values: copied_to(a, values, "unsafe", mask)
    ),
    **{function: looked_up(function, name) for function, name in _LOOKED_UP.items()},
    **{function: reduction(function, make) for function, make in _REDUCTIONS.items()},
    np.vdot: Row(Kind.REDUCES, norms.vdot),
    np.allclose: of_two(np.allclose, partial(statistics.all_of, np.isclose)),
    np.array_equal: of_two(
        np.array_equal,
        lambda a1, a2, equal_nan=False: statistics.array_equal(a1, a2, equal_nan),
    ),
    np.array_equiv: of_two(np.array_equiv, lambda a1, a2: statistics.all_of(np.equal, a1, a2)),
    np.histogramdd: Row(Kind.REDUCES, histogramdd),
    np.dot: Row(Kind.REDUCES, linear.dot),
    np.inner: Row(Kind.REDUCES, linear.dot),
    np.tensordot: Row(Kind.REDUCES, linear.tensordot),
    np.linalg.tensordot: Row(Kind.REDUCES, lambda x1, x2, axes=2: np.tensordot(x1, x2, axes)),
    np.linalg.vector_norm: Row(Kind.REDUCES, norms.vector_norm),
    np.stack: Row(Kind.PAYLOAD, lambda arrays, axis=0: payload.stack(arrays, axis)),
    np.einsum: Row(Kind.REDUCES, linear.summed_products),
    **{f: Row(Kind.PAYLOAD, payload.ordered_by(f)) for f in _ORDERS},
    np.matrix_transpose: Row(Kind.PAYLOAD, lambda x: np.swapaxes(x, -1, -2)),
    np.linalg.matrix_transpose: Row(Kind.PAYLOAD, lambda x: np.swapaxes(x, -1, -2)),
    np.expand_dims: Row(Kind.PAYLOAD, parts.expand_dims),
    np.atleast_1d: Row(Kind.PAYLOAD, partial(parts.at_least, 1)),
    np.atleast_2d: Row(Kind.PAYLOAD, partial(parts.at_least, 2)),
    np.atleast_3d: Row(Kind.PAYLOAD, partial(parts.at_least, 3)),
    np.transpose: Row(Kind.PAYLOAD, lambda a, axes=None: payload.permuted(a, axes)),
    np.sort: reduction(np.sort, sort, Kind.MOVES),
    np.argsort: reduction(np.argsort, argsort, Kind.MOVES),
    np.unique: reduction(np.unique, unique, Kind.MOVES),
    np.quantile: reduction(np.quantile, quantile),
    np.percentile: reduction(np.percentile, partial(quantiles, whole=100)),
    np.median: reduction(np.median, median),
    np.nanquantile: reduction(np.nanquantile, partial(quantiles, numbers=True)),
    np.nanpercentile: reduction(np.nanpercentile, partial(quantiles, whole=100, numbers=True)),
    np.nanmedian: reduction(np.nanmedian, partial(median, numbers=True)),
    np.average: reduction(np.average, average),
    np.bincount: reduction(np.bincount, bincount),
    np.histogram: reduction(np.histogram, histogram),
    np.histogram_bin_edges: reduction(
        np.histogram_bin_edges,
        lambda a, bins=10, range=None: histogram(a, bins, range)[1],  # noqa: A006
    ),
    np.concatenate: Row(Kind.MOVES, concatenated),
    np.diff: reduction(np.diff, diff, Kind.MOVES),
    np.flip: reduction(np.flip, flip, Kind.MOVES),
    np.fliplr: Row(Kind.MOVES, lambda m: flip(m, 1)),
    np.flipud: Row(Kind.MOVES, lambda m: flip(m, 0)),
    np.gradient: Row(Kind.MOVES, gradient),
    np.pad: reduction(np.pad, pad, Kind.MOVES),
    np.repeat: reduction(np.repeat, repeat, Kind.MOVES),
    np.take: reduction(np.take, take, Kind.MOVES),
    np.cumsum: reduction(np.cumsum, cumsum, Kind.SCANS),
    np.cumprod: reduction(np.cumprod, cumprod, Kind.SCANS),
    np.cumulative_sum: reduction(np.cumulative_sum, cumsum, Kind.SCANS),
    np.cumulative_prod: reduction(np.cumulative_prod, cumprod, Kind.SCANS),
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
    np.trace: on_diagonal(np.trace),
    np.diagonal: on_diagonal(np.diagonal),
    np.linalg.trace: on_diagonal(np.trace, (-2, -1)),
    np.linalg.diagonal: on_diagonal(np.diagonal, (-2, -1)),
    np.squeeze: reduction(np.squeeze, parts.squeeze, Kind.MOVES),
    np.tile: Row(Kind.MOVES, parts.tile),
    np.rot90: reduction(np.rot90, parts.rot90, Kind.MOVES),
    np.split: Row(Kind.MOVES, parts.parted),
    np.array_split: Row(Kind.MOVES, partial(parts.parted, even=False)),
    np.vsplit: split_along(lambda _: 0),
    np.hsplit: split_along(lambda ndim: int(ndim > 1)),
    np.dsplit: split_along(lambda _: 2),
    np.unstack: Row(Kind.MOVES, lambda x, *, axis=0: parts.unstacked(x, axis)),
    np.delete: Row(Kind.MOVES, parts.without),
    np.compress: Row(Kind.MOVES, parts.compressed),
    np.apply_along_axis: Row(Kind.MOVES, apply_along_axis),
    np.append: Row(Kind.MOVES, parts.appended),
    np.hstack: Row(Kind.MOVES, parts.side_by_side),
    np.vstack: Row(Kind.MOVES, parts.below),
    np.column_stack: Row(Kind.MOVES, partial(parts.behind, 1)),
    np.dstack: Row(Kind.MOVES, partial(parts.behind, 2)),
    np.unwrap: reduction(np.unwrap, unwrap, Kind.SCANS),
    np.roll: Row(Kind.MOVES, roll),
    np.take_along_axis: Row(Kind.MOVES, take_along_axis),
    np.shape: Row(Kind.QUERY, lambda a: a.shape),
    np.ndim: Row(Kind.QUERY, lambda a: a.ndim),
    np.size: Row(Kind.QUERY, _size),
    np.result_type: of_dtypes(np.result_type),
    np.iscomplexobj: of_dtypes(np.iscomplexobj),
    np.isrealobj: of_dtypes(np.isrealobj),
    np.common_type: of_dtypes(np.common_type),
    np.can_cast: Row(
        Kind.QUERY, lambda from_, to, casting="safe": np.can_cast(from_.dtype, to, casting)
    ),
    np.may_share_memory: of_blocks(np.may_share_memory),
    np.shares_memory: of_blocks(np.shares_memory),
}
"""Layers above add their rows: :mod:`graycube.fourier` those of ``numpy.fft``."""
_ABOVE = {"numpy.fft": "graycube.fourier"}
"""Which layer that is, in case nobody has used it yet."""
