"""Printed address fields mean what they say, read back exactly, and bad ones are refused."""

import itertools
import math
import os
import re
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st
from strategies import affine_map, affine_parts, axes_of, mesh_specs

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError

BIT = re.compile(r"([bg])(\d+)(?::(\d+))?")
EXTENT = re.compile(r"x (\d+)(?: on axis (\d+))?(?: above bit (\d+))?")


def bit_of(token, words):
    """Value of a printed bit, term by term."""
    value = token.startswith("~")
    for letter, first, second in BIT.findall(token):
        axis, j = (int(first), int(second)) if second else (0, int(first))
        value ^= words[axis] >> j & 1
        if letter == "g":
            value ^= words[axis] >> (j + 1) & 1
    return value


def field(tokens, words):
    """Number whose bits the tokens are, highest first."""
    return int("0" + "".join("01"[bit_of(token, words)] for token in tokens.split()), 2)


def read_place(text, coordinates):
    """Node and slot of an element, read off the printed form."""
    bits, _, tail = text[1:].partition(")")
    memory, _, cube = bits.partition("||")
    extents = {int(axis or 0): (int(e), low) for e, axis, low in EXTENT.findall(tail)}
    words, digit, total = [], 0, 1
    for axis, i in enumerate(coordinates):
        extent, above = extents.get(axis, (1, ""))
        low = 2 ** (int(above) + 1) if above else 1
        high, rest = divmod(i // low, extent)
        words.append(high * low + i % low)
        digit, total = digit * extent + rest, total * extent
    return field(cube, words), field(memory, words) * total + digit


@st.composite
def affine_layouts(draw):
    p = draw(st.integers(0, 6))
    change = affine_map(*draw(affine_parts(p)))
    return gc.Layout(change, draw(st.integers(0, p)), draw(axes_of(p)))


@given(mesh_specs())
def test_the_printed_form_of_a_mesh_places_every_element(spec):
    text = str(spec.layout())
    assert {here: read_place(text, here) for here in spec.table} == spec.table


@given(affine_layouts(), st.data())
def test_the_printed_form_of_any_layout_places_every_element(layout, data):
    everywhere = list(itertools.product(*map(range, layout.shape)))
    for here in data.draw(st.lists(st.sampled_from(everywhere), max_size=20)):
        assert read_place(str(layout), here) == layout.locate(*here)


@given(mesh_specs().map(lambda spec: spec.layout()) | affine_layouts())
def test_every_layout_reads_back_from_its_printed_form(layout):
    back = gc.Layout.parse(str(layout))
    assert back == layout
    assert (back.shape, back.n, str(back)) == (layout.shape, layout.n, str(layout))


def test_a_top_bit_that_only_a_gray_bit_mentions_reads_back():
    layout = gc.Layout(affine_map([0b11, 0b01], 0), 1)
    assert gc.Layout.parse(str(layout)) == layout


@given(st.integers(1, 24).flatmap(lambda p: st.tuples(affine_parts(p), st.integers(0, p))))
def test_wide_affine_layouts_read_back(parts):
    (rows, constant), n = parts
    layout = gc.Layout(affine_map(rows, constant), n)
    assert gc.Layout.parse(str(layout)) == layout


@pytest.mark.parametrize(
    "shape", [(4, 1), (1, 4), (4, 1, 1), (1, 1), (3, 1), (1, 3), (2, 1, 2)]
)
def test_axes_of_one_element_read_back(shape):
    layout = gc.Layout.mesh(shape, (1,) * len(shape), ownership=False)
    assert gc.Layout.parse(str(layout)).shape == shape
    assert gc.Layout.parse(str(layout)) == layout


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (gc.Layout.cyclic(10, 4, nodes="gray"), "(b9 b8 b7 b6 b5 b4 || b3 g2 g1 g0)"),
        (gc.Layout.consecutive(6, 2, nodes="gray"), "(b3 b2 b1 b0 || b5 g4)"),
        (gc.Layout.consecutive(5, 3, whole="gray"), "(g1 g0 || b4 g3 g2)"),
        (gc.Layout.cyclic(6, 2, whole="gray"), "(b5 g4 g3 g2 || g1 g0)"),
        (gc.Layout.mesh((8, 4), (2, 2)), "(b0:1 b0:0 b1:0 || b0:2 b1:1)"),
        (gc.Layout.mesh((8, 4), (2, 2), dims=((0,), (1,))), "(b0:1 b0:0 b1:0 || b1:1 b0:2)"),
        (gc.Layout.mesh((1000,), (4,), ownership=False), "(b0 || b2 b1) x 125"),
        (
            gc.Layout.mesh((12,), (4,), allocation="cyclic", ownership=False),
            "(|| b1 b0) x 3 above bit 1",
        ),
        (gc.Layout.mesh((2, 6), (2, 1), ownership=False), "(b1:0 || b0:0) x 3 on axis 1"),
        (gc.Layout(affine_map([0b111, 0b110, 0b101], 0b101), 1), "(~b2^b0 g1 || ~b2^b1^b0)"),
        (gc.Layout(affine_map([0b100, 0b101, 0b010], 0b011), 2), "(b1 || ~b2^b0 ~b2)"),
        (gc.Layout.cyclic(0, 0), "(||)"),
    ],
)
def test_known_layouts_print_as_the_paper_writes_them(layout, text):
    assert str(layout) == text
    assert gc.Layout.parse(text) == layout


@pytest.mark.parametrize(
    ("loose", "text"),
    [
        ("( b0   ||   b1 )", "(b0 || b1)"),
        ("(b0||b1)", "(b0 || b1)"),
        ("(b0^b1 || b1)", "(g0 || b1)"),
        ("(b1^b0 || b1)", "(g0 || b1)"),
        ("(~b0^b1 || b1)", "(~g0 || b1)"),
        ("(g0^b1 || b1)", "(b0 || b1)"),
        ("(b0:0 || b0:1)", "(b0 || b1)"),
        ("(b1 || b0) x 3 on axis 0", "(b1 || b0) x 3"),
    ],
)
def test_equal_ways_to_write_a_bit_are_read_alike(loose, text):
    assert gc.Layout.parse(loose) == gc.Layout.parse(text)
    assert str(gc.Layout.parse(loose)) == text


MALFORMED = [
    *("", "(", ")", "()", "||", "b0", "(b0)", "(b0 | b1)", "(b0 || b1", "b0 || b1)"),
    *("(b0 || b1 || b2)", "((b0 || b1)", "(b0 || b1))", "(b0 || b1) (b2 || b3)"),
    *("(b0 || c1)", "(B0 || b1)", "(b || b1)", "(b 0 || b1)", "(b-1 || b0)", "(b+0 || b1)"),
    *("(b0: || b1)", "(:0 || b1)", "(b0:1:0 || b0:0)", "(b0:-1 || b0:0)", "(b0,b1 || b2)"),
    *("(^ || b0)", "(b0^ || b1)", "(^b0 || b1)", "(b0^^b1 || b1)", "(~ || b0)", "(b0~ || b1)"),
    *("(b1.0 || b0)", "(0 || 1)", "(b0_1 || b0)", "(b² || b0)", "(b0 || b1)\0"),
    *("(b0 || b1) junk", "(b0 || b1) x", "(b0 || b1) x three", "(b0 || b1) x 3.0"),
    *("(b0 || b1) x 3 on axis", "(b0 || b1) x 3 on axis -1", "(b0 || b1) x 3 above bit"),
    *("(b0 || b1) x 3 above bit 2", "(b0 || b1) x 3 above bit -1", "x 3 (b0 || b1)"),
    *("(b0 || b1) x 3 above bit 1 on axis 0", "(b0 || b1) on axis 0", "(b0 || b1) above bit 0"),
    *("(b0 || b1) x 0", "(b0 || b1) x 6", "(b0 || b1) x -3", "(b0 || b1) x 10^30"),
    "(b0 || b1) x 3 x 5",
]
MEANINGLESS = [
    *("(b1 || b1)", "(b0 || b0)", "(b5 || b0)", "(b0:0 || b0)", "(b1:0 || b0:1)"),
    *("(b0^b0 || b1)", "(b0^b1 || b1^b0)", "(g0 || b0 b1)", "(~b0 || b0)", "(g0 || )"),
    *("(b0 || b1) x 3, x 5", "(b0 || b1) x 3, x 3", "(b0 || b1) x 3, x 5 on axis 0"),
]
HUGE = [
    *("(b0 || b99999999999)", "(b99999999999 || b0)", "(b0 || g99999999999)"),
    *("(b0:0 || b99999999999:0)", "(b0:0 || b0:99999999999)", "(~b0^b99999999999 || b1)"),
    *("(b0 || b1) x 3 on axis 99999999999", "(||) x 3 on axis 99999999999"),
    *("(b0 || b1) x 3 above bit 99999999999", "(||) x 3 above bit 99999999999"),
    *(f"(b0 || b{'9' * 5000})", f"(b0 || b1) x {'9' * 5000}", f"(b0 || b1) x {10**30}"),
]


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_text_is_refused_and_quoted(text):
    with pytest.raises(InvalidValueError) as caught:
        gc.Layout.parse(text)
    # An extent that was understood but cannot be is named by its value instead.
    assert repr(text) in str(caught.value) or "extent" in str(caught.value)


@pytest.mark.parametrize("text", MEANINGLESS)
def test_fields_that_lose_elements_and_extents_given_twice_are_refused(text):
    with pytest.raises(gc.GraycubeError):
        gc.Layout.parse(text)


def test_boxes_of_any_length_are_not_read_and_the_error_says_what_makes_them():
    with pytest.raises(gc.GraycubeError, match=r"6 on 2.*Layout\.mesh makes"):
        gc.Layout.parse(str(gc.Layout.mesh((6, 8), nodes=(2, 2))))


@pytest.mark.parametrize("text", [None, 5, b"(b0 || b1)", ["(b0 || b1)"]])
def test_only_text_is_parsed(text):
    with pytest.raises(InvalidTypeError):
        gc.Layout.parse(text)


def test_an_extent_of_any_size_is_exact():
    layout = gc.Layout.mesh(4 * 5**43, 2, ownership=False)
    assert str(layout) == f"(b0 || b1) x {5**43}"
    assert gc.Layout.parse(str(layout)) == layout
    assert layout.locate(3 * 5**43 + 7) == (1, 5**43 + 7)
    assert layout.index(1, 5**43 + 7) == 3 * 5**43 + 7


# Limits on memory and time are set in a child, so that a failure harms nothing else.
READ_HUGE = """
import resource, sys
import graycube as gc
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
for text in sys.stdin.read().split("\\n"):
    try:
        gc.Layout.parse(text)
    except gc.GraycubeError:
        print("refused", flush=True)
    except BaseException as error:
        print(type(error).__name__, text[:40], flush=True)
    else:
        print("read", text[:40], flush=True)
"""


@pytest.mark.long
def test_huge_numbers_are_refused_before_they_cost_anything():
    child = subprocess.run(
        [sys.executable, "-c", READ_HUGE],
        input="\n".join(HUGE),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert child.stdout.splitlines() == ["refused"] * len(HUGE), child.stderr


PIECES = [
    "(",
    ")",
    "||",
    "b0",
    "b1",
    "g0",
    "~b0",
    "b0^b1",
    "b1:0",
    "x 3",
    "on axis 1",
    "above bit 0",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join)
    | st.tuples(
        st.sampled_from(["(b2 g1 || g0)", "(b0:1 || g0:0 b1:0) x 3 on axis 1 above bit 0"]),
        st.integers(0, 40),
        st.integers(0, 2),
        st.text("bgx~^:|() 012,", max_size=2),
    ).map(lambda cut: cut[0][: cut[1]] + cut[3] + cut[0][cut[1] + cut[2] :])
)
def test_any_text_is_refused_or_reads_as_it_prints(text):
    try:
        layout = gc.Layout.parse(text)
    except gc.GraycubeError:
        return
    assert math.prod(layout.shape) == layout.size
    assert gc.Layout.parse(str(layout)) == layout
