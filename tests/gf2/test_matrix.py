"""Matrices over GF(2) obey the laws of linear algebra; SymPy's GF(2) matrices agree."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

import graycube as gc
from graycube.errors import SingularError
from graycube.gf2 import Matrix


@st.composite
def matrices(draw, height=None, width=None):
    height = draw(st.integers(1, 9)) if height is None else height
    width = draw(st.integers(1, 9)) if width is None else width
    bits = st.integers(0, (1 << height) - 1)
    return Matrix(tuple(draw(st.lists(bits, min_size=width, max_size=width))), height)


@st.composite
def chains(draw):
    """Three matrices whose product is defined."""
    a, b, c, d = (draw(st.integers(1, 7)) for _ in range(4))
    return draw(matrices(a, b)), draw(matrices(b, c)), draw(matrices(c, d))


def oracle(m):
    from sympy import GF, ZZ  # noqa: PLC0415 - a second, and most processes never come here
    from sympy.polys.matrices import DomainMatrix  # noqa: PLC0415

    entries = [[column >> i & 1 for column in m.columns] for i in range(m.height)]
    return DomainMatrix(entries, m.size, ZZ).convert_to(GF(2, symmetric=False))


def span(vectors):
    sums = {0}
    for vector in vectors:
        sums |= {s ^ vector for s in sums}
    return sums


def test_product_with_a_vector_is_the_sum_over_entries():
    m = Matrix.from_rows([0b101, 0b011], width=3)
    for x in range(8):
        bits = [x >> j & 1 for j in range(3)]
        assert m(x) == (bits[0] ^ bits[2]) | (bits[0] ^ bits[1]) << 1


@given(chains())
def test_composition_is_product_and_associates(chain):
    a, b, c = chain
    assert oracle(a @ b) == oracle(a) * oracle(b)
    assert (a @ b) @ c == a @ (b @ c)
    assert all((a @ b)(x) == a(b(x)) for x in range(1 << b.width))


@given(matrices())
def test_rank_agrees_with_sympy(m):
    assert m.rank() == oracle(m).rank() == m.transpose().rank()


@given(matrices())
def test_image_and_kernel_are_exactly_that(m):
    values = [m(x) for x in range(1 << m.width)]
    assert span(m.image()) == set(values)
    assert span(m.kernel()) == {x for x, y in enumerate(values) if y == 0}
    assert len(m.image()) + len(m.kernel()) == m.width
    heads = [vector.bit_length() - 1 for vector in m.image()]
    assert heads == sorted(heads, reverse=True)
    assert all(sum(vector >> head & 1 for vector in m.image()) == 1 for head in heads)


@given(st.integers(1, 8).flatmap(lambda size: matrices(size, size)))
def test_inverse_exists_exactly_for_full_rank(m):
    if m.is_invertible():
        assert m @ m.inverse() == m.inverse() @ m == Matrix.identity(m.width)
        assert oracle(m.inverse()) == oracle(m).inv()
    else:
        with pytest.raises(SingularError, match=f"rank {m.rank()}"):
            m.inverse()


@given(matrices())
def test_rows_and_transpose(m):
    assert Matrix.from_rows(m.rows, m.width) == m
    assert m.transpose().transpose() == m
    for i, j in product(range(m.height), range(m.width)):
        assert m.rows[i] >> j & 1 == m.columns[j] >> i & 1


@given(matrices(3, 4), matrices(3, 4))
def test_sum_acts_pointwise(a, b):
    assert all((a + b)(x) == a(x) ^ b(x) for x in range(16))


@given(matrices(), matrices())
def test_blocks_act_apart_the_first_on_the_lowest_bits(a, b):
    both = Matrix.block_diagonal([a, b])
    for x, y in product((0, 1, (1 << a.width) - 1), (0, 1, (1 << b.width) - 1)):
        assert both(y << a.width | x) == b(y) << a.height | a(x)


@given(st.integers(1, 8).flatmap(lambda n: st.permutations(range(n))))
def test_permutation_moves_each_bit(targets):
    m = Matrix.permutation(targets)
    assert [m(1 << j) for j in range(len(targets))] == [1 << t for t in targets]


def test_exact_far_beyond_machine_words():
    size = 300
    shift = Matrix.permutation([*range(1, size), 0])
    power = Matrix.identity(size)
    for _ in range(size):
        power = shift @ power
    assert power == Matrix.identity(size)
    ladder = Matrix(tuple((1 << j) | (1 << j >> 1) for j in range(size)), size)
    assert ladder @ ladder.inverse() == Matrix.identity(size)


def test_permutations_of_numpy_are_not_cut_at_64_bits():
    order = np.random.default_rng(1).permutation(70)
    assert Matrix.permutation(order) == Matrix.permutation(order.tolist())


@pytest.mark.parametrize(
    "build",
    [
        lambda: Matrix((4,), 2),
        lambda: Matrix((-1,), 2),
        lambda: Matrix((), -1),
        lambda: Matrix.identity(2)(4),
        lambda: Matrix.identity(2)(-1),
        lambda: Matrix.identity(2) @ Matrix.identity(3),
        lambda: Matrix.identity(2) + Matrix.identity(3),
        lambda: Matrix.permutation([0, 0]),
        lambda: Matrix((1, 2), 3).inverse(),
    ],
)
def test_misfits_are_refused(build):
    with pytest.raises(gc.GraycubeError):
        build()
