"""FFTW-MPI in C, with the system's MPI, in turn with jobs of this Python.

For an mpi4py whose MPI is not the one that FFTW-MPI is linked with, and to see that ctypes
costs FFTW-MPI nothing. Every launch gives one median; ratios are taken between neighbours.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
from contest import report
from launch import run
from tasks import Array, close, close_in_some_order

HERE = Path(__file__).parent
REPETITIONS = 9
ORDERS = ("natural", "scrambled")


def system(name: str) -> str:
    """A program of the MPI that the system's FFTW-MPI is linked with."""
    found = (
        os.environ.get(f"RACE_{name.upper()}")
        or shutil.which(f"{name}.openmpi")
        or shutil.which(name)
    )
    if found is None:
        raise SystemExit(f"no {name}: see README.md")
    return found


def compiled(folder: Path) -> Path:
    program = folder / "fftw_mpi"
    source = str(HERE / "fftw_mpi.c")
    line = [system("mpicc"), "-O2", "-o", str(program), source, "-lfftw3_mpi", "-lfftw3", "-lm"]
    subprocess.run(line, check=True)  # noqa: S603
    return program


def expected(length: int) -> Array:
    k = np.arange(length)
    return np.fft.fft(k % 1021 + 1j * ((k % 1013) ** 2 % 1013))


def theirs(program: Path, ranks: int, length: int, order: str, spectrum: Array) -> float:
    folder = program.parent
    output, wisdom = folder / "output", folder / f"wisdom-{ranks}"
    command = [str(program), str(length), order, str(REPETITIONS), str(wisdom), str(output)]
    took = float(run(command, ranks=ranks, launcher=system("mpiexec")))
    same = close if order == "natural" else close_in_some_order
    if not same(np.fromfile(output, "complex128"), spectrum):
        raise SystemExit(f"FFTW-MPI in C: wrong answer on {ranks} ranks, {order}")
    return took


def pythons(folder: Path, ranks: int, length: int) -> dict[str, float]:
    path = folder / "times.json"
    command = [sys.executable, str(HERE / "worker.py"), "fft1d", str(REPETITIONS)]
    run([*command, str(length), str(path)], ranks=ranks)
    times = json.loads(path.read_text())["seconds"][str(length)]
    return {name: median(values) for name, values in times.items()}


def race(cases: list[str], ranks: list[int], launches: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        program = compiled(Path(name))
        for length in map(int, cases):
            spectrum = expected(length)
            for number in ranks:
                heats = [heat(program, number, length, spectrum) for _ in range(launches)]
                times = {k: [one[k] for one in heats] for k in heats[0]}
                report(f"\njobs in turn, {length}, {number} ranks", times, "C, natural")


def heat(program: Path, ranks: int, length: int, spectrum: Array) -> dict[str, float]:
    found = pythons(program.parent, ranks, length)
    for order in ORDERS[: 1 if ranks == 1 else 2]:  # one rank has no scrambled order
        found[f"C, {order}"] = theirs(program, ranks, length, order, spectrum)
    return found
