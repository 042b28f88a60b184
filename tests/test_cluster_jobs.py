"""The scripts of docs/cluster-*.md, with mpiexec for srun, and a stand-in for scontrol."""

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


@pytest.mark.long
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


TOPOLOGY = """\
SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[2,4-5]
SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[1,3,9]
SwitchName=leaf3 Level=0 LinkSpeed=1 Nodes=n[20-40]
SwitchName=spine Level=1 LinkSpeed=1 Nodes=n[1-40] Switches=leaf[1-3]
"""
SCONTROL = """#!{python}
import sys
from graycube.mapping.hosts import host_names
print({topology!r} if sys.argv[2] == "topology" else "\\n".join(host_names(sys.argv[3])))
"""


@pytest.mark.long
def test_hosts_are_sorted_by_leaf(tmp_path):
    page = (ROOT / "docs" / "cluster-hosts.md").read_text(encoding="utf-8")
    sort, place, nodes, *_ = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    stand_in = tmp_path / "scontrol"
    stand_in.write_text(SCONTROL.format(python=sys.executable, topology=TOPOLOGY))
    stand_in.chmod(0o755)
    (tmp_path / "graycube").write_text('#!/bin/sh\nexec python -m graycube "$@"\n')
    (tmp_path / "graycube").chmod(0o755)
    place = place.replace("8x16", "4x16").replace("8x2x4x2", "8x2x2x2")
    env = {
        "PATH": f"{tmp_path}:{BIN}:{os.environ['PATH']}",
        "SLURM_JOB_NODELIST": "n[1-4]",
    }
    done = subprocess.run(
        ["/bin/bash", "-ec", sort + place + nodes.split("SLURM_HOSTFILE")[0]],
        cwd=tmp_path, env={**os.environ, **env}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "leaves").read_text() == "n2,n4\nn1,n3\n"
    ranks = (tmp_path / "ranks").read_text().split()
    assert {name: ranks.count(name) for name in ranks} == dict.fromkeys(
        ("n2", "n4", "n1", "n3"), 16
    )
    nodes = [name for name in ("n2", "n4", "n1", "n3") for _ in range(16)]
    assert (tmp_path / "nodes").read_text().split() == nodes
