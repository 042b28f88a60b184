"""Stable orders, merges and exact cuts beside NumPy's sorts of the whole."""

import numpy as np
import pytest

from graycube.array.ordering import cuts as cutting, in_order
from graycube.gf2 import compiled

RNG = np.random.default_rng(0)
KEYS = {
    "random": RNG.standard_normal,
    "few values": lambda n: RNG.integers(-2, 3, n) * 0.5,
    "zeros of both signs": lambda n: RNG.choice([-0.0, 0.0, 1.0], n),
    "constant": lambda n: np.full(n, 2.5),
    "sorted": lambda n: np.arange(float(n)),
    "reversed": lambda n: -np.arange(float(n)),
    "half NaN": lambda n: np.where(RNG.random(n) < 0.5, np.nan, RNG.integers(0, 9, n)),
    "NaN": lambda n: np.full(n, np.nan),
    "infinite": lambda n: RNG.choice([-np.inf, np.inf, np.nan, 0], n),
}


@pytest.mark.parametrize("kind", KEYS)
def test_the_order_is_stable(kind, monkeypatch):
    monkeypatch.setattr(in_order, "_LONG", 4)
    for size in (0, 1, 2, 7, 100, 1000):
        line = KEYS[kind](size)
        assert np.array_equal(in_order.stable_order(line), np.argsort(line, kind="stable"))
        for axis, lines in enumerate((line[:, None], np.stack([line, line[::-1]]))):
            wanted = np.argsort(lines, axis, kind="stable")
            assert np.array_equal(in_order.stable_orders(lines, axis), wanted)


@pytest.mark.long
@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("kind", KEYS)
def test_pieces_are_merged_as_the_whole_is_sorted(kind, loops, monkeypatch):
    """By the compiled loop, which takes long lines only, and without it."""
    if loops and not compiled.available():
        pytest.skip("the extra fast is not installed")
    monkeypatch.setattr(in_order, "_LONG", 0)
    monkeypatch.setattr(compiled, "available", lambda: loops)
    for sizes in ([5], [0, 3], [1, 0, 1], [9, 9], [60, 1, 33], [7, 40, 0, 25, 200]):
        pieces = [KEYS[kind](size) for size in sizes]
        whole = np.concatenate([np.empty(0), *pieces])
        starts = np.cumsum([0, *sizes])
        orders = [np.argsort(piece, kind="stable") for piece in pieces]
        keys = [piece[order] for piece, order in zip(pieces, orders, strict=True)]
        along = [start + order for start, order in zip(starts, orders, strict=False)]
        made = in_order.merged(keys, np.empty(len(whole)))
        assert np.array_equal(made, np.sort(whole), equal_nan=True)
        order = in_order.merged(keys, np.empty(len(whole), int), along)
        assert np.array_equal(order, np.argsort(whole, kind="stable"))


@pytest.mark.parametrize("few", [0, 1 << 12])
@pytest.mark.parametrize("kind", KEYS)
def test_cuts_are_exact(kind, few, monkeypatch):
    """So many are before each cut, and none of them belongs behind one that is not."""
    monkeypatch.setattr(cutting, "_FEW", few)
    parts = [np.sort(KEYS[kind](2 * size).reshape(2, size)) for size in (5, 0, 900, 217)]
    wanted = [0, 1, 20, 333, 1121, 1122]
    cuts = cutting.cuts_of(parts, wanted)
    whole = np.sort(np.concatenate(parts, axis=1))
    found = cutting.after(parts, cuts[..., :-1])
    assert np.array_equal(found, whole[:, wanted[:-1]], equal_nan=True)
    for line in range(2):
        pieces = [part[line] for part in parts]
        owner = np.repeat(np.arange(4), [len(piece) for piece in pieces])
        order = np.argsort(np.concatenate(pieces), kind="stable")
        for k, count in enumerate(wanted):
            expected = np.bincount(owner[order[:count]], minlength=4)
            assert cuts[:, line, k].tolist() == expected.tolist()
