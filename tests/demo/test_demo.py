"""``graycube demo``: what it prints is what it computed, its page is whole, its checks fail."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from cli_runs import cli, tree

import graycube as gc
from graycube import demo
from graycube.advice import Advice
from graycube.demo import flow, story

KEYS = ("transform", "solve", "where", "renumber", "advise", "convert")
PICTURES = {"binary.png", "gray.png", "flow.png"}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module", autouse=True)
def a_short_flow():
    """Fewer steps than people see, so that the demo takes a second and not ten."""
    with patch.object(story, "STEPS", 8):
        yield


@pytest.fixture(scope="module", autouse=True)
def one_answer():
    """Advice on the same program is asked for once: it takes seconds."""
    answers, ask = {}, gc.advise

    def advise(*program, **rest):
        question = repr((program, rest))
        if question not in answers:
            answers[question] = ask(*program, **rest)
        return replace(answers[question])  # which has not looked at alternatives

    with patch.object(gc, "advise", advise):
        yield


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A demo, what it printed, and its folder."""
    folder = tmp_path_factory.mktemp("demo") / "a new" / "folder é"
    return cli("demo", folder), folder


def chapters_of(text):
    """Number, title, text and output of each chapter that was printed."""
    parts = re.split(r"^(\d)\. (.+)\n", text, flags=re.MULTILINE)
    assert parts[0] == "\n"
    return list(zip(parts[1::3], parts[2::3], parts[3::3], strict=True))


class Page(HTMLParser):
    """The elements of a page; every tag is closed, in order."""

    EMPTY = ("meta", "img", "br", "hr", "link", "input")

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.texts, self.text = [], [], [], {}, ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        assert len(names) == len(attrs)
        self.ids += [names["id"]] if "id" in names else []
        self.links += [names[key] for key in ("href", "src") if key in names]
        if tag == "img":
            assert names["alt"]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)
        self.text += data


def page_of(folder):
    return Page((folder / "index.html").read_text(encoding="utf-8"))


@pytest.mark.long
def test_all_chapters_are_told(told):
    ran, folder = told
    text = ran.fine()
    assert ran.err == f"\nNow open {folder / 'index.html'}\n"
    found = chapters_of(text)
    assert [number for number, _, _ in found] == list("123456")
    assert max(map(len, text.splitlines())) < 160


@pytest.mark.long
def test_the_page_has_what_was_printed(told):
    ran, folder = told
    page = page_of(folder)
    assert page.ids == list(KEYS)
    heads = [f"{number}. {title}" for number, title, _ in chapters_of(ran.out)]
    assert page.texts["h2"][:6] == heads
    for _, _, said in chapters_of(ran.out):
        text, output = said.split("\n\n", 1)
        assert text.replace("\n", " ").replace("`", "").strip() in page.text
        assert output.rstrip("\n") in [block.rstrip("\n") for block in page.texts["pre"]]


def test_advice_that_converts_does_not_say_that_it_stays(told):
    assert "0.0206 s; in gray, with 99 conversions" in page_of(told[1]).text


def test_its_links_are_there_and_it_needs_nothing_else(told):
    _, folder = told
    page = page_of(folder)
    assert set(page.links) == {"plan.html", *PICTURES}
    assert {path.name for path in folder.iterdir()} == {"index.html", *page.links}
    for name in PICTURES:
        assert (folder / name).read_bytes().startswith(PNG)
    text = (folder / "plan.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "gb1" in text


def test_the_code_that_is_shown_is_what_ran(told):
    _, folder = told
    shown = page_of(folder).texts["pre"]
    for chapter in demo.chapters(story.Scene()):
        assert chapter.code in shown
        compile(f"def chapter(scene):\n    {chapter.code.replace(chr(10), chr(10) + '    ')}",
                chapter.key, "exec")  # fmt: skip
        if chapter.key == "renumber":
            break  # computing the others again takes time


def test_figures_are_right(told):
    ran, _ = told
    outputs = dict(zip(KEYS, (said for _, _, said in chapters_of(ran.out)), strict=True))
    line = re.compile(r"^(mesh neighbours|FFT partners) +(\d+ +\d+)$", re.MULTILINE)
    rows = dict(line.findall(outputs["where"]))
    pairs = {name: tuple(map(int, row.split())) for name, row in rows.items()}
    # an 8 x 8 mesh of nodes: from 3 to 4 all three bits change, and so do two of a Gray code
    # whose upper and lower half are mirrored
    assert pairs == {"mesh neighbours": (3, 1), "FFT partners": (1, 2)}
    code = [i ^ (i >> 1) for i in range(8)]
    printed = np.array(re.findall(r"\d+", outputs["renumber"].split("\n\n")[1]), dtype=int)
    assert printed.tolist() == [8 * a + b for a in code for b in code]
    assert "nothing is wrong" in outputs["convert"]
    for key in ("transform", "solve"):
        error = re.search(r"difference from .*: (\S+)$", outputs[key], re.MULTILINE)
        assert float(error[1]) < 1e-9


def test_json(told, tmp_path):
    some = ("transform", "where", "renumber")
    with short(*some):
        ran = cli("demo", tmp_path / "other", "--json")
    assert ran.err == ""
    found = ran.json()
    assert found["page"] == str(tmp_path / "other" / "index.html")
    assert tuple(found["chapters"]) == some
    printed = [said.split("\n\n", 1)[1].strip() for _, _, said in chapters_of(told[0].out)]
    kept = [output for key, output in zip(KEYS, printed, strict=True) if key in some]
    assert [output.strip() for output in found["chapters"].values()] == kept


def short(*keys):
    """The demo with these chapters only."""
    kept = tuple(tell for tell in story.CHAPTERS if tell.__name__ in keys)
    return patch.object(demo, "CHAPTERS", kept)


def test_quiet_and_the_folder_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with short("where"):
        ran = cli("demo", "--quiet")
    assert ran.fine() == ""
    assert ran.err == f"\nNow open {Path('graycube-demo/index.html')}\n"
    assert page_of(tmp_path / "graycube-demo").ids == ["where"]


def test_without_matplotlib_there_are_no_pictures(tmp_path):
    missing = patch.dict("sys.modules", {"matplotlib": None, "matplotlib.figure": None})
    some = ("solve", "where", "convert")
    with missing, short(*some), patch.object(story, "STEPS", 4):
        assert cli("demo", tmp_path).fine()
    assert {path.name for path in tmp_path.iterdir()} == {"index.html", "plan.html"}
    page = page_of(tmp_path)
    assert (page.ids, page.links) == (list(some), ["plan.html"])


def test_a_folder_that_is_there_keeps_what_else_it_has(tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "index.html").write_text("an older demo", encoding="utf-8")
    with short("where"):
        assert cli("demo", tmp_path).fine()
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert page_of(tmp_path).ids == ["where"]


def never(_):
    """Never.

    This is not computed.
    """
    pytest.fail("it was computed")


@pytest.mark.parametrize("name", ["file", "file/folder", "a" * 300, "pages"])
@pytest.mark.parametrize("flags", [[], ["--json"]], ids=str)
def test_a_folder_that_cannot_be_is_refused_before_anything_is_computed(tmp_path, name, flags):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    (tmp_path / "pages" / "index.html").mkdir(parents=True)
    before = tree(tmp_path)
    with patch.object(demo, "CHAPTERS", (never,)):
        told = cli("demo", tmp_path / name, *flags).refused()
    assert "check the path" in told or "index.html: it must name a file" in told
    assert tree(tmp_path) == before


def scattered(_, data):
    return data[::-1].copy()


def off_by_little(compute):
    """The same but for a millionth in one place."""

    def broken(*arguments, **options):
        made = compute(*arguments, **options)
        return made + 1e-6 * (np.arange(made.size).reshape(made.shape) == 3)

    return broken


def wrong_fft(field):
    return gc.CubeArray.from_numpy(off_by_little(np.fft.fft2)(field.to_numpy()), field.layout)


class _Far:
    dilation = 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("key", "fault"),
    [
        ("where", (gc, "mesh_distances", lambda _: _Far)),
        ("where", (gc, "butterfly_distances", lambda _: _Far)),
        ("where", (gc.Layout, "coordinates", lambda *_: (127, 126))),
        ("renumber", (gc, "rank_order", lambda shape: np.arange(64).reshape(shape))),
        ("advise", (Advice, "alternatives", (("gray", 0.0),))),
        ("convert", (gc.Plan, "verify", lambda _: False)),
        ("convert", (gc.Plan, "apply", scattered)),
        ("transform", (gc, "fft2", wrong_fft)),
        ("solve", (story, "plain_steps", off_by_little(flow.plain_steps))),
        ("solve", (story.ShearFlow, "steps", lambda self, *_, **__: self.now)),
    ],
)
def test_what_is_computed_wrongly_is_not_told(tmp_path, key, fault):
    with short(key), patch.object(*fault):
        ran = cli("demo", tmp_path / "demo")
    assert ran.out == ""
    assert "the demo checks itself" in ran.complained(1)
    assert tree(tmp_path / "demo") == {}
    with short(key), patch.object(story, "STEPS", 4):
        found = cli("demo", tmp_path / "demo", "--json")
    assert json.loads(found.out)["chapters"].keys() == {key}
