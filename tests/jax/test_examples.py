"""Every example of graycube.jax runs: in docstrings, on its pages, and in the solver."""

import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import jax
import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "src" / "graycube" / "jax"
MODULES = [f"graycube.jax.{f.stem}" for f in FOLDER.glob("[!_]*.py")]


newer = pytest.mark.skipif(
    jax.make_mesh((1,), ("x",)).axis_types == (jax.sharding.AxisType.Auto,),
    reason="these examples are for JAX whose make_mesh gives explicit axes",
)


@pytest.mark.parametrize("name", [pytest.param("graycube.jax", marks=newer), *MODULES])
def test_the_examples_of_docstrings(name):
    known = {"jax": jax, "jnp": jax.numpy}
    flags = doctest.NORMALIZE_WHITESPACE
    found = doctest.testmod(import_module(name), extraglobs=known, optionflags=flags)
    assert not found.failed


@newer
@pytest.mark.parametrize(
    "page", ["jax.md", "jax-along.md", "jax-devices.md", "jax-measured.md"]
)
def test_the_examples_of_the_pages(page):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    page = str(ROOT / "docs" / page)
    found = doctest.testfile(page, module_relative=False, optionflags=flags)
    assert found.attempted
    assert not found.failed


def test_the_solver_has_the_right_gradient_and_gathers_nothing():
    command = [sys.executable, ROOT / "examples" / "jax_solver.py"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "gradient through 20 steps: {'all-to-all': 10, 'all-reduce': 1}" in said
