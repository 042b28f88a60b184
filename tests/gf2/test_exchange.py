"""Exchanges are involutions, agree with their affine maps, and convert codes in any order."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, compose, gray_to_binary, rotation


@st.composite
def exchanges(draw, size=6):
    flip = draw(st.integers(1, (1 << size) - 1))
    when = draw(st.integers(0, (1 << size) - 1))
    if (flip & when).bit_count() % 2:
        when ^= flip & -flip  # give up the lowest common or differing bit
    return Exchange(flip, when, draw(st.sampled_from([0, 1])) if when else 0)


@given(exchanges())
def test_exchange_is_its_own_inverse_and_affine(exchange):
    f = exchange.affine(6)
    assert [f(a) for a in range(64)] == [exchange(a) for a in range(64)]
    assert f @ f == AffineMap.identity(6)


@given(exchanges(), st.integers(0, 63))
def test_exchange_follows_its_rule(exchange, a):
    holds = (a & exchange.when).bit_count() % 2 == exchange.want
    assert exchange(a) == (a ^ exchange.flip if holds else a)


@given(st.lists(exchanges(), max_size=5))
def test_composition_does_the_first_one_first(steps):
    total = compose(steps, 6)
    for a in range(64):
        b = a
        for step in steps:
            b = step(b)
        assert total(a) == b


def test_numbers_of_numpy_are_not_cut_at_64_bits():
    assert Exchange(1, 2).shifted(np.int64(70)) == Exchange(1 << 70, 2 << 70)
    assert gray_to_binary(np.int64(70)) == gray_to_binary(70)


@given(exchanges())
def test_shifting_acts_on_a_higher_field(exchange):
    shifted = exchange.shifted(3)
    assert all(shifted(a << 3 | 5) == exchange(a) << 3 | 5 for a in range(64))


@pytest.mark.parametrize(
    ("flip", "when", "want"),
    [(0, 1, 1), (1, 1, 1), (1, 2, 2), (1, 0, 1), (-1, 0, 0), (1, -2, 1)],
)
def test_what_is_no_exchange_is_refused(flip, when, want):
    with pytest.raises(InvalidValueError):
        Exchange(flip, when, want)


def test_exchange_must_fit_the_address():
    with pytest.raises(InvalidValueError, match="highest bit is 4"):
        Exchange(flip=1, when=16).affine(4)


def reflected(n):
    """The reflected code by its recursive definition."""
    words = [0]
    for bit in range(n):
        words += [1 << bit | word for word in reversed(words)]
    return words


def run(steps, a):
    for step in steps:
        a = step(a)
    return a


@pytest.mark.parametrize("n", range(1, 7))
def test_any_order_of_dimensions_converts_both_ways(n):
    """TR-20-91 Theorem 1, for every order of every small field."""
    code = reflected(n)
    for order in permutations(range(n - 1)):
        there, back = gc.gray_to_binary(n, order), gc.binary_to_gray(n, order)
        assert [step.flip for step in there] == [1 << m for m in order]
        assert [step.flip for step in back] == [1 << m for m in order]
        assert [run(there, word) for word in code] == list(range(1 << n))
        assert [run(back, i) for i in range(1 << n)] == code


def test_the_four_orders_of_tr764_have_the_printed_conditions():
    """TR-764 section 2: a_(k+1) one way, the parity of all higher bits the other way."""
    n = 5
    single = {k: 2 << k for k in range(n - 1)}
    prefix = {k: (1 << n) - (2 << k) for k in range(n - 1)}
    down, up = range(n - 2, -1, -1), range(n - 1)
    expected = {
        (gc.gray_to_binary, "descending"): [(k, single[k]) for k in down],
        (gc.gray_to_binary, "ascending"): [(k, prefix[k]) for k in up],
        (gc.binary_to_gray, "descending"): [(k, prefix[k]) for k in down],
        (gc.binary_to_gray, "ascending"): [(k, single[k]) for k in up],
    }
    for (convert, order), steps in expected.items():
        assert convert(n, order) == tuple(Exchange(1 << k, when) for k, when in steps)


@pytest.mark.parametrize("start", range(5))
def test_rotations_follow_the_printed_algorithm(start):
    """TR-20-91 section 2: the first step takes the parity above it, the others one bit."""
    first, *rest = gc.gray_to_binary(6, rotation(6, start))
    assert first == Exchange(1 << start, (1 << 6) - (2 << start))
    wraps = [step for step in rest if step.flip == 1 << 4]
    assert all(step.when == step.flip << 1 for step in rest)
    assert len(wraps) == (start != 4)


@pytest.mark.parametrize("n", [40, 100])
def test_conversion_is_proved_by_algebra_at_any_size(n):
    gray = AffineMap.interpolate(gc.gray, n, n)
    for order in ("descending", "ascending", rotation(n, n // 3)):
        assert compose(gc.gray_to_binary(n, order), n) == gray.inverse()
        assert compose(gc.binary_to_gray(n, order), n) == gray


@pytest.mark.parametrize("order", [[0, 0, 1], [0, 1], [0, 1, 3], "upwards", ""])
def test_orders_that_are_no_permutation_are_refused(order):
    with pytest.raises(InvalidValueError, match=r"dimensions 0\.\.2"):
        gc.gray_to_binary(4, order)


@pytest.mark.parametrize(("n", "start"), [(4, 3), (4, -1), (1, 0)])
def test_rotations_start_inside_the_field(n, start):
    with pytest.raises(InvalidValueError, match="start"):
        rotation(n, start)


def test_a_field_has_a_bit():
    with pytest.raises(InvalidValueError, match="n is 0"):
        gc.gray_to_binary(0)


@given(st.lists(exchanges(), max_size=5))
def test_exchanges_move_every_element_where_the_layouts_have_it(steps):
    layout = last = gc.Layout.cyclic(6, 3, nodes="gray")
    for exchange in steps:
        last = exchange.affine(6) @ last
    assert last == compose(steps, 6) @ layout
    for i in range(64):
        node, slot = layout.locate(i)
        address = run(steps, slot << 3 | node)
        assert last.locate(i) == (address & 7, address >> 3)
