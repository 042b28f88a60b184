"""Arrays in another order of their index bits, element by element, by every way there is."""

from functools import cache

import numpy as np
import pytest
import scipy.fft
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, SingularError
from graycube.gf2 import AffineMap, Matrix, compiled, gray_matrix, permuting
from graycube.gf2.tiles import tiles


def random_map(p, seed):
    """A product of random triangles and a random order, which has an inverse."""
    rng = np.random.default_rng(seed)
    lower, upper = rng.integers(0, 1 << p, (2, p)).tolist()
    low = Matrix(tuple(v >> j << j | 1 << j for j, v in enumerate(lower)), p)
    high = Matrix(tuple(v & (1 << j) - 1 | 1 << j for j, v in enumerate(upper)), p)
    order = Matrix.permutation(rng.permutation(p).tolist())
    return AffineMap(low @ order @ high, int(rng.integers(1 << p)))


@cache
def maps(p):
    """Of each kind that is carried out in a way of its own."""
    return {
        "identity": AffineMap.identity(p),
        "gray": AffineMap(gray_matrix(p)),
        "gray_inverse": AffineMap(gray_matrix(p).inverse(), 5),
        "reversal": AffineMap(Matrix.permutation(range(p)[::-1])),
        "transpose": AffineMap(Matrix.permutation([*range(3, p), 0, 1, 2]), 6),
        "random": random_map(p, 24),
        "another": random_map(p, 25),
    }


@cache
def places(move, p):
    """Where each element goes; each bit of the new index is a sum of old ones."""
    found, columns = [], move.matrix.columns
    for i in range(1 << p):
        bits = [
            sum(columns[j] >> k & i >> j & 1 for j in range(p)) + (move.constant >> k) & 1
            for k in range(p)
        ]
        found.append(sum(bit << k for k, bit in enumerate(bits)))
    return found


def expected(x, move, p):
    """One element after the other."""
    y = np.empty_like(x)
    for i, place in enumerate(places(move, p)):
        y[place] = x[i]
    return y


@pytest.fixture(params=["through caches", "past caches", "plain"])
def way(request, monkeypatch):
    """Small arrays as if they were large, in small tiles; or without the compiled loop."""
    assert compiled.available()
    if request.param == "plain":
        monkeypatch.setattr(compiled, "available", lambda: False)
        monkeypatch.setattr(permuting, "_PIECE", 16)
    monkeypatch.setattr(permuting, "COMPILES", 1)
    monkeypatch.setattr(permuting, "_TILE", 512)
    monkeypatch.setattr(permuting, "_AHEAD", 256)
    past = 1 if request.param == "past caches" else 1 << 60
    monkeypatch.setattr(permuting, "_PAST_CACHES", past)


@pytest.mark.long
@pytest.mark.parametrize(
    ("dtype", "payload"),
    [
        ("c16", ()),
        ("c16", (3,)),
        ("f8", (2, 2)),
        *sweep(("u1", ()), ("u1", (3,)), ("i2", ()), ("f4", (5,)), ("f8", ()), ("U3", ())),
    ],
)
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.usefixtures("way")
def test_every_element_is_where_the_map_says(dtype, payload, workers):
    p = 8
    x = np.random.default_rng(24).integers(0, 200, (1 << p, *payload)).astype(dtype)
    for kind, move in maps(p).items():
        with scipy.fft.set_workers(workers):
            assert np.array_equal(gc.permute(x, move), expected(x, move, p)), kind


@pytest.mark.parametrize("p", [16, *sweep((20,))])
def test_large_arrays_go_through_tiles_of_their_true_size(p, monkeypatch):
    monkeypatch.setattr(permuting, "COMPILES", 1)
    x = np.arange(1 << p) + 0.5j
    for move in maps(p).values():
        y = gc.permute(x, move)
        assert np.array_equal(y[move(np.arange(1 << p))], x)


def test_the_words_of_a_line_go_to_different_places_of_the_cache():
    p, line = 20, 4
    table = tiles(AffineMap(Matrix.permutation(range(p)[::-1])), most=14, line=line)
    for k in range(0, len(table.columns), 1 << line):
        places = table.columns[k : k + (1 << line)] >> line & 63  # of 4 KiB, in lines
        assert np.bincount(places).max() <= 2


def test_the_index_counts_the_first_axes_and_objects_stay_whole():
    x = np.arange(24, dtype=object).reshape(2, 4, 3)
    y = gc.permute(x, Matrix.permutation([2, 0, 1]))
    assert y.shape == x.shape
    assert y[1, 0].tolist() == x[0, 1].tolist()  # bit 0 has become bit 2
    assert gc.permute(x, Matrix.identity(1)).tolist() == x.tolist()


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_that_are_not_contiguous_are_taken_and_filled(order):
    x = np.asarray(np.arange(64.0).reshape(8, 8), order="F")[:, ::-1]
    out = np.zeros((8, 8), order=order)[::-1]
    move = maps(6)["random"]
    assert gc.permute(x, move, out) is out
    assert np.array_equal(out.ravel(), expected(x.ravel(), move, 6))


def test_nothing_of_an_array_over_nodes_moves():
    x = gc.CubeArray.from_numpy(np.arange(32), gc.Layout.cyclic(5, 2, nodes="gray"))
    move = maps(5)["random"]
    y = gc.permute(x, move)
    assert y.blocks is x.blocks
    assert np.array_equal(y.to_numpy(), expected(np.arange(32), move, 5))


X = np.arange(8)


@pytest.mark.parametrize(
    ("x", "map", "out", "error", "told"),
    [
        (X, Matrix.identity(4), None, InvalidValueError, r"shape \(8,\).*needs 16 rows"),
        (X[:6], Matrix.identity(3), None, InvalidValueError, r"shape \(6,\).*needs 8 rows"),
        (X, Matrix((1, 1, 4), 3), None, SingularError, "3 x 3 matrix has rank 2"),
        (X, Matrix((1, 2, 4), 4), None, InvalidValueError, "takes 3 bits to 4"),
        (X, [2, 1, 0], None, InvalidTypeError, r"got \[2, 1, 0\]"),
        (X, Matrix.identity(3), X, InvalidValueError, "shares memory"),
        (X, Matrix.identity(3), X.astype(float), InvalidValueError, "dtype float64"),
        (X, Matrix.identity(3), [0] * 8, InvalidTypeError, "must be an array"),
    ],
)
def test_what_cannot_be_is_refused(x, map, out, error, told):  # noqa: A002
    with pytest.raises(error, match=told):
        gc.permute(x, map, out)


@pytest.mark.parametrize(
    ("layout", "bits", "out", "told"),
    [
        (gc.Layout.mesh((6,), nodes=(2,), ownership=False), 1, None, "only powers of two"),
        (gc.Layout.nodes(3), 2, None, "takes 2 bits to 2"),
        (gc.Layout.nodes(3), 3, np.empty(8), "out is given"),
        (gc.Layout.mesh((9,), nodes=(4,)), 3, None, "equally many"),
    ],
)
def test_what_cannot_be_of_arrays_over_nodes(layout, bits, out, told):
    x = gc.CubeArray.from_numpy(np.arange(layout.shape[0]), layout)
    with pytest.raises(InvalidValueError, match=told):
        gc.permute(x, Matrix.identity(bits), out)


def test_a_result_that_cannot_be_written_is_refused():
    out = np.empty(8)
    out.flags.writeable = False
    with pytest.raises(InvalidValueError, match="read-only"):
        gc.permute(np.arange(8.0), Matrix.identity(3), out)
