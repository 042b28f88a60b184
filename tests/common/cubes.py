"""Cubes of network namespaces, as in ``benchmarks/cube``: where they are and what they need."""

import importlib.util
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks" / "cube"
MPIEXEC = Path(sys.executable).with_name("mpiexec")


def why_not():
    """What a cube needs and is not here."""
    spec = importlib.util.spec_from_file_location("enclosed", FOLDER / "enclosed.py")
    enclosed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(enclosed)
    return enclosed.impossible() if MPIEXEC.exists() else "the extra mpi"
