"""Layouts, amounts and shapes as people type them."""

import click
import pytest
from cli_runs import cli
from hypothesis import given, settings, strategies as st
from strategies import affine_map, affine_parts, axes_of
from sweeping import examples

import graycube as gc
from graycube.cli.layouts import read_layout
from graycube.cli.sizes import as_amount, as_lengths
from graycube.errors import InvalidValueError

CODES, ALLOCATIONS = ("binary", "gray"), ("consecutive", "cyclic")
WORDS = [(code, kind) for code in CODES for kind in (None, *ALLOCATIONS)]
BYTES = {"": 1, "b": 1} | {
    f"{letter}{kind}": base**power
    for power, letter in enumerate("kmgt", start=1)
    for kind, base in (("b", 1000), ("ib", 1024))
}


def spelled(code, allocation):
    return code if allocation is None else f"{code}-{allocation}"


@st.composite
def typed_meshes(draw):
    """A text with a word for each axis, or one for all, and what it stands for."""
    axes = draw(st.integers(1, 3))
    nodes = tuple(2 ** draw(st.integers(0, 3)) for _ in range(axes))
    shape = tuple(each * draw(st.sampled_from([1, 2, 3, 4, 10, 125])) for each in nodes)
    words = [draw(st.sampled_from(WORDS)) for _ in range(draw(st.sampled_from([1, axes])))]
    between = draw(st.sampled_from([",", ", ", " , "]))
    text = between.join(spelled(*word) for word in words)
    text = draw(st.sampled_from([text, text.upper(), f" {text} "]))
    every = words * (axes // len(words))
    codes = [code for code, _ in every]
    allocations = [allocation or "consecutive" for _, allocation in every]
    layout = gc.Layout.mesh(shape, nodes, code=codes, allocation=allocations, ownership=False)
    return text, shape, nodes, layout


@given(typed_meshes())
def test_words_are_meshes(typed):
    text, shape, nodes, layout = typed
    assert read_layout(text, None, shape, nodes) == layout
    assert read_layout(text, layout.n, shape, nodes) == layout
    with pytest.raises(InvalidValueError, match="make them fit"):
        read_layout(text, layout.n + 1, shape, nodes)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("dims", [0, 1, 6, 256])
def test_a_word_without_lengths_is_one_block_a_node(code, dims):
    assert read_layout(code, dims, None, None) == gc.Layout.nodes(dims, code)


@pytest.mark.parametrize(("code", "allocation"), WORDS)
def test_one_axis_needs_only_the_number_of_nodes(code, allocation):
    word = spelled(code, allocation)
    mesh = gc.Layout.mesh(
        (96,), (8,), code=code, allocation=allocation or "consecutive", ownership=False
    )
    assert read_layout(word, 3, (96,), None) == mesh


@st.composite
def printed(draw, most=8):
    """Any layout: any axes, any invertible map of the bits, any number of nodes."""
    p = draw(st.integers(0, most))
    return gc.Layout(
        affine_map(*draw(affine_parts(p))), draw(st.integers(0, p)), draw(axes_of(p))
    )


@given(printed())
def test_a_printed_layout_is_read_back(layout):
    assert read_layout(str(layout), None, None, None) == layout
    assert read_layout(str(layout), layout.n, layout.shape, None) == layout


@settings(max_examples=examples(75))
@given(printed(most=5))
def test_what_plan_prints_can_be_typed_again(layout):
    words = ("--block", 4 * layout.block_size, "--json")
    ran = cli("plan", *words, "--", layout, layout)
    found = ran.json()
    assert (found["source"], found["target"]) == (str(layout), str(layout))
    assert cli("plan", *words, "--", found["source"], found["target"]) == ran


WRONG_WORDS = ["", " ", ",", "gray,", ",gray", "grey", "gray-", "gray-x", "gray-cyclic-", "é"]
WRONG_WORDS += ["-cyclic", "gray cyclic", "gray;binary", "gr\0ay", "(gray)", "b0", "(b0)", "|"]
WRONG_BRACKETS = ["||", "(||", "(|| b1 g0", "(|| b0 b0)", "(|| g1 g0)", "(b0 || b2)", "(|| b)"]
WRONG_BRACKETS += ["(|| b0:)", "(|| b0) b1", "(|| é0)", "(|| b99999999)", "(" * 999 + "||"]
WRONG_BRACKETS += ["(|| b0 || b1)", "(|| b-1)"]
WRONG_AMOUNTS = ["", " ", "-1", "+1", "1e3", "0x10", "1_000", "1,000", ".5", "5.", "KiB", "64k"]
WRONG_AMOUNTS += [
    "64Kb/s",
    "64 K iB",
    "1.2.3",
    "nan",
    "inf",
    "\u0663",
    "\uff14",
    "64é",
    "9" * 19,
]
WRONG_SHAPES = ["", "x", "64x", "x64", "64xx32", "-1", "6 4", "1.5", "\u0663", "9" * 19]


@pytest.mark.parametrize("word", [*WRONG_WORDS, "64", "a" * 9999])
def test_other_words_are_refused(word):
    for words in ([word, "gray"], ["gray", word]):
        line = cli("plan", "--dims", 3, "--block", 8, "--", *words).refused()
        assert "gray or binary" in line


@pytest.mark.parametrize("text", WRONG_BRACKETS)
def test_other_brackets_are_refused(text):
    assert "cannot read" in cli("plan", "--block", 8, "--", text, text).refused()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["gray", "binary"], "--dims 6"),
        (["gray,gray", "binary", "--dims", 4], "--shape 64x32"),
        (["gray", "binary", "--shape", "64x32"], "--nodes 8x4"),
        (["gray", "binary", "--shape", "64x32", "--dims", 4], "--nodes 8x4"),
        (["gray,gray,gray", "binary", "--shape", "64x32", "--nodes", "8x4"], "one for each"),
        (["gray", "binary", "--dims", 5, "--nodes", "8x4"], "--shape 64x32"),
        (["(b1 || b0)", "(b0 || b1)", "--nodes", "4"], "--shape 64x32"),
        (["(b1 || b0)", "(b0 || b1)", "--dims", "4"], "make them fit"),
        (["(b1 || b0)", "(b0 || b1)", "--shape", "8"], "make them fit"),
        (["gray", "binary", "--shape", "64", "--nodes", "4", "--dims", "3"], "make them fit"),
        (["gray", "binary", "--shape", "64x32", "--nodes", "3x4"], "2 and 4"),
        (["gray", "binary", "--shape", "63x32", "--nodes", "8x4"], "56 and 64"),
        (["gray", "binary", "--shape", "64x0", "--nodes", "8x4"], "at least 1"),
        (["gray", "binary", "--shape", "64x32", "--nodes", "0x4"], "smallest is 1"),
        (["gray", "binary", "--shape", "64x32", "--nodes", "8"], "each axis"),
        (["gray", "binary", "--shape", "8x1000", "--nodes", "1x16"], "992 and 1008"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(words, hint):
    assert hint in cli("plan", *words).refused()


@st.composite
def typed_amounts(draw):
    """Digits, perhaps a point and more digits, perhaps a unit."""
    whole = draw(st.integers(0, 10**18 - 1))
    small = draw(st.integers(0, 999))
    digits = str(draw(st.sampled_from([whole, small])))
    part = draw(st.none() | st.text("0123456789", min_size=1, max_size=18))
    if part is not None and draw(st.booleans()):  # often a short one that fits
        part = draw(st.sampled_from(["5", "25", "125", "0", "000", "75"]))
    unit = draw(st.sampled_from(sorted(BYTES)))
    return digits, part, unit


@given(typed_amounts(), st.sampled_from(["", " ", "  "]), st.sampled_from([str.upper, str]))
def test_amounts_are_exact(amount, between, case):
    digits, part, unit = amount
    text = digits + ("" if part is None else f".{part}") + between + case(unit)
    scaled = int(digits + (part or "")) * BYTES[unit]  # in units of 10^-places, without floats
    number, rest = divmod(scaled, 10 ** len(part or ""))
    if rest:
        with pytest.raises(click.BadParameter, match="no whole number"):
            as_amount(text)
    else:
        assert as_amount(text) == (number, bool(unit))


@pytest.mark.parametrize("text", [*WRONG_AMOUNTS, "1." + "0" * 19, "64\n\n8"])
def test_other_amounts_are_refused(text):
    line = cli("plan", "gray", "binary", "--dims", 3, "--block", text).refused()
    assert "write 4096, 64KiB or 1.5MB" in line


@given(st.lists(st.integers(0, 10**18 - 1), min_size=1, max_size=5), st.sampled_from("xX,"))
def test_shapes(lengths, between):
    assert as_lengths(between.join(map(str, lengths))) == tuple(lengths)


@pytest.mark.parametrize("text", WRONG_SHAPES)
@pytest.mark.parametrize("option", ["--shape", "--nodes"])
def test_other_shapes_are_refused(option, text):
    assert "write 64x32" in cli("plan", "gray", "binary", option, text).refused()
