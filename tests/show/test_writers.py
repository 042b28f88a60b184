"""The two writers of a sheet: they say the same, and nothing in it reaches a reader raw."""

import re
from textwrap import dedent

import pytest
from hypothesis import given, strategies as st
from pages import page

from graycube.show import GAP, Folded, Lines, Reasons, Sheet, Shown, Table, Tile, Tiles, text

TEXTS = st.text(st.characters(exclude_categories=()), max_size=60)
RAW = "<i>\x1b[8m\u202e&"


class Said(Shown):
    """A thing that says what it was given."""

    def __init__(self, *pieces):
        self.pieces = pieces

    def _sheet(self):
        return Sheet(f"{RAW}\n{RAW}", *self.pieces)


def pieces_of(word):
    return {
        "line": word,
        "lines": Lines([word, word]),
        "table": Table((word, "n"), [(word, 1), (word, 2)], "lr", {0: "strong", 1: "soft"}),
        "grid": Table(("", word), [(word, word)], "Rr"),
        "folded": Folded(word, Table((), [(word,)], "l")),
        "reasons": Reasons([([word, word], word)]),
        "tiles": Tiles([(word, [Tile(word, word, 1, dashed=True)]), ("b", [Tile(word)])]),
        "legend": Tiles([("", [Tile(word)])]),
    }


def written(*pieces, **how):
    return text(Sheet("", *pieces), **how)


@pytest.mark.parametrize("kind", pieces_of(""))
@given(TEXTS)
def test_nothing_reaches_a_reader_raw(kind, word):
    piece = pieces_of(word)[kind]
    for width in (None, 30):
        assert all(c.isprintable() or c in "\n\xa0" for c in written(piece, width=width))
    tags = re.findall("<[^>]*>", Said(piece)._repr_html_())
    assert all(re.match("</?(div|b|pre|table|t[rhd]|thead|tbody|details|summary|span)[ >]", t)
               for t in tags)  # fmt: skip
    assert not {"\x1b", "\u202e"} & set(Said(piece)._repr_html_())


def test_columns_are_as_wide_as_they_must_be():
    table = Table(("way", "n", ""), [("a", 1, "x"), ("longer", 1000, "")], "lrl")
    assert written(table) == "way        n\na          1  x\nlonger  1000"
    assert written(table._replace(head=())) == "a          1  x\nlonger  1000"
    assert written(Table((), [], "")) == ""
    assert written(Table(("n",), [], "r")) == "n"


def test_a_last_column_is_wrapped_below_itself():
    table = Table((), [("a", "one two three four five six seven")], "ll")
    told = "a  one two three four\n   five six seven"
    assert written(table, width=24) == told
    assert written(table, width=3) == told  # 20 characters are for the last column
    assert written(table, width=None) == " ".join(told.split()).replace("a ", "a  ")
    assert written("one two three four", width=10) == "one two\nthree four"


def test_the_columns_of_a_grid_are_alike_but_for_a_gap():
    table = Table(("", "0", GAP, "100"), [("8", 1, GAP, 2), (GAP, "", "", "")], "Rrrr")
    assert written(table) == dedent(
        """\
            |    0  ...  100
        ----+---------------
          8 |    1  ...    2
        ... |"""
    )


def test_strong_lines_are_marked():
    table = Table(("n",), [(1,), (2,)], "r", {1: "strong"})
    assert written(table, strong=lambda line: f"*{line}*") == "*n*\n1\n*2*"


def test_a_card_leaves_out_the_middle_and_a_text_nothing():
    rows = [(k,) for k in range(100)]
    for piece in (Table((), rows, "r"), Lines([str(k) for k in range(100)])):
        assert written(piece).split() == [str(k) for k in range(100)]
        words = page(Said(piece)).text
        assert GAP in words
        assert "27" in words
        assert "50" not in words
        assert "99" in words
    long = pieces_of("x" * 10_000).values()
    assert len(Said("x" * 10_000, *long)._repr_html_()) < 1 << 14


def test_gaps_are_for_texts():
    assert written("a", "", "b") == "a\n\nb"
    assert Said("a", "", "b")._repr_html_() == Said("a", "b")._repr_html_()
