"""Convolutions beside sums of products, and what whole numbers need to be exact."""

from math import isqrt

import numpy as np
import pytest
from contents import close
from random_transforms import random_layout, uneven_layout
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.convolution import _SAFE, _transformed
from graycube.fourier.residues import MOST_BITS, PRIMES, joined, primes_for

DTYPES = ("i8", "i1", "?", "u4", "f8", "c16")


def summed(x, y, axis, mode):
    """The sums of products; of whole numbers as Python's integers."""
    exact = x.dtype.kind in "biu"
    x, y = (np.moveaxis(u.astype("i8").astype(object) if exact else u, axis, 0) for u in (x, y))
    out = np.zeros((len(x) + len(y) - 1, *x.shape[1:]), x.dtype)
    for j, factor in enumerate(y):
        out[j : j + len(x)] += x * factor
    if mode == "periodic":
        out, over = out[: len(x)], out[len(x) :]
        out[: len(over)] += over
    return np.moveaxis(out, 0, axis)


def numbers(rng, shape, dtype, wide):
    if dtype == "?":
        return rng.integers(0, 2, shape).astype(bool)
    low = 0 if dtype == "u4" else -wide
    made = rng.integers(low, wide, shape).astype(dtype)
    return made * (1 - 2j) if dtype == "c16" else made


@pytest.mark.parametrize("count", [36, *sweep((1000,))])
def test_sums_of_products(count):
    rng = np.random.default_rng(count)
    for k in range(count):
        layout = (random_layout, uneven_layout)[k % 4 == 0](rng, 30, 400)
        axis, mode, dtype = (
            int(rng.integers(len(layout.shape))),
            ("full", "periodic")[k % 2],
            DTYPES[k % 6],
        )
        wide = (9, 2**15, 2**27)[int(rng.integers(3))] if dtype == "i8" else 100
        x, y = (numbers(rng, layout.shape, dtype, wide) for _ in range(2))
        a, v = (gc.CubeArray.from_numpy(u, layout) for u in (x, y))
        found = gc.convolve(a, v, axis, mode)
        wanted = summed(x, y, axis, mode)
        if dtype in {"f8", "c16"}:
            assert close(found.to_numpy(), wanted.astype(dtype)), (layout, axis, mode)
        else:
            assert found.dtype == np.int64
            assert (found.to_numpy() == wanted).all(), (layout, axis, mode, dtype)
        assert mode == "full" or found.layout == layout


@pytest.mark.parametrize("nodes", [1, 3, 4, 7, 8])
def test_a_vector_of_any_length_over_all_nodes(nodes):
    rng = np.random.default_rng(nodes)
    x, y = rng.integers(-(2**28), 2**28, 37), rng.integers(-(2**28), 2**28, 11)
    a, v = (gc.CubeArray.from_numpy(u, gc.Layout.mesh(u.shape, (nodes,))) for u in (x, y))
    assert np.array_equal(gc.convolve(a, v).to_numpy(), np.convolve(x, y))
    assert np.allclose(gc.convolve(a * 1.0, v).to_numpy(), np.convolve(x, y), rtol=1e-9)


@pytest.mark.parametrize("nodes", [3, 7])
@pytest.mark.parametrize("length", [1000, 40009])
def test_what_is_rounded_is_near_to_a_whole_number(nodes, length):
    """The largest numbers that are rounded are far from the middle between two."""
    most = isqrt(_SAFE // length // (2 * length).bit_length()) - 1
    x = np.full(length, most)
    x[::3] *= -1
    a = gc.CubeArray.from_numpy(x.astype(float), gc.Layout.mesh((length,), (nodes,)))
    found = _transformed(a, a, 0, 2 * length).to_numpy()
    assert np.abs(found).max() > 2**38
    assert np.abs(found - np.rint(found)).max() < 1 / 4


@pytest.mark.parametrize("kinds", [("f4", "f8"), ("i8", "f4"), ("c8", "f8"), ("f8", "c8")])
def test_two_precisions_give_what_the_better_one_can(kinds):
    rng = np.random.default_rng(0)
    x, y = ((100 * rng.standard_normal(64)).astype(kind) for kind in kinds)
    layout = gc.Layout.mesh((64,), (4,))
    found = gc.convolve(*(gc.CubeArray.from_numpy(each, layout) for each in (x, y)))
    wanted = np.convolve(x, y)
    assert found.dtype == wanted.dtype
    assert np.allclose(found.to_numpy(), wanted, rtol=0, atol=1e-12 * abs(wanted).max())


def test_the_largest_numbers_that_fit():
    """2^62 has to come out right, and 2^63 is refused."""
    layout = gc.Layout.cyclic(3, 2, nodes="gray")
    whole = np.array([2**31] + [0] * 6 + [-(2**31)])
    a = gc.CubeArray.from_numpy(whole, layout)
    ones = gc.CubeArray.from_numpy(np.full(8, 2**28), layout)
    assert np.array_equal(gc.convolve(a, ones).to_numpy(), np.convolve(whole, ones.to_numpy()))
    with pytest.raises(InvalidValueError, match="may have numbers as large as"):
        gc.convolve(a, a)
    assert np.allclose(
        gc.convolve(a * 1.0, a).to_numpy(), np.convolve(whole * 1.0, whole), atol=1e4
    )


@pytest.mark.parametrize("mode", ["full", "periodic"])
@pytest.mark.parametrize("nodes", [1, 4, 3])
def test_all_that_fits_is_exact_however_large_the_numbers_are(nodes, mode):
    """Here the largest ones do not meet, or cancel, so that no product of bounds tells it."""
    ends = np.array([1, -1] * 4)
    large, fits = 2**60, []
    for x, y in (
        ([4 * large - 1, 0, 0, 0, 0, 1, 2, -1], [1, 1, 0, 0, 0, 0, 0, 0]),
        (large * ends, [1] * 8),
        (3 * large * ends, [1, -1, 0, 0, 0, 0, 0, 0]),
        ([5 * large, 0, 0, 5 * large], [1, 1, 0, 0]),  # one point is 10 * large, if periodic
    ):
        layout = gc.Layout.mesh((len(x),), (nodes,))
        a, v = (gc.CubeArray.from_numpy(np.array(u), layout) for u in (x, y))
        wanted = summed(np.array(x), np.array(y), 0, mode)
        fits.append(max(abs(wanted)) < 2**63)
        if fits[-1]:
            found = gc.convolve(a, v, mode=mode).to_numpy()
            assert np.array_equal(found.astype(object), wanted)
        else:
            with pytest.raises(InvalidValueError, match="may have numbers as large as"):
                gc.convolve(a, v, mode=mode)
    assert fits == [True, True, True, mode == "full"]


@pytest.mark.parametrize("seed", range(8))
def test_what_may_be_too_large_by_rounding_is_refused(seed):
    """The largest number is 2^63 to the last bit, and transforms may give less."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-(2**58), 2**58, 64), rng.choice([-1, 1], 64)
    exact = np.convolve(x.astype(object), y.astype(object))[:64] * y  # x[0] times y is in each
    at = int(np.argmax(exact))
    x[0] += 2**63 - exact[at]
    a, v = (gc.CubeArray.from_numpy(u, gc.Layout.mesh((64,), (4,))) for u in (x, y))
    with pytest.raises(InvalidValueError, match="may have numbers as large as"):
        gc.convolve(a, v)
    below = gc.CubeArray.from_numpy(x - (np.arange(64) == 0) * 2**40, a.layout)
    wanted = np.convolve(below.to_numpy().astype(object), y.astype(object))
    assert np.array_equal(gc.convolve(below, v).to_numpy().astype(object), wanted)


def test_the_primes_are_what_they_should_be():
    for prime, generator in PRIMES:
        assert prime < 2**31
        assert all(prime % k for k in range(2, 46342))
        assert (prime - 1) % 2**MOST_BITS == 0
        assert pow(generator, (prime - 1) // 2, prime) == prime - 1
    assert [primes_for(most) for most in (0, 2**28, 2**30, 2**59, 2**63 - 1)] == [1, 1, 2, 2, 3]


@pytest.mark.parametrize("wide", [2**20, 2**40, 2**59, 2**63 - 1])
def test_numbers_come_back_from_their_residues(wide):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.integers(-wide, wide, 100), [0, 1, -1, wide, -wide]])
    some = PRIMES[: primes_for(wide)]
    assert np.array_equal(joined([(x % p).astype(np.uint64) for p, _ in some]), x)


def test_what_is_refused():
    a = gc.CubeArray.from_numpy(np.zeros((8, 4)), gc.Layout.mesh((8, 4), (4, 2)))
    b = gc.CubeArray.from_numpy(np.zeros((8, 2)), gc.Layout.mesh((8, 2), (4, 2)))
    assert gc.convolve(a, b, 1).shape == (8, 5)
    for call, error, text in (
        (lambda: gc.convolve(a, np.zeros(4)), InvalidTypeError, "works on a CubeArray"),
        (lambda: gc.convolve(a, b, 0), InvalidValueError, r"\(8, 4\) and \(8, 2\)"),
        (lambda: gc.convolve(a, b, 1, "periodic"), InvalidValueError, "the same shape"),
        (lambda: gc.convolve(a, b, 1, "same"), InvalidValueError, "mode is 'same'"),
        (lambda: gc.convolve(a.astype("U3"), a), InvalidTypeError, "numbers are needed"),
    ):
        with pytest.raises(error, match=text):
            call()
