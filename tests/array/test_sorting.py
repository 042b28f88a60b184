"""Sorted arrays beside NumPy's, of all kinds of keys in all kinds of layouts."""

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
        (lambda u: np.quantile(u, 0.5, axis=0), "axis is 0, and the method 'linear'"),
        (lambda u: np.quantile(u, 0.5, method="lower"), "method 'lower'"),
        (lambda u: np.quantile(u, 1.5), "q is 1.5: it is 0..1;"),
        (lambda u: np.percentile(u, 150), r"q is 150: it is 0\.\.100"),
        (lambda u: gc.sort(u.astype("V8")), "it has no order"),
        (lambda u: np.median(u.astype("U9")), "quantiles are of real numbers"),
        (lambda u: gc.sort(u.astype("i4, f8")), "it has no order"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(gc.GraycubeError, match=text):
        call(some_array(8, 4)[0])


class TestOverMPI(OverMPI):
    launches = (
        Launch(3, ("sorting",), messages=True),
        *(Launch(ranks, ("sorting",), sweep=True) for ranks in (1, 2, 3, 8)),
        Launch(8, ("sorting",), sweep=True, messages=True),
    )
