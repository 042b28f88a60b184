"""Starts programs on ranks, more of them than there are processors, with any MPI."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Open MPI 5 and 4: as root, more ranks than processors, none of them bound, and no search for
# fabrics at the start. Other MPIs do not read these.
ALLOWED = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl": "^ofi",
}
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "DUCC0")}


def scratch() -> Path:
    """A folder for FFTW's wisdom."""
    folder = Path(tempfile.gettempdir()) / "graycube-race"
    folder.mkdir(exist_ok=True)
    return folder


def mpiexec() -> str:
    """The one beside this Python, which belongs to its MPI wheel, or else the system's."""
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise SystemExit("no mpiexec: see README.md")
    return found


def run(
    command: list[str], *, ranks: int, launcher: str | None = None, shown: bool = False
) -> str:
    """What the ranks print, unless it is shown at once."""
    line = [launcher or mpiexec(), "-n", str(ranks), *command]
    env = {**ALLOWED, **ONE_THREAD, **os.environ}
    output = None if shown else subprocess.PIPE
    done = subprocess.run(line, env=env, stdout=output, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"{' '.join(line)} ended with {done.returncode}")
    return "" if shown else done.stdout.decode()
