"""The batch script of docs/cluster-jobs.md, with mpiexec in the place of srun."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
PROGRAM = """
from mpi4py import MPI
import graycube as gc
comm = MPI.COMM_WORLD
layout = gc.Layout.mesh((8, 8), (comm.size, 1))
u = gc.CubeArray.from_function(lambda i, j: i + j, layout, comm)
if (total := u.sum()) == 448 and comm.rank == 0:
    print(f"the sum on {comm.size} ranks is {total}", flush=True)
"""
# Options are for Slurm; what follows them is for all ranks.
SRUN = 'while [ "${1#--}" != "$1" ]; do shift; done; exec mpiexec -n "$RANKS" "$@"'


def script(folder):
    """The first block of the page, with the paths of this machine."""
    page = (ROOT / "docs" / "cluster-jobs.md").read_text(encoding="utf-8")
    text = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)[0]
    text = text.replace("source /shared/ours/bin/activate", ": activated")
    return text.replace("/shared/ours", str(folder)).replace("--merge", "--merge --quick")


@pytest.mark.skipif(not (BIN / "mpiexec").exists(), reason="needs the extra mpi")
@pytest.mark.parametrize("ranks", [4, 2])
def test_the_script_runs_where_the_ranks_see_each_other(tmp_path, ranks):
    for name, text in (
        ("srun", SRUN),
        ("module", ":"),
        ("graycube", 'exec python -m graycube "$@"'),
    ):
        (tmp_path / name).write_text(f"#!/bin/bash\n{text}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "program.py").write_text(PROGRAM)
    env = {
        "PATH": f"{tmp_path}:{BIN}:{os.environ['PATH']}",
        "SLURM_NTASKS": "4",
        "RANKS": str(ranks),
    }
    done = subprocess.run(
        ["/bin/bash", "-c", script(tmp_path)],
        cwd=tmp_path, env={**os.environ, **env}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ranks == 4:
        assert done.returncode == 0, done.stdout + done.stderr
        assert "the sum on 4 ranks is 448" in done.stdout
        assert (tmp_path / "profiles" / "our-cluster.toml").exists()
    else:
        assert done.returncode == 1
        assert "the sum" not in done.stdout
