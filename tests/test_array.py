"""Distributed arrays behave like NumPy's, block by block."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import mesh_specs, recoded

import graycube as gc

LAYOUT = gc.Layout.mesh((8, 6), (4, 2), code="gray")
X = np.arange(48.0).reshape(8, 6)


def test_elementwise_operations_are_numpys():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    assert np.array_equal((2 * a - a**2 / 3).to_numpy(), 2 * X - X**2 / 3)
    assert np.array_equal(np.hypot(a, a + 1).to_numpy(), np.hypot(X, X + 1))
    assert np.array_equal((a > 10).to_numpy(), X > 10)
    assert (-a).layout == LAYOUT


@given(st.data())
def test_relayout_moves_and_changes_nothing(data):
    spec = data.draw(mesh_specs(room=120, max_axes=3))
    target = data.draw(recoded(spec)).layout()
    x = np.arange(target.size * 2).reshape(*spec.shape, 2)
    a = gc.CubeArray.from_numpy(x, spec.layout())
    if target.n == a.layout.n:
        moved = a.relayout(target)
        assert moved.layout == target
        assert np.array_equal(moved.to_numpy(), x)
        assert np.array_equal(moved.blocks, target.scatter(x))


def test_layouts_are_not_mixed_by_accident():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    b = a.relayout(gc.Layout.mesh((8, 6), (4, 2)))
    with pytest.raises(gc.InvalidValueError, match="call relayout on one of the arrays"):
        a + b
    assert np.array_equal((a + b.relayout(LAYOUT)).to_numpy(), X + X)


@pytest.mark.parametrize("wrong", [lambda a: a + X, np.add.reduce, np.modf])
def test_what_is_not_elementwise_is_refused(wrong):
    with pytest.raises(TypeError):
        wrong(gc.CubeArray.from_numpy(X, LAYOUT))


@pytest.mark.parametrize(
    ("make", "error", "complaint"),
    [
        (lambda: gc.CubeArray(X, "gray"), gc.InvalidTypeError, "the layout is 'gray'"),
        (
            lambda: gc.CubeArray(X.T, LAYOUT),
            gc.InvalidValueError,
            r"first axes must be \(8, 6\)",
        ),
        (
            lambda: gc.CubeArray.from_numpy(X, LAYOUT).relayout(gc.Layout.nodes(3)),
            gc.InvalidValueError,
            "take a layout of the same shape",
        ),
    ],
)
def test_wrong_arguments_are_named(make, error, complaint):
    with pytest.raises(error, match=complaint):
        make()


def test_the_repr_says_what_is_where():
    a = gc.CubeArray.from_numpy(np.ones((8, 6, 2), np.float32), LAYOUT)
    assert repr(a) == (
        "<CubeArray (8, 6, 2) float32 on 8 nodes: (b0:0 || b0:2 g0:1 b1:0) x 3 on axis 1>"
    )


def test_payload_is_matched_from_the_slot_on():
    """A field of vectors times a scalar weight, in whatever sizes."""
    for shape, nodes in (((4,), (2,)), ((4,), (4,)), ((8, 4), (2, 2))):
        layout = gc.Layout.mesh(shape, nodes, code="gray")
        x = np.arange(np.prod(shape) * 4.0).reshape(*shape, 4)
        weight = np.arange(10.0, 10.0 + np.prod(shape)).reshape(shape)
        a, w = (gc.CubeArray.from_numpy(v, layout) for v in (x, weight))
        assert np.array_equal((a * w).to_numpy(), x * weight[..., None])
        assert np.array_equal((w * a).to_numpy(), x * weight[..., None])


def test_operations_in_place_change_the_blocks():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    same = a
    a += 1
    a *= a
    assert a is same
    assert np.array_equal(a.to_numpy(), (X + 1) ** 2)


def test_numpys_functions_see_the_whole_array():
    a = gc.CubeArray.from_numpy(X + 1j, LAYOUT)
    assert np.array_equal(np.asarray(a), X + 1j)
    assert np.array_equal(np.real(a), X)
    assert np.allclose(np.fft.fft(a), np.fft.fft(X + 1j))


@pytest.mark.parametrize("wrong", [lambda a: a @ a, lambda a: np.add(a, 1, where=a > 3)])
def test_what_would_mix_blocks_is_refused(wrong):
    with pytest.raises(TypeError):
        wrong(gc.CubeArray.from_numpy(np.ones((4, 4)), gc.Layout.mesh((4, 4), (2, 2))))


def test_an_array_is_not_one_truth_value():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a == a + 1)


def test_the_whole_array_is_a_copy_and_says_so():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    with pytest.raises(ValueError, match="allow a copy"):
        np.array(a, copy=False)
