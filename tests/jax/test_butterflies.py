"""Walsh-Hadamard transforms and butterflies of sharded arrays: against SciPy, and by counts."""

import random
from functools import partial, reduce

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
from scipy.linalg import hadamard
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap, Matrix
from graycube.jax.cube import MeshCube
from graycube.jax.lines import index_along

SHAPES = (256,), (64,), (32, 16), (16, 3, 16), (16, 8, 4)
SENT = {"all-to-all", "collective-permute"}


def sequency(points):
    """The rows of the matrix by how often they change their sign."""
    matrix = hadamard(points)
    return matrix[np.argsort(np.count_nonzero(np.diff(matrix), axis=1), kind="stable")]


def dyadic(points):
    bits = points.bit_length() - 1
    turned = [int(f"{k:0{bits}b}"[::-1], 2) if bits else 0 for k in range(points)]
    return hadamard(points)[turned]


MATRICES = {"natural": hadamard, "dyadic": dyadic, "sequency": sequency}


def by_matrix(x, axes, order):
    def along(x, axis):
        return np.moveaxis(np.tensordot(MATRICES[order](x.shape[axis]), x, (1, axis)), 0, axis)

    return reduce(along, axes, x)


def case(seed, *, every):
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    mesh, shape = mesh_of(rng.choice(MESHES), explicit=rng.random() < 0.5), rng.choice(SHAPES)
    x = numbers.integers(-99, 99, shape).astype(rng.choice(["f4", "i4", "c8"]))
    spec = fitting_spec(rng, mesh, shape, every=every)
    powers = [k for k, length in enumerate(shape) if length & (length - 1) == 0]
    axes = tuple(rng.sample(powers, rng.randrange(1, len(powers) + 1)))
    return rng, x, put(x, mesh, spec), axes, rng.choice([*MATRICES])


def same(got, want):
    got = np.asarray(got)
    assert got.shape == want.shape
    assert np.abs(got - want).max() <= 1e-5 * max(1, np.abs(want).max())


@pytest.mark.parametrize("start", [0, *sweep(*zip(range(3, 66, 3)))])
def test_it_is_the_product_with_the_matrix(start):
    for seed in range(start, start + 3):
        _, x, given, axes, order = case(seed, every=seed % 2 == 0)
        program = compiled(
            partial(gc.jax.hadamard, axes=axes, order=order, source=given.sharding), given
        )
        y = program(given)
        same(y, by_matrix(x, axes, order))
        assert y.dtype == given.dtype
        assert y.sharding.is_equivalent_to(given.sharding, x.ndim)
        assert set(collectives(program)[0]) <= SENT


@pytest.mark.parametrize("start", [100, *sweep(*zip(range(103, 166, 3)))])
def test_from_any_layout_any_order_costs_nothing(start):
    for seed in range(start, start + 3):
        rng, x, given, axes, order = case(seed, every=True)
        a = gc.jax.Array.from_array(given)
        a = a.relayout(random_layout(rng, x.shape, a.layout.n))
        program = compiled(partial(gc.jax.hadamard, axes=axes, order=order), a)
        b = program(a)
        same(b.layout.gather(np.asarray(b.blocks)), by_matrix(x, axes, order))
        same(b.to_array(), by_matrix(x, axes, order))
        plain = compiled(partial(gc.jax.hadamard, axes=axes), a)
        assert collectives(program) == collectives(plain)


@pytest.mark.parametrize("devices", [8, *sweep((16,))])
def test_what_a_long_axis_sends(devices):
    mesh, n = mesh_of((devices,), explicit=True), devices.bit_length() - 1
    x = put(np.arange(1 << 10, dtype=np.float32), mesh, P("a"))
    block = x.nbytes // devices
    carried = gc.jax.Array.from_array(x, gc.Layout.cyclic(10, n, nodes="gray"))
    for argument, exchanges in ((x, 2), (carried, 1)):
        sent = exchanges * block * (devices - 1) // devices
        program = compiled(gc.jax.hadamard, argument)
        assert collectives(program) == ({"all-to-all": exchanges}, sent)
        sequent = compiled(partial(gc.jax.hadamard, order="sequency"), argument)
        assert collectives(sequent)[1] <= exchanges * block


@pytest.mark.parametrize("code", ["binary", "gray"])
def test_one_point_a_device_takes_one_round_a_stage(code):
    mesh = mesh_of((8,), explicit=True)
    x = put(np.arange(8, dtype=np.float32), mesh, P("a"))
    a = gc.jax.Array.from_array(x, gc.Layout.nodes(3, code))
    program = compiled(gc.jax.hadamard, a)
    assert collectives(program) == ({"collective-permute": 3}, 3 * 4)
    same(program(a).to_array(), hadamard(8) @ np.arange(8))


@pytest.mark.parametrize("flipped", [0, 5])
def test_one_point_a_device_whose_index_is_coded(flipped):
    x = np.random.default_rng(0).standard_normal(8).astype("f4")
    layout = gc.Layout.nodes(3, "gray") @ AffineMap(Matrix.identity(3), flipped)
    a = gc.jax.Array.from_array(put(x, mesh_of((8,), explicit=True), P("a")), layout)
    b = gc.jax.butterfly(a, rotated, bits=[1, 2, 0])
    np.testing.assert_allclose(b.to_array(), turned(x, bits=[1, 2, 0]), atol=1e-5)


def test_dtypes_norms_and_payload():
    mesh = mesh_of((4,), explicit=True)
    for given, wanted in (("bool", "int32"), ("uint8", "int32"), ("bfloat16", "float32")):
        x = put(np.ones(16).astype(jnp.dtype(given)), mesh, P("a"))
        y = gc.jax.hadamard(x)
        assert (y.dtype, y.tolist()) == (wanted, [16] + [0] * 15)
    x = put(np.arange(16), mesh, P("a"))
    twice = gc.jax.hadamard(gc.jax.hadamard(x, norm="ortho"), norm="ortho")
    assert twice.dtype == "float32"
    same(twice, np.arange(16))
    v = np.random.default_rng(0).standard_normal((16, 3))
    u = gc.CubeArray.from_numpy(v.astype("f4"), gc.Layout.cyclic(4, 2))
    a = gc.jax.Array.from_cube(u, x.sharding)
    same(gc.jax.hadamard(a).to_cube().to_numpy(), hadamard(16) @ v)


def rotated(low, high, bit, index, by=jnp):
    """A stage that is not alike for any two pairs."""
    cos, sin = (f((index + 1) * 0.1 * (bit + 1)) for f in (by.cos, by.sin))
    return low * cos - high * sin, low * sin + high * cos


def by_pairs(x, stage, bits=None):
    """The stages on the last axis of an array of NumPy, pair by pair."""
    x = np.array(x)
    every = range(x.shape[-1].bit_length() - 1)[::-1]
    for bit in every if bits is None else bits:
        low = np.array([k for k in range(x.shape[-1]) if not k >> bit & 1], int)
        high = low + (1 << bit)
        x[..., low], x[..., high] = stage(x[..., low], x[..., high], bit, low)
    return x


turned = partial(by_pairs, stage=partial(rotated, by=np))


@pytest.mark.parametrize("explicit", [True, False])
def test_gradients_and_batches(explicit):
    mesh = mesh_of((2, 2), explicit=explicit)
    sharding = jax.sharding.NamedSharding(mesh, P(("b", "a")))
    x = np.random.default_rng(0).standard_normal((3, 16)).astype(np.float32)

    def energy(x):
        y = gc.jax.hadamard(x, source=sharding)
        return (gc.jax.butterfly(y, rotated, order="natural", source=sharding) ** 3).sum()

    matrix = turned(hadamard(16).astype(float)).T  # of both, which are linear
    slope = 3 * (x @ matrix.T) ** 2 @ matrix
    given = jax.device_put(x[0], sharding)
    program = compiled(jax.grad(energy), given)
    np.testing.assert_allclose(program(given), slope[0], rtol=1e-3, atol=1)
    assert "all-gather" not in program.as_text()
    if explicit:
        along = jax.jit(lambda x: jax.jvp(energy, (x,), (x,))[1])(given)
        np.testing.assert_allclose(along, slope[0] @ x[0], rtol=1e-3)
    else:
        batch = jax.device_put(x, jax.sharding.NamedSharding(mesh, P(None, ("b", "a"))))
        got = jax.jit(jax.vmap(jax.grad(energy)))(batch)
        np.testing.assert_allclose(got, slope, rtol=1e-3, atol=1)


@pytest.mark.parametrize("seed", [*range(6), *sweep(*zip(range(6, 60)))])
def test_stages_are_those_of_the_pairs_in_any_layout(seed):
    rng = random.Random(seed)
    n = rng.choice([0, 2, 3])
    p = rng.choice([n, n + 1, 2 * n, 7])
    mesh = mesh_of((1 << n,), explicit=True)
    x = np.random.default_rng(seed).standard_normal(1 << p).astype("f4")
    bits = rng.choice([None, rng.sample(range(p), rng.randrange(p + 1))])
    given = put(x, mesh, P("a"))
    want = turned(x, bits=bits)
    np.testing.assert_allclose(gc.jax.butterfly(given, rotated, bits=bits), want, atol=1e-5)
    layout = rng.choice([gc.Layout.cyclic, gc.Layout.consecutive])
    a = gc.jax.Array.from_array(
        given, layout(p, n, **rng.choice([{}, {"nodes": "gray"}, {"whole": "gray"}]))
    )
    b = gc.jax.butterfly(a, rotated, bits=bits)
    np.testing.assert_allclose(b.to_array(), want, atol=1e-5)
    back = gc.jax.butterfly(a, rotated, bits=bits, order="natural")
    assert back.layout == a.layout
    np.testing.assert_allclose(back.to_array(), want, atol=1e-5)


def test_a_stage_of_one_axis_of_several():
    mesh = mesh_of((4, 2), explicit=True)
    x = np.random.default_rng(0).standard_normal((16, 3, 8)).astype("f4")
    given = put(x, mesh, P("b", None, "a"))
    want = turned(x)
    np.testing.assert_allclose(gc.jax.butterfly(given, rotated), want, atol=1e-5)
    got = gc.jax.butterfly(gc.jax.Array.from_array(given), rotated, axis=2)
    np.testing.assert_allclose(got.to_array(), want, atol=1e-5)


def test_a_stage_may_know_something_that_changes():
    mesh = mesh_of((4,), explicit=True)
    x = put(np.arange(16, dtype="f4"), mesh, P("a"))

    class Scaled:
        factor = 1.0

        def stage(self, low, high, _bit, _index):
            return low * self.factor, high

    scaled = Scaled()
    assert gc.jax.butterfly(x, scaled.stage, bits=[0]).tolist() == list(range(16))
    scaled.factor = 0.0
    assert gc.jax.butterfly(x, scaled.stage, bits=[0]).tolist() == [
        k % 2 * k for k in range(16)
    ]

    factor = 1.0

    def stage(low, high, _bit, _index):
        return low * factor, high

    assert gc.jax.butterfly(x, stage, bits=[0]).tolist() == list(range(16))
    factor = 0.0
    assert gc.jax.butterfly(x, stage, bits=[0]).tolist() == [k % 2 * k for k in range(16)]

    def loss(w):
        return gc.jax.butterfly(
            x, lambda low, high, bit, _: (low * w[bit], high), bits=[1, 0]
        ).sum()

    w = jnp.array([2.0, 3.0])
    parts = np.arange(16.0).reshape(4, 2, 2).sum(0)  # by bits 1 and 0
    want = 3 * parts[0, 0] + parts[1, 0], 2 * parts[0, 0] + parts[0, 1]
    np.testing.assert_allclose(jax.jit(jax.grad(loss))(w), want, rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: gc.jax.hadamard(x, order="fast"), InvalidValueError, "order is 'fast'"),
        (lambda x: gc.jax.hadamard(x, norm="l2"), InvalidValueError, "norm is 'l2'"),
        (lambda x: gc.jax.hadamard(x, axes=2), OutOfRangeError, "axis is 2"),
        (gc.jax.hadamard, InvalidValueError, r"24 = 3 \* 2\^3.*pad the axis"),
        (jax.jit(gc.jax.hadamard), InvalidValueError, "traced array.*source="),
        (lambda _: gc.jax.hadamard(np.ones(8)), InvalidTypeError, "got a ndarray"),
        (lambda x: gc.jax.butterfly(x, rotated, order="any"), InvalidValueError, "no layout"),
        (lambda x: gc.jax.butterfly(x, rotated, order="fast"), InvalidValueError, "'fast'"),
        (lambda x: gc.jax.butterfly(x, None, 0), InvalidTypeError, "stage is a NoneType"),
        (
            lambda x: gc.jax.butterfly(x, rotated, 0, [0, 0]),
            InvalidValueError,
            r"bits is \(0, 0\)",
        ),
        (lambda x: gc.jax.butterfly(x, lambda *_: 3, 0), InvalidTypeError, "bit 3 gives a int"),
        (
            lambda x: gc.jax.butterfly(x, lambda low, high, *_: (low > 0, high), 0),
            InvalidValueError,
            "dtype bool.*astype",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(call, error, words):
    x = put(np.ones((16, 24), "f4"), mesh_of((4, 2), explicit=False), P("a", "b"))
    with pytest.raises(error, match=words):
        call(x)


def test_a_program_that_counts_indices_is_short():
    layout = gc.Layout.cyclic(24, 0, whole="gray")
    counted = jax.make_jaxpr(lambda: index_along(layout, 0, MeshCube((), ())))()
    assert len(counted.eqns) < 5 * 24
