"""Transforms of real arrays: against NumPy, and nothing is gathered."""

import jax
import numpy as np
import pytest
from jax_cases import P, collectives, compiled, mesh_of, put

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError

CASES = [
    ((8,), (64, 10), P("a"), None, None),
    ((2, 4), (16, 32, 9), P("a", "b"), (1, 0, 2), "ortho"),
    ((2, 4), (7, 64, 16), P(None, ("b", "a")), (1, 0), "forward"),
    ((2, 4), (16, 6), P("b"), (-1,), None),
]


@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[1]))
def test_half_a_spectrum_and_back(case, explicit):
    sizes, shape, spec, axes, norm = case
    mesh = mesh_of(sizes, explicit=explicit)
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    given = put(x, mesh, spec)
    source = given.sharding
    points = tuple(shape[axis] for axis in axes or range(len(shape)))
    there = compiled(lambda x: gc.jax.rfftn(x, None, axes, norm, source=source), given)
    half, want = there(given), np.fft.rfftn(x, axes=axes, norm=norm)
    assert np.abs(np.asarray(half) - want).max() < 1e-6 * np.abs(want).max()
    back = compiled(lambda y: gc.jax.irfftn(y, points, axes, norm, source=source), half)
    np.testing.assert_allclose(np.asarray(back(half)), x, atol=1e-5)
    for program in (there, back):
        assert set(collectives(program)[0]) <= {"all-to-all", "collective-permute"}


ARRAYS = [
    (gc.Layout.mesh((16, 24), nodes=(2, 4), code="gray", ownership=False), (1,), None),
    (
        gc.Layout.mesh((16, 24), nodes=(2, 4), allocation="cyclic", ownership=False),
        None,
        "ortho",
    ),
    (gc.Layout.mesh((8, 6, 32), nodes=(1, 1, 8), code="gray", slots="gray"), (2,), "forward"),
    (gc.Layout.mesh((8, 6, 32), nodes=(8, 1, 1), ownership=False), (2, 1), None),
    (gc.Layout.mesh((8, 7, 32), nodes=(2, 1, 4), ownership=False), (0, 2, 1), None),
]


@pytest.mark.parametrize("payload", [(), (3,)])
@pytest.mark.parametrize("case", ARRAYS, ids=lambda case: f"{case[0]} {case[1]}")
def test_half_a_spectrum_carries_its_layout(case, payload):
    layout, axes, norm = case
    every = tuple(range(len(layout.axes)))
    x = np.random.default_rng(0).standard_normal((*layout.shape, *payload)).astype(np.float32)
    sharding = jax.sharding.NamedSharding(mesh_of((8,), explicit=False), P("a"))
    a = gc.jax.Array(jax.device_put(layout.scatter(x), sharding), layout, sharding)
    there = compiled(lambda a: gc.jax.rfftn(a, None, axes, norm), a)
    half, want = there(a), np.fft.rfftn(x, axes=axes or every, norm=norm)
    got = half.layout.gather(np.asarray(half.blocks))
    assert np.abs(got - want).max() < 1e-6 * np.abs(want).max()
    points = tuple(layout.shape[axis] for axis in axes or every)
    back = compiled(lambda y: gc.jax.irfftn(y, points, axes, norm), half)
    got = back(half)
    np.testing.assert_allclose(got.layout.gather(np.asarray(got.blocks)), x, atol=1e-5)
    for program in (there, back):
        assert set(collectives(program)[0]) <= {"all-to-all", "collective-permute"}
    if len(axes or every) == 1:
        u = gc.rfft(gc.CubeArray.from_numpy(x, layout), axes[0])
        assert half.layout == u.layout
        assert collectives(there)[1] <= a.blocks.nbytes // 8


def test_points_may_be_an_array_of_numpy():
    x = put(np.ones((16, 5), np.complex64), mesh_of((8,), explicit=True), P("a"))
    assert gc.jax.irfftn(x, np.array([-1, -1])).shape == (16, 8)
    assert gc.jax.irfftn(x, np.array([-1])).shape == (16, 8)
    assert gc.jax.to_points(x, (16, 8), np.array([16, 12])).shape == (16, 12)


def test_the_other_axes_come_in_natural_order_on_request():
    mesh = mesh_of((2, 4), explicit=True)
    x = np.random.default_rng(0).standard_normal((16, 32, 9)).astype(np.float32)
    a = gc.jax.Array.from_array(put(x, mesh, P("a", "b")))
    half = gc.jax.rfftn(a, order="natural")
    assert half.layout == gc.Layout.mesh((16, 32, 5), nodes=(2, 4, 1), ownership=False)
    want = np.fft.rfftn(x)
    assert np.abs(np.asarray(half.to_array()) - want).max() < 1e-6 * np.abs(want).max()
    assert gc.jax.irfftn(half, x.shape).layout != a.layout
    assert gc.jax.irfftn(half, x.shape, order="natural").layout == a.layout
    half = gc.jax.rfft2(a, axes=(1, 2))
    pair = half, gc.jax.irfft2(half, (32, 9), (1, 2))
    want = np.fft.rfft2(x, axes=(1, 2))
    got = pair[0].layout.gather(np.asarray(pair[0].blocks))
    assert np.abs(got - want).max() < 1e-6 * np.abs(want).max()
    np.testing.assert_allclose(np.asarray(pair[1].to_array()), x, atol=1e-5)
    with pytest.raises(InvalidValueError, match=r"no layout.*from_array"):
        gc.jax.rfftn(put(x, mesh, P("a", "b")), order="any")


def test_what_is_not_real_or_not_in_memory_is_refused():
    x = put(np.ones((8, 8)), mesh_of((8,), explicit=True), P("a"))
    with pytest.raises(
        InvalidValueError, match=r"axis 0 of the result has 5 elements on 8.*\('a',\)"
    ):
        gc.jax.rfft(x, axis=0)
    with pytest.raises(InvalidValueError, match=r"axes is empty: .*at least one axis"):
        gc.jax.rfftn(x, None, ())
    with pytest.raises(InvalidValueError, match=r"axis 1 is in axes=\(1, 1\) more than once"):
        gc.jax.rfftn(x, None, (1, 1))
    with pytest.raises(InvalidTypeError, match="real numbers only"):
        gc.jax.rfft(x * 1j)
    with pytest.raises(InvalidTypeError, match="s is 9"):
        gc.jax.irfftn(x, 9)
    with pytest.raises(InvalidValueError, match="s has 1 entries for 2 axes"):
        gc.jax.irfft2(x, (9,))
    with pytest.raises(InvalidValueError, match=r"spectrum of 1 value.*n=1"):
        gc.jax.irfft(x[:, :1])
    line = put(np.ones(64), mesh_of((8,), explicit=True), P("a"))
    with pytest.raises(InvalidValueError, match=r"shape \(33,\).*8 devices.*use fftn"):
        gc.jax.rfft(gc.jax.Array.from_array(line))
    with pytest.raises(InvalidValueError, match=r"shape \(126,\).*8 devices.*; call it on cop"):
        gc.jax.irfft(gc.jax.Array.from_array(line))


def test_its_gradient():
    mesh = mesh_of((8,), explicit=False)
    x = np.random.default_rng(0).standard_normal((16, 8)).astype(np.float32)
    given = put(x, mesh, P("a"))
    gradient = jax.jit(
        jax.grad(lambda x: (abs(gc.jax.rfftn(x, source=given.sharding)) ** 4).sum())
    )
    want = jax.grad(lambda x: (abs(jax.numpy.fft.rfftn(x)) ** 4).sum())(jax.numpy.asarray(x))
    np.testing.assert_allclose(np.asarray(gradient(given)), want, rtol=1e-4, atol=1)
    a = gc.jax.Array.from_array(given, gc.Layout.mesh((16, 8), nodes=(8, 1), code="gray"))
    carried = jax.jit(jax.grad(lambda a: (abs(gc.jax.rfftn(a)) ** 4).blocks.sum()))(a)
    np.testing.assert_allclose(np.asarray(carried.to_array()), want, rtol=1e-4, atol=1)
