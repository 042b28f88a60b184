"""An array that was made within jit is the same pytree as one that was made outside."""

import itertools

import jax
import numpy as np
import pytest
from jax_cases import P, mesh_of, put

import graycube as gc

LAYOUT = gc.Layout.cyclic(6, 3)


@pytest.fixture
def x():
    return put(np.arange(64, dtype="f4"), mesh_of((8,), explicit=True), P("a"))


def again(a):
    return gc.jax.Array.from_array(jax.numpy.cos(a.to_array()), a.layout)


def looped(a):
    return jax.lax.scan(lambda a, _: (again(a), None), a, length=3)[0]


def chosen(a):
    return jax.lax.cond(a.blocks.sum() < 0, lambda a: a, again, a)


@pytest.mark.parametrize("within_jit", [True, False])
@pytest.mark.parametrize(("use", "count"), [(looped, 3), (chosen, 1)])
def test_control_flow_gives_back_what_it_was_given(x, use, count, within_jit):
    a = gc.jax.Array.from_array(x, LAYOUT)
    got = (jax.jit(use) if within_jit else use)(a)
    want = np.asarray(x)
    for _ in range(count):
        want = np.cos(want)
    np.testing.assert_allclose(got.to_array(), want, rtol=1e-5)


def test_what_jit_gives_is_on_its_devices(x):
    a = gc.jax.Array.from_array(x, LAYOUT)
    inside = jax.jit(lambda x: gc.jax.Array.from_array(x, LAYOUT))
    b = inside(x)
    assert b.sharding == a.sharding
    assert jax.tree.structure(a) == jax.tree.structure(b)
    assert hash(jax.tree.structure(a)) == hash(jax.tree.structure(b))
    twice = 2 * np.asarray(x)
    for made in (
        jax.tree.map(lambda v, w: v + w, a, b),
        jax.tree.map(lambda v, w: v + w, b, a),
        jax.device_get(b) * 2,
        jax.jit(lambda a: a * 2).lower(a).compile()(b),
        gc.jax.Array.from_cube(b.to_cube(), b.sharding) * 2,
        gc.jax.Array.from_array(jax.device_put(np.asarray(x), b.sharding), LAYOUT) * 2,
    ):
        np.testing.assert_array_equal(made.to_array(), twice)
    step = jax.jit(again)
    step(step(a))
    assert step._cache_size() == 1


def test_meshes_of_other_devices_are_other_pytrees(x):
    def placed(devices):
        kinds = (jax.sharding.AxisType.Explicit,)
        mesh = jax.sharding.Mesh(np.array(devices), ("a",), axis_types=kinds)
        return gc.jax.Array.from_array(put(np.asarray(x), mesh, P("a")), LAYOUT)

    a, b = placed(jax.devices()[:8]), placed(jax.devices()[:8][::-1])
    assert jax.tree.structure(a) != jax.tree.structure(b)
    double = jax.jit(lambda a: gc.jax.ifft(gc.jax.fft(a)) * 2)
    for each in (a, b):
        got = double(each)
        assert got.mesh == each.mesh
        np.testing.assert_allclose(got.to_array().real, 2 * np.asarray(x), atol=1e-4)


def test_from_cube_keeps_a_sharding_as_from_array_does():
    mesh = mesh_of((2, 4), explicit=True)
    x = put(np.ones((16, 8, 3), "f4"), mesh, P(("a", "b")))
    a = gc.jax.Array.from_array(x)
    for spec in (P(("a", "b")), P(("a", "b"), None, None)):
        b = gc.jax.Array.from_cube(a.to_cube(), jax.sharding.NamedSharding(mesh, spec))
        assert jax.tree.structure(a) == jax.tree.structure(b)


KINDS = jax.sharding.AxisType.Auto, jax.sharding.AxisType.Explicit


@pytest.mark.parametrize("kinds", [*itertools.permutations(KINDS)], ids=str)
def test_a_mesh_may_have_explicit_axes_and_automatic_ones(kinds):
    mesh = jax.make_mesh((2, 4), ("a", "b"), kinds, devices=jax.devices()[:8])
    x = put(np.arange(512, dtype="f4").reshape(32, 16), mesh, P("b", "a"))
    a = gc.jax.Array.from_array(x)
    same = jax.jit(
        lambda a: gc.jax.ifftn(gc.jax.fftn(a)).relayout(a.layout).map(jax.numpy.real)
    )
    np.testing.assert_allclose(same(a).to_array(), x, atol=1e-3)
    slope = jax.jit(jax.grad(lambda a: (same(a) ** 2).blocks.sum()))(a)
    np.testing.assert_allclose(slope.to_array(), 2 * np.asarray(x), atol=1e-3)
