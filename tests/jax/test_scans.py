"""Scans of sharded arrays: against NumPy, and by what the compiled programs send."""

import random
from functools import partial
from itertools import accumulate

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
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError

SHAPES = (128,), (48,), (32, 16), (16, 3, 16), (16, 96)


def after(first, second, by=jnp):
    """One map t -> a t + b after the other, in 32 bits: the order matters."""
    (a, b), (c, d) = ((x[..., 0], x[..., 1]) for x in (first, second))
    return by.stack([a * c, b * c + d], -1)


def last(_first, second):
    """An operator that takes what is last."""
    return second


OPS = [
    (jnp.add, np.add, 0),
    (np.maximum, np.maximum, 5),
    (lambda x, y: x + y, np.add, 5),
    (last, last, 5),
]


def by_element(  # noqa: PLR0913
    x, axis, op, *, exclusive=False, reverse=False, initial=None
):
    """All elements up to each one, one after the other."""
    line = [*np.moveaxis(x, axis, 0)][:: -1 if reverse else 1]
    if initial is not None:
        line.insert(0, np.broadcast_to(np.asarray(initial, x.dtype), line[0].shape))
    found = [*accumulate(line, (lambda x, y: op(y, x)) if reverse else op)]
    if initial is not None:
        found = found[:-1] if exclusive else found[1:]
    return np.moveaxis(np.array(found[:: -1 if reverse else 1]), 0, axis)


def case(seed, *, every):
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    mesh, shape = mesh_of(rng.choice(MESHES), explicit=rng.random() < 0.5), rng.choice(SHAPES)
    x = numbers.integers(-9, 9, shape).astype(rng.choice(["f4", "i4"]))
    given = put(x, mesh, fitting_spec(rng, mesh, shape, every=every))
    op, numpys, start = rng.choice(OPS)
    how = {"exclusive": rng.random() < 0.5, "reverse": rng.random() < 0.5}
    how["initial"] = start if how["exclusive"] or rng.random() < 0.5 else None
    axis = rng.randrange(len(shape))
    want = by_element(x, axis, numpys, **how)
    return rng, x, given, partial(gc.jax.scan, op, axis=axis, **how), want


@pytest.mark.parametrize("start", [0, *sweep(*zip(range(8, 88, 8)))])
def test_scans_are_those_of_numpy(start):
    for seed in range(start, start + 8):
        _, x, given, scan, want = case(seed, every=seed % 2 == 0)
        program = compiled(partial(scan, source=given.sharding), given)
        y = program(given)
        np.testing.assert_array_equal(y, want)
        assert y.dtype == x.dtype
        assert y.sharding.is_equivalent_to(given.sharding, x.ndim)
        assert collectives(program)[1] <= 15 * 4 * x.size // x.shape[scan.keywords["axis"]]


@pytest.mark.parametrize("start", [200, *sweep(*zip(range(208, 288, 8)))])
def test_in_any_layout(start):
    for seed in range(start, start + 8):
        rng, x, given, scan, want = case(seed, every=True)
        a = gc.jax.Array.from_array(given)
        a = a.relayout(random_layout(rng, x.shape, a.layout.n))
        b = jax.jit(scan)(a)
        assert b.layout == a.layout
        np.testing.assert_array_equal(b.layout.gather(np.asarray(b.blocks)), want)


@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize("many", [1, 1 << 12])  # by an all-gather, and by rounds
def test_the_order_of_operands_is_that_of_the_index(code, many):
    x = np.random.default_rng(0).integers(1, 9, (32, many, 2)).astype("i4")
    layout = gc.Layout.mesh((32, many), nodes=(8, 1), code=code)
    sharding = jax.sharding.NamedSharding(mesh_of((8,), explicit=True), P("a"))
    a = gc.jax.Array.from_cube(gc.CubeArray.from_numpy(x, layout), sharding)
    for reverse in (False, True):
        program = compiled(lambda a, r=reverse: gc.jax.scan(after, a, 0, reverse=r), a)
        want = by_element(x, 0, partial(after, by=np), reverse=reverse)
        np.testing.assert_array_equal(program(a).to_cube().to_numpy(), want)
        element, (counts, received) = many * 2 * 4, collectives(program)
        if many == 1:
            assert (counts, received) == ({"all-gather": 1}, 7 * element)
        else:
            assert (counts, received) == ({"collective-permute": 3}, 3 * element)


def test_what_is_sent_from_other_layouts():
    x = put(np.arange(64, dtype="f4"), mesh_of((8,), explicit=True), P("a"))
    for layout, exchanges in (
        (gc.Layout.consecutive(6, 3, nodes="gray", slots="gray"), 0),
        (gc.Layout.cyclic(6, 3), 2),
    ):
        a = gc.jax.Array.from_array(x, layout)
        counts, received = collectives(compiled(gc.jax.cumsum, a))
        assert counts == {"all-gather": 1} | ({"all-to-all": 2} if exchanges else {})
        assert received == 7 * 4 + exchanges * 7 * 4


def test_of_part_of_an_axis_of_a_mesh_there_are_rounds():
    """JAX cannot batch what has groups."""
    sharding = jax.sharding.NamedSharding(mesh_of((2, 4), explicit=True), P(("a", "b")))
    x = np.arange(32, dtype="f4").reshape(8, 4)
    layout = gc.Layout.mesh((8, 4), nodes=(4, 2))
    a = gc.jax.Array.from_cube(gc.CubeArray.from_numpy(x, layout), sharding)
    program = compiled(partial(gc.jax.cumsum, axis=0), a)
    np.testing.assert_array_equal(program(a).to_cube().to_numpy(), np.cumsum(x, 0))
    assert collectives(program) == ({"collective-permute": 2}, 2 * 2 * 4)


@pytest.mark.parametrize("dtype", ["bool", "int8", "bfloat16", "float32", "complex64"])
def test_dtypes_are_those_of_jnp(dtype):
    mesh = mesh_of((4,), explicit=True)
    x = np.array([1, 2, 1, 1, 0, 1, 1, 3]).astype(jnp.dtype(dtype))
    for name in ("cumsum", "cumprod"):
        got, want = getattr(gc.jax, name)(put(x, mesh, P("a"))), getattr(jnp, name)(x)
        assert (got.dtype, got.tolist()) == (want.dtype, want.tolist())
    assert gc.jax.cumsum(put(x, mesh, P("a")), dtype="complex64").dtype == "complex64"
    first = gc.jax.scan(jnp.add, put(x, mesh, P("a")), 0, exclusive=True)
    assert (first.dtype, first.tolist()[:2]) == (dtype, [0, 1])


def test_axes_of_the_payload_are_scanned_in_memory():
    x = np.random.default_rng(0).integers(1, 9, (16, 3, 2)).astype("i4")
    u = gc.CubeArray.from_numpy(x, gc.Layout.cyclic(4, 3))
    sharding = jax.sharding.NamedSharding(mesh_of((8,), explicit=True), P("a"))
    a = gc.jax.Array.from_cube(u, sharding)
    for axis, element in ((1, [5, 6]), (-1, [4, 5, 6]), (0, [[1, 2]] * 3)):
        b = gc.jax.scan(jnp.add, a, axis, exclusive=True, initial=element)
        want = by_element(x, axis, np.add, exclusive=True, initial=element)
        np.testing.assert_array_equal(b.to_cube().to_numpy(), want)


@pytest.mark.parametrize(("explicit", "many"), [(False, 1), (True, 1 << 13)])
def test_gradients_and_batches(explicit, many):
    mesh = mesh_of((2, 2), explicit=explicit)
    sharding = jax.sharding.NamedSharding(mesh, P(("b", "a")))
    x = np.random.default_rng(0).uniform(0.5, 1.5, (2, 8, many)).astype("f4")

    def energy(x):
        y = gc.jax.cumprod(gc.jax.cumsum(x, 0, source=sharding), 0, source=sharding)
        return gc.jax.scan(jnp.add, y, 0, reverse=True, source=sharding).sum()

    sums = np.cumsum(x, 1, float)
    products = np.arange(1, 9)[:, None] * np.cumprod(sums, 1)  # of these sums, k + 1 times each
    behind = np.flip(np.cumsum(np.flip(products, 1), 1), 1) / sums
    slope = np.flip(np.cumsum(np.flip(behind, 1), 1), 1)
    near = partial(np.testing.assert_allclose, rtol=1e-4)
    near(jax.jit(jax.grad(energy))(jax.device_put(x[0], sharding)), slope[0])
    if not explicit:
        batch = jax.device_put(x, jax.sharding.NamedSharding(mesh, P(None, ("b", "a"))))
        near(jax.jit(jax.vmap(jax.grad(energy)))(batch), slope)


def traced(x):
    scan = partial(gc.jax.scan, jnp.add, axis=0, source=x.sharding)
    return jax.jit(lambda x, k: scan(x, initial=k))(x, 3)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (gc.jax.cumsum, InvalidTypeError, r"axis is None for an array of shape \(8, 4\)"),
        (lambda x: gc.jax.cumprod(x, 2), OutOfRangeError, "axis is 2: the axes are 0..1"),
        (lambda x: gc.jax.scan(3, x, 0), InvalidTypeError, "op is a int"),
        (
            lambda x: gc.jax.scan(jnp.maximum, x, 0, exclusive=True),
            InvalidValueError,
            "maximum has no initial element",
        ),
        (
            lambda x: gc.jax.scan(jnp.add, x, 0, initial=[1, 2]),
            InvalidValueError,
            r"initial has shape \(2,\)",
        ),
        (traced, InvalidTypeError, "initial is a traced array"),
        (lambda x: gc.jax.scan(jnp.less, x, 0), InvalidValueError, "op gives .* dtype bool"),
        (jax.jit(lambda x: gc.jax.cumsum(x, 0)), InvalidValueError, "traced array.*source="),
        (lambda _: gc.jax.cumsum(np.ones(8)), InvalidTypeError, "got a ndarray"),
        (lambda x: gc.jax.cumsum(x.sum()), InvalidValueError, "the array has no axes"),
    ],
)
def test_what_cannot_be_scanned_is_refused(call, error, words):
    x = put(np.ones((8, 4), "f4"), mesh_of((4, 2), explicit=False), P("a", "b"))
    with pytest.raises(error, match=words):
        call(x)
