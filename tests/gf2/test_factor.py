"""Factors of a map: exchanges that compose to it, with no low bit flipped too often."""

from hypothesis import given, settings, strategies as st
from strategies import affine_map, affine_parts
from sweeping import examples

from graycube.gf2 import AffineMap, Matrix, compose
from graycube.gf2.factor import factor

MANY = settings(max_examples=examples(150))


@st.composite
def affine_maps(draw, p):
    return affine_map(*draw(affine_parts(p)))


@given(st.data())
@MANY
def test_factors_compose_to_the_map(data):
    n = data.draw(st.integers(0, 5))
    p = n + data.draw(st.integers(1, 4))
    move = data.draw(affine_maps(p))
    exchanges = factor(move, n)
    assert compose(exchanges, p) == move
    low = (1 << n) - 1
    assert all((exchange.flip & low).bit_count() <= 1 for exchange in exchanges)


@given(st.data())
@MANY
def test_low_bits_that_keep_their_values_are_flipped_for_others_only(data):
    """Where no low bit depends on another, every changed one is flipped once."""
    n, slots = data.draw(st.integers(0, 4)), data.draw(st.integers(1, 4))
    order = list(range(n, n + slots))
    traded = data.draw(st.permutations(range(n)))[: data.draw(st.integers(0, min(n, slots)))]
    places = list(range(n + slots))
    for bit, slot in zip(traded, order, strict=False):
        places[bit], places[slot] = places[slot], places[bit]
    flips = [e.flip & ((1 << n) - 1) for e in factor(AffineMap(Matrix.permutation(places)), n)]
    assert sorted(f for f in flips if f) == sorted(1 << bit for bit in traded)


@given(st.data())
@MANY
def test_no_low_bit_is_flipped_more_often_than_the_rules_say(data):
    """Once each, and once more for one of each set of sums that only needs itself."""
    n = data.draw(st.integers(1, 5))
    p = n + data.draw(st.integers(1, 4))
    move = affine_map(*data.draw(affine_parts(p)))
    low = (1 << n) - 1
    for halves in (False, True):
        flips = [e.flip & low for e in factor(move, n, halves=halves) if e.flip & low]
        changed = [
            i
            for i, row in enumerate(move.matrix.rows[:n])
            if row != 1 << i or move.constant >> i & 1
        ]
        twice = [flip for flip in set(flips) if flips.count(flip) > 1]
        assert {f.bit_length() - 1 for f in flips} >= set(changed)
        assert len(flips) <= len(changed) + len(twice)
        assert len(twice) <= max(0, len(changed) // 2)
