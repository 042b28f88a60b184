"""What the documents show of the command line works, and the site's made pages are whole."""

import ast
import importlib.util
import json
import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from cli_runs import VERBS, command_of

import graycube.fourier  # noqa: F401 - it adds its functions to the table
from graycube.array.functions import TABLE
from graycube.cli import main
from graycube.papers import papers

ROOT = Path(__file__).parents[1]
MPIEXEC = Path(sys.executable).with_name("mpiexec")


def commands(name):
    """The lines of shell blocks that begin with graycube, without their comments."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        yield from (line for line in block.splitlines() if line.startswith("graycube "))


def shown():
    """The lines of the page of commands; some of them start ranks."""
    over_mpi = pytest.mark.skipif(not MPIEXEC.exists(), reason="needs the extra mpi")
    for line in commands("commands.md"):
        yield pytest.param(line, marks=over_mpi if "--ranks" in line else ())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for all lines: later ones read what earlier ones wrote."""
    made = tmp_path_factory.mktemp("commands")
    shutil.copytree(ROOT / "examples", made / "examples")
    return made


@pytest.mark.long
@pytest.mark.parametrize("line", list(shown()))
def test_what_the_documents_show_works(line, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    if "calibrate" in line:  # two ranks are measured in a third of the time
        line = line.replace("--ranks 4", "--ranks 2")
    arguments = shlex.split(line, comments=True)[1:]
    assert main(arguments) == 0, capfd.readouterr().err


def test_pages_say_how_many_functions_of_numpys_there_are():
    pages = {
        name: (ROOT / "docs" / f"{name}.md").read_text() for name in ("features", "reference")
    }
    said = {
        name: re.findall(r"some (\d+)\s(?:in all|more)\]\(numpy", text)
        for name, text in pages.items()
    }
    assert [*said.values()] == 2 * [[str(round(len(TABLE), -1))]]


def test_the_pages_of_the_cube_have_what_was_measured(monkeypatch):
    folder = ROOT / "benchmarks" / "cube"
    monkeypatch.syspath_prepend(folder)
    tables = importlib.import_module("tables").tables
    cubes = json.loads((folder / "results.json").read_text(encoding="ascii"))["cubes"]
    made = tables({int(n): cube for n, cube in cubes.items()})
    shown = {
        "cube": ["calibration", "ratios"],
        "cube-papers": ["break-even", "transforms", "mappings"],
    }
    for name, headings in shown.items():
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        for heading in headings:
            assert "\n".join(made[heading]) in page, heading
    ratios = [float(line.split("|")[-2]) for line in made["layouts"][2:] if "Allto" not in line]
    assert (min(ratios), max(ratios)) == (0.998, 1.029)
    assert {line.split("|")[-2].strip() for line in made["regret"][2:]} == {"1.000"}
    assert len(made["regret"][2:]) == 30


def test_the_recipe_of_the_command_line_shows_what_comes_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "howto-schedules.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    for part in block.split("$ ")[1:]:
        line, *shown = part.splitlines()
        assert main(shlex.split(line)[1:]) == 0
        printed = "".join(capsys.readouterr()).splitlines()
        assert set(shown) - {"..."} <= set(printed)


def test_the_documents_show_every_verb():
    lines = [*commands("commands.md"), *commands("papers.md")]
    shown = {line.split()[1] for line in lines}
    assert shown | {"demo"} == set(VERBS)


@pytest.fixture
def generate(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HERE", tmp_path)
    module.write()
    return tmp_path


def test_every_claim_has_an_entry_on_the_pages_of_its_paper(generate):
    for paper in papers():
        files = sorted((generate / "papers").glob(f"{paper.key.lower()}-*.md"))
        pages = "".join(file.read_text(encoding="utf-8") for file in files)
        assert re.findall(r"^## (.*)$", pages, re.MULTILINE) == [c.name for c in paper.claims]
        assert all(f"`{claim.check}`" in pages for claim in paper.claims)


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "api").glob("*.md")), ids=lambda f: f.stem
)
def test_pages_of_names_begin_with_all_of_them_by_what_one_wants(page):
    """JAX and the papers have few names, or few users: their pages have no such tables."""
    text, found = page.read_text(encoding="utf-8"), {}
    for room, part in re.findall(r"currentmodule:: (\S+)\n(.*?)```", text, re.DOTALL):
        found[room] = re.findall(r"^   (\w+)$|:data:`(\w+)`", part, re.MULTILINE)
    modules = re.findall(r"automodule:: (\S+)\n   :members:$", text, re.MULTILINE)
    if page.stem not in ("jax", "papers"):
        assert list(found) == modules
    for room, names in found.items():
        listed = sorted(name or data for name, data in names)
        assert listed == sorted(importlib.import_module(room).__all__)


def test_the_page_of_names_for_jax_has_all_of_them():
    """Read from the source, since JAX need not be installed."""
    page = (ROOT / "docs" / "api" / "jax.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"automodule:: graycube\.jax\n   :members: (.*)\n", page)
    tree = ast.parse((ROOT / "src" / "graycube" / "jax" / "__init__.py").read_text())
    (names,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets) == "__all__"
    )
    assert listed.split(", ") == [name for name in names if name != "local"]


def test_every_option_is_on_the_page_of_verbs(generate):
    page = (generate / "generated" / "help.md").read_text(encoding="utf-8")
    options = [name for verb in VERBS for p in command_of(verb).params for name in p.opts]
    assert all(name in page for name in options if name.startswith("--"))


def test_the_page_of_numpys_functions_is_that_of_the_table(generate):
    """If this fails, ``python docs/generate.py`` is to write the page anew."""
    written = (generate / "numpy.md").read_text(encoding="utf-8")
    assert (ROOT / "docs" / "numpy.md").read_text(encoding="utf-8") == written


def test_what_people_search_for_leads_to_a_section_that_there_is():
    """Each word once, to a heading of a page; with "" to the top of one."""
    text = (ROOT / "docs" / "words.toml").read_text(encoding="utf-8")
    found = []
    for page, sections in tomllib.loads(text).items():
        lines = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").splitlines()
        for heading, words in sections.items():
            assert (
                not heading or lines.count(f"## {heading}") + lines.count(f"### {heading}") == 1
            )
            found += words
    assert len(found) > 100
    assert sorted(found) == sorted({word.lower() for word in found})
