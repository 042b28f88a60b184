"""Every function under jit, vmap, grad and jvp of grad, against plain JAX on one device."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax_cases import P, mesh_of
from sweeping import sweep

import graycube as gc
from graycube.gf2 import Matrix

SHAPE = 16, 32
REVERSAL = Matrix.permutation(range(9)[::-1])
GRAY = gc.Layout.mesh(SHAPE, nodes=(2, 4), code="gray")


def around(length, blocks):
    """The indices of all blocks of an axis, each with its neighbours on both sides."""
    parts = np.arange(length).reshape(blocks, -1)
    return np.hstack([parts[:, :1] - 1, parts, (parts[:, -1:] + 1) % length]).ravel()


def array_of(x, source):
    return gc.jax.Array.from_array(x, GRAY, source)


CASES = [
    (lambda x, s: gc.jax.reshard(x, P("b", "a"), s), lambda x: x),
    (
        lambda x, s: gc.jax.permute(x, REVERSAL, s),
        lambda x: x.ravel()[REVERSAL(np.arange(512))].reshape(SHAPE),
    ),
    (
        lambda x, s: gc.jax.halo(x, 1, source=s),
        lambda x: x[around(16, 2)][:, around(32, 4)],
    ),
    (lambda x, s: gc.jax.fftn(x, source=s), jnp.fft.fftn),
    (lambda x, s: gc.jax.fftn(array_of(x, s)).to_array(), jnp.fft.fftn),
    (
        lambda x, s: gc.jax.rfftn(array_of(x, s)).to_array(P(("a", "b"))),
        jnp.fft.rfftn,
    ),
]
NAMES = ["reshard", "permute", "halo", "fftn", "fftn of an Array", "rfftn of an Array"]


@pytest.mark.parametrize("explicit", [False, *sweep((True,))])
@pytest.mark.parametrize(("spread", "dense"), CASES, ids=NAMES)
def test_it_is_batched_and_differentiated(spread, dense, explicit):
    mesh = mesh_of((2, 4), explicit=explicit)
    source = jax.sharding.NamedSharding(mesh, P("a", "b"))
    x = np.random.default_rng(0).standard_normal((3, *SHAPE)).astype(np.float32)
    given = jax.device_put(x, jax.sharding.NamedSharding(mesh, P(None, "a", "b")))

    def ours(x):
        return spread(x, source)

    def slopes(function):
        return jax.grad(lambda x: (jnp.abs(function(x)) ** 3).sum())

    def bent(function):
        return lambda x: jax.jvp(slopes(function), (x,), (x,))[1]

    for found, want in (
        (ours, dense),
        (slopes(ours), slopes(dense)),
        (bent(ours), bent(dense)),
    ):
        program = jax.jit(jax.vmap(found)).lower(given).compile()
        expected = np.asarray(jax.vmap(want)(jnp.asarray(x)))
        error = np.abs(np.asarray(program(given)) - expected).max()
        assert error < 1e-5 * np.abs(expected).max()
        assert "all-gather" not in gc.jax.traffic(program).counts
        assert "scatter(" not in program.as_text()
