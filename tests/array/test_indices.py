"""Indices, frequencies and boxes are NumPy's, in any layout."""

from itertools import product

import numpy as np
import pytest

import graycube as gc
from graycube.array.indexed.points import points
from graycube.errors import InvalidValueError, OutOfRangeError

SHAPE = (8, 12)
LAYOUTS = [
    gc.Layout.mesh(SHAPE, nodes, code=code, allocation=place)
    for nodes, code, place in product(
        ((4, 2), (1, 4), (1, 1)), ("gray", "binary"), ("consecutive", "cyclic")
    )
]
X = np.random.default_rng(0).standard_normal((*SHAPE, 3))


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_indices_are_numpys(layout):
    u = gc.CubeArray.from_numpy(X, layout)
    for sparse in (False, True):
        for found, expected in zip(
            u.indices(sparse=sparse), np.indices(SHAPE, sparse=sparse), strict=True
        ):
            assert np.array_equal(found.to_numpy(), expected)
            assert np.array_equal((u * found).to_numpy(), X * expected[..., None])


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("sparse", [False, True])
def test_frequencies_are_numpys_wherever_the_spectrum_is(layout, sparse):
    u = gc.CubeArray.from_numpy(X[..., 0], layout)
    k, m = np.fft.fftfreq(8, 0.5)[:, None], np.fft.fftfreq(12, 0.25)
    y = gc.fftn(u)
    found = y.frequencies((0.5, 0.25), u.shape, sparse=sparse)
    expected = np.fft.fftn(X[..., 0]) * (k + m)
    assert np.allclose((y * found[0] + y * found[1]).to_numpy(), expected)
    y = gc.rfftn(u)
    found = y.frequencies((0.5, 0.25), u.shape, sparse=sparse)
    half = np.fft.rfftn(X[..., 0]) * (k + np.fft.rfftfreq(12, 0.25))
    assert np.allclose((y * found[0] + y * found[1]).to_numpy(), half)


def test_odd_numbers_of_points():
    u = gc.CubeArray.from_numpy(np.ones((5, 4)), gc.Layout.mesh((5, 4), (1, 4)))
    found = u.frequencies(s=u.shape, sparse=True)[0].to_numpy().ravel()
    assert np.array_equal(found, np.fft.fftfreq(5))
    y = gc.rfft(u, axis=0)
    found = y.frequencies(s=u.shape, sparse=True)[0].to_numpy().ravel()
    assert np.array_equal(found, np.fft.rfftfreq(5))


def test_frequencies_fall_into_numpys_bins():
    u = gc.CubeArray.from_numpy(np.ones((10, 98)), gc.Layout.mesh((10, 98), (2, 1)))
    for spacing in (1.0, 0.1, 1 / 3):
        for found, wanted in zip(
            gc.rfftn(u).frequencies(spacing, s=u.shape, sparse=True),
            (np.fft.fftfreq(10, spacing), np.fft.rfftfreq(98, spacing)),
            strict=True,
        ):
            assert np.array_equal(found.to_numpy().ravel(), wanted)


def test_what_may_be_half_a_spectrum_has_to_say_so():
    a = gc.CubeArray.from_numpy(X[..., 0], LAYOUTS[0])
    for y, words in (
        (gc.rfftn(a), "all of 8 points, or half of 14 or 15"),
        (gc.rfft(a, axis=0), "all of 12 points, or half of 22 or 23"),
        (gc.fftn(a), "all of 12 points, or half of 22 or 23"),
    ):
        with pytest.raises(InvalidValueError, match=words):
            y.frequencies()


def test_spacings_come_as_any_sequence():
    y = gc.fftn(gc.CubeArray.from_numpy(X[..., 0], LAYOUTS[0]))
    wanted = [k.to_numpy() for k in y.frequencies((0.5, 2), y.shape)]
    for spacing in ([0.5, 2], np.array([0.5, 2]), (np.float32(0.5), 2)):
        found = y.frequencies(spacing, y.shape)
        assert all(np.array_equal(k.to_numpy(), w) for k, w in zip(found, wanted, strict=True))


@pytest.mark.parametrize(
    "arguments",
    [
        *(((1, 2, 3), (8, 12)), (1, (8,)), (1, (8, 13)), (1, (9, 12)), ((1,), (8, 12))),
        *((given, (8, 12)) for given in (np.ones(3), "far", ("a", "b"), 1j, 0, (1, 0))),
    ],
)
def test_a_spectrum_of_something_else_is_refused(arguments):
    u = gc.CubeArray.from_numpy(X, LAYOUTS[0])
    with pytest.raises(InvalidValueError, match=r"for a spectrum of shape \(8, 12\)"):
        u.frequencies(*arguments)


BOXES = [
    np.s_[3, 5],
    np.s_[-1],
    np.s_[2:5, ::3],
    np.s_[..., 1],
    np.s_[7, ..., 0:2],
    np.s_[5:2],
    np.s_[::-2, 4, 2],
    np.s_[...],
    np.s_[1:3, 0, np.int64(2)],
    np.s_[..., None],
    np.s_[None, 2],
    np.s_[2, None, 1:, None],
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_boxes_are_numpys(layout):
    for x in (X, X[..., 0], X > 0, X.astype("c8")):
        u = gc.CubeArray.from_numpy(x, layout)
        for box in BOXES:
            if x.ndim == 3 or not isinstance(box, tuple) or len(box) < 3:
                found = u.read[box]
                assert np.array_equal(found, x[box])
                assert found.dtype == x.dtype
        largest = u.real.max(axis=0)
        assert np.array_equal(largest.read[2:7], x.real.max(axis=0)[2:7])


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_elements_where_a_mask_is_true_are_numpys(layout):
    u = gc.CubeArray.from_numpy(X, layout)
    real, x = u.real, X.real
    for limit in (x.mean(), x.max()):
        mask, wanted = real > limit, x > limit
        assert np.array_equal(u.read[mask], X[wanted])
        assert np.array_equal(u.read[mask[..., 0]], X[wanted[..., 0]])
        found = [i.read[mask[..., 0]] for i in mask.indices()]
        assert np.array_equal(found, np.nonzero(wanted[..., 0]))


@pytest.mark.parametrize(
    ("box", "text"),
    [
        (gc.CubeArray.from_numpy(X.real, LAYOUTS[0]), "the mask has .* make it of this array"),
        (gc.CubeArray.from_numpy(X[0] > 0, gc.Layout.mesh(X.shape[1:2], (1,))), "the mask has"),
        (np.s_[8], "along axis 0 is 8: it must lie in -8..7"),
        (np.s_[0, 0, 0, 0], "the array has 3 axes"),
        (np.s_[..., ...], "the array has 3 axes"),
        (np.s_[True], "a slice or a list of integers"),
        (np.s_[[1, 8]], "NumPy says: index 8 is out of bounds"),
        (np.s_[[1, 2], [1, 2, 3]], "shape mismatch"),
        (np.s_[[1, 2], gc.CubeArray([[0]], gc.Layout.nodes(0))], "an index is plain"),
    ],
)
def test_what_is_no_box_is_named(box, text):
    with pytest.raises(gc.GraycubeError, match=text):
        gc.CubeArray.from_numpy(X, LAYOUTS[0]).read[box]


@pytest.mark.parametrize(
    "key",
    [
        ([2, -1], [0, 3], [1, 1]),
        ([[2, 0], [-3, 1]], 1),
        (slice(None, None, -2), [3, 0], [0, 1]),
        ([1, 2], slice(1, 3), [4, 0]),
        (1, ..., [4, 0]),
        (..., [4, -5]),
        ([0, 2],),
        ([], [], 1),
        (None, [1, 2], 3),
        (np.eye(3, 4) > 0, [4]),
        (np.array([True, False, True]), [3, 1]),
    ],
)
def test_points_are_those_that_numpy_takes(key):
    whole = np.arange(60).reshape(3, 4, 5)
    found = points(key, whole.shape)
    np.testing.assert_array_equal(np.ravel_multi_index(found, whole.shape), whole[key])


def test_few_points_of_long_axes_take_little_memory():
    found = points(([5, -1], 3), (1 << 40, 1 << 20))
    assert [x.tolist() for x in found] == [[5, (1 << 40) - 1], [3, 3]]
    with pytest.raises(OutOfRangeError, match="index 1099511627776 is out of bounds"):
        points(([1 << 40],), (1 << 40,))
