"""Where JAX is not installed, all but gc.jax works, and that says what to install."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "graycube"

WITHOUT = """
import sys
sys.modules["jax"] = None
import graycube as gc
assert gc.Layout.nodes(3).n == 3
try:
    gc.jax
except gc.GraycubeError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.long
def test_what_needs_jax_names_the_extra():
    command = [sys.executable, "-c", WITHOUT]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said == (
        "MissingExtraError JAX is not installed: graycube.jax needs it; "
        "run: pip install 'graycube[jax]'\n"
    )


@pytest.mark.long
def test_help_and_whatever_takes_all_names_works_without_jax():
    program = (
        "import sys; sys.modules['jax'] = None; import inspect, pydoc, graycube as gc; "
        "pydoc.render_doc(gc); print({*gc.__all__} <= {*dict(inspect.getmembers(gc))})"
    )
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said == "True\n"


def test_graycube_does_not_import_jax_until_it_is_used():
    program = "import sys, graycube; print([m for m in sys.modules if m.endswith('jax')])"
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said == "[]\n"


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_jax_is_imported_in_one_folder():
    using = {
        path.relative_to(SOURCES).parts[0]
        for path in SOURCES.rglob("*.py")
        if "jax" in path.read_text(encoding="utf-8") and "jax" in imports(path)
    }
    assert using == {"jax"}


@pytest.mark.skipif(
    importlib.util.find_spec("jaxlib") is not None, reason="JAX is here: tests/jax runs"
)
def test_the_folder_of_tests_is_left_out():
    pytest.skip("needs the extra jax, as all of tests/jax does")
