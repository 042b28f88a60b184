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
    n = shape[(axes or (-1,))[-1]]
    there = compiled(lambda x: gc.jax.rfftn(x, axes, norm, source=source), given)
    half, want = there(given), np.fft.rfftn(x, axes=axes, norm=norm)
    assert np.abs(np.asarray(half) - want).max() < 1e-6 * np.abs(want).max()
    back = compiled(lambda y: gc.jax.irfftn(y, n, axes, norm, source=source), half)
    np.testing.assert_allclose(np.asarray(back(half)), x, atol=1e-5)
    for program in (there, back):
        assert set(collectives(program)[0]) <= {"all-to-all", "collective-permute"}


def test_what_is_not_real_or_not_in_memory_is_refused():
    x = put(np.ones((8, 8)), mesh_of((8,), explicit=True), P("a"))
    with pytest.raises(InvalidValueError, match=r"axis 0 is over the mesh axes \('a',\)"):
        gc.jax.rfft(x, axis=0)
    with pytest.raises(InvalidValueError, match="axes is empty"):
        gc.jax.rfftn(x, ())
    with pytest.raises(InvalidValueError, match="more than once"):
        gc.jax.rfftn(x, (1, 1))
    with pytest.raises(InvalidTypeError, match="real numbers only"):
        gc.jax.rfft(x * 1j)
    with pytest.raises(InvalidValueError, match=r"n is 9.*14 or 15 points"):
        gc.jax.irfft(x, 9)
    with pytest.raises(InvalidTypeError, match="to_array"):
        gc.jax.rfft(gc.jax.Array.from_array(x))


def test_its_gradient():
    mesh = mesh_of((8,), explicit=False)
    x = np.random.default_rng(0).standard_normal((16, 8)).astype(np.float32)
    given = put(x, mesh, P("a"))
    gradient = jax.jit(
        jax.grad(lambda x: (abs(gc.jax.rfftn(x, source=given.sharding)) ** 4).sum())
    )
    want = jax.grad(lambda x: (abs(jax.numpy.fft.rfftn(x)) ** 4).sum())(jax.numpy.asarray(x))
    np.testing.assert_allclose(np.asarray(gradient(given)), want, rtol=1e-4, atol=1)
