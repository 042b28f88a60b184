"""What NumPy's functions give for plain arrays, they give for arrays over nodes.

A case is a function of NumPy's arrays ``u`` and ``w`` (fields), ``v`` (vectors of three) and
``t`` (matrices of 3 x 3). It is called with plain arrays and with arrays over nodes.
"""

# ruff: noqa: ARG005 - every case takes all four, and uses what it needs

import warnings

import numpy as np

import graycube as gc


def written(u, key, value):
    """A copy of the array, in which something is written."""
    made = np.copy(u)
    made[key] = value
    return made


def copied(u, v, mask):
    """A copy of one array, with those of another where a mask is true."""
    made = np.copy(u)
    np.copyto(made, v, where=mask)
    return made


def put(u, mask, value):
    """The same with one value."""
    made = np.copy(u)
    np.putmask(made, mask, value)
    return made


WRITES = {
    "all": lambda u, w, v, t: written(u, slice(None), 3),
    "one element": lambda u, w, v, t: written(u, (u.shape[0] // 2, -2), 5),
    "a row": lambda u, w, v, t: written(u, u.shape[0] // 3, 7) + written(u, (..., -1), 7),
    "walls": lambda u, w, v, t: written(u, [0, -1], 0),
    "a box": lambda u, w, v, t: written(u, (slice(1, 6), slice(2, None, 3)), -1),
    "backwards": lambda u, w, v, t: written(u, slice(None, None, -2), 4),
    "a plain row": lambda u, w, v, t: written(u, -1, np.arange(u.shape[1])),
    "a plain column": lambda u, w, v, t: written(
        u, (slice(None, None, -1), slice(1, 3)), np.arange(u.shape[0])[:, None]
    ),
    "plain arrays for all": lambda u, w, v, t: (
        written(u, slice(None), np.arange(u.shape[1]))
        + written(u, (slice(None), slice(None)), np.arange(u.shape[0])[:, None])
        + written(u, ..., np.arange(u.size).reshape(u.shape))
    ),
    "a plain component": lambda u, w, v, t: (
        written(v, (..., 1), np.arange(u.size).reshape(u.shape))
        + written(v, slice(None), np.arange(v.size).reshape(v.shape))
        + written(v, ..., np.arange(u.size).reshape(*u.shape, 1))
    ),
    "vectors written": lambda u, w, v, t: written(v, (slice(1, 4), 0), [1, 2, 3]),
    "components": lambda u, w, v, t: written(t, (0, slice(2), slice(None), 1), [4, 5, 6]),
    "some of each": lambda u, w, v, t: written(v, (slice(1, 4), slice(None), [0, 2]), 9),
    "whole numbers": lambda u, w, v, t: (
        written((9 * u).astype("i4"), u > 0, 2.7) + written((9 * u).astype("i4"), ..., 2.7)
    ),
    "points": lambda u, w, v, t: written(u, ([0, -1, 0], [-1, 0, -1]), [5, 6, 7]),
    "points of components": lambda u, w, v, t: (
        written(v, ([0, -1], -1, [0, 2]), 7)
        + written(v, ([0, -1], slice(1), [0, 2]), [[1], [2]])
    ),
    "a mask": lambda u, w, v, t: written(u, u > 0, 0) + written(u, w < 0.3, 2),
    "a mask of vectors": lambda u, w, v, t: written(v, u > 0, [1, 2, 3]),
    "a mask of components": lambda u, w, v, t: written(v, v > 0, 9),
    "a mask of one axis": lambda u, w, v, t: (
        written(u, np.arange(u.shape[0]) % 3 == 0, np.arange(u.shape[1]))
        + written(u, (slice(1, None), np.arange(u.shape[1]) % 2 == 0), 7)
    ),
    "a plain mask with many values": lambda u, w, v, t: written(
        u, np.arange(u.size).reshape(u.shape) % 5 == 0, np.arange(-(-u.size // 5))
    ),
    "a component by a mask": lambda u, w, v, t: written(v, (u > 0, 1), 9),
    "copyto": lambda u, w, v, t: (
        copied(u, w, u > w)[..., None] - copied(v, [1, 2, 3], u[..., None] > 0)
    ),
    "putmask": lambda u, w, v, t: put(u, u > 0, 5),
    "filled": lambda u, w, v, t: written(u > 0, ..., w < 0),
}
ELEMENTWISE = {
    **WRITES,
    "operators": lambda u, w, v, t: 2 * u - w**2 / 3,
    "three operands": lambda u, w, v, t: np.where(u > 0, u, w * 2),
    "where with payload": lambda u, w, v, t: np.where(u[..., None] > 0, v, [1, 2, 3]),
    "clip": lambda u, w, v, t: np.clip(u, -0.5, 0.5) + u.clip(0.1, None),
    "clip by an array": lambda u, w, v, t: np.clip(u, w, w + 1),
    "zeros_like": lambda u, w, v, t: np.zeros_like(v) + np.ones_like(u, dtype=int)[..., None],
    "full_like": lambda u, w, v, t: np.full_like(v, [1, 2, 3]),
    "copy": lambda u, w, v, t: np.copy(u) - u.copy() + u,
    "conj": lambda u, w, v, t: np.conj(u + 1j * w) + (u - 1j * w).conj(),
    "parts": lambda u, w, v, t: np.real(u + 2j * w) + np.imag(u + 2j * w),
    "angle": lambda u, w, v, t: np.angle(u + 1j * w, deg=True),
    "isclose": lambda u, w, v, t: np.isclose(u, u + 1e-9, atol=1e-8),
    "isfinite": lambda u, w, v, t: np.isfinite(np.log(u)),
    "round": lambda u, w, v, t: np.round(u, 1) + u.round(2),
    "nan_to_num": lambda u, w, v, t: np.nan_to_num(np.log(u), nan=-3.0),
    "maximum": lambda u, w, v, t: np.maximum(v, u[..., None]),
    "a plain vector": lambda u, w, v, t: v * [1, 2, 3] + np.array([4.0, 5, 6]),
    "payload from the back": lambda u, w, v, t: t * v[..., None, :] + [1, 2, 3],
    "components": lambda u, w, v, t: v[..., 0] * v[..., -1] - v[:, :, 1],
    "slices": lambda u, w, v, t: t[..., 1:, [0, 2]],
    "divmod": lambda u, w, v, t: sum(divmod(u, 0.3)) - np.modf(v)[0][..., 0] + np.frexp(w)[1],
    "ufunc where": lambda u, w, v, t: np.add(u, 1, out=np.copy(w), where=u > 0),
    "select": lambda u, w, v, t: np.select([u > 1, w > 0], [u, w], -1.0),
    "interp": lambda u, w, v, t: np.interp(u, [-1, 0, 1], [3, 5, 4]) + np.polyval([1, 2, 3], w),
    "bins": lambda u, w, v, t: np.digitize(u, [-1, 0, 1]) - np.searchsorted([-0.5, 0.5], w),
    "choose": lambda u, w, v, t: np.choose((u > 0) + (u > w), [u, w, 7.0]),
    "piecewise": lambda u, w, v, t: np.piecewise(v, [v < 0, v > 1], [np.abs, 3, np.sqrt]),
    "powers": lambda u, w, v, t: (u > 0) ** 2 + np.astype(u, "f4") ** 3 + (9 * u) ** 2.0,
    "isin": lambda u, w, v, t: np.isin(np.round(v), [0, 1]),
    "sinc": lambda u, w, v, t: np.sinc(u) + np.i0(w) + np.fix(3 * u),
    "tests": lambda u, w, v, t: np.isreal(u) & ~np.iscomplex(u) & ~np.isneginf(u),
}
PAYLOAD = {
    "stack": lambda u, w, v, t: np.stack([u, w], axis=-1),
    "moveaxis": lambda u, w, v, t: np.moveaxis(t, -1, 2) - np.swapaxes(t, 2, 3) + t,
    "transpose": lambda u, w, v, t: np.transpose(v, (1, 0, 2)),
    "transpose a field": lambda u, w, v, t: u.T + w.transpose(1, 0),
    "of three": lambda u, w, v, t: t.transpose(1, 0, 3, 2),
    "einsum": lambda u, w, v, t: np.einsum("...ij,...j->...i", t, v),
    "einsum with a matrix": lambda u, w, v, t: np.einsum("ij,...j", np.eye(3), v),
    "trace": lambda u, w, v, t: np.einsum("...ii->...", t),
    "tensordot": lambda u, w, v, t: (
        np.tensordot(t, np.arange(18.0).reshape(3, 3, 2))
        - np.tensordot(t, np.arange(18.0).reshape(2, 3, 3), ((-2, 3), (2, 1)))
        + np.tensordot(v, np.arange(6.0).reshape(2, 3), (-1, -1))
        + np.tensordot(v, np.ones((3, 2)), axes=1)
    ),
    "matmul": lambda u, w, v, t: t @ t - (np.ones(3) @ t)[..., None] @ np.ones((1, 3)),
    "matvec": lambda u, w, v, t: v @ [1.0, 2, 3] + np.vecdot(v, v) - np.matvec(t, v)[..., 0],
    "cross": lambda u, w, v, t: np.cross(v, v[..., ::-1]),
    "einsum with a way": lambda u, w, v, t: np.einsum("xyij,xyj->xyi", t, v, optimize=True),
    "traces": lambda u, w, v, t: (
        np.trace(t, 1, 2, 3) + np.linalg.trace(t) + np.diagonal(t, axis1=-1, axis2=-2)[..., 0]
    ),
    "eigenvalues": lambda u, w, v, t: (
        np.linalg.eigvalsh(t) + np.linalg.eigh(t).eigenvalues + np.linalg.svd(t)[1]
    ),
    "solve": lambda u, w, v, t: np.linalg.solve(t + 9 * np.eye(3), v[..., None])[..., 0],
    "signs": lambda u, w, v, t: np.linalg.slogdet(t)[0] * np.linalg.cond(t, 1),
    "new axes": lambda u, w, v, t: (
        np.expand_dims(u, (0, -1)) * np.expand_dims(v, 0) + np.rollaxis(t, 3, 2)[..., 1]
    ),
    "three axes": lambda u, w, v, t: np.atleast_3d(u) + np.atleast_2d(v),
    "new axes within": lambda u, w, v, t: (
        np.expand_dims(u, 1) * np.expand_dims(w, (1, 3))[..., 0]
    ),
    "cross along": lambda u, w, v, t: (
        np.cross(v, v[..., ::-1], axis=2) + np.linalg.cross(v, [1, 2, 3])
    ),
    "det": lambda u, w, v, t: np.linalg.det(t),
    "inv": lambda u, w, v, t: np.linalg.inv(t + 5 * np.eye(3)),
}
NAMES = (
    *("sum", "prod", "mean", "std", "var", "min", "max", "argmin", "argmax", "any", "all"),
    *("ptp", "count_nonzero", "nansum", "nanmean", "nanmin", "nanmax", "linalg.norm"),
    *("nanvar", "nanstd"),
)
AXES = (None, 0, 1, -1, (0, 1), (0, -1), (-2, -1))


def reductions():
    """Every reduction, along axes of the layout and the payload, kept or not."""
    for name in NAMES:
        function = np.linalg.norm if name == "linalg.norm" else getattr(np, name)
        for axis in AXES:
            if isinstance(axis, tuple) and name in {"argmin", "argmax"}:
                continue
            for keepdims in (False, True):
                for which in range(4):
                    if axis is not None and which < 2 and axis in {(0, -1), (-2, -1)}:
                        continue

                    def call(*given, f=function, k=which, a=axis, d=keepdims):
                        return f(
                            given[k] > 0 if f in {np.any, np.all} else given[k],
                            axis=a,
                            keepdims=d,
                        )

                    if name == "linalg.norm" and which == 3 and axis is None:
                        continue
                    if name == "linalg.norm" and which == 2 and axis is None:
                        continue
                    yield f"{name} axis={axis} keepdims={keepdims} of {'uwvt'[which]}", call


REDUCTIONS = {
    **dict(reductions()),
    "where": lambda u, w, v, t: np.sum(u, axis=0, where=w > 0),
    "where of payload": lambda u, w, v, t: np.mean(v, axis=1, where=[True, False, True]),
    "mean where": lambda u, w, v, t: np.mean(u, where=w > 0),
    "var where": lambda u, w, v, t: np.var(u, axis=1, where=w > -2, ddof=1),
    "initial where": lambda u, w, v, t: (
        np.sum(u, 1, where=w > 0, initial=5) + np.sum(u, initial=2)
    ),
    "least where": lambda u, w, v, t: np.min(v, axis=0, where=w[..., None] > 9, initial=9),
    "infinity not": lambda u, w, v, t: np.nanmean(np.where(u > w, np.inf, u)) + np.nansum(w),
    "nan left out": lambda u, w, v, t: np.nanmean(np.sqrt(u), axis=0) + np.nansum(np.sqrt(w)),
    "mean of large numbers": lambda u, w, v, t: np.nanmean((u > w) * 2**60 + 2**61),
    "initial": lambda u, w, v, t: np.max(u, axis=0, initial=0.3),
    "dtype": lambda u, w, v, t: np.sum(v, axis=(0, 2), dtype=np.float32),
    "trapezoid": lambda u, w, v, t: np.trapezoid(u) * np.trapezoid(w, dx=0.3),
    "of points": lambda u, w, v, t: np.trapezoid(v, np.arange(u.shape[0]) ** 2.0, axis=0),
    "of one point": lambda u, w, v, t: np.trapezoid(u.max(0, keepdims=True) * np.nan, axis=0),
    "over payload": lambda u, w, v, t: np.trapezoid(v) + np.trapezoid(t, axis=-2)[..., 1],
    "by ufuncs": lambda u, w, v, t: np.add.reduce(u) - np.maximum.reduce(u, axis=None),
    "logaddexp": lambda u, w, v, t: np.logaddexp.reduce(v, axis=1, keepdims=True),
    "numbers where": lambda u, w, v, t: np.nanstd(np.sqrt(u + 1), where=w > 0),
    "nan of roots": lambda u, w, v, t: np.nanstd(np.sqrt(u + 1), axis=0, ddof=1),
    "norms": lambda u, w, v, t: np.linalg.norm(v, 1, axis=-1) + np.linalg.norm(v, np.inf, -1),
    "norms of matrices": lambda u, w, v, t: (
        np.linalg.norm(u, 1) - np.linalg.norm(w, -np.inf) + np.linalg.norm(v, 1, (0, 1))
    ),
    "norms along two axes": lambda u, w, v, t: (
        np.linalg.norm(v, np.inf, (-1, 0), keepdims=True)
        - np.linalg.norm(v, -1, (2, 0), keepdims=True)
    ),
    "norms of all": lambda u, w, v, t: (
        np.linalg.vector_norm(u, ord=1)
        + np.linalg.vector_norm(v, ord=3, axis=(0, 2))
        + np.linalg.norm(u, np.int64(3), axis=0)
    ),
    "norm over nodes": lambda u, w, v, t: np.linalg.norm(u, 3, axis=0),
    "squeeze": lambda u, w, v, t: np.squeeze(u.sum(0, keepdims=True)),
    "axes of lines": lambda u, w, v, t: (
        np.atleast_3d(u.sum(0))
        + np.atleast_2d(w.sum(0))[..., None]
        - np.atleast_1d(v.sum(2))[..., None].max()
    ),
    "squeeze what there is": lambda u, w, v, t: np.squeeze(u) + np.squeeze(w),
    "squeeze one": lambda u, w, v, t: np.squeeze(v.sum((0, 1), keepdims=True), 1),
    "squeeze all": lambda u, w, v, t: np.squeeze(v.sum((0, 1), keepdims=True)),
    "split": lambda u, w, v, t: np.split(u, 2)[1] - np.hsplit(u, [3, 4])[1].max(),
    "deep": lambda u, w, v, t: np.dstack([u, w]) + np.column_stack([u.sum(0), w.sum(0)]),
    "rows of lines": lambda u, w, v, t: np.vstack([u.sum(0), w.sum(0)]),
    "along lines": lambda u, w, v, t: (
        np.apply_along_axis(np.fft.fftshift, 0, u) - np.apply_along_axis(np.cumsum, 1, w)
    ),
    "numbers of lines": lambda u, w, v, t: (
        u - np.apply_along_axis(np.ptp, 0, w) + np.apply_along_axis(np.sum, 1, v).sum()
    ),
    "longer lines": lambda u, w, v, t: np.apply_along_axis(np.convolve, 0, u, [1, 2, 1]),
    "lines of components": lambda u, w, v, t: (
        np.apply_along_axis(np.diff, -1, v) + np.apply_along_axis(np.sort, 1, v)[..., :1]
    ),
    "cov": lambda u, w, v, t: np.cov(u),
    "corrcoef": lambda u, w, v, t: np.corrcoef(u, rowvar=True),
    "cov of columns": lambda u, w, v, t: np.cov(w + 1j * u, rowvar=False, ddof=0),
    "cov of lines": lambda u, w, v, t: np.corrcoef(u.sum(1), np.cumsum(w.sum(1), 0)),
    "cov of components": lambda u, w, v, t: np.cov(v.sum(0), rowvar=False, bias=True),
    "inner products": lambda u, w, v, t: (
        np.tensordot(u, w)
        + u.sum(0) @ w.sum(0)
        + np.dot(u.sum(1), w.sum(1))
        + np.vecdot(u.sum(1) * 1j, w.sum(1))
    ),
    "vdot of integers": lambda u, w, v, t: np.vdot((9 * u).astype("i4"), (9 * w).astype("i2")),
    "einsum without an arrow": lambda u, w, v, t: (
        np.einsum("xy,xyc", u, v) + np.einsum("ij,ij", u, w)
    ),
    "einsum over the layout": lambda u, w, v, t: (
        np.einsum("xy,xyc->yc", u, v) + np.einsum("xyc->c", v) + np.einsum("xy,xy->", u, w)
    ),
    "quantiles along": lambda u, w, v, t: np.percentile(u, [20, 70.5, 0], axis=0),
    "quantiles of vectors": lambda u, w, v, t: (
        np.quantile(v, [0.1, 0.9], axis=1)
        + np.squeeze(np.quantile(v, [0.5, 1], 1, keepdims=True), 2)
    ),
    "quantiles of numbers": lambda u, w, v, t: np.nanpercentile(
        np.where(v > 0, v, np.nan), [20, 70.5, 0], axis=0
    ),
    "quantiles of numbers in payload": lambda u, w, v, t: np.nanquantile(v, 0.3, axis=-1),
    "medians of numbers": lambda u, w, v, t: np.nanmedian(
        np.where(v > 0, v, np.nan), axis=1, keepdims=True
    ),
    "quantiles of planes": lambda u, w, v, t: np.quantile(v, [0.1, 1], (-1, 0), keepdims=True),
    "medians of planes": lambda u, w, v, t: np.nanmedian(np.where(v > 0, v, np.nan), (1, 2)),
    "quantiles of components": lambda u, w, v, t: np.quantile(v, [0.1, 0.9], axis=(0, 1)),
    "quantiles of numbers in components": lambda u, w, v, t: np.nanmedian(
        np.where(v > 0, v, np.nan), (0, 1), keepdims=True
    ),
    "quantiles of payload": lambda u, w, v, t: np.quantile(v, [0.1, 0.9, 1], axis=-1),
    "nanprod": lambda u, w, v, t: np.nanprod(np.sqrt(u + 1), axis=1),
    "places of numbers": lambda u, w, v, t: (
        np.nanargmax(np.sqrt(u + 9 * (w > 2)), axis=0) + np.nanargmin(np.log(w))
    ),
    "vdot": lambda u, w, v, t: np.vdot(u + 1j * w, w),
    "allclose": lambda u, w, v, t: np.allclose(u, u + 1e-12),
    "not allclose": lambda u, w, v, t: np.allclose(u, w),
    "array_equal": lambda u, w, v, t: np.array_equal(u, u + 0) and not np.array_equal(u, w),
    "with nan": lambda u, w, v, t: np.argmax(np.log(w), axis=0),
    "nan first": lambda u, w, v, t: np.argmin(np.log(w)),
    "ties": lambda u, w, v, t: np.argmax(np.round(u), axis=1),
    "twice": lambda u, w, v, t: v.sum(axis=0).max(axis=0),
    **{
        name: lambda u, w, v, t, call=call: np.concatenate(call(u, w, v, t))
        for name, call in {
            "histogram": lambda u, w, v, t: np.histogram(u),
            "in bins": lambda u, w, v, t: np.histogram(v, 7, (-1, 2), density=True),
            "between edges": lambda u, w, v, t: np.histogram(u, [-1, 0, 0.3, 5], weights=w),
            "of integers": lambda u, w, v, t: np.histogram((9 * v).astype("i2"), 5),
            "of a mean": lambda u, w, v, t: np.histogram(
                v.mean(axis=0)[..., 1], 3, weights=w.sum(0)
            ),
            "edges": lambda u, w, v, t: [
                np.histogram_bin_edges(u, 3),
                [np.median(v, (0, -1, 1))],
            ],
            "of two fields": lambda u, w, v, t: [
                x.ravel() for x in np.histogram2d(flat(u), flat(w), (3, 4), weights=flat(w * w))
            ],
            "in bins and edges": lambda u, w, v, t: [
                np.histogram2d(flat(u), flat(w), (2, [-1, 0, 0.3, 5]))[0].ravel()
            ],
            "of a density": lambda u, w, v, t: np.histogramdd(
                [flat(u), flat(w)], [[-1, 0, 2], 3], density=True
            )[0],
            "with few weights": lambda u, w, v, t: np.histogram(
                v, 4, weights=np.abs(v * 0 + [1, 2, 3]).astype("f4")
            ),
        }.items()
    },
    "bincount": lambda u, w, v, t: np.bincount(flat(shells(u)), minlength=5),
    "sums in bins": lambda u, w, v, t: np.bincount(flat(shells(u)), flat(w * w)),
    "bincount of a mean": lambda u, w, v, t: np.bincount(
        flat(shells(u).max(axis=0)), flat(w.sum(axis=0))
    ),
    "average": lambda u, w, v, t: (
        np.average(v, axis=0) + np.average(v, 0, [*range(1, 1 + len(u))])
    ),
    "average by an array": lambda u, w, v, t: np.average(u, 1, w * w),
    "average of all": lambda u, w, v, t: np.average((9 * u).astype(int), weights=w * w),
    "average of vectors": lambda u, w, v, t: np.average(v, -1, weights=[1, 2, 3]),
    "the weight of all": lambda u, w, v, t: np.stack(
        np.average(u, weights=abs(w), returned=True) + np.average(u, returned=True)
    ),
    "average kept": lambda u, w, v, t: np.average(u, 0, w * w, keepdims=True) * w,
}


def shells(u):
    """Some small integers."""
    return np.floor(3 * abs(u)).astype(int)


def flat(u):
    """NumPy counts what is in one line; arrays over nodes are counted in any shape."""
    return u if isinstance(u, gc.CubeArray) else u.ravel()


def thin(u):
    """The index along each of two axes, of length 1 along the other."""
    if isinstance(u, gc.CubeArray):
        return u.indices(sparse=True)
    return np.indices(u.shape[:2], sparse=True)


def squares(u):
    """Two thin arrays make one of the whole shape."""
    i, j = thin(u)
    return i**2 + j**2


BROADCASTS = {
    "ones before payload": lambda u, w, v, t: np.add(
        v * np.ones((1, 1, 3)), [[[1, 2, 3]]], out=v
    ),
    "ones alone": lambda u, w, v, t: np.where(u > [[0]], u * [[2.0]], t[..., 0, 0] ** [[2]]),
    "ones before one": lambda u, w, v, t: t - np.arange(9.0).reshape(1, 3, 3) * v[..., None],
    "less the mean": lambda u, w, v, t: u - u.mean(0, keepdims=True),
    "and the other": lambda u, w, v, t: u * w.sum(axis=1, keepdims=True),
    "without keepdims": lambda u, w, v, t: u / u.std(axis=0),
    "all of it": lambda u, w, v, t: u - u.mean(keepdims=True),
    "vectors": lambda u, w, v, t: v - v.mean(axis=(0, 1), keepdims=True),
    "thin": lambda u, w, v, t: squares(u),
    "thin, and the whole": lambda u, w, v, t: (squares(u) * w + thin(u)[1]) ** 2,
    "thin vectors": lambda u, w, v, t: thin(v)[1][..., None] * v.max(axis=1, keepdims=True),
    "rows and columns": lambda u, w, v, t: u.mean(0, keepdims=True) - w.mean(1, keepdims=True),
    "thin comparison": lambda u, w, v, t: np.where(thin(u)[0] > thin(u)[1], u, 0),
    "in place": lambda u, w, v, t: np.add(u, squares(u), out=np.copy(w)),
    "sums where": lambda u, w, v, t: np.sum(u, axis=0, where=thin(u)[1] > 2),
    "written copies": lambda u, w, v, t: (
        u - written(u.max(0, keepdims=True), (0, slice(1, 3)), 5)
    ),
    "profiles": lambda u, w, v, t: u.mean(0, keepdims=True) * w.mean(0, keepdims=True),
}
SCANS = {
    "cumsum": lambda u, w, v, t: np.cumsum(u, axis=0) - u.cumsum(1),
    "cumprod": lambda u, w, v, t: np.cumprod(v, axis=1) + v.cumprod(axis=0),
    "cumsum of payload": lambda u, w, v, t: np.cumsum(v, axis=-1) + v.cumprod(-1),
    "accumulate": lambda u, w, v, t: np.add.accumulate(u, 1),
    "the largest so far": lambda u, w, v, t: (
        np.maximum.accumulate(v, 1) - np.fmin.accumulate(np.log(u))[..., None]
    ),
    "of whole numbers": lambda u, w, v, t: np.cumsum((9 * u).astype("i2"), -1),
    "of truth values": lambda u, w, v, t: np.cumsum(u > w, 0),
    "of numbers": lambda u, w, v, t: (
        np.nancumsum(np.sqrt(u), 0)
        + np.nancumprod(np.sqrt(w), 1)
        - np.cumulative_sum(u, axis=0)
    ),
    "unwrap": lambda u, w, v, t: np.unwrap(3 * u) + np.unwrap(9 * w, axis=0, period=5),
    "unwrap integers": lambda u, w, v, t: np.unwrap((9 * v).astype("i4"), axis=1, period=7),
    "unwrap payload": lambda u, w, v, t: np.unwrap(3 * v, 3.5, axis=-1),
    "with a dtype": lambda u, w, v, t: np.cumsum(u, 1, np.float32),
    "of times": lambda u, w, v, t: np.cumsum((9 * u).astype("m8[s]"), 0) / np.timedelta64(1),
}
MOVES = {
    "concatenate": lambda u, w, v, t: np.concatenate([u, w[...], u], axis=1),
    "concatenate numbers": lambda u, w, v, t: np.concatenate([(9 * u).astype("i4"), w]),
    "concatenate payload": lambda u, w, v, t: np.concatenate([v, v[..., :1]], axis=-1),
    "diff": lambda u, w, v, t: np.diff(np.repeat(u, 2, 0), axis=0),
    "an array joined from its parts": lambda u, w, v, t: (
        u + np.concatenate([np.take(u, [0], axis=0), np.delete(u, 0, axis=0)])
    ),
    "diff between numbers": lambda u, w, v, t: (
        np.diff(u, prepend=0.5) + np.diff(v, append=2, axis=1)[..., 0]
    ),
    "diff between arrays": lambda u, w, v, t: np.diff(
        u, 2, 0, np.take(w, [-1], axis=0), np.take(w, [0, 1], axis=0)
    ),
    "diff of payload between numbers": lambda u, w, v, t: np.diff(t, prepend=1, append=False),
    "diff twice": lambda u, w, v, t: np.diff(np.repeat(v, 3, 1), 2, axis=1),
    "diff of truth": lambda u, w, v, t: np.diff(np.repeat(u, 2, 1) > 0),
    "diff of payload": lambda u, w, v, t: np.diff(t, axis=2),
    "flip": lambda u, w, v, t: np.flip(u) + np.fliplr(w) - np.flipud(u),
    "flip of payload": lambda u, w, v, t: np.flip(v, -1) + np.flip(v, (0, 2)),
    "gradient": lambda u, w, v, t: np.gradient(u)[0] - np.gradient(w, 0.5, 2)[1],
    "gradient, order 2": lambda u, w, v, t: np.gradient(v, axis=0, edge_order=2),
    "gradient of payload": lambda u, w, v, t: np.gradient(v, 0.1)[2],
    "gradient at points": lambda u, w, v, t: np.gradient(
        u, np.arange(u.shape[1]) ** 1.5, axis=1, edge_order=2
    ),
    "gradient of half numbers": lambda u, w, v, t: np.gradient(np.sqrt(u), axis=0),
    "gradient of whole numbers": lambda u, w, v, t: np.gradient((9 * u).astype("i4"), axis=1),
    "gradient of floats": lambda u, w, v, t: np.gradient(
        (u + 1j * w).astype("c8"), 0.5, axis=0
    ),
    "pad": lambda u, w, v, t: np.pad(u, ((1, 2), (0, 3)), constant_values=7),
    "pad edges": lambda u, w, v, t: np.pad(u, 1, "edge") - np.pad(w, ((2, 0), (1, 1)), "wrap"),
    "pad vectors": lambda u, w, v, t: np.pad(v, ((0, 2), (1, 0), (0, 0)), "symmetric"),
    "repeat": lambda u, w, v, t: np.repeat(u, 2, axis=1),
    "repeat unevenly": lambda u, w, v, t: np.repeat(v, [*range(1, v.shape[0] + 1)], axis=0),
    "repeat very often": lambda u, w, v, t: np.repeat(u, 65, axis=0),
    "take": lambda u, w, v, t: np.take(u, [-1, 0, u.shape[0] // 2, 0], axis=0),
    "take one": lambda u, w, v, t: np.take(v, -1, axis=1) + np.take(v > 0, 0, 1),
    "take payload": lambda u, w, v, t: np.take(v, [2, 0, 1], axis=-1),
    "sort": lambda u, w, v, t: np.sort(u, kind="stable"),
    "sort of payload": lambda u, w, v, t: np.sort(v) + np.argsort(v),
    "rows by a column": lambda u, w, v, t: np.take_along_axis(
        v, np.argsort(v[..., :1], axis=0, kind="stable"), axis=0
    ),
    "tile": lambda u, w, v, t: np.tile(u, 2) + np.tile(v, (1, 2, 1))[..., 0],
    "tile both ways": lambda u, w, v, t: np.tile(v, (3, 2, 1)),
    "tile very often": lambda u, w, v, t: np.tile(u, (65, 1)),
    "tile up": lambda u, w, v, t: np.tile(u, (2, 1, 3)),
    "squeeze payload": lambda u, w, v, t: v[..., None].squeeze(3) + u[..., None],
    "rot90": lambda u, w, v, t: np.rot90(u) - np.rot90(w, -1),
    "rot180": lambda u, w, v, t: np.rot90(v, 2, (1, 0)),
    "split payload": lambda u, w, v, t: np.array_split(v, 2, axis=-1)[0] - np.dsplit(v, 3)[2],
    "unstack": lambda u, w, v, t: np.unstack(v, axis=-1)[1],
    "unstack rows": lambda u, w, v, t: np.unstack(u, axis=1)[-1],
    "delete": lambda u, w, v, t: np.delete(u, [0, -1], axis=0) + np.delete(u, slice(2), 0),
    "compress": lambda u, w, v, t: np.compress([True, False, True], u, axis=1),
    "joined": lambda u, w, v, t: np.vstack([u, w]) - np.append(w, u, axis=0),
    "side by side": lambda u, w, v, t: np.hstack([u, w]) - np.column_stack([w, u]),
    "roll": lambda u, w, v, t: np.roll(u, 3, axis=0),
    "roll back": lambda u, w, v, t: np.roll(u, -1, 1) + np.roll(u, 100, axis=1),
    "roll both": lambda u, w, v, t: np.roll(v, (1, 2), axis=(0, 1)),
    "roll payload": lambda u, w, v, t: np.roll(v, (1, 1), axis=(-1, 0)),
    "fftshift": lambda u, w, v, t: np.fft.fftshift(u) - np.fft.ifftshift(w, axes=np.int64(1)),
}
TRANSFORMS = {
    "fft": lambda u, w, v, t: np.fft.fft(u),
    "ifft": lambda u, w, v, t: np.fft.ifft(u, axis=0, norm="ortho"),
    "fftn": lambda u, w, v, t: np.fft.fftn(u),
    "fftn of all": lambda u, w, v, t: np.fft.fftn(v),
    "of payload": lambda u, w, v, t: np.fft.fft(v),
    "hfft": lambda u, w, v, t: np.fft.hfft(u + 1j * w, axis=0, norm="ortho"),
    "ihfft": lambda u, w, v, t: np.fft.ihfft(u, norm="forward"),
    "fft2": lambda u, w, v, t: np.fft.ifft2(np.fft.fft2(t)),
    "rfft of payload": lambda u, w, v, t: np.fft.irfft(np.fft.rfft(v), 3),
    "rfftn of payload": lambda u, w, v, t: np.fft.rfftn(v, axes=(0, 1, 2)),
}
CASES = {**ELEMENTWISE, **PAYLOAD, **REDUCTIONS, **BROADCASTS, **SCANS, **MOVES, **TRANSFORMS}
QUIET = {**ELEMENTWISE, **PAYLOAD}
SORTING = ("sort", "quantiles", "rows by", "edges")
"""How the names of those begin that gather some keys."""
assert len(CASES) == sum(  # else a name of one kind hides that of another
    map(len, (ELEMENTWISE, PAYLOAD, REDUCTIONS, BROADCASTS, SCANS, MOVES, TRANSFORMS))
)


def layouts(n):
    """Meshes, cyclic, Gray, with and without odd parts, and what a transform leaves."""
    a = n // 2
    for shape in ((8, 8), (24, 8)):
        yield gc.Layout.mesh(shape, (1 << n, 1), ownership=False)
        yield gc.Layout.mesh(shape, (1 << a, 1 << n - a), code="gray", ownership=False)
    yield gc.Layout.mesh(
        (24, 40), (1 << min(n, 2), 1 << max(n - 2, 0)), allocation="cyclic", ownership=False
    )
    yield gc.Layout.mesh((8, 16), (1 << n - a, 1 << a), whole="gray")
    mixed = gc.Layout.mesh(
        (8, 24), (1 << a, 1 << n - a), allocation=("cyclic", "consecutive"), ownership=False
    )
    yield gc.fft(gc.CubeArray.from_numpy(np.zeros(mixed.shape), mixed), 1).layout


def operands(layout):
    """Plain arrays: two fields, vectors and matrices."""
    draw = np.random.default_rng(7)
    return [draw.standard_normal((*layout.shape, *p)) for p in ((), (), (3,), (3, 3))]


def plain(found):
    """The result as a plain array."""
    return found.to_numpy() if isinstance(found, gc.CubeArray) else np.asarray(found)


def as_well(kind, call, over):
    """What is wrong with a call that NumPy refuses, or nothing."""
    try:
        call(*over)
    except kind:
        return ""
    return f"NumPy raises {kind.__name__}"


def alike(call, over, alone):
    """What is wrong with a call on arrays over nodes, or nothing."""
    with warnings.catch_warnings(action="ignore"):
        try:
            wanted = np.asarray(call(*alone))
        except (ValueError, IndexError) as error:
            return as_well(type(error), call, over)
        try:
            found = plain(call(*over))
        except gc.GraycubeError as error:
            if "would have 0 elements" in str(error):  # also on the way to some
                return ""
            raise
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        return f"{found.shape} {found.dtype} and NumPy's {wanted.shape} {wanted.dtype}"
    tolerance = 2e-4 if wanted.dtype == np.float32 else 1e-11
    if not np.allclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True):
        return f"{found} and NumPy's {wanted}"
    return ""
