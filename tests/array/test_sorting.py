"""Sorted arrays beside NumPy's, of all kinds of keys in all kinds of layouts."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from mpi_runs import Launch, OverMPI
from sorting_cases import complaints
from sweeping import sweep

import graycube as gc


@pytest.mark.parametrize("nodes", [1, 4, 6])
@pytest.mark.parametrize("first", [0, *sweep(*((k,) for k in range(14, 350, 14)))])
def test_as_numpy_sorts(first, nodes):
    assert [text for seed in range(first, first + 14) for text in complaints(seed, nodes)] == []


def some_array(*shape):
    x = np.random.default_rng(0).standard_normal(shape)
    return gc.CubeArray.from_numpy(x, gc.Layout.mesh(shape[:2], (2, 2), code="gray")), x


def test_numpys_functions_are_these():
    u, x = some_array(8, 4)
    assert np.array_equal(np.sort(u).to_numpy(), np.sort(x))
    assert np.array_equal(np.sort(u, 0, kind="stable").to_numpy(), np.sort(x, 0))
    assert np.array_equal(np.argsort(u, axis=0).to_numpy(), np.argsort(x, axis=0))
    assert np.array_equal(np.unique(u).to_numpy(), np.unique(x))
    assert np.median(u) == np.median(x)
    assert np.quantile(u, 0.3) == np.quantile(x, 0.3)
    assert np.array_equal(
        np.percentile(u, [[1, 20], [99, 3]]), np.percentile(x, [[1, 20], [99, 3]])
    )


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1"])
def test_quantiles_have_numpys_dtype_and_values(dtype):
    x = np.random.default_rng(1).integers(0, 200, (6, 9, 4)).astype(dtype)
    x = x / np.asarray(7, dtype) if x.dtype.kind == "f" else x
    for nodes in ((1, 1), (2, 1), (3, 2), (1, 4)):
        u = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape[:2], nodes))
        for call in (
            np.median,
            lambda y, axis=None, **given: np.quantile(y, 0.3, axis, **given),
            lambda y, axis=None, **given: np.percentile(y, np.float64(77), axis, **given),
            lambda y, axis=None, **given: np.quantile(y, np.float32(0.25), axis, **given),
        ):
            for axis, kept in ((None, {}), *product((0, 1, 2, -1), ({}, {"keepdims": True}))):
                found, wanted = call(u, axis=axis, **kept), call(x, axis=axis, **kept)
                assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
                assert np.array_equal(np.asarray(found), wanted)


@pytest.mark.parametrize("dtype", ["f4", ">f8", "i1", "u8", "?"])
def test_quantiles_of_numbers_have_numpys_dtype_and_values(dtype):
    x = np.random.default_rng(4).integers(-99, 99, (6, 9)).astype(dtype)
    if x.dtype.kind == "f":
        x = np.where(x > 0, x / np.asarray(7, dtype), np.nan)
    calls = [np.nanmedian]
    if x.dtype != bool:  # which NumPy does not interpolate
        calls += [partial(np.nanpercentile, q=77), partial(np.nanquantile, q=[0.1, 0.9])]
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, (3, 2)))
    for call, axis in product(calls, (None, 0, 1)):
        found, wanted = call(u, axis=axis), call(x, axis=axis)
        assert found.dtype == wanted.dtype
        assert np.array_equal(np.asarray(found), wanted, equal_nan=True)


def test_a_line_with_nan_has_nan_as_its_median():
    x = np.random.default_rng(2).standard_normal((8, 5))
    x[3, 2] = np.nan
    for axis in (None, 0, 1):
        u = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, (4, 1), code="gray"))
        found = np.asarray(np.median(u, axis))
        assert np.array_equal(found, np.median(x, axis), equal_nan=True)
    line = gc.CubeArray.from_numpy(x[0], gc.Layout.mesh((5,), (4,)))
    assert np.median(line, axis=0) == np.median(x[0])


def test_arrays_with_copies_are_sorted_once():
    u, x = some_array(8, 4)
    rows = u.sum(0)
    assert rows.layout.copy_count == 2
    assert np.allclose(np.sort(rows).to_numpy(), np.sort(x.sum(0)))
    assert np.sort(rows).layout == rows.layout
    values, counts = gc.unique(rows * 0, return_counts=True)
    assert (values.to_numpy().tolist(), counts.to_numpy().tolist()) == ([0.0], [4])


def test_nothing_is_sorted_too():
    u, _ = some_array(8, 4, 0)
    assert np.sort(u, 0).shape == (8, 4, 0)
    with pytest.raises(gc.GraycubeError, match="the array is empty"):
        np.median(u)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda u: np.sort(u, axis=None), "axis is None"),
        (lambda u: np.sort(u, axis=2), r"axis is 2: the axes are 0\.\.1"),
        (lambda u: np.sort(u, kind="bogo"), "kind is 'bogo'"),
        (lambda u: np.unique(u, return_index=True), "given return_index: over nodes it takes"),
        (lambda u: np.quantile(u, [[0.5, 1]], axis=0), "q has shape \\(1, 2\\)"),
        (lambda u: np.median(u, keepdims=True), "keepdims is for those along an axis"),
        (lambda u: np.median(u, axis=2), r"axis is 2: the axes are 0\.\.1"),
        (lambda u: np.quantile(u, 0.5, method="lower"), "method is 'lower'"),
        (lambda u: np.quantile(u, 1.5), "q is 1.5: it is 0..1;"),
        (lambda u: np.percentile(u, 150), r"q is 150: it is 0\.\.100"),
        (lambda u: gc.sort(u.astype("V8")), "it has no order"),
        (lambda u: np.median(u.astype("U9")), "quantiles are of real numbers"),
        (lambda u: gc.sort(u.astype("i4, f8")), "it has no order"),
        (lambda u: gc.sort(u, payload=3), "payload is a int"),
        (lambda u: gc.sort(u, payload=[u, u.to_numpy()]), "a payload is a ndarray"),
        (lambda u: gc.sort(u, payload=u.sum(0)), r"a payload has shape \(4,\)"),
        (lambda u: gc.sort(gc.stack([u, u]), payload=u), "pass keys without components"),
        (lambda u: gc.sort(u, payload=gc.stack([u, u])[..., :0]), r"has shape \(8, 4, 0\)"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(gc.GraycubeError, match=text):
        call(some_array(8, 4)[0])


class TestOverMPI(OverMPI):
    launches = (
        *(Launch(ranks, ("sorting",), sweep=True) for ranks in (1, 2, 3, 8)),
        Launch(8, ("sorting",), sweep=True, messages=True),
    )
