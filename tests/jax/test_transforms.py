"""Transforms of sharded arrays: against NumPy, and by what the compiled programs send."""

import random
from functools import partial

import jax
import numpy as np
import pytest
from jax_cases import MESHES, P, collectives, compiled, mesh_of, put, random_spec
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError

SHAPES = (256,), (64,), (32, 48), (64, 16), (16, 32, 16)
SENT = {"all-to-all", "collective-permute"}


def case(seed, *, every):
    """A random array on a random mesh, and a transform with NumPy's result."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    mesh = mesh_of(rng.choice(MESHES), explicit=rng.random() < 0.5)
    shape = rng.choice(SHAPES)
    d = len(shape)
    x = numbers.standard_normal(shape) + 1j * numbers.standard_normal(shape)
    axes = tuple(rng.sample(range(d), rng.randrange(1, d + 1)))
    norm, name = rng.choice([None, "ortho", "forward"]), rng.choice(["fftn", "ifftn"])
    want = getattr(np.fft, name)(x, axes=axes, norm=norm)
    given = put(x.astype(np.complex64), mesh, random_spec(rng, mesh.axis_names, d, every=every))
    return given, getattr(gc.jax, name), axes, norm, want


def near(got, want, bound=2e-6):
    assert np.abs(np.asarray(got) - want).max() < bound * np.abs(want).max()


@pytest.mark.parametrize("start", [0, 2, *sweep(*zip(range(4, 64, 2)))])
def test_natural_to_natural(start):
    for seed in range(start, start + 2):
        x, transform, axes, norm, want = case(seed, every=seed % 2 == 0)
        program = compiled(partial(transform, axes=axes, norm=norm, source=x.sharding), x)
        y = program(x)
        near(y, want)
        assert y.sharding.is_equivalent_to(x.sharding, x.ndim)
        assert set(collectives(program)[0]) <= SENT


@pytest.mark.parametrize("start", [100, 102, *sweep(*zip(range(104, 164, 2)))])
def test_in_any_order_from_any_layout(start):
    for seed in range(start, start + 2):
        x, transform, axes, norm, want = case(seed, every=True)
        a = gc.jax.Array.from_array(x)
        code = random.Random(seed).choice(["gray", "binary"])
        nodes = [1] * x.ndim
        nodes[0] = 1 << a.layout.n
        target = gc.Layout.mesh(x.shape, nodes, code=code, slots=code, allocation="cyclic")
        if all(axis.extent == 1 for axis in a.layout.axes):
            a = a.relayout(target)
        program = compiled(partial(transform, axes=axes, norm=norm), a)
        b = program(a)
        near(b.layout.gather(np.asarray(b.blocks)), want)
        assert set(collectives(program)[0]) <= SENT
        near(transform(a, None, axes, norm, order="natural").to_array(), want)


@pytest.mark.parametrize("devices", [8, 16])
@pytest.mark.parametrize("p", [14, *sweep((20,), (23,))])
def test_a_long_axis_is_never_gathered(devices, p):
    mesh = mesh_of((devices,), explicit=True)
    x = np.random.default_rng(0).standard_normal((1 << p, 2)) @ [1, 1j]
    given = put(x.astype(np.complex64), mesh, P("a"))
    block, want = given.nbytes // devices, np.fft.fft(x)
    n = devices.bit_length() - 1
    carried = gc.jax.Array.from_array(given, gc.Layout.cyclic(p, n))
    for argument, exchanges in ((given, 3), (carried, 1)):
        program = compiled(gc.jax.fft, argument)
        sent = exchanges * block * (devices - 1) // devices
        assert collectives(program) == ({"all-to-all": exchanges}, sent)
        assert program.memory_analysis().temp_size_in_bytes <= 2.1 * block
        y = program(argument)
        got = y if argument is given else y.layout.gather(np.asarray(y.blocks))
        near(got, want, bound=4e-7)


def test_there_and_back_needs_two_exchanges_and_no_order():
    mesh = mesh_of((8,), explicit=True)
    x = put(np.arange(1024.0, dtype=np.float32), mesh, P("a"))
    a = gc.jax.Array.from_array(x, gc.Layout.cyclic(10, 3))
    program = compiled(lambda a: gc.jax.ifft(gc.jax.fft(a) * 2), a)
    assert collectives(program)[0] == {"all-to-all": 2}
    near(program(a).to_array(), 2 * np.arange(1024.0))


@pytest.mark.parametrize(
    ("sizes", "spec", "calls"),
    [
        ((1,), P("a"), [1, 1, 1, 1]),
        ((4,), P("a"), [2, 2, 2, 2]),
        ((4,), P(None, "a"), [2, 2, 2, 3]),
    ],
)
def test_axes_in_memory_are_transformed_by_one_call(sizes, spec, calls):
    mesh = mesh_of(sizes, explicit=False)
    x = put(np.random.default_rng(0).standard_normal((8, 12, 16)).astype("f4"), mesh, spec)
    found = []
    for function, inverse in ((gc.jax.fftn, gc.jax.ifftn), (gc.jax.rfftn, gc.jax.irfftn)):
        there = compiled(partial(function, source=x.sharding), x)
        y = there(x)
        again = compiled(partial(inverse, source=x.sharding), y)
        found += [program.as_text().count("fft_type=") for program in (there, again)]
        near(again(y), np.asarray(x))
    assert found == calls


def test_an_axis_may_come_twice():
    x = np.random.default_rng(0).standard_normal((8, 12)).astype("f4")
    given = put(x, mesh_of((2,), explicit=False), P("a"))
    near(gc.jax.fftn(given, axes=(1, 1)), np.fft.fft(np.fft.fft(x)))


def dense(x):
    """Something with a spectrum and a gradient."""
    return jax.numpy.abs(jax.numpy.fft.fft(x) * jax.numpy.arange(x.shape[-1])) ** 2


@pytest.mark.parametrize("explicit", [True, False])
def test_gradients_and_batches_are_those_of_dense_arrays(explicit):
    mesh = mesh_of((2, 4), explicit=explicit)
    sharding = jax.sharding.NamedSharding(mesh, P(("b", "a")))
    x = np.random.default_rng(0).standard_normal(64).astype(np.float32)
    given, weights = jax.device_put(x, sharding), jax.device_put(np.arange(64.0), sharding)

    def ours(x):
        y = gc.jax.fft(x, source=sharding)
        return (abs(y * weights) ** 2).sum()

    def theirs(x):
        return dense(x).sum()

    plain = jax.numpy.asarray(x)
    near(jax.jit(jax.grad(ours))(given), jax.grad(theirs)(plain))
    near(jax.jit(jax.grad(jax.checkpoint(ours)))(given), jax.grad(theirs)(plain))
    near(
        jax.jit(lambda x: jax.jvp(ours, (x,), (x,))[1])(given),
        jax.jvp(theirs, (plain,), (plain,))[1],
    )
    near(jax.jit(jax.hessian(ours))(given), jax.hessian(theirs)(plain))
    text = jax.jit(jax.grad(ours)).lower(given).compile().as_text()
    assert "all-gather" not in text
    assert "scatter(" not in text


def test_batches():
    mesh = mesh_of((8,), explicit=False)
    sharding = jax.sharding.NamedSharding(mesh, P("a"))
    x = np.random.default_rng(0).standard_normal((3, 64)).astype(np.float32)
    given = jax.device_put(x, jax.sharding.NamedSharding(mesh, P(None, "a")))
    y = jax.jit(jax.vmap(lambda x: gc.jax.fft(x, source=sharding)))(given)
    near(y, np.fft.fft(x))
    gradient = jax.jit(jax.vmap(jax.grad(lambda x: abs(gc.jax.fft(x, source=sharding)[3]))))
    want = jax.vmap(jax.grad(lambda x: abs(jax.numpy.fft.fft(x)[3])))(jax.numpy.asarray(x))
    near(gradient(given), want, bound=1e-5)


def test_a_donated_array_is_used_up():
    mesh = mesh_of((8,), explicit=True)
    x = put(np.ones(1024, np.complex64), mesh, P("a"))
    a = gc.jax.Array.from_array(x, gc.Layout.cyclic(10, 3))
    program = jax.jit(gc.jax.fft, donate_argnums=0)
    near(program(a).blocks.sum(), np.fft.fft(np.ones(1024)).sum())
    assert a.blocks.is_deleted()


def test_a_program_has_no_tables():
    mesh = mesh_of((8,), explicit=True)
    x = put(np.ones(1 << 14, np.complex64), mesh, P("a"))
    text = jax.jit(gc.jax.fft).lower(x).as_text()
    assert max(len(line) for line in text.splitlines()) < 2000


@pytest.mark.parametrize(
    ("call", "points", "error", "words"),
    [
        (lambda x: gc.jax.fft(x, order="any"), 64, InvalidValueError, "no layout.*from_array"),
        (lambda x: gc.jax.fft(x, order="fast"), 64, InvalidValueError, "order is 'fast'"),
        (lambda x: gc.jax.fft(x, norm="l2"), 64, InvalidValueError, "norm is 'l2'"),
        (lambda x: gc.jax.fft(x, axis=1), 64, OutOfRangeError, "axis is 1: the axes are 0..0"),
        (jax.jit(gc.jax.fft), 64, InvalidValueError, "traced array.*source="),
        (lambda x: gc.jax.fft(np.asarray(x)), 64, InvalidTypeError, "got a ndarray"),
        (gc.jax.fft, 48, InvalidValueError, r"48 = 3 \* 2\^4.*pad the axis"),
        (gc.jax.fft, 8, InvalidValueError, "8 points on 8 devices.*fewer"),
    ],
)
def test_what_cannot_be_transformed_is_refused(call, points, error, words):
    x = put(np.ones(points), mesh_of((8,), explicit=False), P("a"))
    with pytest.raises(error, match=words):
        call(x)
