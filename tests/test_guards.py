"""The checks themselves can fail: each is run on a copy of the sources broken on purpose."""

import ast
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import types
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sweeping import sweep

import graycube as gc

ROOT = Path(__file__).parents[1]
IMPORTS = ["-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"]
TYPES = ["-m", "mypy", "--cache-dir=.cache", "src/graycube/errors.py"]
EXAMPLES = ["-m", "pytest", "-q", "--rootdir=.", "src/graycube/errors.py"]


def run(arguments, folder):
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def sources(tmp_path):
    shutil.copytree(
        ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize(
    ("check", "broken_line", "complaint"),
    [
        (IMPORTS, "import graycube.layout\n", "graycube.errors -> graycube.layout"),
        *sweep((TYPES, "def untyped(x):\n    return x\n", "missing a type annotation")),
        (EXAMPLES, 'def wrong():\n    """\n    >>> 1 + 1\n    3\n    """\n', "1 failed"),
    ],
    ids=["imports", "types", "examples"],
)
def test_a_check_passes_here_and_fails_on_broken_sources(
    check, broken_line, complaint, sources
):
    before = run(check, sources)
    assert before.returncode == 0, before.stdout + before.stderr
    with (sources / "src/graycube/errors.py").open("a") as file:
        file.write("\n\n" + broken_line)
    after = run(check, sources)
    assert after.returncode != 0
    assert complaint in after.stdout


WALKED = (module.name for module in pkgutil.walk_packages(gc.__path__, "graycube."))
WITHOUT_JAX = {"graycube.jax"} if find_spec("jaxlib") is None else set()
MODULES = [gc.__name__, *(name for name in WALKED if name not in WITHOUT_JAX)]
PACKAGES = {".".join(name.split(".")[:2]): [] for name in MODULES}
for module in MODULES:
    PACKAGES[".".join(module.split(".")[:2])].append(module)


def rows_of_the_reference(room):
    """The names that begin rows of the reference, with those beside them."""
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    for row in re.findall(rf"^\| `{room}\.(\w+`[^|]*)\| \S", text, re.MULTILINE):
        yield from re.findall(r"(\w+)`", row)


@pytest.mark.parametrize("room", ["jax", "qubits"])
def test_rooms_of_their_own_are_listed_in_the_reference(room):
    tree = ast.parse((ROOT / f"src/graycube/{room}/__init__.py").read_text())
    (names,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets) == "__all__"
    )
    assert sorted(rows_of_the_reference(f"gc.{room}")) == sorted(names)


def test_the_namespace_is_small_and_listed_in_the_reference():
    assert len([name for name in gc.__all__ if not {name} & {*dir(np), *dir(np.fft)}]) <= 56
    assert {*gc.__all__} <= {*dir(gc)}
    assert sorted(rows_of_the_reference("gc")) == sorted(gc.__all__)
    with pytest.raises(AttributeError, match=r"module 'graycube' has no attribute 'Layot'$"):
        gc.Layot  # noqa: B018
    for name, room in {"Checkpoint": "array", "dct": "fourier", "Exchange": "gf2"}.items():
        with pytest.raises(AttributeError, match=rf"'{name}': it is gc\.{room}\.{name}$"):
            getattr(gc, name)
    with pytest.raises(AttributeError, match=r"gc\.fourier\.to_points or gc\.jax\.to_points$"):
        gc.to_points  # noqa: B018
    elsewhere = {"hfft": r"np\.fft\.hfft", "fftfreq": "u.shape", "fftconvolve": "gc.convolve"}
    for name, there in elsewhere.items():
        with pytest.raises(AttributeError, match=there):
            getattr(gc, name)
    for home in (gc, gc.CubeArray):
        with pytest.raises(AttributeError, match=r"'zeros': use .*CubeArray\.from"):
            home.zeros  # noqa: B018


WRITTEN = [
    *("*.md", "docs/*.md", "docs/decisions/*.md", "docs/pictures/*.py", "examples/*.*"),
    *("benchmarks/**/*.md", "benchmarks/**/*.py", "tools/**/*.py"),
    *("src/**/*.md", "src/**/*.py", "src/**/*.toml"),
]


def unknown_names(text):
    """Names of graycube's in a text that it does not have."""
    used = re.findall(r"\bgc\.(\w+)", text)
    for names in re.findall(r"\bfrom graycube import (\([^)]*|[^\n]*)", text):
        used += re.findall(r"(\w+)(?: as \w+)?", names)
    return [name for name in used if name not in {*dir(gc), *vars(gc), "jax"}]


@pytest.mark.long
def test_documents_and_programs_use_names_that_there_are():
    files = {f for pattern in WRITTEN for f in ROOT.glob(pattern)}
    assert len(files) > 400
    found = {str(f): unknown_names(f.read_text(encoding="utf-8")) for f in files}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "text",
    ["gc.{}()", "from graycube import plan, {}", "from graycube import (\n{},\n)"],
)
def test_a_name_that_is_not_there_is_found(text):
    assert unknown_names(text.format("Way")) == ["Way"]
    assert unknown_names(text.format("Layout")) == []


def test_every_package_has_its_tests_in_a_folder_of_its_name():
    """And the other way round, but for what has no package."""
    packages = {file.parent.name for file in (ROOT / "src/graycube").glob("*/__init__.py")}
    folders = {file.parent.name for file in (ROOT / "tests").glob("*/test_*.py")}
    assert folders - packages == {"benchmarks", "examples", "fuzz"}
    assert packages <= folders


def test_a_name_stands_for_one_class():
    texts = (file.read_text() for file in (ROOT / "src").rglob("*.py"))
    lines = (re.findall(r"^ *class _*(\w+)[(:\[]", text, re.MULTILINE) for text in texts)
    names = Counter(name for found in lines for name in found)
    assert names["Layout"] == 1
    assert [name for name, count in names.items() if count > 1] == []


def functions(name, thing):
    """A function or class, and the methods of a class; properties may be shown by the class."""
    if callable(thing) and not isinstance(thing, types.GenericAlias):
        yield name, thing
    if isinstance(thing, type):
        for attribute, value in vars(thing).items():
            method = getattr(value, "__func__", value)
            if not attribute.startswith("_") and isinstance(method, types.FunctionType):
                yield f"{name}.{attribute}", method


def not_shown(name, thing):
    """What no example of its own shows, nor that of its class."""
    owner = thing.__doc__ or ""
    for full_name, function in functions(name, thing):
        shown = f".{full_name.rpartition('.')[2]}(" in owner
        if not shown and ">>>" not in (function.__doc__ or ""):
            yield full_name


def test_type_checkers_see_the_public_names_where_they_are():
    source = ast.parse(Path(gc.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.name: node.module.removeprefix("graycube.")
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("graycube.")
        for alias in node.names
    }
    assert seen == gc._PUBLIC


def test_importing_graycube_loads_nothing_else():
    program = "import sys, graycube; print({*sys.modules} & {'numpy', 'graycube.errors'})"
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert ran.stdout.split() == [b"set()"]


@pytest.mark.long
def test_arrays_plans_and_verbs_start_without_scipy():
    """Every rank and every call of the command line would wait a third of a second for it."""
    program = """
import sys
from graycube import array, butterflies, cli, fourier, measure, planning, qubits, search
from graycube.cli import main
main(["plan", "gray", "binary", "--dims", "2", "--block", "4"])
print({*sys.modules} & {"scipy", "graycube.papers", "graycube.demo"})"""
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert ran.stdout.splitlines()[-1] == b"set()"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_documented_and_shown_by_an_example(package):
    for name in PACKAGES[package]:
        module = importlib.import_module(name)
        assert module.__doc__, name
        named = [(each, getattr(module, each)) for each in getattr(module, "__all__", ())]
        assert [n for each, thing in named for n in not_shown(each, thing)] == [], name


def test_a_public_name_without_an_example_is_found():
    def bare():
        """No example."""

    assert [*not_shown("bare", bare)] == ["bare"]
