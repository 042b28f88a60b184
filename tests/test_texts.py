"""Texts from outside: what is shown of them, and what errors repeat."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graycube as gc
from graycube.advice import Workload
from graycube.gf2 import Exchange
from graycube.markup import element
from graycube.texts import is_name, one_line, visible

TEXTS = st.text(st.characters(exclude_categories=()), max_size=60)


@given(TEXTS)
def test_what_is_shown_can_be_seen(text):
    assert all(c.isprintable() or c in "\n\xa0" for c in visible(text))
    assert visible(visible(text)) == visible(text)
    assert "\n" not in one_line(text)
    assert one_line(one_line(text)) == one_line(text)
    if is_name(text):
        assert one_line(text) == visible(text) == text


@pytest.mark.parametrize("mark", ["\x1b", "\u202e", "\x9b", "\u200b", "\r", "\ud800", "\x7f"])
def test_pages_show_no_marks(mark):
    assert mark not in element("p", f"a{mark}b")
    assert mark not in element("p", "x", title=f"a{mark}b")


@pytest.mark.parametrize("long", ["x" * 100_000, "\n" * 100_000, "\U0001f600\x1b" * 50_000])
@pytest.mark.parametrize(
    "call",
    [
        gc.Layout.parse,
        gc.Machine.profile,
        lambda text: gc.Machine(3, switching=text),
        lambda text: gc.Machine(3, name=text),
        lambda text: gc.plan(gc.Layout.nodes(3), gc.Layout.nodes(3), 1, machine=text),
        lambda text: gc.Task(text, text, 1),
        Exchange.parse,
        gc.gray,
        Workload.parse,
    ],
)
def test_no_error_repeats_a_long_value(call, long):
    with pytest.raises(gc.GraycubeError) as caught:
        call(long)
    error = caught.value
    assert len(str(error)) < 1600
    assert str(error).isprintable()
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - it is ours
    assert (type(again), str(again), again.hint) == (type(error), str(error), error.hint)
