"""The figures that are kept in the papers' folders, and the scripts that make them."""

import csv
import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "src" / "graycube" / "papers"
TOOLS = ROOT / "tools"


def rows(paper, name):
    """What a table has, a dictionary a row."""
    with (PAPERS / paper / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def script(paper, name):
    """A script that is run by its path, as a module."""
    path = TOOLS / paper / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{paper}_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
