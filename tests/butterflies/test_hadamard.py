"""Walsh-Hadamard transforms beside products with SciPy's matrix."""

import numpy as np
import pytest
import scipy.linalg
from contents import close
from random_butterflies import layouts
from sweeping import sweep

import graycube as gc
from graycube.butterflies.walsh import walsh
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import compiled

ORDERS = ("natural", "dyadic", "sequency")
DTYPES = {"?": "i8", "i1": "i8", "u4": "i8", "i8": "i8", "f2": "f4", "f4": "f4", "f8": "f8"} | {
    "c8": "c8",
    "c16": "c16",
    "g": "g",
}


def matrix(points, order):
    """SciPy's rows in another order; sequency counts the changes of sign."""
    rows = scipy.linalg.hadamard(points)
    if order == "sequency":
        return rows[np.argsort((np.diff(rows) != 0).sum(axis=1))]
    if order == "dyadic" and points > 1:
        bits = points.bit_length() - 1
        return rows[[int(f"{k:0{bits}b}"[::-1], 2) for k in range(points)]]
    return rows


def transformed(x, axes, order):
    for axis in axes:
        product = np.tensordot(matrix(x.shape[axis], order), x, (1, axis))
        x = np.moveaxis(product, 0, axis)
    return x


@pytest.mark.parametrize("count", [60, *sweep((1000,))])
def test_what_the_matrix_gives(count):
    rng = np.random.default_rng(count)
    kinds = [*DTYPES.items()]
    for k, (layout, every) in enumerate(layouts(rng, count)):
        axes = [int(axis) for axis in rng.permutation(every)[: rng.integers(1, 4)]]
        order, (given, wanted) = ORDERS[k % 3], kinds[k % len(kinds)]
        payload = (2,) * int(rng.integers(0, 2))
        x = rng.integers(0, 9, (*layout.shape, *payload)).astype(given)
        if given.startswith("c"):
            x = (x * (1 - 2j)).astype(given)
        a = gc.CubeArray.from_numpy(x, layout)
        y = gc.hadamard(a, axes, order)
        assert y.dtype == np.dtype(wanted)
        expected = transformed(x.astype(wanted), axes, order)
        assert np.array_equal(y.to_numpy(), expected), (layout, axes, order)
        there = gc.hadamard(a, axes, order, norm="ortho")
        back = gc.hadamard(there, axes, order, norm="ortho")
        assert close(back.to_numpy(), x.astype(there.dtype)), (layout, axes, order)


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_is_a_layout(order):
    """The blocks are the same in all orders, and nothing moves for any of them."""
    layout = gc.Layout.mesh((8, 16), (4, 2), code="gray")
    x = np.random.default_rng(0).standard_normal((8, 16))
    a = gc.CubeArray.from_numpy(x, layout)
    plain, made = gc.hadamard(a), gc.hadamard(a, order=order)
    assert np.array_equal(plain.blocks, made.blocks)
    assert (plain.layout == made.layout) == (order == "natural")
    assert np.allclose(made.to_numpy(), transformed(x, (0, 1), order))


def test_sequency_counts_changes_of_sign():
    for k in range(16):
        unit = gc.CubeArray.from_numpy(np.eye(16, dtype=int)[k], gc.Layout.cyclic(4, 2))
        wave = gc.hadamard(unit, order="sequency").to_numpy()
        assert (np.diff(wave) != 0).sum() == k


@pytest.mark.parametrize("code", ["binary", "gray"])
def test_with_a_plan(code):
    x = np.random.default_rng(0).integers(-99, 99, 64)
    for layout in (gc.Layout.cyclic(6, 3, nodes=code), gc.Layout.nodes(6, code)):
        a = gc.CubeArray.from_numpy(x, layout)
        for bits in (None, range(6)):
            plan = gc.plan_butterfly(layout, bits=bits, machine="ideal")
            y = gc.hadamard(a, order="dyadic", plan=plan)
            assert np.array_equal(y.to_numpy(), matrix(64, "dyadic") @ x)


@pytest.mark.parametrize("shape", [(3, 1, 1), (2, 32, 1), (1, 256, 3), (2, 512, 1), (0, 4, 2)])
def test_infinite_numbers_spoil_their_own_line_only(shape):
    x = np.random.default_rng(0).standard_normal(shape)
    if x.size > 3:
        x[0, 0, 0] = np.inf
    wanted = np.einsum("ij,rjb->rib", matrix(shape[1], "natural"), x)
    for dtype in ("f8", "f4", "c16", "g"):
        given = x.astype(dtype)
        made = walsh(given, np.empty_like(given))
        assert np.allclose(made.real, wanted, rtol=1e-3, atol=1e-4), dtype
        assert np.array_equal(walsh(given, given), made, equal_nan=True)


def test_what_is_refused():
    a = gc.CubeArray.from_numpy(np.zeros((8, 6)), gc.Layout.mesh((8, 6), (4, 2)))
    with pytest.raises(InvalidTypeError, match="works on a CubeArray"):
        gc.hadamard(np.zeros(4))
    with pytest.raises(InvalidValueError, match=r"axis 1 has 6 = 3 \* 2\^1 elements"):
        gc.hadamard(a)
    with pytest.raises(InvalidValueError, match="order is 'gray'"):
        gc.hadamard(a, 0, "gray")
    with pytest.raises(InvalidValueError, match="norm is 'forward'"):
        gc.hadamard(a, 0, norm="forward")
    with pytest.raises(InvalidTypeError, match="numbers are needed"):
        gc.hadamard(a.astype("U3"), 0)
    large = gc.CubeArray.from_numpy(np.array([-(2**62), 0]), gc.Layout.nodes(1))
    with pytest.raises(InvalidValueError, match="sums must fit 64 bits"):
        gc.hadamard(large)
    assert gc.hadamard(large, norm="ortho").dtype == float
    other = gc.plan_butterfly(a.layout, 0, [0, 1], machine="ideal")
    with pytest.raises(InvalidValueError, match="the plan has the stages"):
        gc.hadamard(a, 0, plan=other)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
@pytest.mark.parametrize("shape", [(1, 512, 1), (3, 64, 2), (1, 8, 64), (2, 256, 4)])
def test_what_does_not_fit_the_cache(shape, dtype, monkeypatch):
    """The same in many small pieces, of lines and of columns."""
    x = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    wanted = np.einsum("ij,rjb->rib", matrix(shape[1], "natural"), x)
    for cache, columns in ((64, 4), (512, 16), (2048, 1024)):
        monkeypatch.setattr("graycube.butterflies.walsh._CACHE", cache)
        monkeypatch.setattr("graycube.butterflies.walsh._COLUMNS", columns)
        assert np.array_equal(walsh(x, np.empty_like(x)), wanted)
        out = x.copy()
        assert walsh(out, out) is out
        assert np.array_equal(out, wanted)


@pytest.mark.parametrize(
    ("count", "size", "below"),
    [
        *((3, 1, 7), (1, 2, 1), (5, 4, 1), (2, 8, 3), (1, 512, 6), (1, 2**17, 1)),
        *((1, 128, 1000), (2, 2, 40000), (1, 8, 2**15), (2, 2**13, 8)),
    ],
)
def test_the_compiled_loop(count, size, below, monkeypatch):
    """Of what fits a cache, and of rows too far apart; only where Numba is installed."""
    if not compiled.available():
        pytest.skip("the extra fast is not installed")
    monkeypatch.setattr("graycube.butterflies.walsh._LARGE", 1)
    x = np.random.default_rng(0).integers(-9, 9, (count, size, below)).astype(float)
    low = min(size, 256)
    split = x.reshape(count, size // low, low, below)
    wanted = np.einsum("ij,rjkb->rikb", matrix(size // low, "natural"), split, optimize=True)
    wanted = np.einsum("ij,rkjb->rkib", matrix(low, "natural"), wanted, optimize=True)
    wanted = wanted.reshape(x.shape)
    for given, expected in ((x, wanted), (x * (1 + 2j), wanted * (1 + 2j))):
        assert np.array_equal(walsh(given, np.empty_like(given)), expected)
        out = given.copy()
        assert np.array_equal(walsh(out, out), expected)
