"""Texts from outside: what is shown of them, and what errors repeat."""

import ast
import pickle
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

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


def texts(call):
    """What an error is made of, as far as it stands in the source."""
    for argument in call.args:
        if isinstance(argument, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in argument.values)
            yield "".join(map(str, parts))
        elif isinstance(argument, ast.Constant):
            yield str(argument.value)


def voiceless(source):
    """Errors whose three texts are not what was found, what is allowed and what to do."""
    vague = {
        "pass one",
        "build one",
        "make one",
        "check it",
        "check them",
        "verify it",
        "mend it",
        "check the text",
        "raise the size",
    }
    for call in ast.walk(ast.parse(source)):
        name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        if name.endswith("Error") and len(call.args) == 3:
            said = list(texts(call))
            whole = all(t and t == t.strip(" .") and t.isprintable() for t in said)
            if not whole or vague & {*said[2:]}:
                yield said


@pytest.mark.long
def test_errors_have_one_voice():
    """They say what to do in words of the caller, and are parts of one sentence."""
    found = {
        str(file): list(voiceless(file.read_text(encoding="utf-8")))
        for file in Path(gc.__file__).parent.rglob("*.py")
    }
    assert {name: errors for name, errors in found.items() if errors} == {}


@pytest.mark.parametrize("hint", ["pass one", "use 2 or 4.", "", " use 2"])
def test_an_error_without_a_voice_is_found(hint):
    assert list(voiceless(f"raise XError(f'n is {{n}}', 'it must be even', {hint!r})"))
    assert not list(voiceless("raise XError(f'n is {n}', 'it must be even', 'use 2 or 4')"))
