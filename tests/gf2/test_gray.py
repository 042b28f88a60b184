"""The Gray code of integers and arrays, against SymPy, the recursion and its own inverse."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import compiled, displacement_profile, is_gray_code, stride_profile
from graycube.gf2.arrays import CHUNK

INTEGER_DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
H3 = [0b000, 0b001, 0b011, 0b111, 0b101, 0b100, 0b110, 0b010]
G4 = [0, 1, 3, 2, 6, 7, 5, 13, 15, 14, 10, 11, 9, 8, 12, 4]


@pytest.fixture(params=["compiled", "numpy"])
def engine(request, monkeypatch):
    """Both ways to work on large arrays."""
    assert compiled.available()
    monkeypatch.setattr(compiled, "available", lambda: request.param == "compiled")


@pytest.mark.long
@pytest.mark.parametrize("n", range(1, 9))
def test_agrees_with_sympy(n):
    from sympy.combinatorics import graycode  # noqa: PLC0415 - a second, and only here

    words = [int(word, 2) for word in graycode.GrayCode(n).generate_gray()]
    assert [gc.gray(i) for i in range(1 << n)] == words
    assert gc.gray(np.arange(1 << n)).tolist() == words


@given(st.integers(0, 2**200))
def test_integers_of_any_size(x):
    assert gc.gray_inverse(gc.gray(x)) == x
    assert (gc.gray(x) ^ gc.gray(x + 1)).bit_count() == 1


@given(
    st.sampled_from(INTEGER_DTYPES).flatmap(
        lambda dtype: hnp.arrays(
            dtype,
            hnp.array_shapes(min_dims=0, max_dims=4, min_side=0),
            elements=st.integers(0, np.iinfo(dtype).max),
        )
    )
)
def test_arrays_keep_dtype_and_shape_and_invert(x):
    coded = gc.gray(x)
    assert (coded.dtype, coded.shape) == (x.dtype, x.shape)
    assert coded.ravel().tolist() == [gc.gray(int(v)) for v in x.ravel()]
    assert np.array_equal(gc.gray_inverse(coded), x)


@pytest.mark.long
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("dtype", [*INTEGER_DTYPES, ">u4", ">i8"])
def test_large_arrays(dtype):
    rng = np.random.default_rng(0)
    top = np.iinfo(dtype).max
    x = rng.integers(0, top, size=2 * CHUNK + 3, dtype=np.dtype(dtype).newbyteorder("="))
    x[-1] = top
    x = x.astype(dtype)
    coded = gc.gray(x)
    assert coded.dtype == gc.gray_inverse(coded).dtype == x.dtype
    assert np.array_equal(coded, x ^ (x >> 1))
    assert np.array_equal(gc.gray_inverse(coded), x)
    assert np.array_equal(gc.gray(x[::-2]), coded[::-2])


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("function", [gc.gray, gc.gray_inverse])
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
@pytest.mark.parametrize("size", [1, 2 * CHUNK])
def test_negative_values_are_refused_wherever_they_are(function, dtype, size):
    x = np.zeros(size, dtype=dtype)
    x[-1] = -5
    with pytest.raises(InvalidValueError, match="-5"):
        function(x)
    with pytest.raises(InvalidValueError, match="-5"):
        function(-5)


@pytest.mark.parametrize("x", [0.0, np.array([1.0]), np.array([True]), "3", None, [2**70]])
def test_what_is_no_integer_is_refused(x):
    with pytest.raises(InvalidTypeError, match="integers"):
        gc.gray(x)


def test_scalars_of_numpy_keep_their_dtype():
    assert gc.gray(np.uint8(255)) == 128
    assert gc.gray(np.uint8(255)).dtype == np.uint8


@pytest.mark.parametrize("n", range(2, 17))
def test_strides_of_the_reflected_code_span_two_at_most(n):
    """CAM-87-02 Theorem 2."""
    code = gc.gray(np.arange(1 << n))
    assert stride_profile(code) == ({1: 1 << n}, *[{2: 1 << n}] * (n - 1))


def test_other_gray_codes_break_theorem_2():
    """CAM-87-02 equations (3) and (12): both are Gray codes; G4 has dist(0000, 1111) = 4."""
    assert is_gray_code(H3)
    assert is_gray_code(G4)
    assert max(map(max, stride_profile(gc.GrayCode(H3)))) == 2
    assert max(map(max, stride_profile(gc.GrayCode(G4)))) == 4
    assert (G4[0] ^ G4[8]).bit_count() == 4


@pytest.mark.parametrize("n", range(1, 17))
def test_displacements_are_binomial(n):
    """TR-20-92 Lemma 2: 2 C(n-1, j) indices are at distance j from their code."""
    expected = {j: 2 * comb(n - 1, j) for j in range(n)}
    assert displacement_profile(gc.gray(np.arange(1 << n))) == expected


def test_sequences_are_mappings():
    code = gc.GrayCode(H3)
    assert [code.encode(i) for i in range(8)] == H3
    assert [code.decode(word) for word in H3] == list(range(8))
    assert code.decode(code.encode(np.arange(8).reshape(2, 4))).tolist() == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
    ]
    assert gc.GrayCode(np.array(H3)) == code


@pytest.mark.parametrize("n", range(8))
def test_reflected_sequence_is_the_function(n):
    assert gc.GrayCode.reflected(n).words == tuple(gc.gray(i) for i in range(1 << n))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([0, 1, 3], "power of two"),
        ([0, 1, 3, 3], "lack"),
        ([0, 1, 3, 6], "lack"),
        ([0, 1, 2, 3], "words 1 and 2"),
        ([0, 1, 3, 2, 6, 4, 5, 7], "words 7 and 0"),
        ([[0, 1], [3, 2]], "shape"),
        ([], "power of two"),
    ],
)
def test_sequences_that_are_no_gray_code_say_why(words, complaint):
    with pytest.raises(InvalidValueError, match=complaint):
        gc.GrayCode(words)
    assert not is_gray_code(words)


@pytest.mark.parametrize("i", [8, -1, np.array([8]), np.array([-1])])
def test_codes_are_not_indexed_from_the_end(i):
    with pytest.raises(OutOfRangeError):
        gc.GrayCode(H3).encode(i)
    with pytest.raises(OutOfRangeError):
        gc.GrayCode(H3).decode(i)
