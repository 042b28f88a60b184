"""NumPy's functions on arrays over nodes give NumPy's results, or raise and say what works."""

import re
from functools import partial
from math import fsum

import numpy as np
import pytest
import scipy.fft
from numpy_cases import CASES, alike, layouts, operands, plain
from sweeping import larger, sweep

import graycube as gc
from graycube.array.functions import TABLE, called
from graycube.array.instead import instead_of
from graycube.array.reducing import norms
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout.words import sizes

LAYOUT = gc.Layout.mesh((8, 6), (4, 2), code="gray", ownership=False)
X = np.random.default_rng(0).standard_normal((8, 6))
V = np.random.default_rng(1).standard_normal((8, 6, 3))
MATRICES = np.random.default_rng(2).standard_normal((8, 6, 3, 3))


def field(x=X, layout=LAYOUT):
    return gc.CubeArray.from_numpy(x, layout)


@pytest.mark.long
@pytest.mark.parametrize("n", [2, *sweep((0,), (1,), (3,))])
@pytest.mark.parametrize("which", range(7))
def test_what_numpy_gives(n, which):
    """Each case in three of the seven layouts; in the sweep in all."""
    layout = [*layouts(n)][which]
    alone = operands(layout)
    over = [gc.CubeArray.from_numpy(x, layout) for x in alone]
    some = [case for k, case in enumerate(CASES.items()) if (k + which) % 7 < larger(3, 7)]
    wrong = {name: text for name, call in some if (text := alike(call, over, alone))}
    assert not wrong


def test_what_is_joined_is_spread_as_the_largest_part():
    layout = gc.Layout.mesh((12, 4), (4, 1), allocation="cyclic")
    u = gc.CubeArray.from_numpy(np.arange(48.0).reshape(12, 4), layout)
    joined = np.concatenate([np.take(u, [0], axis=0), np.delete(u, 0, axis=0)])
    assert joined.layout == layout
    assert np.array_equal((joined - u).to_numpy(), np.zeros(u.shape))


# Payload


def test_payload_aligns_from_the_back():
    """Vectors and matrices of the same length: rows of the matrices, as NumPy has it."""
    found = field(V) * field(MATRICES)
    assert np.array_equal(found.to_numpy(), V[..., None, :] * MATRICES)
    assert np.array_equal((field(MATRICES) - field(V)).to_numpy(), MATRICES - V[..., None, :])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: field() * X, InvalidTypeError, r"shape \(8, 6\), beside .* \(8, 6\)"),
        (
            lambda: field() * [1, 2, 3],
            InvalidTypeError,
            r"\(3,\), beside .* \(8, 6\).*first\[..., None\]",
        ),
        (lambda: field(V) * [1, 2], InvalidValueError, r"\(8, 6, 3\) and second \(2,\)"),
        (
            lambda: np.array([1, 2]) + field(V),
            InvalidValueError,
            r"\(2,\) and second \(8, 6, 3\)",
        ),
        (
            lambda: field(V) + field(V)[..., :2],
            InvalidValueError,
            r"\(8, 6, 3\) and second \(8, 6, 2\)",
        ),
        (lambda: field().__iadd__(field(V)), InvalidValueError, r"does not fit .* \(8, 6\)"),
        (
            lambda: field() + field(X.T, gc.Layout.mesh((6, 8), (2, 4), ownership=False)),
            InvalidValueError,
            "shape",
        ),
        (
            lambda: field()[0],
            InvalidTypeError,
            r"u\[0\] is asked for.*np.take\(u, 0, axis=0\) .* u.read\[0\]",
        ),
        (lambda: field()[X > 0], InvalidTypeError, r"u\[mask\] is asked for.*np.where\(mask"),
        (lambda: field(V)[:, :, 0, 0], OutOfRangeError, "4 entries"),
        (lambda: field(V)[..., 3], IndexError, "out of bounds"),
        (lambda: iter(field()), TypeError, "np.unstack"),
    ],
)
def test_what_does_not_fit_is_told_in_shapes_of_whole_arrays(call, error, text):
    with pytest.raises(error, match=text) as found:
        call()
    assert "(8, 6, 1)" not in str(found.value)


def test_components_are_taken_joined_and_put():
    layout = gc.Layout.mesh((8, 6), (4, 2), ownership=False)
    v = gc.CubeArray.from_function(lambda i, j: (i, 0.5 * j, 7), layout)
    i, j = np.indices((8, 6))
    wanted = np.stack([i, 0.5 * j, np.full((8, 6), 7)], axis=-1)
    assert np.array_equal(v.to_numpy(), wanted)
    assert np.array_equal(v[..., 1].to_numpy(), wanted[..., 1])
    joined = gc.stack([v[..., c] for c in range(3)])
    assert np.array_equal(joined.to_numpy(), wanted)
    v[..., 0] = v[..., 2] * 2
    v[..., 1:] += [1, 2]
    wanted[..., 0] = wanted[..., 2] * 2
    wanted[..., 1:] += [1, 2]
    assert np.array_equal(v.to_numpy(), wanted)
    tensor = gc.CubeArray.from_function(lambda i, j: [[i, j], [1, i * j]], layout)
    assert np.array_equal(tensor.to_numpy()[5, 3], [[5, 3], [1, 15]])


def test_vectors_may_also_come_as_one_array():
    made = gc.CubeArray.from_function(lambda i, j: np.stack([i, j], -1), LAYOUT)
    assert np.array_equal(made.to_numpy(), np.moveaxis(np.indices((8, 6)), 0, -1))


# Copies


def test_copies_are_part_of_the_layout():
    mean = field().mean(axis=0)
    assert str(mean.layout) == "(|| c1 c0 b0) x 3"
    assert gc.Layout.parse(str(mean.layout)) == mean.layout
    assert (mean.layout.size, mean.layout.block_size, mean.layout.copies) == (6, 3, 2)
    assert sizes(mean.layout) == "6 elements in 4 copies on 8 nodes, 3 on each"
    assert mean.layout == LAYOUT.without_axes([0])
    assert mean.layout != gc.Layout.mesh((6,), (2,), ownership=False)


def test_copies_have_one_form():
    """The same elements on the same nodes are one layout, whatever tells copies apart."""
    kinds = {
        gc.Layout(AffineMap(Matrix(columns, 3), constant), 3, (), copies=2)
        for columns in ((0b001, 0b010, 0b100), (0b111, 0b110, 0b100), (0b011, 0b100, 0b110))
        for constant in (0, 0b100, 0b110)
    }
    assert len(kinds) == 1
    with pytest.raises(InvalidValueError, match="a copy bit reaches a slot bit"):
        gc.Layout(AffineMap(Matrix.identity(2)), 1, (), copies=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda u: gc.plan(u.layout, u.layout, block=3, machine="ideal"),
    ],
)
def test_what_takes_no_copies_says_so(call):
    with pytest.raises(InvalidValueError, match="has 4 copies of every element"):
        call(field().sum(axis=0))


def test_transforms_of_axes_in_memory_take_copies():
    u = field(layout=gc.Layout.mesh((8, 6), (8, 1), ownership=False))
    mean = u.mean(axis=0)
    assert np.allclose(gc.rfft(mean).to_numpy(), np.fft.rfft(X.mean(axis=0)))
    assert np.allclose(gc.ifft(gc.fft(mean)).to_numpy(), X.mean(axis=0))
    assert gc.fft(mean).layout.copies == 3


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "dct", "idst"])
@pytest.mark.parametrize("axes", [0, 1, 2, (0, 2)])
def test_transforms_leave_as_many_copies_as_there_were(name, axes):
    x = np.random.default_rng(5).standard_normal((8, 4, 4))
    for layout in (
        gc.Layout.mesh(x.shape, (2, 2, 2), code="gray", ownership=False),
        gc.Layout.mesh(x.shape, (4, 1, 4), allocation="cyclic", ownership=False),
        gc.Layout.mesh(x.shape, (2, 3, 1)),
    ):
        u = field(x, layout).sum(axes)
        for axis in range(u.ndim):
            y = getattr(gc.fourier, name)(u, axis=axis)
            wanted = getattr(scipy.fft, name)(x.sum(axes), axis=axis)
            assert np.allclose(y.to_numpy(), wanted)
            assert y.layout.copy_count == u.layout.copy_count
            assert np.array_equal(field(y.to_numpy(), y.layout).blocks, y.blocks)


@pytest.mark.parametrize("piece", [5, norms._PIECE])
@pytest.mark.parametrize("dtype", ["f4", "f8", "g", "c8", "c16", "i4"])
def test_products_and_norms_of_any_kind(monkeypatch, piece, dtype):
    """On one node and several, in bits and in boxes, with whole pieces and what is left."""
    monkeypatch.setattr(norms, "_PIECE", piece)
    draw = np.random.default_rng(8)
    x, y = (9 * draw.standard_normal((8, 6, 3, 2)) @ [1, 1j] for _ in range(2))
    x, y = (z.astype(dtype) if dtype in ("c8", "c16") else z.real.astype(dtype) for z in (x, y))
    close = partial(np.testing.assert_allclose, rtol=1e-5 if dtype in ("f4", "c8") else 1e-13)
    for layout in (
        gc.Layout.mesh((8, 6), (1, 1)),
        gc.Layout.mesh((8, 6), (4, 1), code="gray", ownership=False),
        gc.Layout.mesh((8, 6), (3, 2)),
    ):
        u, v = field(x, layout), field(y, layout)
        found, wanted = np.vdot(u, v), np.vdot(x, y)
        close(found, wanted)
        assert found.dtype == wanted.dtype
        close(np.tensordot(u, v, 3), np.tensordot(x, y, 3))
        for options in ({}, {"keepdims": True}, {"axis": 1}, {"axis": (0, 2)}):
            found, wanted = np.linalg.norm(u, **options), np.linalg.norm(x, **options)
            close(plain(found), wanted)
            assert found.dtype == wanted.dtype


@pytest.mark.parametrize("dtype", ["f4", "f8", "g", "c8", "c16", "G"])
def test_norms_of_what_is_infinite(dtype):
    x = np.ones(8, dtype)
    x[3] = np.inf
    for options in ({}, {"keepdims": True}, {"axis": 0}):
        assert np.isinf(np.linalg.norm(field(x, gc.Layout.mesh(8, 2)), **options)).all()


def test_broadcasts_need_what_is_there():
    mean = field().mean(axis=0, keepdims=True)
    cyclic = field(layout=gc.Layout.mesh((8, 6), (4, 2), allocation="cyclic", ownership=False))
    with pytest.raises(
        InvalidValueError, match=r"use second\.relayout\(first\.layout\.without_axes\(\(0,\)"
    ):
        cyclic + mean
    with pytest.raises(InvalidValueError, match=r"use second\.relayout\(first\.layout\)$"):
        cyclic + field()
    moved = mean.relayout(cyclic.layout.without_axes([0], keepdims=True))
    assert np.allclose((cyclic + moved).to_numpy(), X + X.mean(0))


# Sums


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "f2", "g", "i4", "?"])
def test_reproducible_sums_are_those_of_any_layout(dtype):
    draw = np.random.default_rng(4)
    x = draw.standard_normal((24, 16)) * 10.0 ** draw.integers(-9, 9, (24, 16))
    x = (x > 0 if dtype == "?" else x.clip(-9e3, 9e3)).astype(dtype)
    for axis in (None, 0, 1, (0, 1)):
        found = set()
        for n in range(4):
            for nodes in ((1 << n, 1), (1 << n // 2, 1 << n - n // 2)):
                for place in ("consecutive", "cyclic"):
                    layout = gc.Layout.mesh(
                        (24, 16), nodes, code="gray", allocation=place, ownership=False
                    )
                    u = gc.CubeArray.from_numpy(x, layout)
                    made = plain(u.sum(axis, reproducible=True))
                    found.add(made.astype(np.clongdouble).astype("c16").tobytes())
        assert len(found) == 1
        exact = x.astype(np.clongdouble).sum(axis=axis)
        close = np.finfo(made.dtype).eps if made.dtype.kind in "fc" else 0
        close *= 100 if dtype == "g" else 4  # the sum that it is compared with is no better
        assert np.allclose(made, exact, rtol=close, atol=close * abs(x.astype("c16")).max())


def test_reproducible_sums_of_many_numbers_of_one_sign():
    """Where the sum is much larger than each element, the parts are exact as well."""
    x = np.random.default_rng(5).random(1 << 14) + 0.5
    kinds = [
        kind(14, n) for n in (0, 1, 5) for kind in (gc.Layout.cyclic, gc.Layout.consecutive)
    ]
    arrays = [gc.CubeArray.from_numpy(x, kind) for kind in kinds]
    assert {u.sum(reproducible=True) for u in arrays} == {fsum(x)}
    assert len({u.sum() for u in arrays}) > 1  # else this shows nothing


def test_reproducible_sums_take_what_is_not_finite():
    x = np.array([1.0, np.inf, 2.0, 3.0])
    for special, wanted in ((np.inf, np.inf), (-np.inf, np.nan), (np.nan, np.nan)):
        u = gc.CubeArray.from_numpy(np.append(x, [special] * 4), gc.Layout.cyclic(3, 1))
        with np.errstate(invalid="ignore"):
            assert np.array_equal(u.sum(reproducible=True), wanted, equal_nan=True)
    zeros = gc.CubeArray.from_numpy(np.zeros(8), gc.Layout.cyclic(3, 1))
    assert zeros.sum(reproducible=True) == 0
    large = gc.CubeArray.from_numpy(np.tile([1e308, -1e308], 4), gc.Layout.cyclic(3, 1))
    assert large.sum(reproducible=True) == 0
    assert zeros.sum(reproducible=True, initial=5, where=zeros > 0) == 5


# The rest raises


def test_whatever_is_not_in_the_table_raises_and_names_to_numpy():
    for function in (np.lexsort, np.linalg.eigvals, np.reshape):
        extra = {np.reshape: (48,)}
        with pytest.raises(InvalidTypeError, match=r"to_numpy\(\)"):
            function(field(), *extra.get(function, ()))


def test_no_function_of_numpys_gathers_in_silence(monkeypatch):
    """Each that takes arrays is in the table, or raises; none makes the whole array."""

    def refuse(*_, **__):
        raise AssertionError("gathered")

    monkeypatch.setattr(gc.CubeArray, "__array__", refuse)
    u = field()
    silent = []
    for space in (np, np.linalg, np.fft):
        for name in space.__all__:
            function = getattr(space, name)
            if not hasattr(function, "_implementation") or function in TABLE:
                continue
            for arguments in ((u,), (u, u), (u, 1), (u, u, u), (u, 1, 1)):
                try:
                    function(*arguments)
                except Exception as error:  # noqa: BLE001 - of NumPy's, for such arguments
                    if "gathered" in str(error):
                        silent.append(name)
    assert not set(silent)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda u: np.sum(u, axis=0, out=np.zeros(6)), "given out"),
        (lambda u: np.zeros_like(u, shape=(3,)), "given a shape"),
        (lambda u: np.concatenate([u, u.T]), r"shapes \(8, 6\), \(6, 8\) are joined"),
        (lambda u: np.concatenate([u, X]), "CubeArray, ndarray: it joins CubeArrays"),
        (lambda u: np.diff(u, append=X[:, :1]), r"a plain array of shape \(8, 1\)"),
        (lambda u: np.stack([u, u]), "come behind them, as payload; use axis=-1"),
        (lambda u: np.stack([u, X], axis=-1), "it joins CubeArrays"),
        (
            lambda u: np.apply_along_axis(np.sum, 0, u.sum(1)),
            "the only axis of the layout is over 8 nodes",
        ),
        (lambda u: np.apply_along_axis(np.diag, 0, u), "always of one length"),
        (np.cumsum, "name an axis"),
        (np.where, r"np.where\(mask, x, y\), np.count_nonzero\(mask\)"),
        (np.nonzero, r"np.count_nonzero\(mask\)"),
        (np.trace, r"u.indices\(sparse=True\), and u.sum\(where=i == j\)"),
        (lambda u: np.dot(u, u), r"np.vdot\(a, b\) for the sum of products"),
        (lambda u: np.eye(8) @ u, "it multiplies payload, of shapes .* np.einsum"),
        (np.subtract.reduce, "reduce and accumulate combine what"),
        (lambda u: np.add.reduce(u, out=X), "with out"),
        (lambda u: np.add.outer(u, u), "numpy.add.outer is given a CubeArray"),
        (lambda u: np.add.at(u, ([1], [2]), 1), r"numpy.add.at on the w.meshes .* w.add_back"),
        (lambda u: np.modf(u, out=(u, u)), r"q, r = np.divmod\(u, 2\)"),
        (lambda u: np.diff(u, 8, axis=0), "n is 8 along axis 0 of 8 elements"),
        (lambda u: np.gradient(u, 1, 2, 3), "3 spacings are given for 2 axes"),
        (
            lambda u: np.trapezoid(u, X, axis=0),
            r"shape \(8, 6\) .* x is a plain line of 8 points",
        ),
        (lambda u: np.take(u, 3), "axis is None for numpy.take"),
        (lambda u: np.take(u, 8, axis=0), "the index along axis 0 is 8"),
        (lambda u: np.take(u, u > 0, axis=0), "a CubeArray as indices: it is plain"),
        (lambda u: np.pad(u, 1, "maximum"), "constant, edge, wrap"),
        (lambda u: np.pad(u[..., None], 1), "give payload the width 0"),
        (lambda u: np.take(u, range(0), axis=0), "a line of integers"),
        (lambda u: np.interp([1, 2], u, u), "x alone is over nodes"),
        (gc.CubeArray.item, r"asked for item\(\)"),
        (lambda u: u.item(3, 4), r"use u.read\[3, 4\] on all ranks"),
        (lambda u: np.save("x.npy", u), r"its method save\(path\)"),
        (lambda u: np.place(u, u < 0, [0]), r"write u\[mask\] = value"),
        (lambda u: np.copyto(u, X), r"gc.CubeArray.from_numpy\(first, target.layout\)"),
        (lambda u: u[1:4, ::2], r", u.read\[1:4, ::2\] for a plain one"),
        (lambda u: u[None], r"behind them, as payload; write u\[..., None\]"),
        (lambda u: u[u > 0], r"np.add\(u, 1, out=u, where=mask\)"),
        (lambda u: u.__setitem__(8, 1), "the index along axis 0 is 8: it must lie in -8..7"),
        (lambda u: u.__setitem__(0, X), r"shape \(8, 6\) is to .* has the shape \(6,\)"),
        (lambda u: u.__setitem__(([0, 1], slice(None)), X[:2].T), "6, 2.*; pass its transpose"),
        (lambda u: u * np.ones((1, 1, 1)), r"shape \(1, 1, 1\), beside first"),
        (lambda u: u * np.ones((1, 6)), r"without_axes\(\(0,\), keepdims=True\)\)"),
        (lambda u: u.__setitem__(0, u), r"use np.copyto\(u, v, where=mask\)"),
        (lambda u: u.__setitem__(u > 0, u), r"use np.copyto\(u, v, where=mask\)"),
        (lambda u: u.__setitem__(u, 1), "dtype float64: .* make it of an array of this layout"),
        (lambda u: u.__setitem__(([0, 1], [0, 1, 2]), 1), "shape mismatch: indexing arrays"),
        (lambda u: u.__setitem__(([0, 1], [0, 6]), 1), r"shape \(8, 6\) NumPy says: index 6"),
        (lambda u: u.__setitem__(([0, 1], [0, 5]), [1, 2, 3]), r"there has the shape \(2,\)"),
        (lambda u: u.__setitem__(([0, 1], [0, 5]), u), r"use np.copyto\(u, v, where=mask\)"),
        (lambda u: u.__setitem__(0, 2j), "float64 has no such number"),
        (lambda u: u.astype("u1").fill(-1), "uint8 has no such number"),
        (lambda u: u.astype("u1").__setitem__((0, [0, 1]), [1, 300]), "uint8 has no such"),
        (lambda u: u.__setitem__(slice(0), "far"), "'far' is to be written: .* no such number"),
        (lambda u: u.__setitem__(slice(0), np.array("far")), "float64 has no such number"),
        (
            lambda u: u.__setitem__(u > 0, [1, 2]),
            r"an array of shape \(2,\): what stands there",
        ),
        (lambda u: u.__setitem__([True] * 7, 1), "the index along axis 0 .*a mask of 8"),
        (lambda u: u.read[[1, 9], [2, 4]], "NumPy says: index 9"),
        (lambda u: u.read[[0.5], [1]], "NumPy says: only integers"),
        (lambda u: u[[1, 3], [2, 4]], r"on all ranks write u.read\[\[1, 3\], \[2, 4\]\] for"),
        (lambda u: np.gradient(u > 0), "truth values are not subtracted"),
        (lambda u: np.cov(u, fweights=[1] * 6), "is given fweights: over nodes it takes"),
        (lambda u: np.cov(u[..., None]), r"np.cov\(gc.stack\(\[u, w\]\), rowvar=False\)"),
        (np.histogramdd, r"pass \[u, w\], or gc.stack"),
        (lambda u: np.histogram2d(u, 1j * u), "real numbers are counted"),
        (lambda u: np.quantile(u, [[0.1]], axis=0), r"pass q.ravel\(\)"),
        (lambda u: np.squeeze(u, 0), "axis 0 has 8 elements"),
        (lambda u: np.outer(u, u), "the first is a line over nodes"),
        (lambda u: np.cross(u[..., None], u[..., None], axis=0), "leave axis out"),
        (lambda u: np.stack([u, u], -1, dtype="f4"), "numpy.stack is given dtype: .* leave it"),
        (lambda u: np.nanargmin(u * np.nan, axis=0), "some line has no number"),
        (
            lambda u: np.einsum("...i,...i->...", gc.stack([u] * 3), gc.stack([u] * 2)),
            r"shapes \(8, 6, 3\), \(8, 6, 2\): payloads of shapes \(3,\), \(2,\) do not fit",
        ),
        (lambda u: u.__setitem__((0, "x"), 1), "the index along axis 1 is 'x'"),
        (lambda u: np.average(u, weights=X), "a plain array is for one axis"),
        (lambda u: np.average(u, 0, [1, 2]), "a plain array is for one axis"),
        (lambda u: np.average(u, 0, u.mean(axis=1)), "make second with keepdims=True"),
        (lambda u: np.average(u, weights=0 * u), "sum of the weights is 0"),
        (lambda u: np.histogram(u, "auto"), "pass their number"),
        (lambda u: np.histogram(1j * u), "real numbers are counted"),
        (lambda u: np.histogram(u, weights=X), "target|plain arrays align"),
        (np.bincount, "integers from 0 are counted"),
        (lambda u: np.bincount(u.astype(int) - 9), "-1[0-9] is one of them"),
        (lambda u: np.bincount(u.astype(bool), 1j * u), "they must be real"),
        (
            lambda u: np.bincount(abs(u).max(1, keepdims=True).astype(int), u),
            r"weights.sum\(axis=\(1,\), keepdims=True\)",
        ),
        (lambda u: u.__setattr__("blocks", 1), r"blocks of an array .*u.local = piece"),
        (lambda _: gc.Layout.mesh((30, 0), (2, 1)), "the length of axis 1 is 0"),
        (lambda _: gc.Layout.mesh((30, 8), (2, 0)), "the number of nodes of axis 1 is 0"),
        (lambda u: np.einsum("ij,jk->ik", u, u), "'...' stands for those of the layout"),
        (np.linalg.det, "works on the last 2 axes"),
        (lambda u: np.linalg.norm(u, 2), "of Frobenius|norms are those of vectors"),
        (lambda u: np.transpose(u[..., None]), "stay before the payload"),
        (lambda u: u[..., None].T, r"use transpose\(1, 0, 2\)"),
        (lambda u: np.roll(u, 1), "name the axes"),
        (lambda u: np.vdot(u, X), "vdot is given a ndarray"),
        (lambda u: np.vdot(X, u), "vdot is given a ndarray"),
        (lambda u: np.fft.fftn(u, (16,), axes=(0, 1)), "s has 1 entries for 2 axes"),
        (lambda u: np.sum(u, axis=2), "has 2 axes"),
        (lambda u: np.swapaxes(u, 0, 2), "axis is 2: the axes are 0..1"),
        (lambda u: np.moveaxis(u, 0, 2), "axis is 2: the axes are 0..1"),
        (lambda u: np.rollaxis(u, 0, 5), "of the axes NumPy says: 'start' arg requires"),
        (lambda u: np.fft.fft(u, axis=2), "axis is 2: the axes are 0..1"),
        (lambda u: np.roll(u, 1, axis=-3), "axis is -3: the axes are 0..1"),
        (lambda u: np.roll(u, (1, 2, 3), axis=(0, 1)), "each axis needs its shift"),
        (
            lambda u: np.add(u, u, out=u.mean(0, keepdims=True)),
            r"second \(8, 6\) and target .* not fit in shape \(1, 6\)",
        ),
        (
            lambda u: gc.CubeArray.from_function(lambda *_: np.zeros(5), u.layout),
            r"gives an array of shape \(5,\)",
        ),
        (
            lambda u: gc.CubeArray.from_function(lambda *_: (1.0, None), u.layout),
            "the function gives None",
        ),
        (lambda u: np.sum(u, axis=(0, 0)), "named twice"),
        (lambda u: np.rot90(u, axes=(0, -2)), "named twice"),
        (lambda u: np.rot90(u, axes=(0, 1, 1)), "named twice"),
        (
            lambda u: u + u.relayout(gc.Layout.mesh((8, 6), (4, 2), ownership=False)),
            r"second\.relayout\(first\.layout\)",
        ),
    ],
)
def test_errors_say_what_works(call, text):
    with pytest.raises((InvalidTypeError, InvalidValueError, OutOfRangeError), match=text):
        call(field())


@pytest.mark.parametrize(
    "key",
    [
        np.s_[3],
        np.s_[-1, ..., 0],
        np.s_[2:4],
        np.s_[..., ::-2, :],
        np.s_[1:4, 2, 1:],
        np.s_[[0, -1, 3], -3:],
        np.s_[1:, np.arange(6) % 2 == 0],
        np.s_[:, 5, None],
    ],
)
def test_what_brackets_do_not_read_an_error_says_how_to_take(key):
    x = np.random.default_rng(1).standard_normal((8, 6, 3))
    u = field(x)
    with pytest.raises(InvalidTypeError) as refused:
        u[key]
    line = re.search(r"on all ranks write (.*) for an array over nodes", refused.value.hint)
    found = eval(line[1], {"np": np, "u": u})  # noqa: S307
    assert np.array_equal(found.to_numpy(), x[key])


@pytest.mark.parametrize(
    ("function", "lines"),
    [
        (np.trace, ["i, j = u.indices(sparse=True)", "u.sum(where=i == j)"]),
        (np.argwhere, ["np.count_nonzero(mask)", "np.where(mask, u, 0)"]),
        (np.flatnonzero, ["[i.read[mask] for i in mask.indices()]"]),
        (np.extract, ["u.read[mask]"]),
        (np.kron, ["np.vdot(a, b)"]),
        (np.place, ["u[mask] = value", "np.copyto(u, v, where=mask)"]),
        (np.block, ["np.concatenate([u, v], axis=0)"]),
        (np.tril, ["i, j = u.indices(sparse=True)", "np.where(j <= i, u, 0)"]),
        (np.broadcast_to, ["np.add(u, 0 * v)"]),
        (np.ediff1d, ["np.diff(u, axis=0)"]),
        (np.array2string, ["print(u)"]),
        (np.lexsort, ["np.lexsort(u.to_numpy())"]),
    ],
)
def test_what_an_error_says_instead_of_a_function_runs(function, lines):
    u, v = field(), field()
    names = {"np": np, "u": u, "v": v, "a": u, "b": v, "mask": u > 0, "value": 3}
    for line in lines:
        assert line in instead_of(function)
        exec(line, names)  # noqa: S102
    with pytest.raises(InvalidTypeError, match=re.escape(instead_of(function))):
        called(function, (u,), {})


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("reshape", "to_numpy"),
        ("sort", r"np\.sort\(u\)"),
        ("tolist", "to_numpy"),
        ("redistribute", r"use u\.relayout\(layout\)"),
        ("local_slice", r"use u\.slices"),
        ("global_shape", r"use u\.shape"),
        ("v", r"use u\.local"),
    ],
)
def test_a_name_that_there_is_not_says_what_to_write(name, hint):
    with pytest.raises(AttributeError, match=hint):
        getattr(field(), name)
    assert not hasattr(field(), name)


def test_methods_take_what_those_of_numpy_take():
    u = field()
    assert u.max(initial=9) == 9
    assert u.min(where=u > 0, initial=9) == X[X > 0].min()
    assert np.isclose(u.prod(where=u > 1, initial=2), X.prod(where=X > 1, initial=2))
    assert u.any(where=u > 1) == X.any(where=X > 1)
    assert u.all(where=u > 1)
    assert u.astype(float, copy=False).blocks is u.blocks
    with pytest.raises(TypeError, match="Cannot cast"):
        u.astype(int, casting="safe")
    assert u.max(keepdims=True).item() == X.max() == float(u.max(keepdims=True))
    assert int(u.max(keepdims=True)) == int(X.max())
    assert complex(u.max(keepdims=True)) == X.max()
    with pytest.raises(InvalidValueError, match="for arrays of one element"):
        float(u)
    u.fill(3)
    assert (u == 3).all()


def test_what_is_printed_is_what_is_here():
    for layout in (
        LAYOUT,
        gc.Layout.mesh((7, 9), (3, 2)),
        gc.Layout.cyclic(4, 2, whole="gray"),
    ):
        x = np.arange(layout.size).reshape(layout.shape)
        u = gc.CubeArray.from_numpy(x, layout)
        assert str(u) == f"{u!r}\n{x}"
    large = gc.CubeArray.from_numpy(np.zeros((64, 64)), gc.Layout.mesh((64, 64), (2, 2)))
    assert str(large).splitlines()[1:] == str(np.zeros((64, 64))).splitlines()


def test_all_is_a_view():
    """As NumPy's ``u[:]``: what is written there is written to the array."""
    u = field()
    for key in (slice(None), ..., (slice(None), slice(None))):
        u[key][...] = 5
        assert (u == 5).all()
        u.fill(0)


def test_lines_that_all_nodes_have_are_whole():
    """Where a mean leaves its axis in memory, functions get it, and one line gives a number."""
    mean = field(layout=gc.Layout.mesh((8, 6), (8, 1))).mean(axis=0)
    turned = np.apply_along_axis(np.cumsum, 0, mean)
    assert np.allclose(turned.to_numpy(), np.cumsum(X.mean(axis=0)))
    assert turned.layout == mean.layout
    assert np.apply_along_axis(np.max, 0, mean) == mean.max()


def test_conditions_of_fields_are_for_all_components():
    found = np.piecewise(field(V), [field() > 0], [np.negative, 2])
    assert np.array_equal(found.to_numpy(), np.where(X[..., None] > 0, -V, 2))


def test_a_matrix_that_has_no_inverse_is_named_as_by_numpy():
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        np.linalg.inv(0 * field(MATRICES))


def test_queries():
    u = field(V)
    assert (np.shape(u), np.ndim(u), np.size(u), np.size(u, 2)) == ((8, 6, 3), 3, 144, 3)
    assert (u.ndim, u.size, u.nbytes, u.itemsize, len(u)) == (3, 144, 1152, 8, 8)
    assert np.result_type(u, np.complex64) == np.complex128
    assert np.result_type(u.astype("f4"), 1.0) == np.float32
    assert not np.iscomplexobj(u)
    assert np.isrealobj(u)


def test_the_first_of_all_dates_counts_as_zero():
    dates = np.arange(48).reshape(8, 6).astype("M8[D]")
    assert np.count_nonzero(field(dates)) == np.count_nonzero(dates) == 47


def test_one_element_has_a_truth_value():
    assert bool(field().max(axis=(0, 1), keepdims=True) > 0)


def test_assert_allclose_tells_how_much_differs():
    u = field()
    gc.assert_allclose(u, X)
    gc.assert_allclose(u, u * (1 + 1e-9))
    with pytest.raises(AssertionError, match=r"1 of 48 elements .* by 0\.5 at most"):
        gc.assert_allclose(u, X + 0.5 * (np.arange(48).reshape(8, 6) == 7))
    with pytest.raises(InvalidValueError, match=r"\(8, 6\) and \(6, 8\)"):
        gc.assert_allclose(u, X.T)
