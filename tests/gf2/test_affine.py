"""Affine maps compose, invert and apply alike to integers and to arrays."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap, Matrix
from graycube.gf2.arrays import CHUNK


@st.composite
def affine_maps(draw, height=None, width=None):
    height = draw(st.integers(1, 64)) if height is None else height
    width = draw(st.integers(1, 64)) if width is None else width
    bits = st.integers(0, (1 << height) - 1)
    columns = draw(st.lists(bits, min_size=width, max_size=width))
    return AffineMap(Matrix(tuple(columns), height), draw(bits))


@st.composite
def invertible_maps(draw, size=None):
    """A product of a lower and an upper triangle of full rank, and a permutation."""
    size = draw(st.integers(1, 64)) if size is None else size
    fill = [draw(st.integers(0, (1 << size) - 1)) for _ in range(2 * size)]
    lower = Matrix(tuple(1 << j | fill[j] >> (j + 1) << (j + 1) for j in range(size)), size)
    upper = Matrix(tuple(1 << j | fill[~j] & ((1 << j) - 1) for j in range(size)), size)
    order = Matrix.permutation(draw(st.permutations(range(size))))
    return AffineMap(lower @ order @ upper, fill[0])


@given(invertible_maps(), st.data())
def test_inverse_undoes_the_map_at_any_width_up_to_64(f, data):
    x = data.draw(st.integers(0, (1 << f.width) - 1))
    assert f.inverse()(f(x)) == x
    assert f.inverse() @ f == f @ f.inverse() == AffineMap.identity(f.width)


@given(affine_maps(5, 7), affine_maps(7, 4))
def test_composition_is_one_map_after_the_other(f, g):
    assert [(f @ g)(x) for x in range(16)] == [f(g(x)) for x in range(16)]


@given(affine_maps(4, 3), affine_maps(4, 3))
def test_equality_means_equal_everywhere(f, g):
    assert (f == g) == all(f(x) == g(x) for x in range(8))


@given(affine_maps(6, 6))
def test_interpolation_recovers_an_affine_function(f):
    assert AffineMap.interpolate(f, 6, 6) == f


@given(affine_maps(), st.data())
def test_arrays_get_what_integers_get(f, data):
    values = data.draw(st.lists(st.integers(0, (1 << f.width) - 1), min_size=1, max_size=20))
    images = f(np.array(values, dtype=np.uint64))
    assert images.tolist() == [f(x) for x in values]
    assert images.dtype == (np.int64 if f.height < 64 else np.uint64)


@given(
    affine_maps(width=7),
    hnp.arrays(
        st.sampled_from(["i1", "u1", ">i2", "<u4", "i8", "u8"]),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
        elements=st.integers(0, 127),
    ),
)
def test_any_shape_and_integer_dtype(f, x):
    images = f(x)
    assert images.shape == x.shape
    assert images.ravel().tolist() == [f(int(v)) for v in x.ravel()]


@pytest.mark.parametrize("height", [20, 64])
def test_dense_and_sparse_maps_over_many_chunks(height):
    rng = np.random.default_rng(5)
    x = rng.integers(0, 1 << 20, size=3 * CHUNK + 7)
    dense = AffineMap(Matrix(tuple(rng.integers(0, 1 << 20, size=20).tolist()), height), 5)
    sparse = AffineMap(Matrix(tuple(1 << j for j in range(20)), height), 1)
    for f in (dense, sparse):
        for view in (x, x[::-3], np.asfortranarray(x[: 2 * CHUNK].reshape(512, -1))):
            assert np.array_equal(f(view), slow_images(f, view))


def slow_images(f, x):
    """One bit of the input at a time, on the whole array."""
    y = np.full(x.shape, f.constant, dtype=np.uint64)
    for j, column in enumerate(f.matrix.columns):
        y[(x >> j & 1).astype(bool)] ^= np.uint64(column)
    return y


def test_the_input_is_left_alone():
    x = np.arange(16)
    AffineMap(Matrix((3, 1, 4, 8), 4), 7)(x)
    assert x.tolist() == list(range(16))


def test_top_bit_of_64_survives():
    f = AffineMap.identity(64)
    top = np.array([2**64 - 1, 2**63], dtype=np.uint64)
    assert f(top).tolist() == [2**64 - 1, 2**63]


def test_constants_of_numpy_are_integers_of_any_size():
    f = AffineMap(Matrix.identity(70), np.int64(5))
    assert f(1 << 69) == 1 << 69 | 5
    assert f == AffineMap(Matrix.identity(70), 5)


@pytest.mark.parametrize("constant", [1.5, "1", None])
def test_constants_are_integers(constant):
    with pytest.raises(InvalidTypeError, match="the constant is"):
        AffineMap(Matrix.identity(3), constant)


@pytest.mark.parametrize(
    ("x", "error"),
    [
        (np.array([8]), OutOfRangeError),
        (np.array([-1]), OutOfRangeError),
        (np.array([0.5]), InvalidTypeError),
        (np.array([True]), InvalidTypeError),
        (8, InvalidValueError),
        (-1, InvalidValueError),
    ],
)
def test_values_outside_the_width_are_refused(x, error):
    with pytest.raises(error):
        AffineMap.identity(3)(x)


def test_arrays_stop_at_64_bits_and_integers_do_not():
    f = AffineMap.identity(65)
    assert f(2**64) == 2**64
    with pytest.raises(InvalidValueError, match="64 bits"):
        f(np.array([1]))


def test_constant_must_fit():
    with pytest.raises(InvalidValueError, match="constant is 8"):
        AffineMap(Matrix.identity(3), 8)
