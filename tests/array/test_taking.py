"""Elements taken along an axis by arrays of indices, beside NumPy's."""

import numpy as np
import pytest
from taking_cases import complaint

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError


@pytest.mark.parametrize("nodes", [1, 4, 6])
def test_as_numpy_takes(nodes):
    assert [text for seed in range(60) if (text := complaint(seed, nodes))] == []


def test_rows_go_in_the_order_of_a_column():
    x = np.random.default_rng(3).integers(0, 9, (40, 4))
    rows = gc.CubeArray.from_numpy(x, gc.Layout.mesh((40,), (4,), code="gray"))
    order = np.argsort(rows[..., 1], axis=0)
    wanted = x[np.argsort(x[:, 1], kind="stable")]
    assert np.array_equal(np.take_along_axis(rows, order, 0).to_numpy(), wanted)


def test_copies_are_taken_from_once():
    x = np.random.default_rng(4).standard_normal((12, 6))
    mean = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, (3, 2))).mean(axis=1)
    taken = np.take_along_axis(mean, np.argsort(mean), 0)
    assert np.array_equal(taken.to_numpy(), np.sort(mean.to_numpy()))
    assert taken.layout == mean.layout


@pytest.mark.parametrize(
    ("change", "axis", "kind", "text"),
    [
        (lambda at: at + 2, 0, OutOfRangeError, r"go from 2 to 9: the axis has 8 elements"),
        (lambda at: at - 9, 0, OutOfRangeError, r"go from -9 to -2"),
        (lambda at: at / 2, 0, InvalidTypeError, "the indices have dtype float64"),
        (lambda at: at > 2, 0, InvalidTypeError, "the indices have dtype bool"),
        (
            lambda at: gc.coarsen(at, 2),
            0,
            InvalidValueError,
            r"array has shape \(8, 4, 3\) and its indices \(4, 2\)",
        ),
        (lambda at: at, 2, InvalidValueError, "axis 2 is one of the payload"),
        (lambda at: at, 3, OutOfRangeError, "axis is 3"),
        (lambda at: at.to_numpy(), 0, InvalidTypeError, "indices is given as a ndarray"),
        (lambda at: gc.stack([at, at]), 0, InvalidValueError, r"its indices \(8, 4, 2\)"),
        (lambda at: np.sum(at, 1), 0, InvalidValueError, r"its indices \(8,\)"),
    ],
)
def test_what_cannot_be_taken_is_refused(change, axis, kind, text):
    layout = gc.Layout.mesh((8, 4), (2, 2))
    u = gc.CubeArray.from_numpy(np.zeros((8, 4, 3)), layout)
    at = gc.CubeArray.from_function(lambda i, j: i + 0 * j, layout)
    with pytest.raises(kind, match=text):
        np.take_along_axis(u, change(at), axis)
