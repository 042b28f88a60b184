"""What arrays have in them, the same on all ranks, and how two of them compare."""

import numpy as np

RECORD = np.dtype([("name", "U3"), ("place", ">i2"), ("weight", "c8")])


def noise(shape, dtype="c16", seed=0):
    """Random numbers."""
    draw, kind = np.random.default_rng(seed), np.dtype(dtype).kind
    x = draw.standard_normal(shape) if kind in "fc" else draw.integers(0, 99, shape)
    return (x + 1j * draw.standard_normal(shape) if kind == "c" else x).astype(dtype)


def content(shape, dtype="i8", seed=0):
    """Different bytes everywhere, as far as the dtype allows."""
    numbers = np.random.default_rng(seed).permutation(int(np.prod(shape)))
    if dtype is RECORD:
        rows = [(str(k % 1000), k % 999, k - 2j) for k in numbers.tolist()]
        return np.array(rows, RECORD).reshape(shape)
    if dtype == "V7":
        return np.array([f"{k:07}".encode() for k in numbers.tolist()], "V7").reshape(shape)
    return (numbers % 3 == 0 if dtype == "?" else numbers).astype(dtype).reshape(shape)


def same(found, wanted):
    """Whether two arrays are the same, bit for bit, shape and dtype included."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    kind = (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    if found.dtype.char in "gG":  # some of their bytes mean nothing
        return kind and np.array_equal(found, wanted)
    return kind and found.tobytes() == wanted.tobytes()


def close(found, wanted):
    """Whether two arrays of one dtype are the same but for rounding."""
    tolerance = 200 * np.finfo(wanted.dtype).eps * np.abs(wanted).max(initial=1)
    kind = (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    return kind and np.abs(found - wanted).max(initial=0) <= tolerance


def assert_close(found, expected, points):
    """To a few units in the last place of the largest value, times log2 of the points."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    unit = np.finfo(expected.dtype).eps * max(1.0, np.log2(points))
    largest = np.abs(expected).max(initial=0)
    assert np.abs(found - expected).max(initial=0) <= 4 * unit * largest
