"""What users ask for by mistake: it works as elsewhere, or an error says what to write."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax_cases import P, mesh_of, put

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import Matrix

X = np.cos(np.arange(64.0)).astype("f4")
REVERSAL = Matrix.permutation(range(6)[::-1])
REVERSED = [int(f"{k:06b}"[::-1], 2) for k in range(64)]
FUNCTIONS = {
    "fft": (gc.jax.fft, np.fft.fft(X)),
    "cumsum": (gc.jax.cumsum, np.cumsum(X)),
    "sort": (gc.jax.sort, np.sort(X)),
    "permute": (lambda x, source: gc.jax.permute(x, REVERSAL, source), X[REVERSED]),
    "reshard": (lambda x, source: gc.jax.reshard(x, source, source), X),
    "from_array": (lambda x, source: gc.jax.Array.from_array(x, source=source).to_array(), X),
}


@pytest.fixture
def a():
    return gc.jax.Array.from_array(put(X, mesh_of((8,), explicit=True), P("a")))


@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_array_goes_where_its_source_is_said_to_be(name, explicit):
    mesh = mesh_of((8,), explicit=explicit)
    function, want = FUNCTIONS[name]
    call = partial(function, source=jax.sharding.NamedSharding(mesh, P("a")))
    for given in (X, jnp.asarray(X), put(X, mesh, P())):
        for run in (call, jax.jit(call)):
            got = run(given)
            assert got.sharding.is_equivalent_to(call.keywords["source"], 1)
            np.testing.assert_allclose(got, want, atol=1e-4)


def payload_of(sharding):
    x = np.random.default_rng(0).standard_normal((64, 3, 4)).astype("f4")
    return x, gc.jax.Array.from_cube(
        gc.CubeArray.from_numpy(x, gc.Layout.cyclic(6, 3)), sharding
    )


def test_axes_of_the_payload_are_transformed_as_the_error_says(a):
    x, b = payload_of(a.sharding)
    for axis in (1, 2):
        with pytest.raises(
            OutOfRangeError, match=rf"{axis}, which is payload.*map\(.*axis={axis + 1}\)\)$"
        ):
            gc.jax.fft(b, axis=axis)
        made = b.map(lambda v, k=axis: jnp.fft.fft(v, axis=k + 1))
        want = np.fft.fft(x, axis=axis)
        np.testing.assert_allclose(made.to_cube().to_numpy(), want, atol=1e-5)
        with pytest.raises(
            OutOfRangeError, match=rf"jnp.fft.rfft\(a.to_array\(\), axis={axis}"
        ):
            gc.jax.rfft(b, axis=axis)
        made = jnp.fft.rfft(b.to_array(), axis=axis)
        np.testing.assert_allclose(made, np.fft.rfft(x, axis=axis), atol=1e-5)


def test_the_last_axis_is_that_of_the_layout_in_transforms_and_of_the_array_in_sorts(a):
    x, b = payload_of(a.sharding)
    for function, want in (
        (gc.jax.fft, np.fft.fft(x, axis=0)),
        (gc.jax.sort, np.sort(x, axis=2)),
        (lambda b: gc.jax.cumsum(b, -1), np.cumsum(x, axis=2)),
    ):
        np.testing.assert_allclose(function(b).to_cube().to_numpy(), want, atol=1e-4)


@pytest.mark.parametrize("within_jit", [True, False])
def test_arrays_of_two_meshes_do_not_meet(a, within_jit):
    kinds = (jax.sharding.AxisType.Explicit,)
    devices = np.array(jax.devices()[:8])
    others = [
        jax.sharding.Mesh(devices[::-1], ("a",), axis_types=kinds),
        jax.sharding.Mesh(devices, ("b",), axis_types=kinds),
        mesh_of((8,), explicit=False),
    ]

    def added(a, b):
        return a + b

    for mesh in others:
        b = gc.jax.Array.from_array(put(X, mesh, P(*mesh.axis_names)))
        with pytest.raises(InvalidValueError, match=r"meet.*one mesh.*device_put"):
            (jax.jit(added) if within_jit else added)(a, b)
        moved = jax.device_put(b.to_array(), a.sharding)
        total = a + gc.jax.Array.from_array(moved, a.layout)
        np.testing.assert_array_equal(total.to_array(), 2 * X)


def test_automatic_axes_of_the_same_devices_meet():
    one, two = (mesh_of(sizes, explicit=False) for sizes in ((8,), (2, 4)))
    a = gc.jax.Array.from_array(put(X, one, P("a")))
    b = gc.jax.Array.from_array(put(X, two, P(("a", "b"))))
    np.testing.assert_array_equal((a + b).to_array(), 2 * X)


def test_it_has_what_arrays_have(a):
    x, b = payload_of(a.sharding)
    assert (b.ndim, b.size, b.nbytes) == (x.ndim, x.size, x.nbytes)
    assert b.block_until_ready() is b
    whole = a.map(lambda v: (v * 9).astype(int))
    np.testing.assert_array_equal((+a).to_array(), X)
    np.testing.assert_array_equal((whole ^ 5).to_array(), (X * 9).astype(int) ^ 5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda a: gc.jax.fft(a.to_array(), source=P("a")), InvalidTypeError, "jax.NamedShard"),
        (
            lambda a: gc.jax.reshard(a, a.sharding),
            InvalidTypeError,
            "Array.*a.to_array.sharding",
        ),
        (gc.jax.Array.from_array, InvalidTypeError, "got a gc.jax.Array.*a.relayout.layout"),
        (lambda a: a.to_array(a.layout), InvalidTypeError, "layout.*call a.relayout.layout"),
        (lambda a: a.to_array(P("q")), InvalidValueError, "'q': the axes of the mesh are 'a'"),
        (lambda a: gc.jax.reshard(a.to_array(), P("q")), InvalidValueError, "has 'q'"),
        (lambda a: a.to_array(P("a", "a")), InvalidValueError, "has 'a'.*each of them once"),
        (lambda a: a == None, InvalidTypeError, "NoneType.*`a is None`"),  # noqa: E711
        (lambda a: a != "x", InvalidTypeError, "meets a str"),
        (lambda a: a + {}, InvalidTypeError, "meets a dict"),
        (lambda _: gc.jax.rfft([1.0, 2.0]), InvalidTypeError, "got a list"),
        (lambda a: gc.jax.fft([1.0], source=a.sharding), InvalidTypeError, "got a list"),
        (lambda a: a[3], InvalidTypeError, r"by their index.*np.asarray\(a.to_array"),
        (max, InvalidTypeError, "by their index"),
        (
            lambda a: gc.jax.local.halo(a.to_array(), 1, ["a"]),
            InvalidValueError,
            r"\('a',\): .*within jax.shard_map",
        ),
        (
            lambda a: gc.jax.local.fft(a.blocks, a.layout, "q"),
            InvalidValueError,
            r"\('q',\): .*within jax.shard_map",
        ),
    ],
)
def test_what_to_write_instead_is_said(a, call, error, words):
    with pytest.raises(error, match=words):
        call(a)


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a.coordinate(0),
        gc.jax.argsort,
        lambda a: gc.jax.butterfly(a, lambda *x: x[:2]),
    ],
)
def test_indices_that_do_not_fit_32_bits_are_refused(a, call):
    def of_bits(p):
        layout, where = gc.Layout.cyclic(p, 3), a.blocks.sharding
        blocks = jax.ShapeDtypeStruct((8, 1 << p - 3), "f4", sharding=where)
        return jax.eval_shape(
            lambda blocks: call(gc.jax.Array(blocks, layout, a.sharding)), blocks
        )

    assert of_bits(31).shape == (1 << 31,)
    with pytest.raises(InvalidValueError, match=r"axis 0 has 4294967296 .*32 bits.*two axes"):
        of_bits(32)
