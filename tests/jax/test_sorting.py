"""Sorts of sharded arrays: against NumPy, and by what the compiled programs send."""

import random
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax_cases import (
    MESHES,
    P,
    collectives,
    compiled,
    fitting_spec,
    mesh_of,
    put,
    random_layout,
)
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, OutOfRangeError
from graycube.jax.sorting import _by_all_keys, _by_one_key_each

SHAPES = (1024,), (96,), (64,), (32, 24), (512, 2), (16, 3, 16)


def keys(numbers, shape, dtype):
    """Keys with equal ones among them, and with NaN among floats."""
    x = numbers.integers(-20, 20, shape).astype(dtype)
    if dtype in {"f4", "c8"}:
        x[numbers.random(shape) < 0.1] = np.nan
    return x


def case(seed, *, every):
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    mesh, shape = mesh_of(rng.choice(MESHES), explicit=rng.random() < 0.5), rng.choice(SHAPES)
    x = keys(numbers, shape, rng.choice(["f4", "f4", "i4", "?", "c8"]))
    spec = fitting_spec(rng, mesh, shape, every=every)
    return rng, x, put(x, mesh, spec), rng.randrange(len(shape))


def in_order(x, axis):
    yield gc.jax.sort, np.sort(x, axis)
    yield gc.jax.argsort, np.argsort(x, axis, kind="stable")


@pytest.mark.parametrize("start", [0, *sweep(*zip(range(3, 96, 3)))])
def test_sorts_are_those_of_numpy(start):
    for seed in range(start, start + 3):
        _, x, given, axis = case(seed, every=seed % 2 == 0)
        for function, want in in_order(x, axis):
            program = compiled(partial(function, axis=axis, source=given.sharding), given)
            y = program(given)
            np.testing.assert_array_equal(y, want)
            assert y.sharding.is_equivalent_to(given.sharding, x.ndim)
            assert set(collectives(program)[0]) <= {"all-to-all", "collective-permute"}


@pytest.mark.parametrize("start", [100, *sweep(*zip(range(102, 196, 2)))])
def test_in_any_layout(start):
    for seed in range(start, start + 2):
        rng, x, given, axis = case(seed, every=True)
        a = gc.jax.Array.from_array(given)
        a = a.relayout(random_layout(rng, x.shape, a.layout.n))
        for function, want in in_order(x, axis):
            b = jax.jit(partial(function, axis=axis))(a)
            assert b.layout == a.layout
            np.testing.assert_array_equal(b.layout.gather(np.asarray(b.blocks)), want)


@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize(
    ("n", "points"), [(1, 2), (2, 32), (2, 36), (3, 104), (3, 8), (2, 3), (4, 512), (3, 1)]
)
def test_any_lines_of_two_keys_are_sorted(n, points, code):
    """What compares and exchanges sorts all keys if it sorts all lines of two of them."""
    mesh, count = mesh_of((1 << n,), explicit=True), points << n
    sharding = jax.sharding.NamedSharding(mesh, P("a"))
    layout = gc.Layout.mesh((count,), (1 << n,), code=code, ownership=False)
    program, numbers = jax.jit(gc.jax.sort), np.random.default_rng(points)
    for ones in sorted({*numbers.integers(0, count + 1, 12), 0, count}):
        x = np.full(count, -1, "i4")
        x[:ones] = 1
        for given in (x, numbers.permutation(x)):
            a = gc.jax.Array.from_array(jax.device_put(given, sharding), layout)
            np.testing.assert_array_equal(program(a).to_array(), np.sort(x))


def test_of_equal_keys_none_is_lost():
    """Zeros of both signs are equal, and stay what they are."""
    x = np.random.default_rng(0).choice([-0.0, 0.0], 64).astype("f4")
    y = gc.jax.sort(put(x, mesh_of((8,), explicit=True), P("a")))
    assert np.signbit(y).sum() == np.signbit(x).sum()


def sent(shape, spec, function=gc.jax.sort):
    """The collectives on eight devices, and how many blocks a device receives."""
    x = put(np.zeros(shape, "f4"), mesh_of((8,), explicit=True), spec)
    counts, received = collectives(compiled(function, x))
    return counts, received * 8 / x.nbytes


def test_what_is_sent():
    columns, splits, whole = 2 * 7 / 8 + 1, {"collective-permute": 6}, {"all-to-all": 2}
    counts = {"all-to-all": 2, "collective-permute": 2}
    assert sent((1024,), P("a")) == (counts, columns)
    again = sent((1024,), P("a"), gc.jax.argsort)
    assert again[1] == 2 * columns - 0.5  # half of the keys need not come back
    assert sent((512,), P("a")) == (splits, 6)
    assert sent((64, 64), P("a"), partial(gc.jax.sort, axis=0)) == (whole, 2 * 7 / 8)
    assert sent((64, 64), P("a")) == ({}, 0)


def test_batches_and_gradients_are_those_of_jnp():
    mesh = mesh_of((4,), explicit=False)
    sharding = jax.sharding.NamedSharding(mesh, P("a"))
    x = np.random.default_rng(0).standard_normal((3, 128)).astype("f4")
    weights = jnp.arange(128.0)

    def loss(sort):
        return lambda x: (sort(x) ** 2 * weights).sum()

    ours = loss(partial(gc.jax.sort, source=sharding))
    given = jax.device_put(x, jax.sharding.NamedSharding(mesh, P(None, "a")))
    got = jax.jit(jax.vmap(jax.grad(ours)))(given)
    want = jax.vmap(jax.grad(loss(jnp.sort)))(jnp.asarray(x))
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_what_cannot_be_sorted_is_refused():
    x = put(np.ones(16), mesh_of((8,), explicit=True), P("a"))
    with pytest.raises(OutOfRangeError, match="axis is 1"):
        gc.jax.sort(x, 1)
    with pytest.raises(InvalidTypeError, match="axis is None"):
        gc.jax.argsort(x, None)


@pytest.mark.parametrize(("n", "points"), [(2, 36), (3, 104), (2, 6)])
def test_equal_keys_keep_their_order_over_devices(n, points):
    mesh, numbers = mesh_of((1 << n,), explicit=True), np.random.default_rng(n)
    program = None
    for top in (1, 2, 3, 40):
        x = numbers.integers(0, top, points << n).astype("i4")
        given = put(x, mesh, P("a"))
        program = program or compiled(gc.jax.argsort, given)
        np.testing.assert_array_equal(program(given), np.argsort(x, kind="stable"))


def test_cards_sort_by_one_key_after_the_other():
    """NaN has one index order, too; the oracle is NumPy's."""
    numbers = np.random.default_rng(5)
    x = keys(numbers, (3, 50), "f4")
    index = np.stack([numbers.permutation(50) for _ in x])
    want = np.lexsort((index, x), axis=1)
    for way in (_by_one_key_each, _by_all_keys):
        found = way(jnp.asarray(x), jnp.asarray(index))
        for y, given in zip(found, (x, index), strict=True):
            np.testing.assert_array_equal(y, np.take_along_axis(given, want, 1))
