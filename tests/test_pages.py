"""Pages that people finish: links lead somewhere and have words, and no page is too long."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST = 1800  # words: ten minutes
PAGES = ("*.md", "docs/*.md", "docs/decisions/*.md", "benchmarks/**/*.md", "src/**/*.md")
MADE = ("docs/papers/*.md", "docs/generated/*.md")  # by docs/generate.py
LISTS = ("docs/reference.md", "docs/generated/help.md", "CHANGELOG.md")  # to look things up in
CODE = re.compile(r"^( *)```.*?^\1```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[((?:[^][]|\[[^]]*\]\([^)]*\))*)\]\(([^)\s]*)\)")
PLACE = re.compile(r'(?:src|href)="([^"]*)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """All pages, by the paths that links use, with those that are made when the site is."""
    root = tmp_path_factory.mktemp("site")
    spec = importlib.util.spec_from_file_location("made", ROOT / "docs" / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    generate.HERE = root / "docs"
    generate.HERE.mkdir()
    generate.write()
    found = {str(f.relative_to(ROOT)): f for glob in PAGES for f in ROOT.glob(glob)}
    found |= {str(f.relative_to(root)): f for glob in MADE for f in root.glob(glob)}
    return {name: file.read_text(encoding="utf-8") for name, file in sorted(found.items())}


def prose(text):
    """A page without code, in which nothing is a link or a heading."""
    return CODE.sub("code", text)


def anchors(text):
    """What the headings of a page are called in links."""
    names = []
    plain = CODE.sub(lambda code: code[0].strip("`"), text)
    for heading in re.findall(r"^#+ (.*)$", plain, re.MULTILINE):
        shown = LINK.sub(r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", shown).strip().replace(" ", "-")
        names.append(f"{name}-{names.count(name)}" if name in names else name)
    return {*names, *re.findall(r"^\((.*)\)=$", text, re.MULTILINE)}


def dead(name, text, pages):
    """The links of a page that lead nowhere."""
    places = [target for _, target in LINK.findall(prose(text))]
    for target in [*places, *PLACE.findall(prose(text))]:
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (ROOT / name).parent.joinpath(path).resolve() if path else ROOT / name
        page = str(there.relative_to(ROOT)) if there.is_relative_to(ROOT) else str(there)
        found = page in pages or there.exists()
        if not found or (anchor and anchor not in anchors(pages.get(page, ""))):
            yield target


def silent(text):
    """Links without words: none at all, or the name of a file."""
    for words, target in LINK.findall(prose(text)):
        if not words.strip() or re.search(r"\.(md|html)$", words.strip()):
            yield target


def words(text):
    """What there is to read, tables and examples too."""
    return len(re.findall(r"\S*\w\S*", text))


def whom(text):
    """For whom a page is: its first line says it."""
    return re.findall(r"\A# [^\n]*\n\n\*For ([^\n]*)\*\n\n", text)


def test_a_page_says_for_whom_it_is():
    files = [
        f
        for f in ROOT.glob("docs/*.md")
        if f.stem not in ("index", "changelog", "contributing")
    ]
    files += ROOT.glob("docs/api/*.md")
    assert len(files) > 60
    silent = [f.name for f in files if not whom(f.read_text(encoding="utf-8"))]
    assert silent == []


def test_the_way_through_the_code_shows_every_room_where_it_is():
    """Rooms in the picture come in the order of the layers; each has a row of its own."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    layers = [layer.split(" | ") for layer in contract["layers"][1:]]
    height = {room: -k for k, layer in enumerate(layers) for room in layer}
    rows = re.findall(r"^\| `(\w+)` \| \S", text, re.MULTILINE)
    assert sorted(rows) == sorted(height)
    (picture,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    lines = [line[27:] for line in picture.splitlines()]
    shown = [room for line in lines for room in re.findall(r"\w+", line) if room in height]
    assert {*height} - {*shown} == {*rows[rows.index("show") :]}  # helpers need no picture
    assert [height[room] for room in shown] == sorted((height[r] for r in shown), reverse=True)


def test_links_lead_somewhere(site):
    assert len(site) > 50
    found = {name: [*dead(name, text, site)] for name, text in site.items()}
    assert {name: links for name, links in found.items() if links} == {}


def test_links_have_words(site):
    found = {name: [*silent(text)] for name, text in site.items()}
    assert {name: links for name, links in found.items() if links} == {}


def test_a_page_takes_ten_minutes(site):
    long = {name: words(text) for name, text in site.items() if name not in LISTS}
    assert {name: count for name, count in long.items() if count > LONGEST} == {}


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("[words](nowhere.md)", "nowhere.md"),
        ("[words](page.md#nowhere)", "page.md#nowhere"),
        ("[words](#nowhere)", "#nowhere"),
        ("![picture](nothing.png)", "nothing.png"),
        ('<img src="nothing.png">', "nothing.png"),
        ("[words](page.md#two-words) `[a](b)` [b](#here) [c](https://example.org/#x)", None),
        ("```\n[words](nowhere.md)\n```", None),
    ],
)
def test_a_dead_link_is_found(line, target):
    pages = {"docs/a.md": f"# Here\n\n{line}\n", "docs/page.md": "## Two `words`!\n"}
    assert [*dead("docs/a.md", pages["docs/a.md"], pages)] == [target] * (target is not None)


@pytest.mark.parametrize(
    "line", ["see [](page.md)", "see [ ](page.md)", "[docs/a.md](page.md)"]
)
def test_a_link_without_words_is_found(line):
    assert [*silent(line)] == ["page.md"]
    assert [*silent("[the page](page.md) and ![](picture.png) in `[](code)`")] == [
        "picture.png"
    ]
