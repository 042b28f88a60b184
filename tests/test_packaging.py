"""What goes into the packages: all into the source, into the wheel what it can use."""

import ast
import importlib.util
import re
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest

from graycube.papers import papers

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, BUILD = SETTINGS["project"], SETTINGS["tool"]["hatch"]["build"]
WHEEL = BUILD["targets"]["wheel"]


def in_the_wheel(path):
    """Whether a file is in the folders of the wheel and not left out."""
    name = path.relative_to(ROOT).as_posix()
    chosen = any(name.startswith(f"{folder}/") for folder in WHEEL["only-include"])
    return chosen and not any(fnmatch(name, pattern) for pattern in WHEEL["exclude"])


def imported(path):
    """The modules beside it that one imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from [node.module] if node.module else (alias.name for alias in node.names)


def needed(paper):
    """The claims, and the modules that compute and draw them with what these import."""
    left = {
        c.partition(":")[0] for claim in paper.claims for c in (claim.check, claim.draw) if c
    }
    found = {paper.folder / "claims.toml", paper.folder / "__init__.py"}
    while left:
        path = paper.folder / f"{left.pop()}.py"
        assert path.exists()
        if path not in found:
            found.add(path)
            left.update(imported(path))
    return found


def files_in(folder):
    return {f for f in folder.rglob("*") if f.is_file() and "__pycache__" not in f.parts}


@pytest.mark.long
@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.key)
def test_the_wheel_has_of_a_paper_what_its_claims_need(paper):
    assert {f for f in files_in(paper.folder) if in_the_wheel(f)} == needed(paper)


def test_every_pattern_leaves_something_out_and_all_of_the_library_stays():
    everything = files_in(ROOT / "src" / "graycube")
    names = [f.relative_to(ROOT).as_posix() for f in everything]
    for pattern in WHEEL["exclude"]:
        assert any(fnmatch(name, pattern) for name in names), pattern
    ours = {f for paper in papers() for f in files_in(paper.folder)}
    assert all(in_the_wheel(f) for f in everything - ours)
    assert WHEEL["sources"]["src/graycube"] == "graycube"


def test_what_an_index_shows_is_what_the_pages_say():
    """Extras, the oldest and all other versions of Python, the system, the licence."""
    readme, support = (
        (ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/support.md")
    )
    for extra in {*PROJECT["optional-dependencies"]} - {"dev", "docs"}:
        assert re.search(rf"`{extra}`|\[{extra}\]'", readme), extra
    known = re.findall(r":: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    (row,) = re.findall(r"^\| Python \| ([^|]*)", support, re.MULTILINE)
    assert known == sorted(set(re.findall(r"3\.\d+", row)), key=lambda text: int(text[2:]))
    assert PROJECT["requires-python"] == f">={known[0]}"
    assert f"Python {known[0]} or newer" in readme
    assert "| system | Linux |" in support
    assert "Operating System :: POSIX :: Linux" in PROJECT["classifiers"]
    assert PROJECT["license"] == "BSD-3-Clause"
    assert "BSD 3-Clause" in readme
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_the_source_distribution_leaves_nothing_out():
    assert "sdist" not in BUILD["targets"]


@pytest.fixture
def hook(monkeypatch):
    """The file that makes the long description, without the builder that it is for."""
    interface = ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = type("Hook", (), {"root": str(ROOT)})
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def described(hook, **project):
    """What an index shows of a package with such settings."""
    metadata = dict(project)
    hook.CustomMetadataHook().update(metadata)
    return metadata["readme"]["text"]


def test_without_an_address_the_long_description_has_names_of_files(hook):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert "docs/tutorial.md" in targets
    for urls in ({}, {"urls": {"Documentation": "https://example.org"}}):
        made = described(hook, **urls)
        found = re.findall(r"\]\(([^)]*)\)", made)
        assert found == [t for t in targets if t.startswith("http")]
        assert "the tutorial (`docs/tutorial.md`)" in made
        assert made.endswith(f"\n\n{hook.WHERE}\n")
        assert "![" in text
        assert "![" not in made
        assert "Vortices" not in made  # words about a picture that is not there
        examples = re.compile(r"```.*?```", re.DOTALL)
        assert examples.findall(made) == examples.findall(text)


WEB = "https://example.org/graycube"
FILES = f"{WEB}/blob/HEAD/"


@pytest.mark.parametrize(
    ("written", "named", "linked"),
    [
        ("[a](b.md)", "a (`b.md`)", f"[a]({FILES}b.md)"),
        ("[a](b.md#c)", "a (`b.md#c`)", f"[a]({FILES}b.md#c)"),
        ("[b.md](b.md)", "b.md", f"[b.md]({FILES}b.md)"),
        ("![a](b.png)\n\nc", "c", f"![a]({FILES}b.png?raw=true)\n\nc"),
        *((text, text, text) for text in ("[a](#b)", "[a](mailto:b@c.de)", "[a](http://b.c)")),
        ("![a](https://b.c/d.png)",) * 3,
    ],
)
def test_links_stay_or_lead_to_files_on_the_web(hook, written, named, linked):
    assert hook.without_relative_links(written) == named
    assert hook.without_relative_links(written, WEB) == linked
    assert hook.without_relative_links(written, f"{WEB}/") == linked


def test_with_an_address_links_and_pictures_lead_there(hook):
    made = described(hook, urls={"Repository": WEB})
    assert (
        f"![Vortices roll up, at three times]({FILES}docs/pictures/flow.png?raw=true)" in made
    )
    assert f"[the tutorial]({FILES}docs/tutorial.md)" in made
    assert not re.findall(r"\]\((?!http)", made)
    assert hook.WHERE not in made
