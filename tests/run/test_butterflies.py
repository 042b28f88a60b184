"""Roots of unity are as exact as numbers of their precision can be."""

import mpmath
import numpy as np
import pytest

from graycube.run.butterflies import unit_roots


@pytest.mark.parametrize("dtype", ["c16", np.clongdouble])
@pytest.mark.parametrize("points", [1, 2, 3, 8, 149, 1000, 2**40 + 1])
@pytest.mark.parametrize("inverse", [False, True])
def test_roots_are_rounded_once(points, dtype, inverse):
    powers = np.linspace(-points, 3 * points, 41).astype(np.int64)
    found = unit_roots(powers, points, np.dtype(dtype), inverse=inverse)
    assert found.dtype == dtype
    sign = 1 if inverse else -1
    with mpmath.workdps(40):
        exact = [mpmath.expjpi(mpmath.mpf(2 * sign * int(k)) / points) for k in powers]
        errors = [
            abs(mpmath.mpc(_exactly(z.real), _exactly(z.imag)) - w)
            for z, w in zip(found, exact, strict=True)
        ]
    assert max(errors) <= 0.6 * float(np.finfo(dtype).eps)


def _exactly(x):
    """A number of any precision as one of mpmath's."""
    high = float(x)
    return mpmath.mpf(high) + mpmath.mpf(float(x - type(x)(high)))


def test_quarters_of_a_turn_are_exact():
    found = unit_roots(np.arange(8), 4, np.dtype("c8"), inverse=False)
    assert found.tolist() == [1, -1j, -1, 1j] * 2
